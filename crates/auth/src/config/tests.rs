//! Tests each kind of credential from its settings to the request, with a store in memory.

use bytes::Bytes;
use callgate_secret::{MemoryStore, Secret};
use callgate_testkit::list;
use callgate_tool::{Session, Value, json};
use callgate_transport::{Refuse, render_request};
use http::{HeaderValue, Request};

use super::*;
use crate::ErrorKind;

fn reference(text: &str) -> SecretReference {
    text.parse().unwrap()
}

fn context() -> AuthContext {
    let secrets = [
        ("env:KEY", "canary-key"),
        ("env:USER", "Aladdin"),
        ("env:COLON", "canary:name"),
        ("env:EMPTY", ""),
        ("env:CRLF", "canary\r\nX-Evil: 1"),
        ("env:LF", "canary\n"),
        ("env:NUL", "canary\0"),
    ];
    let with = |store: MemoryStore, (name, value): (&str, &str)| {
        store.with(&reference(name), Secret::new(value.to_owned()))
    };
    let secrets = secrets.into_iter().fold(MemoryStore::new(), with);
    AuthContext::new(Arc::new(secrets), Arc::new(Refuse::new()))
}

fn header_key(name: &str, value: &str) -> AuthConfig {
    let (place, name) = (ApiKeyLocation::Header, name.to_owned());
    AuthConfig::ApiKey { place, name, value: reference(value) }
}

fn query_key(name: &str, value: &str) -> AuthConfig {
    let (place, name) = (ApiKeyLocation::Query, name.to_owned());
    AuthConfig::ApiKey { place, name, value: reference(value) }
}

fn basic(username: &str, password: &str) -> AuthConfig {
    AuthConfig::Basic { username: reference(username), password: reference(password) }
}

fn bearer(token: &str) -> AuthConfig {
    AuthConfig::Bearer { token: CredentialSource::Secret(reference(token)) }
}

fn session_bearer() -> AuthConfig {
    AuthConfig::Bearer { token: CredentialSource::SessionParameter("user.token".to_owned()) }
}

fn session(token: impl Into<Value>) -> Session {
    let parameters = json!({"user": {"token": token.into()}});
    Session::new("s").with_parameters(parameters.as_object().cloned().unwrap())
}

fn request() -> Request<Bytes> {
    Request::get("http://h/p?a=1&key=MODEL")
        .header("authorization", "MODEL")
        .header("accept", "*/*")
        .body(Bytes::new())
        .unwrap()
}

async fn authorize(config: AuthConfig, session: &Session) -> Result<Request<Bytes>, Error> {
    let authenticator = config.build(&context())?;
    let mut request = request();
    let authorization = authenticator.authorize(&mut request, session).await?;
    assert_eq!(authorization.placed, authenticator.places());
    // A URL shows its content in `Debug`; sensitive headers do not.
    let headers = request.headers();
    assert!(!format!("{authenticator:?}{authorization:?}{headers:?}").contains("canary"));
    assert!(!String::from_utf8_lossy(&render_request(&request)).contains("canary"));
    Ok(request)
}

async fn check_header(config: AuthConfig, name: &str, expected: &str) {
    let request = authorize(config, &session(json!("canary-token"))).await.unwrap();
    let values: Vec<&HeaderValue> = request.headers().get_all(name).into_iter().collect();
    assert_eq!(values, [expected]);
    assert!(values[0].is_sensitive());
}

