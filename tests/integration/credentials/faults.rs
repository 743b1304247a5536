//! Credentials that fit no security scheme, and other faults of what a configuration says about them.

use super::load;
use crate::prelude::*;

/// Each fault of a configuration, by its code and a part of its words.
#[track_caller]
fn check_fault(settings: &str, code: &str, words: &str) {
    let error = load("https://a.example", "https://b.example", settings).unwrap_err();
    let findings = error.findings();
    let shown = format!("{error}");
    assert!(findings.iter().any(|known| known.code == code), "{shown}");
    assert!(shown.contains(words) && !shown.contains("canary"), "{shown}");
}

#[test]
fn credentials_that_fit_no_scheme_are_faults() {
    check_rows(
        r#"
        credentials: { keey: { api_key: { value: "literal:canary" } } } => unknown-scheme => did you mean `key`?
        credentials: { zzz: { api_key: { value: "literal:canary" } } } => unknown-scheme => it declares `certificate`
        credentials: { token: { api_key: { value: "literal:canary" } } } => wrong-credential => expected `bearer` or another kind that is a token for the security scheme `token`, got: `api_key`
        credentials: { key: { bearer: { token: env:A } } } => wrong-credential => expected `api_key` for the security scheme `key`, got: `bearer`
        credentials: { pair: { bearer: { token: env:A } } } => wrong-credential => expected `basic` for the security scheme `pair`
        credentials: { certificate: { bearer: { token: env:A } } } => wrong-credential => expected no credential but the client certificate of the toolset
        credentials: { key: { api_key: { in: header, name: X, value: env:A } } } => wrong-value => the description says where the key
        credentials: { key: {} } => wrong-value => expected one kind of credential
        credentials: [] => wrong-value => a mapping from security schemes
        credential_origins: ["https://a.example/path"] => wrong-value => expected an origin
        credential_origins: [a.example] => wrong-value => expected an origin
        "#,
        |[settings, code, words]| check_fault(settings, code, words),
    );
}
