//! Edges between crates only go down. The table below is the rule; `crates/README.md` shows the same table to readers
//! and the two must agree. Development dependencies and the packages of tests are exempt.

use super::workspace::{Kind, Package, packages, packages_in, root};
use crate::prelude::*;

/// One crate: its level and the crates it may name. It may also name what those may name: an edge may skip levels.
struct Row {
    level: u8,
    name: &'static str,
    uses: &'static [&'static str],
}

const TABLE: &[Row] = &[
    Row {
        level: 12,
        name: "cli",
        uses: &["agent", "callgate", "ces", "console", "draft", "gateway", "mcp"],
    },
    Row { level: 11, name: "ces", uses: &["config", "gateway"] },
    Row { level: 11, name: "console", uses: &["gateway"] },
    Row {
        level: 10,
        name: "gateway",
        uses: &[
            "agent", "config", "dialect", "draft", "executor", "mcp", "policy", "search", "session",
        ],
    },
    Row { level: 9, name: "agent", uses: &["config", "dialect", "executor", "policy", "session"] },
    Row {
        level: 9,
        name: "callgate",
        uses: &[
            "code",
            "config",
            "connector",
            "database",
            "dialect",
            "documents",
            "executor",
            "policy",
            "search",
            "session",
            "vertex",
        ],
    },
    Row {
        level: 9,
        name: "mcp",
        uses: &["config", "dialect", "executor", "policy", "search", "session"],
    },
    Row {
        level: 8,
        name: "config",
        uses: &[
            "auth",
            "dialect",
            "executor",
            "google",
            "kind",
            "openapi",
            "policy",
            "settings",
            "state",
            "store",
            "transport",
            "tree",
        ],
    },
    Row { level: 7, name: "code", uses: &["kind", "session"] },
    Row { level: 7, name: "connector", uses: &["kind", "session", "transport"] },
    Row { level: 7, name: "database", uses: &["kind", "session", "transport"] },
    Row { level: 7, name: "documents", uses: &["kind", "search", "session", "transport"] },
    Row { level: 7, name: "vertex", uses: &["kind", "transport"] },
    Row { level: 6, name: "kind", uses: &["executor"] },
    Row { level: 6, name: "policy", uses: &["executor", "session", "settings"] },
    Row {
        level: 5,
        name: "executor",
        uses: &["auth", "call", "openapi", "search", "session", "transport"],
    },
    Row { level: 4, name: "auth", uses: &["google", "settings", "store", "transport"] },
    Row { level: 4, name: "call", uses: &["openapi"] },
    Row { level: 4, name: "state", uses: &["session", "transport"] },
    Row { level: 3, name: "google", uses: &["transport"] },
    Row { level: 3, name: "openapi", uses: &["tree"] },
    Row { level: 3, name: "settings", uses: &["tree"] },
    Row { level: 3, name: "store", uses: &["transport"] },
    Row { level: 2, name: "dialect", uses: &["tool"] },
    Row { level: 2, name: "draft", uses: &["tool"] },
    Row { level: 2, name: "search", uses: &["tool"] },
    Row { level: 2, name: "session", uses: &["tool"] },
    Row { level: 2, name: "transport", uses: &["tool"] },
    Row { level: 2, name: "tree", uses: &["tool"] },
    Row { level: 1, name: "tool", uses: &["secret"] },
    Row { level: 0, name: "secret", uses: &[] },
];

/// The crates that do no I/O. They see each other and `secret`, whose values they hold, and nothing else.
const PURE: &[&str] = &["call", "dialect", "draft", "openapi", "search", "session", "tool", "tree"];

/// A crate naming another, both by folder name.
type Edge = (String, String);

fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

fn folder_name(package: &str) -> &str {
    package.strip_prefix("callgate-").unwrap_or(package)
}

/// The packages that no program uses.
const TESTS: [&str; 2] = ["callgate-testkit", "callgate-tests"];

fn edges(packages: &[Package]) -> Vec<Edge> {
    let names: BTreeSet<_> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut edges = Vec::new();
    for package in packages.iter().filter(|package| !TESTS.contains(&&*package.name)) {
        let counted = package.dependencies.iter().filter(|each| each.kind != Kind::Development);
        for dependency in counted.filter(|each| names.contains(each.name.as_str())) {
            let edge = (folder_name(&package.name), folder_name(&dependency.name));
            edges.push((edge.0.to_owned(), edge.1.to_owned()));
        }
    }
    edges
}

fn may_see(from: &Row, to: &str) -> bool {
    from.uses.iter().any(|&used| used == to || row(used).is_some_and(|used| may_see(used, to)))
}

/// The rule: what is wrong with these edges.
fn outside_the_table(edges: &[Edge]) -> Vec<String> {
    let bad = edges.iter().filter(|(from, to)| !row(from).is_some_and(|from| may_see(from, to)));
    bad.map(|(from, to)| format!("`{from}` may not use `{to}`")).collect()
}

