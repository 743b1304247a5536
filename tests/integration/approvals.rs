//! Calls that a person has to approve, by the key `confirm` of a configuration: what is shown is what is sent, and what changes
//! in between is asked about again.

use crate::prelude::*;

const DESCRIPTION: &str = include_str!("approvals.yaml");

const AUTH: &str = "auth: { api_key: { in: header, name: X-Key, value: literal:canary-key } }";

fn configuration(server: &str, confirm: &str) -> Config {
    let text = format!(
        "toolsets:\n  pets:\n    openapi: spec.yaml\n    server: {server}\n    {AUTH}\n    confirm: {confirm}\n"
    );
    let mut config = Config::from_text(&text, "").unwrap();
    config.toolsets[0].description = Description::text(describe(DESCRIPTION));
    config
}

async fn built(server: &str, confirm: &str, previous: Option<&Built>) -> Built {
    let config = configuration(server, confirm);
    config.build(&Environment::new(), previous).await.unwrap()
}

fn put() -> ToolCall {
    let Value::Object(arguments) = json!({"petId": 7, "name": "Rex"}) else { panic!() };
    ToolCall::new("1", "pets-putPet", arguments)
}

fn session(tenant: &str) -> Session {
    let tenant = Object::from_iter([("tenant".to_owned(), Value::from(tenant))]);
    Session::new("s-1").with_parameters(tenant)
}

fn pending(result: &ToolResult) -> &Pending {
    let Outcome::Pending(pending) = &result.outcome else { panic!("{result:?}") };
    assert_eq!(pending.kind, PendingKind::Approval);
    pending
}

async fn decided(built: &Built, session: &Session, id: &str, decision: Decision) -> ToolResult {
    let asked = put();
    built.executor.call_with(Call::new(&asked, session).with_decision(id, decision)).await
}

#[tokio::test]
async fn the_preview_of_an_approval_equals_the_request_without_credentials() {
    let server = Server::start().await;
    let built = built(&server.url(""), "writes", None).await;
    let read = ToolCall::new("1", "pets-listPets", Object::new());
    let result = built.executor.call(&read, &session("acme")).await;
    assert!(
        matches!(result.outcome, Outcome::Answered(_)),
        "reading needs no approval: {result:?}"
    );

    let result = built.executor.call(&put(), &session("acme")).await;
    let asked = pending(&result);
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
    assert_eq!(server.count("/pets/7"), 0);
    let result = decided(&built, &session("acme"), &asked.id, Decision::Approve).await;
    let sent: Value = result.json().unwrap();
    let shown = &asked.request;
    assert_eq!(shown["method"], json!("PUT"));
    assert_eq!(shown["url"], json!(server.url("/pets/7?tenant=acme")));
    assert_eq!(shown["body"], sent["body"]);
    assert_eq!(shown["headers"]["x-key"], json!("****"));
    assert_eq!(server.count("/pets/7"), 1);
}

#[tokio::test]
async fn a_changed_session_value_or_a_reload_needs_a_new_approval() {
    let (server, other) = (Server::start().await, Server::start().await);
    let before = built(&server.url(""), "writes", None).await;
    let ask = async || pending(&before.executor.call(&put(), &session("acme")).await).id.clone();
    let result = decided(&before, &session("evil"), &ask().await, Decision::Approve).await;
    assert!(pending(&result).request.to_string().contains("tenant=evil"), "{result:?}");

    let same =
        built(&server.url(""), "{default: never, tools: {putPet: always}}", Some(&before)).await;
    let result = decided(&same, &session("acme"), &ask().await, Decision::Approve).await;
    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");

    let moved = built(&other.url(""), "writes", Some(&before)).await;
    let result = decided(&moved, &session("acme"), &ask().await, Decision::Approve).await;
    assert!(pending(&result).request.to_string().contains(&other.url("/pets/7")), "{result:?}");

    let free = built(&server.url(""), "never", Some(&before)).await;
    let result = decided(&free, &session("acme"), &ask().await, Decision::Reject).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    assert_eq!(fault.code, FaultCode::Rejected);
    assert_eq!((server.count("/pets/7"), other.count("/pets/7")), (1, 0));
}

