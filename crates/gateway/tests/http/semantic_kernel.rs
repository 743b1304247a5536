//! Semantic Kernel by the table of the manual (`moving.md`), a test for each row.

use crate::prelude::*;
use callgate_testkit::temporary_file;

const PATH: &str = "/v1/dialects/semantic_kernel/calls";

/// A message of the Python kernel; a call's arguments are an object or its text.
fn message(calls: &[(&str, Value)]) -> Value {
    let item = |(at, (name, arguments)): (usize, &(&str, Value))| {
        let (plugin, function) = name.split_once('-').unwrap_or(("", name));
        json!({"content_type": "function_call", "id": format!("call_{at}"), "name": name,
            "plugin_name": plugin, "function_name": function, "arguments": arguments})
    };
    let items: Vec<Value> = calls.iter().enumerate().map(item).collect();
    json!({"content_type": "message", "role": "assistant", "items": items})
}

/// A sidecar with the plugin `shop`, and the folder of its description.
async fn shop() -> (Sidecar, TempDir) {
    let (folder, file) = temporary_file("spec.yaml", DESCRIPTION);
    let text = format!(
        "toolsets: {{shop: {{openapi: '{}', server: 'http://127.0.0.1:9', session_inputs: strict}}}}",
        file.display()
    );
    (Sidecar::of(&text).await, folder)
}

/// The results of a message's calls in a dry run, each as the kernel gets it.
async fn results(calls: &[(&str, Value)], more: Value) -> Vec<Value> {
    let (sidecar, _folder) = shop().await;
    let mut body = json!({"message": message(calls), "dryRun": true});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answered = sidecar.post(PATH, &body).await.ok();
    answered["messages"].as_array().unwrap().iter().map(result).collect()
}

