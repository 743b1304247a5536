//! Tools over data stores against a service that refuses what the published discovery document does not allow.

#![cfg(test)]

use std::sync::Arc;

use callgate_auth::{AuthConfig, AuthContext, Authenticator, CredentialSource};
use callgate_executor::{Builder, Call, CallSettings, Executor, Retry, RetryWhen, SessionValues};
use callgate_secret::MemoryStore;
use callgate_testkit::{DISCOVERY_TOKEN, DiscoveryEngine, SEARCHED, closed_origin};
use callgate_tool::{Object, Outcome, Session, ToolCall, ToolName, ToolResult, Value, json};
use callgate_transport::{Client, Transport};
use callgate_vertex::{
    Action, Boost, BoostControl, ControlKind, FieldType, Form, ResultMode, StoreSettings,
    Surroundings, Target, ToolSettings, VertexSettings, load_tools,
};

fn target(name: &str) -> Target {
    Target {
        name: format!("{SEARCHED}/{name}").parse().unwrap(),
        mode: ResultMode::Documents,
        filter: None,
        boosts: Vec::new(),
        stores: Vec::new(),
    }
}

fn store(name: &str, filter: Option<&str>) -> StoreSettings {
    let name = format!("{SEARCHED}/dataStores/{name}").parse().unwrap();
    StoreSettings { name, filter: filter.map(|filter| filter.parse().unwrap()), boosts: Vec::new() }
}

fn tool(name: &str, action: Action) -> ToolSettings {
    ToolSettings { name: ToolName::new(name).unwrap(), action }
}

fn settings(targets: Vec<Target>) -> VertexSettings {
    VertexSettings {
        toolset: "manuals".to_owned(),
        tools: vec![tool("manuals-search", Action::Search), tool("manuals-answer", Action::Answer)],
        targets,
        server: None,
        description: "the manuals of the shop".to_owned(),
        filter: None,
        fields: Vec::new(),
        form: Form::Own,
        boosts: Vec::new(),
        snippets: true,
        extractive_answers: 0,
        extractive_segments: 0,
        grounding: None,
        limit: 100,
        result_bytes: 16 << 10,
        call: CallSettings::default(),
    }
}

/// A service, and an executor with tools of it.
struct Manuals {
    service: DiscoveryEngine,
    executor: Executor,
}

impl Manuals {
    async fn with(settings: VertexSettings) -> Self {
        let service = DiscoveryEngine::start().await;
        let server = settings.server.clone().unwrap_or_else(|| service.origin.clone());
        let transport: Arc<dyn Transport> = Arc::new(Client::new().unwrap());
        let token = CredentialSource::Secret(format!("literal:{DISCOVERY_TOKEN}").parse().unwrap());
        let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::clone(&transport));
        let authenticator: Arc<dyn Authenticator> =
            AuthConfig::Bearer { token }.build(&context).unwrap();
        let session_values = SessionValues::default();
        let around = Surroundings { transport, authenticator, session_values };
        let tools = load_tools(VertexSettings { server: Some(server), ..settings }, &around);
        let executor = tools.into_iter().fold(Executor::builder(), Builder::shared_backend);
        Self { service, executor: executor.build().unwrap() }
    }

    async fn result(&self, tool: &str, arguments: Value) -> ToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let parameters = Object::from([("audience", json!(["staff", "a\"b"]))]);
        let session = Session::new("s").with_parameters(parameters);
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

    /// The code and the message of a call that fails, and the number of requests that it made.
    async fn fails(&self, tool: &str, arguments: Value) -> (String, String, usize) {
        let n_asked = self.service.requests().len();
        let result = self.result(tool, arguments).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{:?}", result.outcome) };
        let said = format!("{} {:?}", fault.message, fault.body);
        assert!(!said.contains("tenant"), "words of the service: {said}");
        (fault.code.as_str().to_owned(), fault.message, self.service.requests().len() - n_asked)
    }
}

