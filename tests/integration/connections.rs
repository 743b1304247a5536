//! Connections of Google's Integration Connectors as toolsets: from a configuration to a call.

use crate::prelude::*;

use callgate_testkit::{CONNECTORS_TOKEN, Connectors, UserRules};

fn configured(service: &Connectors, members: &str) -> String {
    format!(
        "toolsets:\n  crm:\n    connection: {CONNECTION}\n    server: {}\n    auth: {{bearer: {{token: 'literal:{CONNECTORS_TOKEN}'}}}}\n{members}",
        service.origin
    )
}

async fn built(service: &Connectors, members: &str) -> Result<Built, callgate_config::Error> {
    let config = loader().text(configured(service, members), "").unwrap();
    config.build(&Environment::new(), None).await
}

const ACTIONS: &str = "
    actions:
      - {entity: Case, operation: list, output_fields: [Id, Subject]}
      - {entity: Case, operation: delete, name: remove_case}
      - {action: SendMail, input_fields: [to]}
      - {tool: list_cases}
      - action: ExecuteCustomQuery
        name: recent
        sql: select n from t where owner = :owner
        inputs: {owner: $session.params.user}
        effect: read
    tools: {edit: {list_cases: {name: open_cases, description: Open cases}}}
    confirm: {default: never, tools: {remove_case: always}}
";

#[tokio::test]
async fn a_configured_connection_has_its_tools() {
    let service = Connectors::start(UserRules::default()).await;
    let built = built(&service, ACTIONS).await.unwrap();
    let names: Vec<_> = built.executor.entries().map(|tool| tool.name().to_string()).collect();
    assert_eq!(
        names,
        ["crm-Case-list", "crm-remove_case", "crm-SendMail", "crm-open_cases", "crm-recent"]
    );
    let asked = ToolCall::new("1", "crm-Case-list", json_object(&json!({"limit": 1})));
    let result = built.executor.call(&asked, &Session::default()).await;
    let row = r#"{"rows":[{"Id":"C-1","Subject":"case 1"}],"more":true,"next":"1"}"#;
    assert_eq!(result.text(), Some(row));
}

#[tokio::test]
async fn a_call_that_its_client_runs_does_not_reach_a_connection() {
    let service = Connectors::start(UserRules::default()).await;
    let unasked = ACTIONS.replace("remove_case: always", "remove_case: never");
    let built = built(&service, &unasked).await.unwrap();
    let (session, n_rows) = (Session::default(), service.rows().len());
    for (tool, arguments) in [
        ("crm-Case-list", json!({"limit": 1})),
        ("crm-remove_case", json!({"Id": "C-1"})),
        ("crm-SendMail", json!({"to": "kim@example.com"})),
        ("crm-open_cases", json!({})),
    ] {
        let asked = ToolCall::new("1", tool, json_object(&arguments));
        let call = || Call::new(&asked, &session).run_by_client();
        let n_calls = service.calls().len();
        let result = built.executor.call_with(call()).await;
        let is_pending = matches!(&result.outcome, Outcome::Pending(pending) if pending.kind == PendingKind::Client);
        assert!(is_pending, "{tool}: {result:?}");
        assert_eq!((service.calls().len(), service.rows().len()), (n_calls, n_rows), "{tool}");
    }
}

fn json_object(value: &Value) -> Arguments {
    value.as_object().unwrap().clone()
}

#[tokio::test]
async fn a_connection_that_cannot_be_read_keeps_the_names_of_its_tools() {
    let service = Connectors::start(UserRules::default()).await;
    let away = closed_origin();
    let text = configured(&service, ACTIONS).replace(&service.origin, &away);
    let config = loader().text(&text, "").unwrap();
    let error = config.build(&Environment::new(), None).await.unwrap_err();
    assert_eq!(error.findings()[0].code, "unreachable-connection");
    let environment = Environment::new().listing_missing();
    let built = config.build(&environment, None).await.unwrap();
    assert_eq!(built.executor.entries().count(), 5);
    assert!(built.sources[0].failure.is_some());
}

#[tokio::test]
async fn a_user_of_a_connection_that_falls_back_is_refused() {
    let rules = UserRules { is_override_enabled: true, falls_back_on_admin: true };
    let service = Connectors::start(rules).await;
    let members = "    actions: [{entity: Case, operation: list}]\n    user: {oauth2_auth_code: $session.credentials.crm}\n";
    let error = built(&service, members).await.unwrap_err();
    let mut findings = error.findings().iter();
    let finding = findings.find(|finding| finding.code == "connection-user").unwrap();
    assert_eq!(finding.pointer, "/toolsets/crm/user");
    assert!(finding.position.is_some());
}

#[track_caller]
fn refused(members: &str, expected: &str) {
    let text = format!("toolsets: {{crm: {{connection: {CONNECTION}, {members}}}}}");
    let error = match loader().text(&text, "") {
        Err(error) => error,
        Ok(config) => config.build_blocking(&Environment::new(), None).unwrap_err(),
    };
    let messages: Vec<_> = error.findings().iter().map(|finding| &*finding.message).collect();
    assert_eq!(messages, [expected], "{members}");
}

