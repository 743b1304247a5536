//! Tools of a connection against a service that refuses what the published discovery document does not allow.

#![cfg(test)]

use std::sync::Arc;

use callgate_auth::{AuthConfig, AuthContext, Authenticator, CredentialSource};
use callgate_connector::{
    ActionKind, ActionSettings, ConnectionSettings, Loaded, Surroundings, UserSettings, load,
};
use callgate_executor::{Builder, Call, CallSettings, Executor, SessionValues};
use callgate_kind::{ArgumentForm, Operation};
use callgate_secret::{MemoryStore, Secret};
use callgate_testkit::{CONNECTION, CONNECTORS_TOKEN, Connectors, UserRules};
use callgate_tool::{
    Effect, Object, Outcome, Session, SessionSource, StatementInput, ToolCall, ToolName,
    ToolResult, ToolsetName, Value, json,
};
use callgate_transport::{Client, Transport};

fn transport() -> Arc<dyn Transport> {
    Arc::new(Client::new().unwrap())
}

fn bearer(token: CredentialSource) -> Arc<dyn Authenticator> {
    let context = AuthContext::new(Arc::new(MemoryStore::new()), transport());
    AuthConfig::Bearer { token }.build(&context).unwrap()
}

fn entry(kind: ActionKind) -> ActionSettings {
    ActionSettings {
        pointer: "/toolsets/crm/actions/0".to_owned(),
        name: None,
        description: String::new(),
        kind,
        input_fields: None,
        output_fields: None,
        form: ArgumentForm::Own,
    }
}

fn entity(operation: Operation) -> ActionSettings {
    of("Case", operation, false)
}

fn of(entity: &str, operation: Operation, many: bool) -> ActionSettings {
    entry(ActionKind::Entity { entity: entity.to_owned(), operation, many })
}

fn settings(service: &Connectors, actions: Option<Vec<ActionSettings>>) -> ConnectionSettings {
    ConnectionSettings {
        pointer: "/toolsets/crm".to_owned(),
        toolset: "crm".to_owned(),
        prefix: Some(ToolsetName::new("crm").unwrap()),
        connection: CONNECTION.parse().unwrap(),
        server: service.origin.clone(),
        actions,
        user: None,
        call: CallSettings::default(),
        rows: 50,
    }
}

async fn load_tools(settings: ConnectionSettings) -> Loaded {
    let token = format!("literal:{CONNECTORS_TOKEN}").parse().unwrap();
    let user = settings.user.as_ref().map(|user| bearer(user.oauth2_auth_code.clone()));
    let around = Surroundings {
        transport: transport(),
        authenticator: bearer(CredentialSource::Secret(token)),
        user,
        session_values: SessionValues::default(),
    };
    load(settings, around).await
}

/// A service, and an executor with tools of its connection.
struct Crm {
    service: Connectors,
    executor: Executor,
}

impl Crm {
    async fn with(actions: Vec<ActionSettings>) -> Self {
        let service = Connectors::start(UserRules::default()).await;
        let settings = settings(&service, Some(actions));
        Self::of(service, settings).await
    }

    async fn of(service: Connectors, settings: ConnectionSettings) -> Self {
        let Loaded { tools, findings, unavailable } = load_tools(settings).await;
        assert_eq!((findings, unavailable), (Vec::new(), None));
        let executor = tools.into_iter().fold(Executor::builder(), Builder::shared_backend);
        Self { service, executor: executor.build().unwrap() }
    }

    async fn result(&self, tool: &str, arguments: Value) -> ToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let session =
            Session::new("s").with_credential("crm", Secret::new("users-token".to_owned()));
        let session = session.with_parameters(Object::from_iter([("owner", "ann".into())]));
        self.executor.call_with(Call::new(&ToolCall::new("1", tool, arguments), &session)).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments).await;
        assert_eq!(self.service.refusals(), [""; 0], "{:?}", result.outcome);
        match &result.outcome {
            Outcome::Answered(_) => Value::parse(result.text().unwrap()).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    async fn fails(&self, tool: &str, arguments: Value) -> String {
        let n_calls = self.service.calls().len();
        let result = self.result(tool, arguments).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{:?}", result.outcome) };
        assert_eq!(self.service.calls().len(), n_calls, "nothing is sent");
        fault.message
    }

    fn schema(&self, tool: &str) -> Value {
        self.executor.find(tool).unwrap().declaration().unwrap().input_schema.to_value()
    }
}

