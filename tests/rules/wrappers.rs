//! Some libraries are seen by one crate only, so that they can be replaced there. `deny.toml` holds the same rule for
//! what our dependencies pull in; this one reads our own `Cargo.toml` files. Development dependencies are exempt.

use super::workspace::{Kind, Package, packages, packages_in, root};
use crate::prelude::*;

/// A library by package name, and the packages that may name it.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("annotate-snippets", &["callgate-cli"]),
    ("aws-sigv4", &["callgate-store"]),
    ("axum", &["callgate-gateway", "callgate-testkit"]),
    ("clap", &["callgate-cli"]),
    ("clap_mangen", &["callgate-cli"]),
    ("command-fds", &["callgate-code"]),
    ("google-cloud-auth", &["callgate-google"]),
    ("granit-parser", &["callgate-tree"]),
    ("hyper-rustls", &["callgate-transport"]),
    ("hyper-util", &["callgate-gateway", "callgate-transport"]),
    ("keyring-core", &["callgate-store"]),
    ("monty", &["callgate-code"]),
    ("monty-types", &["callgate-code"]),
    ("openapiv3", &["callgate-config"]),
    ("pdf-extract", &["callgate-documents"]),
    ("redis", &["callgate-state"]),
    ("reqwest", &[]),
    ("rmcp", &["callgate-mcp"]),
    ("rusqlite", &["callgate-database", "callgate-state"]),
    ("rust-stemmers", &["callgate-search"]),
    ("seccompiler", &["callgate-code"]),
    ("serde_json_path", &["callgate-openapi"]),
    ("strsim", &["callgate-tool"]),
    ("tokio-postgres", &["callgate-database"]),
    ("yaml_serde", &["callgate-cli", "callgate-tree"]),
    ("zip", &["callgate-ces", "callgate-gateway"]),
];

/// The rule: who names a library that is not theirs.
fn unwrapped(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        let named = package.dependencies.iter().filter(|each| each.kind != Kind::Development);
        let bad = named.filter(|each| {
            let wrapped = WRAPPERS.iter().find(|(library, _)| *library == each.name);
            wrapped.is_some_and(|(_, allowed)| !allowed.contains(&package.name.as_str()))
        });
        found.extend(bad.map(|each| format!("`{}` may not use `{}`", package.name, each.name)));
    }
    found
}

#[track_caller]
fn check(package: &str, dependency: &str, kind: Option<&str>, expected: &[&str]) {
    let dependencies = json!([{"name": dependency, "kind": kind}]);
    let metadata = json!({"packages": [{"name": package, "dependencies": dependencies}]});
    assert_eq!(unwrapped(&packages_in(&metadata)), expected);
}

#[test]
fn a_library_outside_its_wrapper_is_refused() {
    check("callgate-auth", "hyper-util", None, &["`callgate-auth` may not use `hyper-util`"]);
    check("callgate-call", "yaml_serde", None, &["`callgate-call` may not use `yaml_serde`"]);
    check("callgate-tool", "clap", Some("build"), &["`callgate-tool` may not use `clap`"]);
}

#[test]
fn a_library_in_its_wrapper_or_in_tests_is_accepted() {
    check("callgate-transport", "hyper-util", None, &[]);
    check("callgate-tree", "yaml_serde", None, &[]);
    check("callgate-auth", "axum", Some("dev"), &[]);
}

#[test]
fn every_wrapped_library_is_named_by_its_wrappers_only() {
    assert_eq!(unwrapped(&packages()), [""; 0]);
}

#[test]
fn the_ban_list_for_dependencies_names_the_same_libraries() {
    let page = fs::read_to_string(root().join("deny.toml")).unwrap();
    for (library, allowed) in WRAPPERS {
        let line = page.lines().find(|line| line.contains(&format!("crate = \"{library}\"")));
        let line = line.unwrap_or_else(|| panic!("`deny.toml` bans `{library}`"));
        for package in *allowed {
            assert!(line.contains(&format!("\"{package}\"")), "`{package}` wraps `{library}`");
        }
        // It knows no kinds: those that only test with it are named too.
        let all = packages();
        let named = |package: &&Package| package.dependencies.iter().any(|it| it.name == *library);
        for package in all.iter().filter(named) {
            let name = &package.name;
            assert!(line.contains(&format!("\"{name}\"")), "`{name}` uses `{library}`");
        }
    }
}
