//! Edges between crates only go down. The table below is the rule; `crates/README.md` shows the same table to readers
//! and the two must agree. Development dependencies and the packages of tests are exempt.

use std::sync::LazyLock;

use super::workspace::{Kind, Package, packages, packages_in, root};
use crate::prelude::*;

/// One crate: its level and the crates it may name. It may also name what those may name: an edge may skip levels.
struct Row {
    level: u8,
    name: &'static str,
    uses: Vec<&'static str>,
}

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (head, uses) = line.split_once(':').unwrap();
        let (level, name) = head.split_once(' ').unwrap();
        Row { level: level.parse().unwrap(), name, uses: uses.split_whitespace().collect() }
    };
    ROWS.trim().lines().map(row).collect()
});

const ROWS: &str = "
12 cli: agent callgate ces console draft gateway mcp
11 ces: config gateway
11 console: gateway
10 gateway: agent config dialect draft executor mcp policy search session
9 agent: config dialect executor policy session
9 callgate: code config connector database dialect documents executor policy search session vertex
9 mcp: config dialect executor policy search session
8 config: auth dialect executor google kind openapi policy settings state store transport tree
7 code: kind session
7 connector: kind session transport
7 database: kind session transport
7 documents: kind search session transport
7 vertex: kind transport
6 kind: executor
6 policy: executor session settings
5 executor: auth call openapi search session transport
4 auth: google settings store transport
4 call: openapi
4 state: session transport
3 google: transport
3 openapi: tree
3 settings: tree
3 store: transport
2 dialect: tool
2 draft: tool
2 search: tool
2 session: tool
2 transport: tool
2 tree: tool
1 tool: secret
0 secret:
";

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
    TABLE.iter().map(|row| (row.level, row.name.to_owned(), owned(&row.uses))).collect()
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
    for from in &*TABLE {
        for used in &from.uses {
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
