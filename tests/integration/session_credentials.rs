//! What one toolset's credential reads of a session is no input of another toolset's tools (threat 60 of `SECURITY.md`), and no
//! credential of a session is shown. Over TCP on loopback: the service answers with what arrived.

use crate::prelude::*;
use futures_util::FutureExt;
use proptest::prelude::*;

const CANARY: &str = "canary-t0k3n";

/// A description whose one operation asks for a session value by `annotation`.
fn description(annotation: &str) -> String {
    format!(
        "paths:
  /echo:
    post:
      operationId: echo
      summary: Echo
      parameters:
        - {{ name: q, in: query, content: {{ application/json: {{ schema: {{ {annotation} }} }} }} }}
        - {{ name: X-H, in: header, content: {{ application/json: {{ schema: {{ {annotation} }} }} }} }}
        - {{ name: c, in: cookie, content: {{ application/json: {{ schema: {{ {annotation} }} }} }} }}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                whole: {{ {annotation} }}
                inner: {{ type: object, properties: {{ deep: {{ {annotation} }} }} }}
"
    )
}

/// Two toolsets: `hub` with a credential, `other` with a description of its own.
fn configuration(server: &str, token: &str, settings: &str) -> String {
    format!(
        "toolsets:
  hub:
    openapi: spec.yaml
    server: {server}
    auth: {{ bearer: {{ token: {token} }} }}
  other:
    openapi: spec.yaml
    server: {server}
    auth: none
{settings}
"
    )
}

fn load(annotation: &str, configuration: &str) -> Result<Built, config::Error> {
    configured_with(&description(annotation), configuration)
}

fn built(annotation: &str, configuration: &str) -> Built {
    load(annotation, configuration).unwrap()
}

fn session(envelope: Value) -> Session {
    read_session(envelope).unwrap()
}

/// All that leaves callgate but to the service: a call and its dry run as JSON, with their journals.
async fn shown(built: &Built, tool: &str, session: &Session) -> (String, Vec<ToolResult>) {
    let call = asked(tool, json!({}));
    let results = vec![
        built.executor.dry_run(&call, session).await,
        built.executor.call(&call, session).await,
    ];
    let told = |result: &ToolResult| format!("{} {:?}", json_result(result), result.journal);
    (results.iter().map(told).collect(), results)
}

fn parameter(name: &str) -> String {
    format!("x-agent-input-parameter: {name}")
}

fn context(path: &str) -> String {
    format!("x-ces-session-context: $context.{path}")
}

/// A server, and tools at it: those of `hub` with this credential.
async fn served(token: &str, annotation: &str, settings: &str) -> (Server, Built) {
    let server = Server::start().await;
    let built = built(annotation, &configuration(&server.url(""), token, settings));
    (server, built)
}

/// A session whose parameter `token` is the credential.
fn with_token() -> Session {
    session(json!({"parameters": {"token": CANARY}}))
}

/// A credential's source, what another description says, and the session that holds the token.
const ROWS: &str = r#"
    $session.params.token => x-agent-input-parameter: token => {"parameters": {"token": "CANARY"}}
    $session.params.Token => x-agent-input-parameter: TOKEN => {"parameters": {"tOKEN": "CANARY"}}
    $session.params.token => x-agent-input-parameter: $session.params.token => {"parameters": {"token": "CANARY"}}
    $session.params.user.token => x-agent-input-parameter: user.token => {"parameters": {"user": {"Token": "CANARY", "name": "ann"}}}
    $session.params.user.token => x-agent-input-parameter: user => {"parameters": {"user": {"Token": "CANARY", "name": "ann"}}}
    $session.params.user.token => x-agent-input-parameter: user => {"parameters": {"user.token": "CANARY"}}
    $session.params.user.token => x-agent-input-parameter: user.token => {"parameters": {"user.token": "CANARY"}}
    $context.variables.token => x-ces-session-context: $context.variables.token => {"context": {"variables": {"token": "CANARY"}}}
    $context.variables.token => x-ces-session-context: $context.variables => {"context": {"variables": {"token": "CANARY"}}}
    $context.variables.user.Token => x-ces-session-context: $context.variables => {"context": {"variables": {"user": {"Token": "CANARY", "name": "ann"}}}}
    $context.variables.user.Token => x-ces-session-context: $context.variables.user => {"context": {"variables": {"user": {"Token": "CANARY", "name": "ann"}}}}
    $context.variables.token => x-agent-input-parameter: token => {"parameters": {"token": "CANARY"}, "context": {"variables": {"token": "CANARY"}}}
    $session.params.token => x-ces-session-context: $context.variables => {"parameters": {"token": "CANARY"}, "context": {"variables": {"token": "CANARY"}}}
    $session.credentials.token => x-agent-input-parameter: token => {"credentials": {"token": "CANARY"}}
    $session.credentials.token => x-agent-input-parameter: credentials.token => {"credentials": {"token": "CANARY"}}
    $session.credentials.token => x-ces-session-context: $context.credentials.token => {"credentials": {"token": "CANARY"}}
    "#;