#[tokio::test]
async fn an_approval_rule_of_an_unknown_tool_is_a_warning() {
    let built = built("https://api.example.com", "{tools: {sellHouse: always}}", None).await;
    let warning = built.warnings.iter().find(|found| found.code == "selects-nothing").unwrap();
    assert_eq!((warning.severity, &*warning.help), (Severity::Warning, "remove it"));

    let text = "toolsets:\n  app:\n    functions: [{name: open_page}]\n    confirm: {tools: {open_page: always}}\n";
    let built = configured(text).unwrap();
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let asked = ToolCall::new("1", "app-open_page", Object::new());
    let result = built.executor.call(&asked, &Session::default()).await;
    let text = pending(&result).request["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("asks the client to run `app-open_page`"), "{text}");
}

#[tokio::test]
async fn an_approver_of_a_misspelt_tool_is_an_error_and_of_an_unknown_one_a_warning() {
    let text = |entry: &str| {
        format!(
            "toolsets:\n  app:\n    functions: [{{name: open_page}}, {{name: close_page}}]\naccess:\n  principals:\n    \
             kim: {{bearer: env:KIM_TOKEN}}\n    \
             lee: {{bearer: env:LEE_TOKEN, approves: [app, {entry}]}}\n"
        )
    };
    let known = configured(&text("app-open_page")).unwrap();
    assert!(known.warnings.iter().all(|found| found.code != "selects-nothing"));
    for (entry, expected) in
        [("app-open_pag", "`app-open_page`"), ("wrte", "`write`"), ("ap", "`app`")]
    {
        let error = configured(&text(entry)).unwrap_err();
        assert_eq!(error.findings()[0].pointer, "/access/principals/lee/approves/1", "{error}");
        assert!(error.to_string().contains(&format!("did you mean {expected}?")), "{error}");
    }
    let built = configured(&text("sellTheHouse")).unwrap();
    let warning = built.warnings.iter().find(|found| found.code == "selects-nothing").unwrap();
    assert_eq!(warning.severity, Severity::Warning);
}

#[test]
fn an_approver_of_a_tool_has_any_name_that_means_no_other() {
    let description = "paths: {/orders: {post: {operationId: create_order_orders_post}}, /pets: {get: {operationId: list}}}";
    let found = |entry: &str| {
        let toolset = |name: &str| {
            let edit = "tools: {edit: {create_order: {name: order}}}";
            format!("  {name}: {{openapi: x, server: 'https://a.example', {edit}}}\n")
        };
        let text = format!(
            "access:\n  principals:\n    kim: {{bearer: env:KIM_TOKEN}}\n    lee: {{bearer: env:LEE_TOKEN, approves: [{entry}]}}\n\
             toolsets:\n{}{}  app: {{openapi: x, server: 'https://a.example', functions: [{{name: open_page}}], tools: {{edit: {{open_page: {{name: show}}}}}}}}\n",
            toolset("one"),
            toolset("two"),
        );
        let built = configured_with(description, &text);
        let findings = crate::built::findings(built)
            .into_iter()
            .filter(|found| found.pointer.contains("/approves/"));
        findings.map(|found| format!("{}; {}", found.message, found.help)).collect::<Vec<_>>()
    };
    let texts = "one-order one-create_order one-create_order_orders_post app-show app-open_page
        open_page";
    for entry in texts.split_whitespace() {
        assert_eq!(found(entry), [""; 0], "{entry}");
    }
    let several = found("list");
    assert_eq!(
        several,
        [
            "expected the name of one tool, got that of 3: `list`; write the name of one of them: `one-list`, `two-list`, `app-list`"
        ]
    );
}
