//! MCP where four tools stand for all others.

use crate::prelude::*;
use std::fmt::Write;

use callgate_testkit::rows;

/// The pets behind four tools.
fn search() -> String {
    format!("mcp: {{ mode: search, pinned: [pets-listPets] }}\n{PETS}")
}

async fn called(sidecar: &Sidecar, name: &str, arguments: Value) -> Value {
    sidecar.ask("tools/call", json!({"name": name, "arguments": arguments})).await
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

const STANDING: [&str; 4] = ["find_tools", "describe_tools", "call_read_tool", "call_write_tool"];

#[tokio::test]
async fn in_search_mode_four_tools_and_the_pinned_ones_are_listed() {
    let sidecar = Sidecar::of(&search()).await;
    let list = sidecar.ask("tools/list", json!({})).await;
    assert_eq!(names(&list), [&STANDING[..], &["pets-listPets", "read_result"]].concat());
    let hint = |at: usize| list["result"]["tools"][at]["annotations"]["readOnlyHint"].clone();
    assert_eq!([hint(0), hint(1), hint(2), hint(3)], [true, true, true, false]);
    let behind = sidecar.ask("tools/list", json!({"cursor": "pets-listPets"})).await;
    assert_eq!(behind["error"]["code"], -32602, "{behind}");
    let about = json!({"name": "test", "version": "1"});
    let begins = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about});
    let told = sidecar.ask("initialize", begins).await;
    assert!(told["result"]["instructions"].as_str().unwrap().contains("find_tools"), "{told}");
}

#[tokio::test]
async fn a_tool_is_found_described_and_called() {
    let sidecar = Sidecar::of(&search()).await;
    let found = called(&sidecar, "find_tools", json!({"query": "show one pet"})).await;
    let result = &found["result"];
    let tools = result["structuredContent"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "pets-getPet"), "{found}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let described =
        called(&sidecar, "describe_tools", json!({"names": ["pets-getPet", "nope"]})).await;
    let described = &described["result"]["structuredContent"];
    assert!(described["tools"][0]["inputSchema"]["properties"]["petId"].is_object(), "{described}");
    assert_eq!(described["tools"][0]["effect"], "read");
    assert_eq!(described["unknown"], json!(["nope"]));
    for (standing, given) in [
        ("call_read_tool", "args"),
        ("call_write_tool", "args"),
        // As models say it that have not read the schema.
        ("call_read_tool", "arguments"),
    ] {
        let call = json!({"name": "pets-getPet", (given): {"petId": 7}});
        let pet = called(&sidecar, standing, call).await;
        assert_eq!(pet["result"]["structuredContent"]["name"], "Rex", "{pet}");
    }
    // A tool that is not listed can be called all the same.
    let pet = called(&sidecar, "pets-getPet", json!({"petId": 7})).await;
    assert_eq!(pet["result"]["structuredContent"]["name"], "Rex", "{pet}");
}

#[tokio::test]
async fn a_call_through_call_tool_needs_the_approval_of_its_tool() {
    let sidecar = Sidecar::of(&format!("{}    confirm: always\n", search())).await;
    let mut params = json!({
        "name": "call_write_tool",
        "arguments": {"name": "pets-getPet", "arguments": {"petId": 7}},
    });
    let elicits = json!({"elicitation": {}});
    let send =
        async |params: &Value| sidecar.ask_2026("tools/call", params, &elicits, &[]).await.json();
    let asked = send(&params).await;
    let question = &asked["result"]["inputRequests"]["approval"]["params"]["message"];
    assert!(question.as_str().unwrap().contains("/pets/7"), "{asked}");
    params["requestState"] = asked["result"]["requestState"].clone();
    params["inputResponses"] = json!({"approval": {"action": "accept", "content": {"ok": true}}});
    let mut other = params.clone();
    other["arguments"]["name"] = json!("pets-deletePet");
    let refused = send(&other).await;
    assert_eq!(refused["error"]["code"], -32602, "the state of another tool: {refused}");
    let made = send(&params).await;
    assert_eq!(made["result"]["structuredContent"]["name"], "Rex", "{made}");
}

