//! Data stores of Vertex AI Search as toolsets: from a configuration, or an export, to a call.

use crate::prelude::*;

use callgate_testkit::{DISCOVERY_TOKEN, DiscoveryEngine};

fn around(service: &DiscoveryEngine) -> String {
    format!(
        "server: '{}', auth: {{bearer: {{token: 'literal:{DISCOVERY_TOKEN}'}}}}",
        service.origin
    )
}

async fn called(built: &Built, tool: &str, arguments: Value) -> Value {
    let arguments = arguments.as_object().unwrap().clone();
    let session = Session::new("s").with_parameters(Arguments::from([("tier", json!("gold"))]));
    let result = built.executor.call(&ToolCall::new("1", tool, arguments), &session).await;
    Value::parse(result.text().unwrap_or_else(|| panic!("{result:?}"))).unwrap()
}

#[tokio::test]
async fn a_configured_data_store_is_searched_and_answers() {
    let service = DiscoveryEngine::start().await;
    let text = format!(
        "toolsets: {{manuals: {{{}, vertex: {{engine: {SEARCHED}/engines/shop, filter: 'tier: ANY($session.params.tier)', fields: {{price: number}}, answer: true}}}}}}",
        around(&service)
    );
    let built = loader().text(&text, "").unwrap().build(&Environment::new(), None).await.unwrap();
    let asked = json!({"query": "backup", "limit": 1, "where": {"price": {"lt": 5}}});
    let found = called(&built, "manuals-search", asked).await;
    assert_eq!(found["snippets"][0]["document"], json!("m1"));
    assert_eq!(service.last().body["filter"], "tier: ANY(\"gold\") AND price < 5");
    let found = called(&built, "manuals-answer", json!({"query": "backup"})).await;
    assert_eq!(found["citations"], json!([{"start": 0, "end": 34, "sources": [0]}]));
    assert_eq!(service.refusals(), [""; 0]);
}

#[tokio::test]
async fn the_strengths_of_a_boost_are_sent_as_they_are_configured() {
    let service = DiscoveryEngine::start().await;
    let boost = "{field: changed, by: freshness, points: [{value: 7D, boost: 1}, {value: 90D, boost: -0.5}]}";
    let text = format!(
        "toolsets: {{manuals: {{{}, vertex: {{engine: {SEARCHED}/engines/shop, boosts: [{boost}]}}}}}}",
        around(&service)
    );
    let built = loader().text(&text, "").unwrap().build(&Environment::new(), None).await.unwrap();
    called(&built, "manuals-search", json!({"query": "backup"})).await;
    let control = &service.last().body["boostSpec"]["conditionBoostSpecs"][0]["boostControlSpec"];
    assert_eq!(control["fieldName"], "changed");
    let points = &control["controlPoints"];
    let expected = [("7D", 1.0), ("90D", -0.5)];
    for (point, (value, boost)) in points.as_array().unwrap().iter().zip(expected) {
        assert_eq!(
            (point["attributeValue"].as_str(), point["boostAmount"].as_f64()),
            (Some(value), Some(boost))
        );
    }
    assert_eq!(points.as_array().unwrap().len(), 2);
    assert_eq!(service.refusals(), [""; 0]);
}

/// A tool of an export as a toolset, its requests to the fake service.
async fn exported(service: &DiscoveryEngine, key: &str, export: &Value) -> Built {
    let folder = temporary_folder(&[("tool.json", &export.to_string())]);
    let text = format!("toolsets: {{manuals: {{{key}: tool.json, {}}}}}", around(service));
    let config = loader().text(&text, folder.path()).unwrap();
    config.build(&Environment::new(), None).await.unwrap()
}

#[tokio::test]
async fn an_exported_tool_of_dialogflow_answers_from_its_data_store() {
    let service = DiscoveryEngine::start().await;
    let connection = |store: &str, mode: &str| {
        json!({
            "dataStoreType": "UNSTRUCTURED", "dataStore": format!("{SEARCHED}/dataStores/{store}"),
            "documentProcessingMode": mode,
        })
    };
    let spec =
        json!({"dataStoreConnections": [connection("manuals", "DOCUMENTS")], "fallbackPrompt": {}});
    let export = json!({"displayName": "Manuals", "description": "What the manuals say.", "dataStoreSpec": spec});
    let built = exported(&service, "dialogflow_tool", &export).await;
    let found = called(&built, "Manuals", json!({"query": "backup"})).await;
    assert_eq!(found["answer"], json!("Für each night there is a backup."));
    let both = [connection("manuals", "DOCUMENTS"), connection("chunks", "CHUNKS")];
    let spec = json!({"dataStoreConnections": both, "fallbackPrompt": {}});
    let export = json!({"displayName": "Manuals", "description": "d", "dataStoreSpec": spec});
    let built = exported(&service, "dialogflow_tool", &export).await;
    let found = called(&built, "Manuals", json!({"query": "backup"})).await;
    assert_eq!(found["snippets"][1]["text"], json!("Restore from the copy."));
    assert_eq!(service.refusals(), [""; 0]);
}

#[tokio::test]
async fn an_exported_tool_of_customer_engagement_suite_keeps_its_filters_and_its_grounding() {
    let service = DiscoveryEngine::start().await;
    let source = |store: &str, filter: &str| {
        json!({
            "dataStore": {"name": format!("{SEARCHED}/dataStores/{store}"), "type": "UNSTRUCTURED"}, "filter": filter,
        })
    };
    let engine = json!({
        "engine": format!("{SEARCHED}/engines/shop"),
        "dataStoreSources": [source("manuals", "lang: ANY(\"en\")"), source("faq", "lang: ANY(\"de\")")],
    });
    let modality = json!({"modalityType": "TEXT", "groundingConfig": {"groundingLevel": 5}});
    let export = json!({"dataStoreTool": {
        "name": "search_help", "description": "Searches the help", "engineSource": engine,
        "modalityConfigs": [modality], "filterParameterBehavior": "ALWAYS_INCLUDE",
    }});
    let built = exported(&service, "ces_toolset", &export).await;
    let found = called(&built, "search_help", json!({"query": "q", "filter": "tier >= 1"})).await;
    assert_eq!((found.get("answer"), &found["grounding"]), (None, &json!(0.75)), "below level 5");
    let asked = &service.last().body["searchSpec"]["searchParams"];
    assert_eq!(asked["filter"], "tier >= 1");
    assert_eq!(asked["dataStoreSpecs"][1]["filter"], "lang: ANY(\"de\") AND tier >= 1");
    assert_eq!(service.refusals(), [""; 0]);
}
