//! `POST /v1/tools:search`. How well questions are answered is the business of `search` and of the tests across crates.

use crate::prelude::*;
use callgate_testkit::rows;

async fn found(sidecar: &Sidecar, body: Value) -> Vec<Value> {
    sidecar.post("/v1/tools:search", &body).await.ok()["tools"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_search_finds_tools_and_the_producers_of_their_inputs() {
    let sidecar = Sidecar::of_pets().await;
    let tools = found(&sidecar, json!({"query": "show one pet"})).await;
    let pet = tools.iter().find(|tool| tool["name"] == "pets-getPet").unwrap();
    assert_eq!((&pet["toolset"], &pet["effect"]), (&json!("pets"), &json!("read")));
    assert!(pet["score"].as_f64().unwrap() > 0.0 && pet["description"].is_string(), "{pet}");
    assert!(pet["needs"].is_array() && pet["produces"].is_array(), "{pet}");
    let one = found(&sidecar, json!({"query": "show one pet", "limit": 1})).await;
    assert_eq!(one, tools[..1]);
    assert_eq!(found(&sidecar, json!({"query": "show one pet", "limit": 1.0})).await, one);
}

#[tokio::test]
async fn filters_select_the_tools_that_are_ranked() {
    let sidecar = Sidecar::of_pets().await;
    let body = json!({"query": "pet", "effects": ["write", "idempotent"], "toolsets": ["pets"]});
    let tools = found(&sidecar, body).await;
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool["effect"] != "read"), "{tools:?}");
    for (tag, wanted) in [("owners", "pets-listOwnedPets"), ("pets", "pets-getPet")] {
        let tools = found(&sidecar, json!({"query": "pet", "limit": 100, "tags": [tag]})).await;
        let path = format!("/v1/tools?summary=true&tag={tag}");
        let listed = sidecar.get(&path).await.json()["tools"].as_array().unwrap().clone();
        let is_listed = |tool: &Value| listed.iter().any(|it| it["name"] == tool["name"]);
        assert!(tools.iter().all(is_listed), "{tag}: {tools:?}");
        assert!(tools.iter().any(|tool| tool["name"] == wanted), "{tag}: {tools:?}");
    }
    assert!(found(&sidecar, json!({"query": "pet", "tags": ["nobody"]})).await.is_empty());
    let body = json!({"query": "pet", "toolsets": ["nobody"]});
    assert_eq!(sidecar.post("/v1/tools:search", &body).await.status, 404);
    assert_eq!(found(&sidecar, json!({"query": "zzz"})).await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_malformed_search_request_is_a_problem_with_its_position() {
    let sidecar = Sidecar::of_pets().await;
    for [body, expected] in rows(
        r#"
        [] => expected an object, got: an array
        {} => `query`: expected a text that says something, got: nothing
        {"query": " "} => `query`: expected a text that says something
        {"query": "a", "limit": 0} => `limit`: expected a whole number from 1 to 100, got: 0
        {"query": "a", "limit": "1"} => `limit`
        {"query": "a", "tags": "pets"} => `tags`: expected an array, got: a text
        {"query": "a", "toolsets": "pets"} => `toolsets`: expected an array, got: a text
        {"query": "a", "effects": [1]} => `effects[0]`: expected `idempotent`, `read` or `write`, got: 1
        {"query": ["a"]} => `query`: expected a text that says something, got: an array
        {"query": "a", "effects": ["delete"]} => `effects[0]`: expected `idempotent`
        {"query": "a", "top": 1} => got: `top`
        "#,
    ) {
        let body = body.parse().unwrap();
        let answered = sidecar.post("/v1/tools:search", &body).await;
        assert_eq!(answered.status, 400, "{body}");
        let problem = answered.json();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{detail}");
    }
    assert_eq!(sidecar.get("/v1/tools:search").await.status, 405);
}