#[tokio::test]
async fn a_fault_of_a_call_through_call_tool_is_reported_to_the_model() {
    let sidecar = Sidecar::of(&search()).await;
    for [name, arguments, expected] in rows(
        r#"
            find_tools => {} => `query`: expected what a tool is wanted for
            find_tools => {"query": "a", "limit": 0} => `limit`: expected 1 to 100, got: 0
            find_tools => {"query": "a", "effects": ["x"]} => got: `x`
            find_tools => {"query": "a", "toolsets": ["pets", "petz"]} => `toolsets`: expected ones that are served, got: `petz`
            describe_tools => {"names": []} => `names`: expected 1 to 20 names of tools, got: 0
            call_read_tool => {} => `name`: expected the name of a tool
            call_read_tool => {"name": "nope"} => there is no tool `nope`; `find_tools` finds those there are
            call_read_tool => {"name": "pets-getPe"} => the nearest are `pets-getPet`
            call_read_tool => {"name": "pets-getPet", "args": 7} => `args`: expected an object
            call_read_tool => {"name": "pets-getPet", "args": {}, "arguments": {}} => `args`: expected once, got twice under its names
            call_read_tool => {"name": "pets-getPet", "petId": 7} => expected the keys `name`, `args`, `arguments`, got: `petId`
            call_read_tool => {"name": "pets-deletePet", "arguments": {"petId": 7}} => `pets-deletePet` changes something (its effect is `idempotent`): call it with `call_write_tool`
            "#,
    ) {
        let arguments = serde_json::from_str::<Value>(arguments).unwrap();
        let answer = called(&sidecar, name, arguments).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn in_auto_mode_few_tools_are_listed_directly() {
    let auto = search().replace("mode: search", "mode: auto");
    let direct = search().replace("mode: search", "mode: direct");
    let (auto, direct) = (Sidecar::of(&auto).await, Sidecar::of(&direct).await);
    let list = auto.ask("tools/list", json!({})).await;
    let of_direct = direct.ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"], of_direct["result"]["tools"]);
    assert!(!names(&list).contains(&"find_tools"));
    let few = Sidecar::of(&search().replace("mode: search", "mode: auto, tokens: 100")).await;
    assert_eq!(names(&few.ask("tools/list", json!({})).await)[..4], STANDING);
    // Where all are listed, the four are nobody.
    for (tool, expected) in [
        ("find_tools", "there is no tool `find_tools`; `tools/list` lists those there are"),
        ("pets-getPe", "there is no tool `pets-getPe`; the nearest are `pets-getPet`"),
    ] {
        let unknown = called(&direct, tool, json!({"query": "pet"})).await;
        assert!(unknown["error"]["message"].as_str().unwrap().starts_with(expected), "{unknown}");
    }
}

#[tokio::test]
async fn a_configured_synonym_finds_its_tool() {
    let pets = "toolsets: {pets: {openapi: ../fixtures/pets/spec.yaml}}\n";
    for (synonyms, n_found) in [("", 0), ("synonyms: {annihilate: [delete]}\n", 1)] {
        let sidecar = Sidecar::of(&format!("mcp: {{mode: search}}\n{synonyms}{pets}")).await;
        let arguments = json!({"query": "annihilate", "limit": 1});
        let found = called(&sidecar, "find_tools", arguments).await;
        let found = found["result"]["structuredContent"]["tools"].as_array().unwrap().clone();
        assert_eq!(found.len(), n_found, "{found:?}");
        assert!(found.iter().all(|tool| tool["name"].as_str().unwrap().contains("delete")));
    }
}

#[tokio::test]
async fn five_thousand_tools_cost_a_client_under_two_thousand_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("openapi: 3.1.0\nservers: [{url: https://a.example}]\npaths:\n");
    for n in 0..5000 {
        writeln!(
            text,
            "  /things{n}: {{get: {{operationId: showThing{n}, summary: Show thing {n}}}}}"
        )
        .unwrap();
    }
    let file = folder.path().join("many.yaml");
    std::fs::write(&file, text).unwrap();
    let config =
        format!("mcp: {{mode: search}}\ntoolsets: {{many: {{openapi: '{}'}}}}\n", file.display());
    let sidecar = Sidecar::of(&config).await;
    let list = sidecar.ask("tools/list", json!({})).await;
    assert!(list["result"]["tools"][0]["description"].as_str().unwrap().contains("many (5000)"));
    // Four bytes a token, as everywhere else.
    let tokens = list["result"]["tools"].to_string().len() / 4;
    assert!(tokens < 2000, "{tokens}");
    let found =
        called(&sidecar, "find_tools", json!({"query": "show thing 4711", "limit": 1})).await;
    assert_eq!(found["result"]["structuredContent"]["tools"][0]["name"], "many-showThing4711");
}

#[tokio::test]
async fn the_operators_hints_about_a_tool_are_those_that_clients_get() {
    let hints = "{ read_only: false, destructive: false, idempotent: false, open_world: false }";
    let text = format!("mcp: {{ tools: {{ pets-deletePet: {hints} }} }}\n{PETS}");
    let annotations = async |text: &str| {
        let list = Sidecar::of(text).await.ask("tools/list", json!({})).await;
        let tools = list["result"]["tools"].as_array().unwrap().clone();
        let tool = tools.into_iter().find(|tool| tool["name"] == "pets-deletePet").unwrap();
        let names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        names.map(|name| tool["annotations"][name].clone())
    };
    assert_eq!(annotations(PETS).await, [false, true, true, true]);
    assert_eq!(annotations(&text).await, [false; 4]);
}
