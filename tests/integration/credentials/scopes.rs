//! What is told of credentials without the scopes that operations ask for: all of it, as far as it can be read.

use crate::prelude::*;
use std::fmt::Write;

#[track_caller]
fn check(n_operations: usize, expected: &str) {
    let mut description = "openapi: 3.0.3
components:
  securitySchemes:
    token: { type: oauth2, flows: { clientCredentials: { tokenUrl: \"https://a.example\", scopes: {} } } }
paths:
"
    .to_owned();
    for n in 0..n_operations {
        let scopes = format!("[{{ token: [list, s{n:02}] }}]");
        writeln!(description, "  /p{n:02}: {{ get: {{ summary: s, security: {scopes} }} }}")
            .unwrap();
    }
    let token = "{ oauth2_client_credentials: { token_url: \"https://idp.example/token\", client_id: c, \
                 client_secret: \"literal:canary\", scopes: [list] } }";
    let settings = format!("server: https://a.example\ncredentials: {{ token: {token} }}\n");
    let built = toolset(&description, &settings).unwrap();
    let report = &built.toolsets[0].report;
    let mut told = report.diagnostics.iter().filter(|one| one.code == Code::MissingCredential);
    assert_eq!(told.next().unwrap().message, expected);
    assert!(told.next().is_none());
}

#[test]
fn missing_scopes_are_reported_with_all_their_operations() {
    check(
        3,
        "expected a credential for the security scheme `token` with the scopes `s00`, `s01`, `s02`, got one without \
         them; 3 operations cannot be called: `GET /p00`, `GET /p01`, `GET /p02`",
    );
}

#[test]
fn of_many_missing_scopes_the_first_twenty_are_listed() {
    let first = |prefix: &str| {
        let names: Vec<_> = (0..20).map(|n| format!("`{prefix}{n:02}`")).collect();
        names.join(", ")
    };
    let expected = format!(
        "expected a credential for the security scheme `token` with the scopes {} and 5 more, got one without them; \
         25 operations cannot be called: {} and 5 more",
        first("s"),
        first("GET /p")
    );
    check(25, &expected);
}
