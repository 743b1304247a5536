//! Documents through a sidecar: what a session may not see is not found, not read, not named and not counted, over HTTP and MCP.

use std::fs;

use crate::prelude::*;

const FILES: [(&str, &str); 3] = [
    ("open.md", "---\naudience: all\nregion: eu\n---\n# Hours\n\nThe shop opens at nine.\n"),
    (
        "pay.md",
        "---\naudience: staff\nsecret_plan: 1\n---\n# Salaries\n\nThe shop pays the salaries.\n",
    ),
    (
        "faq.jsonl",
        "{\"question\": \"Where is the shop?\", \"answer\": \"By the lake.\", \"audience\": \"all\"}\n",
    ),
];

/// A sidecar whose header `X-Audience` says which documents there are.
async fn sidecar() -> (TempDir, Sidecar) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let text = format!(
        "sessions: {{ headers: {{ audience: X-Audience }} }}\ntoolsets:\n  handbook:\n    documents:\n      folder: '{}'\n      where: {{ audience: {{ any: $session.params.audience }} }}\n      filter: [region]\n",
        folder.path().display()
    );
    let sidecar = Sidecar::of(&text).await;
    (folder, sidecar)
}

/// The result of one call for an audience, as a model sees it.
async fn called(sidecar: &Sidecar, audience: &str, tool: &str, args: &Value) -> Value {
    let body = json!({"calls": [{"id": "1", "tool": tool, "args": args}]});
    let headers = [JSON, ("x-audience", audience)];
    sidecar.send("POST", "/v1/calls", &headers, &body.to_string()).await.ok()["results"][0].take()
}

fn documents(result: &Value) -> Vec<&str> {
    let snippets = result["response"]["snippets"].as_array().unwrap_or_else(|| panic!("{result}"));
    let mut names: Vec<_> = snippets.iter().map(|one| one["document"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_search_finds_the_documents_of_its_session() {
    let (_folder, sidecar) = sidecar().await;
    let shop = json!({"query": "where is the shop, and its salaries"});
    let all = called(&sidecar, "all", "handbook-search", &shop).await;
    assert_eq!(documents(&all), ["faq.jsonl#1", "open.md"]);
    assert!(!all.to_string().contains("alaries") && all["response"]["more"] == json!(false));
    let faq = all["response"]["snippets"].as_array().unwrap().iter();
    let answers: Vec<_> = faq.filter_map(|one| one["answer"].as_str()).collect();
    assert_eq!(answers, ["By the lake."]);
    let staff = called(&sidecar, "staff", "handbook-search", &shop).await;
    assert_eq!(documents(&staff), ["pay.md"]);
    let own = json!({"query": "shop", "where": {"region": {"eq": "eu"}}});
    assert_eq!(documents(&called(&sidecar, "all", "handbook-search", &own).await), ["open.md"]);
    let of_others = json!({"query": "shop", "where": {"audience": {"eq": "staff"}}});
    let refused = called(&sidecar, "all", "handbook-search", &of_others).await;
    assert_eq!(refused["error"]["code"], "invalid_arguments");
}

#[tokio::test]
async fn a_document_of_others_is_read_as_one_that_is_not_there() {
    let (_folder, sidecar) = sidecar().await;
    let read = async |audience: &str, document: &str| {
        called(&sidecar, audience, "handbook-read", &json!({"document": document})).await
    };
    assert!(read("staff", "pay.md").await.to_string().contains("pays the salaries"));
    let (hidden, absent) = (read("all", "pay.md").await, read("all", "nay.md").await);
    assert_eq!(hidden.to_string().replace("pay.md", "nay.md"), absent.to_string());
    let body =
        json!({"calls": [{"id": "1", "tool": "handbook-search", "args": {"query": "shop"}}]});
    let nobody = sidecar.post("/v1/calls", &body).await.json();
    assert_eq!(nobody["results"][0]["error"]["code"], "missing_session_value");
}

#[tokio::test]
async fn a_declaration_names_no_field_and_no_value_of_the_operator() {
    let (_folder, sidecar) = sidecar().await;
    let over_http = sidecar.get("/v1/tools").await.text;
    let over_mcp = sidecar.ask("tools/list", json!({})).await.to_string();
    for listed in [over_http, over_mcp] {
        assert!(listed.contains("handbook-search") && listed.contains("region"), "{listed}");
        for hidden in ["audience", "secret_plan", "staff", "pay.md", "Salaries"] {
            assert!(!listed.contains(hidden), "{hidden}: {listed}");
        }
    }
}

#[tokio::test]
async fn a_client_of_mcp_searches_the_documents_of_its_session() {
    let (_folder, sidecar) = sidecar().await;
    let params = json!({"name": "handbook-search", "arguments": {"query": "shop salaries"}});
    let ask = async |audience: &str| {
        let headers = [("x-audience", audience)];
        sidecar.ask_2026("tools/call", &params, &json!({}), &headers).await.json()
    };
    let found = ask("staff").await;
    let snippet = &found["result"]["structuredContent"]["snippets"][0];
    assert_eq!(snippet["document"], "pay.md", "{found}");
    assert_eq!(snippet["lines"]["from"], 5, "{found}");
    let all = ask("all").await.to_string();
    assert!(all.contains("open.md") && !all.contains("pay.md"), "{all}");
}