#[tokio::test]
async fn a_search_has_snippets_and_says_if_there_are_more() {
    let manuals = Manuals::with(settings(vec![target("dataStores/manuals")])).await;
    let found = manuals.call("manuals-search", json!({"query": "backup", "limit": 2})).await;
    let first = json!({
        "title": "Manual 1", "uri": "https://docs.example/1", "text": "The backup of page 1", "document": "m1",
    });
    assert_eq!((&found["snippets"][0], &found["more"]), (&first, &json!(true)));
    assert_eq!(found["snippets"].as_array().unwrap().len(), 2);
    let expected = serde_json::json!({
        "query": "backup", "pageSize": 2, "contentSearchSpec": {"snippetSpec": {"returnSnippet": true}},
    });
    assert_eq!(manuals.service.last().body, expected);
    let found = manuals.call("manuals-search", json!({"query": "backup", "limit": 100})).await;
    assert_eq!((found["snippets"].as_array().unwrap().len(), &found["more"]), (7, &json!(false)));
    let (code, _, n_asked) =
        manuals.fails("manuals-search", json!({"query": "b", "limit": 101})).await;
    assert_eq!((&*code, n_asked), ("invalid_arguments", 0));
}

#[tokio::test]
async fn segments_chunks_and_rows_are_shown_as_the_store_has_them() {
    let segments =
        VertexSettings { extractive_segments: 1, ..settings(vec![target("dataStores/manuals")]) };
    let manuals = Manuals::with(segments).await;
    let found = manuals.call("manuals-search", json!({"query": "backup", "limit": 1})).await;
    assert_eq!(found["snippets"][0]["text"], json!("A backup is made each night. Page 1."));
    assert_eq!(found["snippets"][0]["page"], json!(1));
    let chunks = Target { mode: ResultMode::Chunks, ..target("dataStores/chunks") };
    let manuals = Manuals::with(settings(vec![chunks, target("dataStores/faq")])).await;
    let found = manuals.call("manuals-search", json!({"query": "open"})).await;
    let expected = json!({"snippets": [
        {"title": "Backups", "uri": "gs://b/backups.pdf", "text": "Restore from the copy.", "document": "x", "page": 4},
        {"title": "", "text": "When is the shop open?", "answer": "From nine to six.", "document": "q1"},
    ], "more": false});
    assert_eq!(found, expected, "each data store is asked, and they take turns");
    assert_eq!(manuals.service.requests().len(), 2);
}