#[test]
fn contradictory_settings_of_a_connection_are_refused() {
    check_rows(
        "
        actions: [{}] => expected one of `entity`, `action` and `tool`, got none or several
        actions: [{entity: Case}] => expected `operation` beside `entity`, got none
        actions: [{action: ExecuteCustomQuery}] => expected `sql` beside the action `ExecuteCustomQuery`, got none
        openapi: a.yaml => expected no `openapi` beside `connection`, got one
        actions: [{entity: Case, operation: get, many: true}] => expected no `many` in an entry of this kind, got one
        actions: [{entity: Case, operation: list, input_fields: [Id]}] => expected no `input_fields` in an entry of this kind, got one
        actions: [{entity: Case, operation: delete, input_fields: [Id]}] => expected no `input_fields` in an entry of this kind, got one
        user: {oauth2_auth_code: env:TOKEN} => expected the token of the session's own user, got a secret of the operator
        ",
        |[members, expected]| refused(members, expected),
    );
}

const LOCAL: &str = "
connections: {projects/p/locations/l/connections/crm: {toolset: shop}}
toolsets:
  crm:
    connection: projects/p/locations/l/connections/crm
    prefix: ''
    actions:
      - {entity: Orders, operation: list, arguments: google, name: find_orders}
      - {entity: Orders, operation: get, arguments: google}
      - {entity: Orders, operation: update, many: true, arguments: google}
  shop:
    database: {url: file:shop.url}
    entities:
      orders: {table: orders, operations: [list, get, update], many: true, affected: 5, filter: [no, note], input_fields: {update: [note]}}
";

#[tokio::test]
async fn a_connection_on_a_local_database_asks_nobody_else() {
    let config = loader().text(LOCAL, "").unwrap();
    let environment = Environment::new().without_source_requests();
    let built = config.build(&environment, None).await.unwrap();
    let names: Vec<_> = built.executor.entries().map(|tool| tool.name().to_string()).collect();
    let expected = [
        "shop-orders-list",
        "shop-orders-get",
        "shop-orders-update",
        "find_orders",
        "Orders-get",
        "Orders-update",
    ];
    assert_eq!(names, expected);
    let unused = |built: &Built| {
        let unused = built.warnings.iter().filter(|finding| finding.code == "unused-key");
        unused.map(|finding| finding.pointer.clone()).collect::<Vec<_>>()
    };
    assert_eq!(unused(&built), [""; 0]);
    let limits = "    prefix: ''\n    limits: {rows: 1, rate: {calls: 9, per: 1h}}\n";
    let limited = LOCAL.replace("    prefix: ''\n", limits);
    let built = loader().text(&limited, "").unwrap().build(&environment, None).await.unwrap();
    assert_eq!(unused(&built), ["/toolsets/crm/limits/rows"]);
    let text = LOCAL.replace("{toolset: shop}", "{toolset: nope}");
    let error = loader().text(&text, "").unwrap().build(&environment, None).await.unwrap_err();
    let pointer = "/connections/projects~1p~1locations~1l~1connections~1crm/toolset";
    assert_eq!(
        (error.findings()[0].code, &*error.findings()[0].pointer),
        ("unknown-toolset", pointer)
    );
}

#[tokio::test]
async fn an_exported_connector_tool_runs_on_its_connection() {
    let service = Connectors::start(UserRules::default()).await;
    let actions = json!([
        {"entityOperation": {"entityId": "Case", "operation": "LIST"}, "outputFields": ["Id"]},
        {"entityOperation": {"entityId": "Case", "operation": "DELETE"}},
        {"entityOperation": {"entityId": "Case", "operation": "UPDATE"}, "inputFields": ["Status"]},
    ]);
    let spec = json!({"name": CONNECTION, "actions": actions});
    let export = json!({"displayName": "Cases", "description": "d", "connectorSpec": spec});
    let folder = temporary_folder(&[("cases.json", &export.to_string())]);
    let text = format!(
        "toolsets: {{crm: {{dialogflow_tool: cases.json, server: '{}', auth: {{bearer: {{token: 'literal:{CONNECTORS_TOKEN}'}}}}}}}}",
        service.origin
    );
    let config = loader().text(&text, folder.path()).unwrap();
    let built = config.build(&Environment::new(), None).await.unwrap();
    let call = async |tool: &str, arguments: Value| {
        let asked = ToolCall::new("1", tool, json_object(&arguments));
        let result = built.executor.call(&asked, &Session::default()).await;
        assert_eq!(service.refusals(), [""; 0]);
        result.text().map_or_else(|| panic!("{result:?}"), str::to_owned)
    };
    let clause = json!({"filterClause": "Status='Open' and Total > 10", "pageSize": 1});
    let found = call("crm-Case-list", clause).await;
    assert_eq!(found, r#"{"connectorOutputPayload":[{"Id":"C-1"}],"nextPageToken":"1"}"#);
    assert_eq!(service.last().query["conditions"], "Status = 'Open' AND Total > 10");
    let update = json!({"filterClause": "Status IS NULL", "Status": "Open"});
    assert_eq!(call("crm-Case-update", update).await, r#"{"updated":true}"#);
    assert_eq!(call("crm-Case-delete", json!({"entityId": "C-2"})).await, r#"{"deleted":true}"#);
}