#[tokio::test]
async fn a_list_has_rows_and_says_if_there_are_more() {
    let chosen = vec!["Id".to_owned(), "Subject".to_owned(), "Total".to_owned()];
    let list = ActionSettings { output_fields: Some(chosen), ..entity(Operation::List) };
    let crm = Crm::with(vec![list]).await;
    let page = crm.call("crm-Case-list", json!({"limit": 2})).await;
    let row = json!({"Id": "C-1", "Subject": "case 1", "Total": 10.5});
    assert_eq!(page["rows"][0], row, "and nothing of the other fields");
    assert_eq!((&page["more"], &page["next"]), (&json!(true), &json!("2")));
    let rest = crm.call("crm-Case-list", json!({"page": "2"})).await;
    assert_eq!(rest["rows"].as_array().unwrap().len(), 5);
    assert_eq!((&rest["more"], rest.get("next")), (&json!(false), None));
    let conditions = json!({"Subject": {"eq": "it's"}, "any": [{"Total": {"gt": 1}}, {"Total": {"is_null": true}}]});
    crm.call("crm-Case-list", json!({"where": conditions, "sort": ["-Total"]})).await;
    let asked = crm.service.last();
    assert_eq!(asked.query["conditions"], "Subject = 'it''s' AND (Total > 1 OR Total IS NULL)");
    assert_eq!((&*asked.query["sortBy"], &*asked.query["sortOrder"]), ("Total", "DESC"));
    crm.call("crm-Case-list", json!({"where": {}})).await;
    assert!(!crm.service.last().query.contains_key("conditions"), "empty conditions are not sent");
}

#[tokio::test]
async fn a_list_without_a_key_asks_for_one_row_more() {
    let crm = Crm::with(vec![of("Log", Operation::List, false)]).await;
    let page = crm.call("crm-Log-list", json!({"limit": 3})).await;
    assert_eq!((page["rows"].as_array().unwrap().len(), &page["more"]), (3, &json!(true)));
    assert_eq!(crm.service.last().query["pageSize"], "4");
    assert!(crm.schema("crm-Log-list")["properties"].get("page").is_none());
}

#[tokio::test]
async fn entities_are_read_created_changed_and_deleted() {
    let operations =
        [Operation::Get, Operation::Create, Operation::Update, Operation::Delete].map(entity);
    let crm = Crm::with(operations.to_vec()).await;
    let row = crm.call("crm-Case-get", json!({"Id": "C-2"})).await;
    assert_eq!(row["row"]["Subject"], "case 2");
    let made = crm.call("crm-Case-create", json!({"Subject": "new", "Is_Open": true})).await;
    assert_eq!(made["row"], json!({"Subject": "new", "Is Open": true, "Id": "C-8"}));
    crm.call("crm-Case-update", json!({"Id": "C-8", "set": {"Status": null}})).await;
    assert_eq!(crm.service.rows()[7]["Status"], serde_json::Value::Null);
    assert_eq!(crm.call("crm-Case-delete", json!({"Id": "C-8"})).await, json!({"deleted": true}));
    assert_eq!(crm.service.rows().len(), 7);
    let result = crm.result("crm-Case-get", json!({"Id": "C-99"})).await;
    let Outcome::Failed(fault) = result.outcome else { panic!() };
    assert_eq!((fault.status, fault.body), (Some(404), Some(json!({"status": "NOT_FOUND"}))));
}

#[tokio::test]
async fn an_id_stays_one_segment_of_the_path() {
    let crm = Crm::with(vec![entity(Operation::Get), entity(Operation::Delete)]).await;
    for id in ["..", ".", "a\u{0}"] {
        crm.fails("crm-Case-get", json!({"Id": id})).await;
    }
    for id in ["../../Log/entities/1", "a?b=c", "a#b", "a%2fb", "C-1:execute", "a b"] {
        let n_calls = crm.service.calls().len();
        let result = crm.result("crm-Case-delete", json!({"Id": id})).await;
        assert_eq!(crm.service.refusals(), [""; 0], "{result:?}");
        for asked in crm.service.calls().split_off(n_calls) {
            let sent = (&*asked.method, &*asked.path["entityTypesId"], &*asked.path["entitiesId"]);
            assert_eq!(sent, ("entityTypes.entities.delete", "Case", id));
        }
    }
    assert_eq!(crm.service.calls().len(), 5, "one is refused before it is sent");
}