#[tokio::test]
async fn a_description_does_not_read_another_toolsets_credential() {
    let server = Server::start().await;
    for [token, annotation, envelope] in rows(ROWS) {
        let built = built(annotation, &configuration(&server.url(""), token, ""));
        let session = session(envelope.replace("CANARY", CANARY).parse().unwrap());
        let row = format!("{token}, {annotation}, {envelope}");
        let (told, results) = shown(&built, "other-echo", &session).await;
        assert!(matches!(results[1].outcome, Outcome::Answered(_)), "{row}: {told}");
        assert!(!told.contains(CANARY), "{row}: {told}");
        let arrived = server.last().to_string();
        assert!(!arrived.contains(CANARY), "{row}: {arrived}");
        // The credential itself arrives where it belongs, and is shown nowhere.
        let (told, _) = shown(&built, "hub-echo", &session).await;
        let arrived = &server.last()["headers"]["authorization"];
        assert_eq!(arrived, &format!("Bearer {CANARY}"), "{row}");
        assert!(!told.contains(CANARY), "{row}: {told}");
    }
}

#[tokio::test]
async fn session_parameters_beside_a_credential_are_inputs() {
    let token = "$session.params.user.token";
    let (server, built) = served(token, &parameter("user.name"), "").await;
    let session = session(json!({"parameters": {"user": {"token": CANARY, "name": "ann"}}}));
    let (told, results) = shown(&built, "other-echo", &session).await;
    assert_eq!(server.last()["target"], "/echo?q=%22ann%22", "{told}");
    assert!(results[1].journal.events().is_empty() || !told.contains("Withheld"), "{told}");
}

#[tokio::test]
async fn an_allowed_session_parameter_is_readable_by_its_toolset() {
    let allow = "    session_parameters: { allow: [Token] }";
    let (server, built) = served("$session.params.token", &parameter("token"), allow).await;
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let (told, _) = shown(&built, "other-echo", &with_token()).await;
    assert_eq!(server.last()["target"], format!("/echo?q=%22{CANARY}%22"));
    assert!(!told.contains(CANARY), "{told}");
}

#[tokio::test]
async fn withheld_session_values_are_noted_in_the_journal() {
    let (_, built) = served("$session.params.token", &parameter("token"), "").await;
    let result = built.executor.call(&asked("other-echo", json!({})), &with_token()).await;
    let withheld = Event::SessionValueWithheld { name: "token".to_owned() };
    assert!(result.journal.events().contains(&withheld), "{:?}", result.journal);
}

