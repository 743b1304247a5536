//! Tests the page of a login, and the queries that the browser may come back with.

use std::collections::BTreeMap;

use super::*;
use crate::{
    ErrorKind,
    oauth2::settings::{LoginEndpoints, OAuth2Grant, TokenEndpoint},
};

const PAGE: &str = "https://idp.example.com/authorize?tenant=a";
const REDIRECT: &str = "http://127.0.0.1:49152/callback";

fn config() -> OAuth2Config {
    OAuth2Config {
        name: "pets".to_owned(),
        endpoint: TokenEndpoint::Url("https://idp.example.com/token".to_owned()),
        client: None,
        grant: OAuth2Grant::AuthorizationCode(LoginEndpoints::default()),
        scopes: vec!["read".to_owned(), "write".to_owned()],
        audiences: Vec::new(),
        resources: vec!["https://api.example.com".to_owned()],
        header: None,
        parameters: vec![("prompt".to_owned(), "consent".to_owned())],
    }
}

fn login(issuer: Option<(&str, bool)>) -> BegunLogin {
    let issuer = issuer.map(|(issuer, names_itself)| (issuer.to_owned(), names_itself));
    begin_browser_login(&config(), "me", PAGE, REDIRECT, issuer).unwrap()
}

#[test]
fn the_url_of_the_page_has_a_challenge_and_a_random_state() {
    let (login, other) = (login(None), login(None));
    let query: BTreeMap<_, _> = login.url().query_pairs().into_owned().collect();
    for (name, expected) in [
        ("tenant", "a"),
        ("response_type", "code"),
        ("client_id", "me"),
        ("redirect_uri", REDIRECT),
        ("scope", "read write"),
        ("resource", "https://api.example.com"),
        ("prompt", "consent"),
        ("code_challenge_method", "S256"),
        ("state", login.state.expose()),
    ] {
        assert_eq!(query[name], expected, "{name}");
    }
    // RFC 7636 §4.1 and §4.2.
    assert_eq!(login.verifier.expose().len(), 43);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(login.verifier.expose()));
    assert_eq!(query["code_challenge"], challenge);
    assert!(!login.state.is_same_value(&other.state));
    assert!(!login.verifier.is_same_value(&other.verifier));
    assert!(!login.url().as_str().contains(login.verifier.expose()));
    let shown = format!("{login:?}");
    assert!(!shown.contains(login.state.expose()), "{shown}");
    assert!(!shown.contains(login.verifier.expose()), "{shown}");
}

#[test]
fn a_page_without_an_http_url_is_refused() {
    for page in ["file:///etc/passwd", "javascript:alert(1)", "x", ""] {
        let refused = begin_browser_login(&config(), "me", page, REDIRECT, None).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Configuration, "{page}");
    }
}

/// Checks the reading of a query: the code, or the words of the refusal. `STATE` is the login's own.
#[track_caller]
fn check(issuer: Option<(&str, bool)>, query: &str, expected: Result<&str, &str>) {
    let login = login(issuer);
    let query = query.replace("STATE", login.state.expose());
    match (code_from_query(&login, "pets", &query), expected) {
        (Ok(code), Ok(expected)) => assert_eq!(code.expose(), expected, "{query}"),
        (Err(error), Err(expected)) => {
            assert!(error.to_string().contains(expected), "{query}: {error}");
            assert!(!error.to_string().contains("canary"), "{error}");
        }
        (found, _) => panic!("{query}: {found:?}"),
    }
}

#[test]
fn a_login_answer_must_have_the_state_and_the_issuer_of_its_login() {
    check(None, "code=abc&state=STATE", Ok("abc"));
    check(None, "code=a%2Fb+c&state=STATE&iss=x", Ok("a/b c"));
    let (other, server) = ("another login", "another server");
    for query in ["", "code=canary", "code=canary&state=", "code=canary&state=canary"] {
        check(None, query, Err(other));
    }
    check(None, "code=canary&state=STATE&state=STATE", Err(other));
    let issuer = "https://idp.example.com";
    check(Some((issuer, true)), &format!("code=abc&state=STATE&iss={issuer}"), Ok("abc"));
    check(Some((issuer, true)), "code=canary&state=STATE", Err(server));
    check(Some((issuer, false)), "code=abc&state=STATE", Ok("abc"));
    check(Some((issuer, false)), "code=canary&state=STATE&iss=https://canary", Err(server));
    let twice = format!("code=canary&state=STATE&iss={issuer}&iss={issuer}");
    check(Some((issuer, false)), &twice, Err(server));
}

#[test]
fn a_refused_login_is_reported_without_the_text_of_the_server() {
    check(None, "error=access_denied&error_description=canary&state=STATE", Err("access_denied"));
    check(None, "error=canary&state=STATE", Err("an error code of its own"));
    check(None, "error=canary&state=canary", Err("another login"));
    for query in ["state=STATE", "code=&state=STATE", "code=canary&code=canary&state=STATE"] {
        check(None, query, Err("without a code"));
    }
}

#[test]
fn the_operator_reads_why_the_server_refused_a_login() {
    let reason = "AADSTS65004: User declined to consent";
    for (query, expected) in [
        (
            "error=consent_required&error_description=AADSTS65004%3A+User+declined+to+consent",
            reason,
        ),
        ("error=invalid_client_id", "invalid_client_id"),
    ] {
        let login = login(None);
        let query = format!("{query}&state={}", login.state.expose());
        let error = code_from_query(&login, "pets", &query).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        let expected = format!("asked at `https://idp.example.com`, which says: {expected}");
        assert_eq!(cause, expected, "{query}");
    }
}
