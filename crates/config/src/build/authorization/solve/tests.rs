//! Tests rows of requirements, the available credentials, and the solution.

use callgate_openapi::{Document, Limits, LoadOptions, load};

use super::*;

/// `none` costs 0, `key` and `user` 1, `token` 3 with the scopes `read` and `list`, `other` 3 with unknown scopes.
const HELD: [(&str, u32, Option<&[&str]>); 5] = [
    ("none", 0, None),
    ("key", 1, None),
    ("user", 1, None),
    ("token", 3, Some(&["read", "list"])),
    ("other", 3, None),
];

fn shown(solution: &Solution<'_>) -> String {
    let names = |known: &Requirement| {
        known.schemes.iter().map(|one| one.scheme.name.to_string()).collect::<Vec<_>>().join("+")
    };
    let lack = |missing: &Missing<'_>| {
        let scopes = missing.scopes.iter().map(|scope| format!(" {scope}")).collect::<String>();
        format!("{}{scopes}", missing.scheme.name)
    };
    match solution {
        Solution::Met(requirement) => names(requirement),
        Solution::Open => "open".to_owned(),
        Solution::Unmet(missing) => {
            format!("lacks {}", missing.iter().map(lack).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Checks the `security` of an operation, the available schemes, and the schemes it is called with or lacks.
#[track_caller]
fn check(security: &str, held: &[&str], expected: &str) {
    let text = format!(
        "---\n{{openapi: 3.1.0, info: {{title: T, version: '1'}}, servers: [{{url: 'https://a.example'}}],
          paths: {{/a: {{get: {{security: {security}}}}}}}}}"
    );
    let parsed = callgate_tree::read(text.as_bytes(), &Limits::default().text).unwrap();
    let loaded = load(&Document::new(parsed.value).unwrap(), &LoadOptions::default());
    let row = |(name, cost, scopes): &(&str, u32, Option<&[&str]>)| {
        let scopes = scopes.map(|scopes| scopes.iter().map(ToString::to_string).collect());
        (name.to_string(), Holding { cost: *cost, scopes })
    };
    let holdings = HELD.iter().filter(|row| held.contains(&row.0)).map(row).collect();
    assert_eq!(shown(&choose_alternative(&loaded.operations[0].security, &holdings)), expected);
}

#[test]
fn one_satisfied_alternative_of_security_is_enough() {
    check("[{key: []}, {user: []}]", &["user"], "user");
    check("[{key: []}, {user: []}]", &["key", "user"], "key");
}

#[test]
fn all_schemes_of_one_alternative_are_required() {
    check("[{key: [], user: []}]", &["key", "user"], "key+user");
    check("[{key: [], user: []}]", &["key"], "lacks user");
    check("[{key: [], user: []}, {token: []}]", &["key", "token"], "token");
}

#[test]
fn the_cheapest_alternative_is_chosen_and_of_equal_ones_the_first() {
    check("[{token: []}, {key: []}]", &["key", "token"], "key");
    check("[{key: [], user: []}, {user: []}]", &["key", "user"], "user");
    check("[{token: []}, {key: [], user: []}]", &["key", "user", "token"], "key+user");
    check("[{user: []}, {key: []}]", &["key", "user"], "user");
    check("[{key: []}, {none: []}]", &["key", "none"], "none");
}

#[test]
fn an_available_credential_is_preferred_to_an_anonymous_alternative() {
    check("[{}, {key: []}]", &["key"], "key");
    check("[{}, {token: []}]", &["token"], "token");
    check("[{}, {key: []}]", &[], "open");
    check("[{key: []}, {}]", &["user"], "open");
}

#[test]
fn an_operation_without_security_needs_no_credential() {
    check("[]", &["key"], "open");
}

#[test]
fn required_scopes_must_be_among_the_granted_ones_if_those_are_listed() {
    check("[{token: [read]}]", &["token"], "token");
    check("[{token: [list, read]}]", &["token"], "token");
    check("[{token: [read, write]}]", &["token"], "lacks token write");
    check("[{other: [read, write]}]", &["other"], "other");
    check("[{token: [write]}, {key: []}]", &["token", "key"], "key");
    check("[{token: [write]}, {}]", &["token"], "open");
}

#[test]
fn the_alternative_that_lacks_fewest_credentials_is_reported() {
    check("[{key: [], user: []}, {token: []}]", &[], "lacks token");
    check("[{user: []}, {key: []}]", &[], "lacks user");
    check("[{key: [], user: []}]", &[], "lacks key, user");
}