#[tokio::test]
async fn a_change_by_conditions_needs_many_and_conditions() {
    let crm = Crm::with(vec![entity(Operation::Delete), of("Case", Operation::Update, true)]).await;
    crm.fails("crm-Case-delete", json!({"where": {"Status": {"eq": "Open"}}})).await;
    for conditions in [json!({}), json!({"any": []}), json!({"any": [{}, {}]})] {
        crm.fails("crm-Case-update", json!({"where": conditions, "set": {"Status": "x"}})).await;
    }
    crm.fails("crm-Case-update", json!({"set": {"Status": "x"}})).await;
    let both = json!({"Id": "C-1", "where": {"Status": {"eq": "Open"}}, "set": {"Status": "x"}});
    crm.fails("crm-Case-update", both).await;
    let injected = json!({"where": {"Status": {"eq": "\\' OR 1=1 --"}}, "set": {"Status": "x"}});
    crm.fails("crm-Case-update", injected).await;
    let many = json!({"where": {"Status": {"in": ["Open", "New"]}}, "set": {"Status": "x"}});
    assert_eq!(crm.call("crm-Case-update", many).await, json!({"updated": true}));
    let asked = crm.service.last();
    assert_eq!(asked.query["conditions"], "Status IN ('Open', 'New')");
    assert_eq!(asked.body, serde_json::json!({"fields": {"Status": "x"}}));
}

#[tokio::test]
async fn an_action_takes_its_parameters() {
    let action =
        |id: &str| entry(ActionKind::Action { action: id.to_owned(), effect: Effect::Write });
    let close = ActionSettings { input_fields: Some(vec!["to".to_owned()]), ..action("Close") };
    let crm = Crm::with(vec![action("SendMail"), close]).await;
    let sent = crm.call("crm-SendMail", json!({"to": "ann", "copies": 2})).await;
    assert_eq!(sent, json!({"rows": [{"sent": true, "to": "ann"}], "more": false}));
    crm.fails("crm-SendMail", json!({"copies": 2})).await;
    crm.fails("crm-Close", json!({"to": "ann", "why": "x"})).await;
    let schema = crm.schema("crm-Close");
    assert_eq!(schema["properties"], json!({"to": {"type": "string"}}));
    assert_eq!(schema["required"], json!(["to"]));
}

#[tokio::test]
async fn tools_that_only_read_are_offered_and_others_by_name() {
    let service = Connectors::start(UserRules::default()).await;
    let crm = Crm::of(service.clone(), settings(&service, None)).await;
    assert!(crm.executor.find("crm-close_case").is_none());
    let found = crm.call("crm-list_cases", json!({"status": "Open"})).await;
    assert_eq!(found, json!({"tool": "list_cases", "parameters": {"status": "Open"}}));
    let crm = Crm::with(vec![entry(ActionKind::Tool { tool: "close_case".to_owned() })]).await;
    let tool = crm.executor.find("crm-close_case").unwrap();
    assert_eq!(tool.declaration().unwrap().effect, Effect::Write);
}

#[tokio::test]
async fn a_statement_of_the_operator_gets_values_of_the_model_and_of_the_session() {
    let statement = entry(ActionKind::Query {
        name: "recent".to_owned(),
        sql: "select n from t where a = :since and o = :owner and t = 'x:y'".to_owned(),
        inputs: vec![
            (
                "since".to_owned(),
                StatementInput::Model(json!({"type": "string", "format": "date"})),
            ),
            (
                "owner".to_owned(),
                StatementInput::Session(SessionSource::Parameter("owner".to_owned())),
            ),
        ],
        effect: Effect::Read,
    });
    let service = Connectors::start(UserRules::default()).await;
    let settings = ConnectionSettings { rows: 3, ..settings(&service, Some(vec![statement])) };
    let crm = Crm::of(service, settings).await;
    let page = crm.call("crm-recent", json!({"since": "2026-01-01"})).await;
    assert_eq!(page, json!({"rows": [{"n": 0}, {"n": 1}, {"n": 2}], "more": true}));
    let expected = serde_json::json!({"query": {
        "query": "select n from t where a = ? and o = ? and t = 'x:y'", "maxRows": "4", "timeout": "30",
        "queryParameters": [
            {"value": "2026-01-01", "dataType": "DATE"}, {"value": "ann", "dataType": "VARCHAR"},
        ],
    }});
    assert_eq!(crm.service.last().body, expected);
}