fn result(message: &Value) -> Value {
    assert_eq!((&message["role"], message["items"].as_array().unwrap().len()), (&json!("tool"), 1));
    let text = message["items"][0]["result"].as_str().unwrap();
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// The request that one call makes.
async fn request(name: &str, arguments: Value) -> Value {
    let results = results(&[(name, arguments)], json!({})).await;
    assert!(results[0]["request"].is_object(), "{results:?}");
    results[0]["request"].clone()
}

/// The answer that one call is told.
async fn told(name: &str, arguments: Value) -> Value {
    let results = results(&[(name, arguments)], json!({})).await;
    assert!(results[0]["error"].is_object(), "{results:?}");
    results[0]["error"].clone()
}

#[tokio::test]
async fn the_first_dash_of_a_function_name_separates_plugin_and_tool() {
    let (sidecar, _folder) = shop().await;
    let declared = sidecar.get("/v1/tools?dialect=semantic_kernel").await.json();
    let names: Vec<_> = declared["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].clone())
        .collect();
    assert_eq!(names, ["shop-get-order", "shop-order"]);
    let body = json!({"message": message(&[("shop-get-order", json!({"id": 7}))]), "dryRun": true});
    let answered = sidecar.post(PATH, &body).await.json();
    let item = &answered["messages"][0]["items"][0];
    assert_eq!(item["plugin_name"], "shop");
    assert_eq!(item["function_name"], "get-order");
    assert_eq!(item["id"], "call_0");
}

#[tokio::test]
async fn a_text_argument_is_converted_to_a_number_if_lossless() {
    for arguments in [json!({"id": "7"}), json!(r#"{"id": "7"}"#), json!({"id": 7.0})] {
        let url = request("shop-get-order", arguments).await["url"].clone();
        assert!(url.as_str().unwrap().ends_with("/orders/7"), "{url}");
    }
    let told = told("shop-get-order", json!({"id": "seven"})).await;
    assert!(told["problems"][0]["expected"].as_str().unwrap().contains("integer"), "{told}");
}

#[tokio::test]
async fn a_value_outside_of_an_enum_gets_the_list_of_values() {
    let told = told("shop-order", json!({"size": "huge"})).await.to_string();
    for member in ["small", "large", "huge"] {
        assert!(told.contains(member), "{told}");
    }
}

#[tokio::test]
async fn null_is_sent_if_the_schema_allows_it_and_omitted_otherwise() {
    let arguments = json!({"size": "small", "note": null, "count": null});
    let body = request("shop-order", arguments).await["body"].clone();
    assert_eq!(body, r#"{"size":"small","note":null}"#);
}

#[tokio::test]
async fn payload_properties_are_arguments_beside_the_parameters() {
    let made = request("shop-order", json!({"size": "small", "express": true})).await;
    assert!(made["url"].as_str().unwrap().ends_with("?express=true"), "{made}");
    assert_eq!(made["body"], r#"{"size":"small"}"#);
}

#[tokio::test]
async fn hidden_arguments_are_filled_from_the_session() {
    let (sidecar, _folder) = shop().await;
    let declared = sidecar.get("/v1/tools?dialect=semantic_kernel").await.text;
    assert!(!declared.contains("customer"), "{declared}");
    let more = json!({"session": {"parameters": {"customer": "c-7"}}});
    let made = results(&[("shop-order", json!({"size": "small"}))], more).await;
    assert_eq!(made[0]["request"]["headers"]["x-customer"], "c-7", "{made:?}");
}

#[tokio::test]
async fn functions_are_selected_by_kernel_names_and_an_empty_list_selects_no_function() {
    let calls = [("shop-get-order", json!({"id": 7})), ("shop-order", json!({"size": "small"}))];
    let some = results(&calls, json!({"functions": ["shop.get-order"]})).await;
    assert!(some[0]["request"].is_object(), "{some:?}");
    assert_eq!(some[1]["error"]["code"], "unknown_tool");
    assert!(some[1]["error"]["message"].as_str().unwrap().contains("call one of `shop-get-order`"));
    let none = results(&calls, json!({"functions": []})).await;
    assert!(none.iter().all(|result| result["error"]["code"] == "unknown_tool"), "{none:?}");
}

#[tokio::test]
async fn without_concurrent_invocation_a_call_waits_for_the_one_before() {
    let service = Service::start().await;
    for (mode, at_once) in [("sequential", 1), ("parallel", 2)] {
        let calls = [("slow", json!({})), ("slow", json!({}))];
        let body = json!({"message": message(&calls), "mode": mode});
        let (answered, ()) =
            tokio::join!(service.sidecar.post(PATH, &body), answer_two(&service, at_once));
        assert_eq!(answered.json()["messages"].as_array().unwrap().len(), 2);
    }
}

/// Answers two calls, as soon as so many of them wait.
async fn answer_two(service: &Service, at_once: usize) {
    for _ in 0..2 / at_once {
        service.waiting(at_once).await;
        (0..at_once).for_each(|_| service.answer());
        service.waiting(0).await;
    }
}

#[tokio::test]
async fn each_call_has_one_result_in_its_position_even_if_rejected() {
    let calls = [
        ("shop-get-order", json!({"id": 1})),
        ("shop-nothing", json!({})),
        ("shop-get-order", json!("{")),
        ("shop-get-order", json!({"id": 2})),
    ];
    for mode in ["parallel", "sequential"] {
        let results = results(&calls, json!({"mode": mode})).await;
        let codes: Vec<_> = results.iter().map(|result| result["error"]["code"].as_str()).collect();
        assert_eq!(codes, [None, Some("unknown_tool"), Some("invalid_arguments"), None]);
    }
}

#[tokio::test]
async fn an_unknown_function_is_reported_with_the_nearest_names() {
    let message = told("shop-get-orders", json!({"id": 1})).await["message"].to_string();
    assert!(message.contains("the nearest are `shop-get-order`"), "{message}");
}

#[tokio::test]
async fn arguments_that_are_not_json_are_reported_with_the_position() {
    let told = told("shop-get-order", json!(r#"{"id": 7"#)).await;
    assert_eq!(told["code"], "invalid_arguments");
    assert_eq!(told["next"], "correct_arguments");
    assert!(told["message"].as_str().unwrap().contains("line 1 column"), "{told}");
}

#[tokio::test]
async fn missing_and_unexpected_arguments_are_reported_at_once() {
    let told = told("shop-order", json!({"siz": "small", "express": "often"})).await;
    let mut places: Vec<_> = told["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["at"].as_str().unwrap())
        .collect();
    places.sort_unstable();
    assert_eq!(places, ["express", "siz", "size"], "{told}");
    assert!(told["message"].as_str().unwrap().contains("`size`"), "{told}");
}

#[tokio::test]
async fn json_of_the_service_is_passed_on_unchanged() {
    let service = Service::start().await;
    let answered =
        service.sidecar.post(PATH, &json!({"message": message(&[("order", json!({}))])})).await;
    assert_eq!(answered.json()["messages"][0]["items"][0]["result"], r#"{"number": 1}"#);
}

#[tokio::test]
async fn the_return_type_of_a_function_is_listed_and_not_declared() {
    let (sidecar, _folder) = shop().await;
    let declared = sidecar.get("/v1/tools?dialect=semantic_kernel").await.text;
    assert!(!declared.contains("delivered"), "{declared}");
    let known = sidecar.get("/v1/tools/shop-get-order").await.json();
    assert!(known["outputSchema"].to_string().contains("delivered"), "{known}");
}

const DESCRIPTION: &str = concat!("\n", include_str!("semantic_kernel.yaml"));
