//! The paths of callers, by requests as they come in. Services answer from recordings.

#![cfg(test)]

mod approvals;
mod away;
mod conversations;
mod dialects;
mod documents;
mod drafts;
mod journals;
mod keys;
mod mcp;
mod mcp_headers;
mod mcp_keys;
mod mcp_results;
mod mcp_search;
mod mcp_values;
mod notes;
mod orders;
mod prelude;
mod queries;
mod search;
mod semantic_kernel;
mod service;
mod session_headers;
#[expect(dead_code, reason = "tests of further routes need more of it")]
mod sidecar;
mod turn_files;
mod turn_keys;
mod turn_records;
mod turns;
mod uploads;
mod words;

use crate::prelude::*;
use callgate_gateway::Routes;
use callgate_testkit::rows;

#[tokio::test]
async fn calls_are_answered_in_their_order() {
    let sidecar = Sidecar::of_pets().await;
    for mode in ["parallel", "sequential"] {
        let body = json!({
            "mode": mode,
            "calls": [
                {"id": "a", "tool": "pets-getPet", "args": {"petId": 7}},
                {"id": "b", "tool": "pets-getPe", "args": {}},
                {"id": "c", "tool": "pets-getPet", "args": {"petId": 7}},
            ],
        });
        let answered = sidecar.post("/v1/calls", &body).await;
        assert_eq!(answered.status, 200);
        let results = answered.json()["results"].clone();
        let ids: Vec<_> = (0..3).map(|at| results[at]["id"].clone()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(results[0]["response"]["name"], "Rex");
        assert_eq!(results[1]["error"]["code"], "unknown_tool");
        assert_eq!(results[2]["status"], 200);
    }
}

#[tokio::test]
async fn a_call_without_an_id_gets_one_that_no_other_call_has() {
    let sidecar = Sidecar::of_pets().await;
    let calls =
        json!([{"tool": "a"}, {"id": "1", "tool": "a"}, {"tool": "a"}, {"id": 4, "tool": "a"}]);
    let answered = sidecar.post("/v1/calls", &json!({"calls": calls})).await;
    let results = answered.json()["results"].clone();
    let ids: Vec<_> = (0..4).map(|at| results[at]["id"].clone()).collect();
    assert_eq!(ids, ["2", "1", "3", "4"]);
}

#[tokio::test]
async fn digits_of_arguments_and_answers_are_preserved() {
    let sidecar = Sidecar::of_pets().await;
    let body = json!({"calls": [{"tool": "pets-getPet", "args": {"petId": 7}}]});
    let answered = sidecar.post("/v1/calls", &body).await;
    assert!(answered.text.contains(r#""weightKg":12.50"#), "{}", answered.text);
    let text = r#"{"dryRun": true, "calls": [{"tool": "pets-getPet", "args": {"petId": 900719925474099301}}]}"#;
    let answered = sidecar.send("POST", "/v1/calls", &[JSON], text).await;
    assert!(answered.text.contains("/pets/900719925474099301"), "{}", answered.text);
}

#[tokio::test]
async fn a_dry_run_shows_the_request_and_no_credential() {
    let sidecar = Sidecar::of_pets().await;
    let body = json!({"dryRun": true, "calls": [{"tool": "pets-getPet", "args": {"petId": 7}}]});
    let answered = sidecar.post("/v1/calls", &body).await;
    let request = &answered.json()["results"][0]["request"];
    assert_eq!(request["method"], "GET");
    assert_eq!(request["headers"]["x-api-key"], "****");
    assert!(!answered.text.contains("demo-key"));
}

#[tokio::test]
async fn a_malformed_request_is_a_problem_with_its_position() {
    let sidecar = Sidecar::of_pets().await;
    for [body, expected] in rows(
        r#"
            [] => `the body`: expected an object, got: an array
            {} => `calls`: expected an array, got: nothing
            {"calls": []} => `calls`: expected 1 to 256 calls, got: 0
            {"calls": [{}]} => `calls[0].tool`: expected a text, got: nothing
            {"calls": [{"tool": 7}]} => `calls[0].tool`: expected a text, got: a number
            {"calls": [{"tool": "a"}], "dryrun": true} => got: `dryrun`: did you mean `dryRun`?
            {"calls": [{"tool": "a", "timeout": -1}]} => `calls[0].timeout`: expected seconds
            {"calls": [{"tool": "a"}], "session": {"parameters": 7}} => `session.parameters`: expected an object, got: a number
            {"calls": [{"tool": "a"}], "session": {"ids": "s"}} => `session`: expected the keys `id`, `parameters`
            {"calls": [{"tool": "a"}], "session": {"credentials": {"A": "x", "a": "y"}}} => `session.credentials`: expected names that differ beyond their case, got twice: `a`
            {"calls": [{"tool": "a"}], "session": {"parameters": {"A": 1, "a": 2}}} => `session.parameters`: expected names that differ beyond their case, got twice: `a`
            "#,
    ) {
        let body = serde_json::from_str::<Value>(body).unwrap();
        let answered = sidecar.post("/v1/calls", &body).await;
        assert_eq!(answered.status, 400, "{body}");
        assert_eq!(answered.header("content-type"), "application/problem+json");
        let problem = answered.json();
        assert_eq!(problem["type"], "urn:callgate:problem:malformed-body");
        assert!(problem["detail"].as_str().unwrap().contains(expected), "{problem}");
    }
}

#[tokio::test]
async fn a_problem_shows_a_wrong_setting_but_no_value_that_may_be_secret() {
    let sidecar = Sidecar::of_pets().await;
    let long = "x".repeat(41);
    for (name, value, got) in [
        ("mode", json!("both"), "expected `parallel` or `sequential`, got: `both`"),
        ("mode", json!(""), "got: `\"\"`"),
        ("mode", json!("x".repeat(40)), &*format!("got: `{}`", "x".repeat(40))),
        ("mode", json!(long), "got: a text"),
        ("mode", json!("a\nb"), "got: a text"),
        ("mode", json!(["both"]), "got: an array"),
        ("mode", Value::Null, "got: null"),
        ("execution", json!("server"), "`execution`: expected `client`, got: `server`"),
        ("execution", json!({}), "got: an object"),
        ("dryRun", json!("true"), "`dryRun`: expected a boolean, got: `\"true\"`"),
        ("dryRun", json!(1), "got: 1"),
        ("calls", json!("secret"), "`calls`: expected an array, got: a text"),
    ] {
        let mut body = json!({"calls": [{"tool": "a"}]});
        body[name] = value;
        let problem = sidecar.post("/v1/calls", &body).await.json();
        assert!(problem["detail"].as_str().unwrap().ends_with(got), "{problem}");
    }
    let key = "a text of 1 to 255 characters, none of them a control character, got: a text";
    for (name, value, got) in [
        ("timeout", json!("soon"), "`500ms`, `30s` or `2m`, got: `soon`"),
        ("timeout", json!("30"), "got: `\"30\"`"),
        ("timeout", json!(-1), "got: -1"),
        ("timeout", json!(true), "got: true"),
        ("idempotencyKey", json!(""), "none of them a control character, got: a text"),
        ("idempotencyKey", json!("a\u{1f}0"), key),
        ("idempotencyKey", json!(7), "got: a number"),
    ] {
        let body = json!({"calls": [{"tool": "a", (name): value}]});
        let problem = sidecar.post("/v1/calls", &body).await.json();
        assert!(problem["detail"].as_str().unwrap().ends_with(got), "{problem}");
    }
}

#[tokio::test]
async fn every_refusal_is_a_problem_of_a_type_of_its_own() {
    let sidecar = Sidecar::of_pets().await;
    let call = r#"{"calls": [{"tool": "a"}]}"#;
    let large = format!(r#"{{"calls": "{}"}}"#, "x".repeat(1 << 20));
    let version = ("if-match", r#""another""#);
    for (way, headers, body, status, problem) in [
        (("GET", "/v1/call"), vec![], "", 404, "unknown-path"),
        (("GET", "/v1/calls"), vec![], "", 405, "method-not-allowed"),
        (("GET", "/v1/tools/%FF"), vec![], "", 400, "malformed-path"),
        (("GET", "/v1/tools/none"), vec![], "", 404, "absent"),
        (("GET", "/v1/tools/pets-getPe"), vec![], "", 404, "absent"),
        (("GET", "/v1/tools?limit=no"), vec![], "", 400, "malformed-query"),
        (("POST", "/v1/calls"), vec![], call, 415, "unsupported-media-type"),
        (("POST", "/v1/calls"), vec![JSON, ("accept", "text/html")], call, 406, "not-acceptable"),
        (("POST", "/v1/calls"), vec![JSON, ("idempotency-key", "")], call, 400, "malformed-header"),
        (("POST", "/v1/calls"), vec![JSON], &large, 413, "too-large"),
        (("POST", "/v1/calls"), vec![JSON], "{", 400, "malformed-body"),
        (("PUT", "/v1/sessions/s"), vec![JSON, version], "{}", 412, "precondition-failed"),
    ] {
        let (method, path) = way;
        let answered = sidecar.send(method, path, &headers, body).await;
        assert_eq!(answered.status, status, "{method} {path}: {}", answered.text);
        assert_eq!(answered.header("content-type"), "application/problem+json");
        let told = answered.json();
        assert_eq!(told["type"], format!("urn:callgate:problem:{problem}"), "{method} {path}");
        assert_eq!(told["status"], status);
        assert!(told["detail"].as_str().is_some_and(|detail| detail.len() > 10), "{told}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_is_refused_by_its_media_type_or_its_text() {
    let sidecar = Sidecar::of_pets().await;
    let body = r#"{"calls": [{"tool": "a"}]}"#;
    for (headers, body, status) in [
        (vec![], body, 415),
        (vec![("content-type", "text/plain")], body, 415),
        (vec![("content-type", "Application/JSON; charset=utf-8")], body, 200),
        (vec![JSON, ("accept", "text/html")], body, 406),
        (vec![JSON], "{", 400),
        (vec![JSON], r#"{"calls": [], "calls": [{"tool": "a"}]}"#, 400),
    ] {
        let answered = sidecar.send("POST", "/v1/calls", &headers, body).await;
        assert_eq!(answered.status, status, "{headers:?} {body}");
    }
    let large = format!(r#"{{"calls": "{}"}}"#, "x".repeat(1 << 20));
    let answered = sidecar.send("POST", "/v1/calls", &[JSON], &large).await;
    assert_eq!(answered.status, 413);
    assert_eq!(sidecar.get("/v1/call").await.status, 404);
    let answered = sidecar.get("/v1/calls").await;
    assert_eq!((answered.status, answered.header("allow")), (405, "POST"));
}

#[tokio::test]
async fn each_result_is_sent_as_an_event_when_its_call_ends() {
    let sidecar = Sidecar::of_pets().await;
    let body = json!({"calls": [
        {"id": "a", "tool": "pets-getPet", "args": {"petId": 7}},
        {"id": "b", "tool": "nothing", "args": {}},
    ]})
    .to_string();
    let headers = [JSON, ("accept", "text/event-stream")];
    let answered = sidecar.send("POST", "/v1/calls", &headers, &body).await;
    assert_eq!(answered.header("content-type"), "text/event-stream");
    let mut events = answered.events();
    assert_eq!(events.pop().unwrap().0, "end");
    events.sort_by_key(|(_, data)| data["id"].to_string());
    assert_eq!(events.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["result", "result"]);
    assert_eq!(events[0].1["response"]["id"], 7);
    assert_eq!(events[1].1["error"]["code"], "unknown_tool");
}

#[tokio::test]
async fn tools_are_declared_for_a_search_of_the_providers() {
    let sidecar = Sidecar::of_pets().await;
    let at = "/v1/tools?dialect=anthropic&deferred=true&limit=1";
    let first = sidecar.get(at).await.json();
    assert_eq!(first["tools"][0]["name"], "tool_search_tool_bm25", "{first}");
    assert_eq!(first["tools"][1]["defer_loading"], true, "{first}");
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = sidecar.get(&format!("{at}&cursor={cursor}")).await.json();
    assert_eq!(second["tools"].as_array().unwrap().len(), 1, "{second}");
    assert_eq!(second["tools"][0]["defer_loading"], true, "{second}");
    for (wrong, status) in [
        ("dialect=gemini&deferred=true", 422),
        ("deferred=maybe", 400),
        ("summary=true&dialect=openai", 422),
        ("summary=true&dialect=openai&form=strict", 422),
        ("summary=true&deferred=false", 422),
    ] {
        assert_eq!(sidecar.get(&format!("/v1/tools?{wrong}")).await.status, status, "{wrong}");
    }
}

#[tokio::test]
async fn tools_come_page_by_page_and_completely() {
    let sidecar = Sidecar::of_pets().await;
    let all = sidecar.get("/v1/tools").await.json();
    let all: Vec<_> =
        all["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    let mut paged = Vec::new();
    let mut path = "/v1/tools?limit=3".to_owned();
    loop {
        let page = sidecar.get(&path).await.json();
        paged.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/v1/tools?limit=3&cursor={cursor}");
    }
    assert_eq!(paged, all);
    assert!(all.len() > 3);
    let openai = sidecar.get("/v1/tools?dialect=openai&toolset=pets").await.json();
    assert_eq!(openai["tools"][0]["type"], "function");
    for query in ["dialect=x", "limit=0", "limit=x", "page=1", "limit=1&limit=2"] {
        let answered = sidecar.get(&format!("/v1/tools?{query}")).await;
        assert_eq!(answered.json()["type"], "urn:callgate:problem:malformed-query", "{query}");
    }
    for query in ["toolset=x", "cursor=x"] {
        let answered = sidecar.get(&format!("/v1/tools?{query}")).await;
        assert_eq!(answered.json()["type"], "urn:callgate:problem:absent", "{query}");
    }
}

#[tokio::test]
async fn one_tool_is_shown_with_all_its_details() {
    let sidecar = Sidecar::of_pets().await;
    let tool = sidecar.get("/v1/tools/pets-getPet").await.json();
    assert_eq!((&tool["method"], &tool["toolset"]), (&json!("GET"), &json!("pets")));
    assert_eq!(tool["inputs"][0]["argument"], "petId");
    assert_eq!(tool["dialects"]["openai"]["function"]["name"], "pets-getPet");
    assert!(tool["tokens"].as_u64().unwrap() > 10);
    let absent = sidecar.get("/v1/tools/pets-none").await;
    assert_eq!(absent.status, 404);
    assert_eq!(absent.json()["type"], "urn:callgate:problem:absent");
}

#[tokio::test]
async fn a_session_is_stored_changed_shown_and_forgotten() {
    let sidecar = Sidecar::of_pets().await;
    let path = "/v1/sessions/s-1";
    assert_eq!(sidecar.get(path).await.status, 404);
    let body =
        json!({"parameters": {"OwnerId": "o-1", "n": 1}, "credentials": {"github": "c4n4ry"}});
    let stored = sidecar.put(path, &body).await;
    assert_eq!(stored.status, 201);
    let tag = stored.header("etag").to_owned();
    let expected = json!({"id": "s-1", "parameters": {"OwnerId": "o-1", "n": 1}, "credentials": {"github": "****"}});
    let shown = sidecar.get(path).await;
    assert_eq!((shown.json(), shown.header("etag")), (expected, tag.as_str()));

    // Names are case-insensitive, `null` deletes, what is not named stays.
    let change = json!({"parameters": {"ownerid": "o-2", "n": null}}).to_string();
    let changed = sidecar.send("PATCH", path, &[JSON, ("if-match", &tag)], &change).await;
    assert_eq!(changed.status, 200);
    assert_eq!(changed.json()["parameters"], json!({"ownerid": "o-2"}));
    assert_eq!(changed.json()["credentials"], json!({"github": "****"}));

    let now = changed.header("etag");
    let (weak, list) = (format!("W/{now}"), format!(r#""another", {now}"#));
    assert_eq!(sidecar.send("PATCH", path, &[JSON, ("if-match", &list)], "{}").await.status, 200);
    for (method, header) in [
        ("PUT", ("if-match", &*tag)),
        ("PUT", ("if-match", &weak)),
        ("PATCH", ("if-match", "\"none\"")),
        ("PUT", ("if-none-match", "*")),
        ("DELETE", ("if-match", &tag)),
    ] {
        let answered = sidecar.send(method, path, &[JSON, header], "{}").await;
        assert_eq!(answered.status, 412, "{method} {header:?}");
    }
    assert_eq!(sidecar.send("DELETE", path, &[], "").await.status, 204);
    assert_eq!(sidecar.send("DELETE", path, &[], "").await.status, 404);
}

#[tokio::test]
async fn a_session_that_cannot_be_stored_is_a_problem_with_its_reason() {
    let sidecar = Sidecar::of_pets().await;
    for body in [
        json!([]),
        json!({"parameter": {}}),
        json!({"parameters": []}),
        json!({"parameters": {"a": 1, "A": 2}}),
        json!({"credentials": {"a": 7}}),
    ] {
        let answered = sidecar.put("/v1/sessions/s", &body).await;
        assert_eq!(answered.json()["type"], "urn:callgate:problem:malformed-body", "{body}");
    }
}

#[tokio::test]
async fn a_header_wins_over_the_session_of_the_request_and_that_over_the_stored_one() {
    let sidecar = Sidecar::of_pets().await;
    sidecar
        .put("/v1/sessions/s", &json!({"parameters": {"ownerId": "stored", "storeNumber": 1}}))
        .await;
    let parameters = async |own: Value, headers: &[(&str, &str)]| {
        let body = json!({"dryRun": true, "session": {"id": "s", "parameters": own},
            "calls": [{"tool": "pets-listOwnedPets", "args": {}}]});
        let mut all = vec![JSON];
        all.extend(headers);
        sidecar.send("POST", "/v1/calls", &all, &body.to_string()).await
    };
    let url = |answered: &Answered| answered.json()["results"][0]["request"]["url"].to_string();
    let stored = parameters(json!({}), &[]).await;
    assert!(url(&stored).contains("stored"), "{}", stored.text);
    let own = parameters(json!({"OWNERID": "own"}), &[]).await;
    assert!(url(&own).contains("own") && !url(&own).contains("stored"), "{}", own.text);
    let header = parameters(json!({"OWNERID": "own"}), &[("x-owner", "headers")]).await;
    assert!(url(&header).contains("headers"), "{}", header.text);
    // Nothing of the request was stored.
    assert_eq!(sidecar.get("/v1/sessions/s").await.json()["parameters"]["ownerId"], "stored");
}

/// Routes besides the sidecar's own.
fn routes() -> Routes {
    let routes = Routes::new();
    #[cfg(feature = "agents")]
    let routes = routes.merge_routes(callgate_gateway::turns());
    routes
}

const JSON: (&str, &str) = ("content-type", "application/json");