/// Where a session input can stand below an argument: compositions, items and maps.
#[tokio::test]
async fn a_credential_is_withheld_below_every_keyword_of_a_schema() {
    let server = Server::start().await;
    for (schema, argument) in [
        ("{ allOf: [{ type: object, properties: { t: AT } }] }", json!({"t": "x"})),
        ("{ anyOf: [{ type: object, properties: { t: AT } }] }", json!({"t": "x"})),
        ("{ type: object, additionalProperties: AT }", json!({"t": "x"})),
        ("{ type: object, patternProperties: { '^t': AT } }", json!({"t": "x"})),
        ("{ type: array, items: AT }", json!(["x"])),
        ("{ type: array, items: { type: object, properties: { t: AT } } }", json!([{"t": "x"}])),
        ("{ type: array, prefixItems: [AT] }", json!(["x"])),
    ] {
        let at = "{ type: string, x-agent-input-parameter: token }";
        let operation = format!(
            "paths:
  /echo:
    post:
      operationId: echo
      summary: Echo
      requestBody: {{ required: true, content: {{ application/json: {{ schema: {} }} }} }}
",
            schema.replace("AT", at)
        );
        let text = configuration(&server.url(""), "$session.params.token", "");
        let built = configured_with(&operation, &text);
        let built = built.unwrap_or_else(|error| panic!("{schema}: {error}"));
        let told = built.warnings.iter().any(|found| found.code == "session-credential");
        assert!(told, "{schema}: {:?}", built.warnings);
        let call = asked("other-echo", json!({"body": argument}));
        let before = server.total();
        let result = built.executor.call(&call, &with_token()).await;
        assert_eq!(server.total(), before + 1, "{schema}: {result:?}");
        let arrived = server.last()["body"].to_string();
        assert!(!arrived.contains(CANARY), "{schema}: {arrived}");
        let withheld = Event::SessionValueWithheld { name: "token".to_owned() };
        assert!(result.journal.events().contains(&withheld), "{schema}: {:?}", result.journal);
    }
}

#[test]
fn an_undeclared_shared_session_value_is_reported_with_the_line_to_add() {
    let told = |annotation: &str, token: &str, settings: &str| {
        let built = built(annotation, &configuration("http://127.0.0.1:1", token, settings));
        let told = built.warnings.iter().map(|found| {
            let line = found.position.map_or(0, |position| position.line);
            format!("{} {line}: {}; {}", found.code, found.message, found.help)
        });
        told.collect::<Vec<_>>()
    };
    let line = "session-credential 6: the session's `token` is a credential of the toolset `hub` and no input of other tools; inputs of `other-echo` ask for it; write `session_parameters: {allow: [token]}` in this toolset if its service may see it, or hand the credential over as one: `$session.credentials.token`";
    assert_eq!(told(&parameter("token"), "$session.params.token", ""), [line]);
    assert_eq!(told(&context("variables"), "$context.variables.token", ""), [line]);
    assert!(told(&parameter("name"), "$session.params.token", "").is_empty());
    assert!(told(&parameter("token"), "$session.credentials.token", "").is_empty());
    let unused = "    session_parameters: { allow: [name] }";
    let [found] = told(&parameter("name"), "$session.params.token", unused).try_into().unwrap();
    assert!(found.starts_with("unused-key 10: expected a session value"), "{found}");
}

#[test]
fn a_value_is_allowed_by_its_bare_name() {
    let wrong = "    session_parameters: { allow: [$session.params.token] }";
    let configuration = configuration("http://127.0.0.1:1", "$session.params.token", wrong);
    let error = load(&parameter("token"), &configuration).unwrap_err().to_string();
    assert!(error.contains("expected the name of a session value"), "{error}");
}

#[tokio::test]
async fn a_toolset_may_read_the_value_of_its_own_credential_masked() {
    let server = Server::start().await;
    for (token, annotation) in [
        ("$session.params.token", parameter("token")),
        ("$context.variables.token", context("variables.token")),
    ] {
        let built = built(&annotation, &configuration(&server.url(""), token, ""));
        let values = json!({"token": CANARY});
        let session =
            session(json!({"parameters": values, "context": {"variables": {"token": CANARY}}}));
        let (told, _) = shown(&built, "hub-echo", &session).await;
        assert_eq!(server.last()["headers"]["x-h"], format!("\"{CANARY}\""));
        assert!(!told.contains(CANARY), "{told}");
    }
}

#[tokio::test]
async fn a_fault_does_not_show_a_value_that_is_a_credential() {
    let built = built(
        "type: integer, x-agent-input-parameter: token",
        &configuration("http://127.0.0.1:1", "$session.params.token", ""),
    );
    let (told, results) = shown(&built, "hub-echo", &with_token()).await;
    assert!(matches!(results[0].outcome, Outcome::Failed(_)), "{told}");
    assert!(!told.contains(CANARY), "{told}");
}