#[tokio::test]
async fn the_filter_is_that_of_the_operator_the_session_and_the_model() {
    let fields = vec![("price".to_owned(), FieldType::Number), ("tag".to_owned(), FieldType::Text)];
    let filter = "audience: ANY($session.params.audience) OR open = 1".parse().unwrap();
    let all = VertexSettings {
        filter: Some(filter),
        fields,
        ..settings(vec![target("dataStores/manuals")])
    };
    let manuals = Manuals::with(all.clone()).await;
    let schema = manuals.executor.find("manuals-search").unwrap().declaration().unwrap();
    assert!(
        !schema.input_schema.to_value().to_string().contains("audience"),
        "never seen by a model"
    );
    let own = r#"audience: ANY("staff", "a\"b") OR open = 1"#;
    manuals.call("manuals-search", json!({"query": "q"})).await;
    assert_eq!(manuals.service.last().body["filter"], own);
    let conditions = json!({"price": {"lt": 10}, "tag": {"eq": "\") OR audience: ANY(\"all"}});
    manuals.call("manuals-search", json!({"query": "q", "where": conditions})).await;
    let both = format!(r#"({own}) AND price < 10 AND tag: ANY("\") OR audience: ANY(\"all")"#);
    assert_eq!(manuals.service.last().body["filter"], both);
    for wrong in [
        json!({"audience": {"eq": "all"}}),
        json!({"tag": {"eq": "a\nb"}}),
        json!({"price": {"eq": "1 OR a = 1"}}),
    ] {
        let (code, _, n_asked) =
            manuals.fails("manuals-search", json!({"query": "q", "where": wrong})).await;
        assert_eq!((&*code, n_asked), ("invalid_arguments", 0));
    }
    let nobody = Session::new("s");
    let asked = ToolCall::new("1", "manuals-search", Object::from([("query", "q".into())]));
    let result = manuals.executor.call_with(Call::new(&asked, &nobody)).await;
    let Outcome::Failed(fault) = result.outcome else { panic!() };
    assert_eq!(fault.code.as_str(), "missing_session_value");
    assert_eq!(manuals.service.requests().len(), 2, "nothing is sent");
}

#[tokio::test]
async fn the_filter_of_a_model_is_read_and_written_again() {
    let google = VertexSettings {
        tools: vec![tool("find", Action::Search)],
        form: Form::Google { has_filter: true },
        filter: Some("a = 1 OR b = 1".parse().unwrap()),
        limit: 3,
        ..settings(vec![target("dataStores/manuals")])
    };
    let manuals = Manuals::with(google).await;
    manuals.call("find", json!({"query": "q", "filter": "c:ANY(\"x\") OR -d>1"})).await;
    let body = manuals.service.last().body;
    assert_eq!(body["filter"], r#"(a = 1 OR b = 1) AND (c: ANY("x") OR NOT d > 1)"#);
    assert_eq!(body["pageSize"], 3);
    for filter in
        ["a = 1) OR (b = 1", "a = 1 OR b = 1 AND c = 1", "a: ANY($session.params.audience)", "x"]
    {
        let (code, message, n_asked) =
            manuals.fails("find", json!({"query": "q", "filter": filter})).await;
        assert_eq!((&*code, n_asked), ("invalid_arguments", 0), "{message}");
    }
}

#[tokio::test]
async fn an_engine_searches_named_data_stores_with_their_own_conditions_and_boosts() {
    let boost =
        Boost { condition: Some("lang: ANY(\"de\")".parse().unwrap()), boost: 0.5, control: None };
    let points = vec![("7D".to_owned(), 1.0), ("90D".to_owned(), -0.5)];
    let control =
        BoostControl { field: "changed".to_owned(), kind: ControlKind::Freshness, points };
    let fresh = Boost { condition: None, boost: 0.0, control: Some(control) };
    let manuals =
        StoreSettings { boosts: vec![boost], ..store("manuals", Some("state: ANY(\"open\")")) };
    let engine = Target { stores: vec![manuals, store("faq", None)], ..target("engines/shop") };
    let filter = Some("tier >= 1".parse().unwrap());
    let all = VertexSettings { filter, boosts: vec![fresh], ..settings(vec![engine.clone()]) };
    let manuals = Manuals::with(all.clone()).await;
    manuals.call("manuals-search", json!({"query": "q"})).await;
    let boosted = serde_json::json!({"conditionBoostSpecs": [{"condition": "lang: ANY(\"de\")", "boost": 0.5}]});
    let name = |store: &str| format!("{SEARCHED}/dataStores/{store}");
    let body = manuals.service.last().body;
    assert_eq!(body["filter"], "tier >= 1");
    assert_eq!(
        body["dataStoreSpecs"],
        serde_json::json!([
            {"dataStore": name("manuals"), "filter": "tier >= 1 AND state: ANY(\"open\")", "boostSpec": boosted},
            {"dataStore": name("faq"), "filter": "tier >= 1"},
        ])
    );
    assert_eq!(
        body["boostSpec"]["conditionBoostSpecs"][0],
        serde_json::json!({"boostControlSpec": {
            "fieldName": "changed", "attributeType": "FRESHNESS", "interpolationType": "LINEAR",
            "controlPoints": [{"attributeValue": "7D", "boostAmount": 1.0}, {"attributeValue": "90D", "boostAmount": -0.5}],
        }})
    );
    manuals.call("manuals-answer", json!({"query": "q"})).await;
    let asked = manuals.service.last();
    assert_eq!(asked.method, "collections.engines.servingConfigs.answer");
    let parameters = &asked.body["searchSpec"]["searchParams"];
    assert_eq!(parameters["dataStoreSpecs"], body["dataStoreSpecs"]);
    // An engine with one data store regards the filter of the request alone.
    let one = Target { stores: engine.stores[..1].to_vec(), ..engine };
    let manuals = Manuals::with(VertexSettings { targets: vec![one], ..all }).await;
    manuals.call("manuals-search", json!({"query": "q"})).await;
    assert_eq!(manuals.service.last().body["filter"], "tier >= 1 AND state: ANY(\"open\")");
}

#[tokio::test]
async fn an_answer_has_the_citations_that_hold() {
    let manuals = Manuals::with(settings(vec![target("engines/shop")])).await;
    let found = manuals.call("manuals-answer", json!({"query": "backup?"})).await;
    let note = "1 of 2 citations are left out: their range is none of the answer, or their source is not shown";
    let snippet = json!({
        "title": "Manual 1", "uri": "https://docs.example/1", "text": "A backup is made each night.",
        "document": "m1", "page": 1,
    });
    let expected = json!({
        "answer": "Für each night there is a backup.", "citations": [{"start": 0, "end": 34, "sources": [0]}],
        "grounding": 0.75, "snippets": [snippet], "notes": [note],
    });
    assert_eq!(found, expected);
    let asked = manuals.service.last().body;
    assert_eq!(asked["query"], serde_json::json!({"text": "backup?"}));
    assert_eq!(asked["answerGenerationSpec"]["includeCitations"], true);
    let strict = VertexSettings { grounding: Some(0.8), ..settings(vec![target("engines/shop")]) };
    let manuals = Manuals::with(strict).await;
    let found = manuals.call("manuals-answer", json!({"query": "backup?"})).await;
    assert_eq!((found.get("answer"), &found["citations"]), (None, &json!([])));
    assert_eq!(found["notes"], json!(["the answer is left out: its grounding is below 0.8"]));
    manuals.service.answers(serde_json::json!({"state": "FAILED"}));
    let (code, message, _) = manuals.fails("manuals-answer", json!({"query": "q"})).await;
    assert_eq!(code, "service_error", "{message}");
}

#[tokio::test]
async fn failures_have_codes_of_callgate_and_no_text_of_the_service() {
    let manuals = Manuals::with(settings(vec![target("dataStores/nope")])).await;
    let (code, message, n_asked) = manuals.fails("manuals-search", json!({"query": "q"})).await;
    assert_eq!((&*code, n_asked), ("service_error", 1));
    assert!(message.contains("404"), "{message}");
    manuals.service.fails(&[403, 500]);
    for status in ["403", "500"] {
        let (_, message, _) = manuals.fails("manuals-search", json!({"query": "q"})).await;
        assert!(message.contains(status), "{message}");
    }
    let server = Some(closed_origin());
    let away = VertexSettings { server, ..settings(vec![target("dataStores/manuals")]) };
    let (code, message, _) =
        Manuals::with(away).await.fails("manuals-search", json!({"query": "q"})).await;
    assert_eq!(code, "unreachable", "{message}");
}

#[tokio::test]
async fn a_request_to_a_busy_service_is_repeated_where_the_operator_allows_it() {
    let retry = Retry { when: RetryWhen::Safe, ..Retry::default() };
    let call = CallSettings { retry, ..CallSettings::default() };
    let patient = VertexSettings { call, ..settings(vec![target("dataStores/manuals")]) };
    let manuals = Manuals::with(patient).await;
    manuals.service.fails(&[429, 503]);
    let found = manuals.call("manuals-search", json!({"query": "q", "limit": 1})).await;
    assert_eq!(found["snippets"].as_array().unwrap().len(), 1);
    assert_eq!(manuals.service.requests().len(), 3, "a POST that only reads may be repeated");
    let manuals = Manuals::with(settings(vec![target("dataStores/manuals")])).await;
    manuals.service.fails(&[503]);
    let (code, _, n_asked) = manuals.fails("manuals-search", json!({"query": "q"})).await;
    assert_eq!((&*code, n_asked), ("service_error", 1));
}

#[tokio::test]
async fn a_response_and_a_result_keep_their_bounds() {
    let mut call = CallSettings::default();
    call.limits.response_bytes = 300;
    let narrow = VertexSettings { call, ..settings(vec![target("dataStores/manuals")]) };
    let (code, _, _) =
        Manuals::with(narrow).await.fails("manuals-search", json!({"query": "q"})).await;
    assert_eq!(code, "response_too_large");
    let short =
        VertexSettings { result_bytes: 250, ..settings(vec![target("dataStores/manuals")]) };
    let found = Manuals::with(short).await.call("manuals-search", json!({"query": "q"})).await;
    assert_eq!((found["snippets"].as_array().unwrap().len(), &found["more"]), (2, &json!(true)));
}

#[tokio::test]
async fn a_dry_run_shows_the_request_without_its_token() {
    let manuals = Manuals::with(settings(vec![target("dataStores/manuals")])).await;
    let asked = ToolCall::new("1", "manuals-search", Object::from([("query", "q".into())]));
    let plan = manuals.executor.dry_run_with(Call::new(&asked, &Session::new("s"))).await;
    let plan = format!("{:?}", plan.outcome);
    assert!(plan.contains(":search") && plan.contains("****"), "{plan}");
    assert!(!plan.contains(DISCOVERY_TOKEN) && manuals.service.requests().is_empty());
}