/// The rule: crates that the table does not know.
fn unknown_crates(packages: &[Package]) -> Vec<String> {
    let crates = packages.iter().filter(|package| !TESTS.contains(&&*package.name));
    let names = crates.map(|package| folder_name(&package.name));
    let unknown = names.filter(|&name| row(name).is_none());
    unknown.map(|name| format!("`{name}` has no level")).collect()
}

/// The rule: the crates with I/O that one without sees, directly or through others.
fn seen_by_the_pure(edges: &[Edge]) -> Vec<String> {
    let mut found = Vec::new();
    for &pure in PURE {
        let mut seen = BTreeSet::from([pure]);
        let mut open = vec![pure];
        while let Some(at) = open.pop() {
            let next = edges.iter().filter(|(from, _)| from == at).map(|(_, to)| to.as_str());
            open.extend(next.filter(|&to| seen.insert(to)));
        }
        let others = seen.iter().filter(|name| **name != "secret" && !PURE.contains(name));
        found.extend(others.map(|name| format!("`{pure}` sees `{name}`")));
    }
    found
}

/// The rows `| level | crate | may use |` of a page.
fn table_in(page: &str) -> Vec<(u8, String, Vec<String>)> {
    let mut rows = Vec::new();
    for line in page.lines() {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, level, name, uses, ..] = cells.as_slice() else { continue };
        let Ok(level) = level.parse() else { continue };
        let uses = uses.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        rows.push((level, name.trim_matches('`').to_owned(), uses));
    }
    rows
}

fn table_here() -> Vec<(u8, String, Vec<String>)> {
    let owned = |uses: &[&str]| uses.iter().map(|&used| used.to_owned()).collect();
    TABLE.iter().map(|row| (row.level, row.name.to_owned(), owned(row.uses))).collect()
}

#[track_caller]
fn check(edges: &[(&str, &str)], expected: &[&str]) {
    let edges: Vec<_> = edges.iter().map(|&(from, to)| (from.to_owned(), to.to_owned())).collect();
    assert_eq!(outside_the_table(&edges), expected);
}

#[test]
fn an_edge_upwards_or_sideways_is_refused() {
    check(&[("openapi", "call")], &["`openapi` may not use `call`"]);
    check(&[("openapi", "dialect")], &["`openapi` may not use `dialect`"]);
    check(&[("secret", "tool")], &["`secret` may not use `tool`"]);
    check(&[("call", "transport")], &["`call` may not use `transport`"]);
    check(&[("nobody", "tool")], &["`nobody` may not use `tool`"]);
}

#[test]
fn an_edge_may_skip_levels_downwards() {
    check(&[("callgate", "transport"), ("cli", "openapi"), ("openapi", "secret")], &[]);
}

#[test]
fn a_development_dependency_is_no_edge() {
    let metadata = json!({"packages": [
        {"name": "callgate-tool", "dependencies": [
            {"name": "callgate-cli", "kind": "dev"},
            {"name": "callgate-secret", "kind": "build"},
        ]},
        {"name": "callgate-cli", "dependencies": []},
        {"name": "callgate-secret", "dependencies": []},
    ]});
    assert_eq!(edges(&packages_in(&metadata)), [("tool".to_owned(), "secret".to_owned())]);
}

#[test]
fn a_crate_without_a_level_is_refused() {
    let metadata = json!({"packages": [{"name": "callgate-extra", "dependencies": []}]});
    assert_eq!(unknown_crates(&packages_in(&metadata)), ["`extra` has no level"]);
}

#[test]
fn a_pure_crate_that_reaches_one_with_io_through_another_is_refused() {
    let edges = [("call", "openapi"), ("openapi", "auth")];
    let edges = edges.map(|(from, to)| (from.to_owned(), to.to_owned()));
    assert_eq!(seen_by_the_pure(&edges), ["`call` sees `auth`", "`openapi` sees `auth`"]);
}

#[test]
fn every_crate_has_a_level_and_every_edge_is_in_the_table() {
    let packages = packages();
    assert_eq!(unknown_crates(&packages), [""; 0]);
    assert_eq!(outside_the_table(&edges(&packages)), [""; 0]);
    assert_eq!(seen_by_the_pure(&edges(&packages)), [""; 0]);
}

#[test]
fn every_row_of_the_table_has_only_edges_downwards() {
    for from in TABLE {
        for used in from.uses {
            let to = row(used).unwrap_or_else(|| panic!("`{used}` has a row"));
            assert!(to.level < from.level, "`{}` and `{used}`", from.name);
        }
    }
}

#[test]
fn the_architecture_page_shows_the_same_table() {
    let page = fs::read_to_string(root().join("crates/README.md")).unwrap();
    assert_eq!(table_in(&page), table_here());
    assert!(page.lines().count() <= 200, "the architecture page fits 200 lines");
}

#[test]
fn every_file_that_the_architecture_page_names_exists() {
    let crates = root().join("crates");
    let page = fs::read_to_string(crates.join("README.md")).unwrap();
    let quoted = page.split('`').skip(1).step_by(2);
    let absent: Vec<_> =
        quoted.filter(|text| text.contains("/src/") && !crates.join(text).exists()).collect();
    assert_eq!(absent, Vec::<&str>::new());
}