#[tokio::test]
async fn each_kind_of_credential_is_sent_at_its_location() {
    check_header(header_key("X-Api-Key", "env:KEY"), "x-api-key", "canary-key").await;
    check_header(header_key("Authorization", "env:KEY"), "authorization", "canary-key").await;
    for (config, expected) in [
        (bearer("env:KEY"), "Bearer canary-key"),
        (bearer("literal:abc"), "Bearer abc"),
        (session_bearer(), "Bearer canary-token"),
        // RFC 7617 §2 and §2.1 contain these two examples.
        (basic("env:USER", "literal:open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        (basic("literal:test", "literal:123£"), "Basic dGVzdDoxMjPCow=="),
        (basic("literal:a", "literal:b:c"), "Basic YTpiOmM="),
        (basic("literal:key", "literal:"), "Basic a2V5Og=="),
    ] {
        check_header(config, "authorization", expected).await;
    }
    let request = authorize(query_key("key", "env:KEY"), &session(json!(1))).await.unwrap();
    assert_eq!(request.uri(), "http://h/p?a=1&key=canary-key");
}

#[tokio::test]
async fn the_kind_without_a_credential_leaves_the_request_unchanged() {
    let left = authorize(AuthConfig::None, &session(json!("canary"))).await.unwrap();
    assert_eq!(render_request(&left), render_request(&request()));
}

async fn check_failure(config: AuthConfig, token: Value, kind: ErrorKind, named: &str) {
    let error = authorize(config, &session(token)).await.unwrap_err();
    assert_eq!(error.kind(), kind, "{error:?}");
    let shown = format!("{error} {error:?}");
    assert!(error.to_string().contains(named), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
    let is_the_sessions =
        matches!(kind, ErrorKind::MissingSessionValue | ErrorKind::UnusableSessionValue);
    assert_eq!(error.session_parameter(), is_the_sessions.then_some("user.token"));
}

#[tokio::test]
async fn a_missing_secret_of_a_credential_is_reported_with_its_reference() {
    for config in [
        header_key("x", "env:NONE"),
        query_key("x", "env:NONE"),
        basic("env:NONE", "env:KEY"),
        basic("env:KEY", "env:NONE"),
        bearer("env:NONE"),
    ] {
        check_failure(config, json!("canary"), ErrorKind::MissingSecret, "`env:NONE`").await;
    }
}

#[tokio::test]
async fn a_secret_that_cannot_be_sent_is_refused_and_not_shown() {
    for bad in ["env:CRLF", "env:LF", "env:NUL", "env:EMPTY", "literal:", "literal:canary\n"] {
        let named = reference(bad).to_string();
        for config in [header_key("x", bad), query_key("x", bad), bearer(bad)] {
            check_failure(config, json!("canary"), ErrorKind::UnusableSecret, &named).await;
        }
    }
    for (username, password, named) in [
        ("env:COLON", "env:KEY", "env:COLON"),
        ("env:CRLF", "env:KEY", "env:CRLF"),
        ("env:KEY", "env:NUL", "env:NUL"),
        ("env:EMPTY", "env:EMPTY", "env:EMPTY"),
    ] {
        let config = basic(username, password);
        check_failure(config, json!("canary"), ErrorKind::UnusableSecret, named).await;
    }
}

/// Threat 25 of `SECURITY.md`.
#[tokio::test]
async fn a_session_without_the_value_sends_nothing() {
    let kind = ErrorKind::MissingSessionValue;
    for token in list(r#"null | "" | "  " | 7 | false | ["canary"] | {"canary": 1}"#) {
        check_failure(session_bearer(), token.parse().unwrap(), kind, "`user.token`").await;
    }
    let error = authorize(session_bearer(), &Session::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingSessionValue);
}

#[tokio::test]
async fn a_sessions_value_with_a_line_break_is_refused_and_not_shown() {
    let kind = ErrorKind::UnusableSessionValue;
    for token in ["canary\r\nX-Evil: 1", "canary\n", "canary\0"] {
        check_failure(session_bearer(), json!(token), kind, "`user.token`").await;
    }
}

#[test]
fn an_illegal_location_of_a_credential_is_a_fault_of_the_configuration() {
    for key in
        [header_key("x y", "env:KEY"), header_key("Host", "env:KEY"), query_key("", "env:KEY")]
    {
        let error = key.clone().build(&context()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{key:?}");
    }
}

#[test]
fn credential_locations_are_listed_with_their_variables() {
    let (header, query) = (ApiKeyLocation::Header, ApiKeyLocation::Query);
    for (config, expected) in [
        (header_key("X-Key", "env:KEY"), (header, "x-key", "", Some("KEY"))),
        (query_key("Key", "file:key"), (query, "Key", "", None)),
        (bearer("env:KEY"), (header, "authorization", "Bearer ", Some("KEY"))),
        (session_bearer(), (header, "authorization", "Bearer ", None)),
        // The variable holds the password, not everything after the prefix.
        (basic("env:USER", "env:KEY"), (header, "authorization", "Basic ", None)),
    ] {
        let places = config.build(&context()).unwrap().places();
        let [place] = &*places else { panic!("{places:?}") };
        let place = (place.place(), place.name(), place.prefix(), place.environment());
        assert_eq!(place, expected);
    }
    assert!(AuthConfig::None.build(&context()).unwrap().places().is_empty());
}

#[test]
fn debug_output_of_credentials_shows_no_literal() {
    for config in [
        header_key("x", "literal:canary"),
        basic("literal:canary", "literal:canary"),
        bearer("literal:canary"),
    ] {
        let shown = format!("{config:?} {:?}", config.clone().build(&context()).unwrap());
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[tokio::test]
async fn each_session_gets_its_own_token() {
    let authenticator = session_bearer().build(&context()).unwrap();
    for round in 0..100 {
        let token = format!("token-{}", round % 7);
        let mut request = request();
        authenticator.authorize(&mut request, &session(json!(token))).await.unwrap();
        assert_eq!(request.headers()["authorization"], format!("Bearer {token}"));
    }
}