#[tokio::test]
async fn session_values_that_look_like_references_are_literal() {
    let server = Server::start().await;
    for (token, envelope) in [
        ("$session.params.token", json!({"parameters": {"token": "env:HOME"}})),
        ("$session.credentials.Token", json!({"credentials": {"tOKEN": "env:HOME"}})),
        ("$context.variables.token", json!({"context": {"variables": {"token": "env:HOME"}}})),
    ] {
        let built = built(&parameter("x"), &configuration(&server.url(""), token, ""));
        shown(&built, "hub-echo", &session(envelope)).await;
        assert_eq!(server.last()["headers"]["authorization"], "Bearer env:HOME", "{token}");
    }
}

#[tokio::test]
async fn without_its_session_credential_a_call_sends_nothing() {
    let (server, built) = served("$session.credentials.token", &parameter("x"), "").await;
    let absent = Session::default();
    let empty = Session::default().with_credential("token", Secret::new(" ".to_owned()));
    let split = Session::default().with_credential("token", Secret::new("a\r\nb: c".to_owned()));
    for session in [absent, empty, split] {
        let (told, results) = shown(&built, "hub-echo", &session).await;
        assert!(matches!(results[1].outcome, Outcome::Failed(_)), "{told}");
        assert!(told.contains("$session.credentials.token"), "{told}");
    }
    assert_eq!(server.total(), 0);
}

#[tokio::test]
async fn a_session_credential_is_masked_in_answers_and_arguments() {
    let (_, built) = served("literal:other-token", "minLength: 0", "").await;
    let session = Session::new("s").with_credential("unused", Secret::new(CANARY.to_owned()));
    let call = asked("other-echo", json!({"q": CANARY, "X_H": format!("a {CANARY} b")}));
    for result in
        [built.executor.dry_run(&call, &session).await, built.executor.call(&call, &session).await]
    {
        let told = format!("{} {:?}", json_result(&result), result.journal);
        assert!(told.contains("****") && !told.contains(CANARY), "{told}");
    }
}

/// Names of parameters and variables, so few that sources, questions and values meet.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["token", "Token", "user", "user.token", "user.Token", "a.b.token"])
        .prop_map(str::to_owned)
}

/// A canary at a path, spelt as a name with dots or as nested objects.
fn placed() -> impl Strategy<Value = Object> {
    (name(), any::<bool>(), any::<bool>()).prop_map(|(path, is_dotted, is_upper)| {
        let path = if is_upper { path.to_uppercase() } else { path };
        let parts: Vec<_> = if is_dotted { vec![&*path] } else { path.split('.').collect() };
        let value = parts.iter().rev().fold(json!(CANARY), |value, part| json!({*part: value}));
        value.as_object().cloned().unwrap_or_default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_part_of_a_request_has_the_credential_of_another_toolset(
        (reads, asks, parameters, variables, of_context, asks_context) in
            (name(), name(), placed(), placed(), any::<bool>(), any::<bool>()),
    ) {
        let source = if of_context { "$context.variables." } else { "$session.params." };
        let annotation = if asks_context { context(&format!("variables.{asks}")) } else { parameter(&asks) };
        let token = format!("{source}{reads}");
        let built = built(&annotation, &configuration("http://127.0.0.1:1", &token, ""));
        let envelope = json!({"parameters": parameters, "context": {"variables": variables}});
        let session = session(envelope);
        let call = asked("other-echo", json!({}));
        let reached = if of_context {
            session.context(&format!("variables.{reads}"))
        } else {
            session.parameter(&reads).cloned()
        };
        let is_read = reached.is_some_and(|value| value == CANARY);
        let told = json_result(&built.executor.dry_run(&call, &session).now_or_never().unwrap()).to_string();
        if is_read {
            prop_assert!(!told.contains(CANARY), "{token} {annotation} {told}");
        }
        // Not only masked: not there.
        if reads.to_lowercase() == asks.to_lowercase() {
            prop_assert!(!told.contains("****"), "{token} {annotation} {told}");
        }
    }
}