fn user() -> UserSettings {
    UserSettings {
        oauth2_auth_code: CredentialSource::SessionCredential("crm".to_owned()),
        header: UserSettings::HEADER.to_owned(),
    }
}

#[tokio::test]
async fn a_user_is_sent_where_the_connection_never_acts_as_the_administrator() {
    let rules = UserRules { is_override_enabled: true, falls_back_on_admin: false };
    let service = Connectors::start(rules).await;
    let actions =
        vec![entity(Operation::List), entry(ActionKind::Tool { tool: "list_cases".to_owned() })];
    let settings = ConnectionSettings { user: Some(user()), ..settings(&service, Some(actions)) };
    let crm = Crm::of(service, settings).await;
    crm.call("crm-Case-list", json!({})).await;
    let expected = serde_json::json!({
        UserSettings::HEADER: "{\"oauth2_auth_code_flow.access_token\":\"users-token\"}"
    });
    let headers = crm.service.last().query["executionConfig.headers"].clone();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&headers).unwrap(), expected);
    crm.call("crm-list_cases", json!({})).await;
    let body = crm.service.last().body;
    let headers = body["executionConfig"]["headers"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(headers).unwrap(), expected);
    for tool in ["crm-Case-list", "crm-list_cases"] {
        let nobody = Session::new("s");
        let asked = ToolCall::new("1", tool, Object::new());
        let result = crm.executor.call_with(Call::new(&asked, &nobody)).await;
        let Outcome::Failed(fault) = result.outcome else { panic!() };
        assert_eq!(fault.code.as_str(), "sign_in_required");
        let plan = crm.executor.dry_run_with(Call::new(&asked, &nobody)).await;
        let plan = format!("{:?}", plan.outcome);
        assert!(plan.contains("****") && !plan.contains("token\\\":"), "{plan}");
    }
}

#[tokio::test]
async fn a_user_is_refused_where_the_connection_may_act_as_the_administrator() {
    for (is_override_enabled, falls_back_on_admin) in [(false, false), (true, true), (false, true)]
    {
        let rules = UserRules { is_override_enabled, falls_back_on_admin };
        let service = Connectors::start(rules).await;
        let actions = Some(vec![entity(Operation::List)]);
        let settings = ConnectionSettings { user: Some(user()), ..settings(&service, actions) };
        let loaded = load_tools(settings).await;
        assert!(loaded.tools.is_empty());
        assert_eq!(loaded.findings[0].code, "connection-user");
        assert_eq!(loaded.findings[0].pointer, "/toolsets/crm/user");
    }
}

#[tokio::test]
async fn a_name_that_the_service_lacks_is_a_finding() {
    let service = Connectors::start(UserRules::default()).await;
    let tool = |name: &str| entry(ActionKind::Tool { tool: name.to_owned() });
    let lacking =
        ActionSettings { output_fields: Some(vec!["Nope".to_owned()]), ..entity(Operation::Get) };
    for action in [
        of("Nope", Operation::List, false),
        of("Log", Operation::Create, false),
        tool("nope"),
        lacking,
    ] {
        let found = load_tools(settings(&service, Some(vec![action]))).await;
        assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
        assert_eq!(found.findings[0].code, "connection-unknown");
    }
    let name = Some(ToolName::new("same").unwrap());
    let same = ActionSettings { name, ..entity(Operation::Get) };
    let found = load_tools(settings(&service, Some(vec![same.clone(), same]))).await;
    assert_eq!(found.findings[0].code, "connection-tool-name");
}

#[tokio::test]
async fn a_service_that_is_away_is_no_finding() {
    let service = Connectors::start(UserRules::default()).await;
    let mut settings = settings(&service, Some(vec![entity(Operation::List)]));
    settings.server = callgate_testkit::closed_origin();
    let loaded = load_tools(settings).await;
    assert!(loaded.findings.is_empty() && loaded.unavailable.is_some(), "{loaded:?}");
}
