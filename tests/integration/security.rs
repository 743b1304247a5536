//! The attacks of `SECURITY.md` that a model can try through arguments, and a description through its text, against a
//! real server: either no byte leaves, or exactly what was meant arrives. Each test names its rows.

use crate::prelude::*;

use crate::target::json as json_of;

const DESCRIPTION: &str = concat!("\n", include_str!("security.yaml"));

fn executor(server: &str, settings: &str) -> Executor {
    target::executor(DESCRIPTION, server, settings)
}

async fn outcome(executor: &Executor, tool: &str, arguments: Value) -> Outcome {
    call(executor, tool, arguments).await.outcome
}

/// Nothing is sent, and the fault says so.
async fn is_refused(tool: &str, rows: &[Value]) {
    let server = Server::start().await;
    let executor = executor(&server.url("/base"), "");
    for arguments in rows {
        let outcome = outcome(&executor, tool, arguments.clone()).await;
        let Outcome::Failed(fault) = outcome else { panic!("{arguments} was sent: {outcome:?}") };
        assert_eq!(fault.reached, Reached::No, "{arguments}");
    }
    assert_eq!(server.total(), 0);
}

/// What arrived, as the server saw it.
async fn seen(executor: &Executor, tool: &str, arguments: Value) -> Value {
    json_of(outcome(executor, tool, arguments).await)
}

#[tokio::test]
async fn rows_1_and_2_a_path_value_cannot_leave_its_segment() {
    let values =
        "../../admin/delete?x=|..|.|%2e%2e|.%2E|%252e%252e|\t..|..\n|../|a/../b|..\\x|\u{0}";
    let rows: Vec<_> = values.split('|').map(|id| json!({"id": id})).collect();
    is_refused("item", &rows).await;
}

#[tokio::test]
async fn row_3_an_empty_or_shapeless_path_value_is_refused() {
    let rows =
        [json!({"id": ""}), json!({"id": null}), json!({}), json!({"id": []}), json!({"id": {}})];
    is_refused("item", &rows).await;
    is_refused("count", &[json!({"n": ["a"]}), json!({"n": {"a": 1}})]).await;
}

#[tokio::test]
async fn row_4_reserved_characters_in_a_path_value_are_encoded() {
    let server = Server::start().await;
    let executor = executor(&server.url("/base"), "");
    for (id, target) in [
        ("1?admin=true", "/base/items/1%3Fadmin%3Dtrue"),
        ("1#", "/base/items/1%23"),
        ("//127.0.0.2:1", "/base/items/%2F%2F127.0.0.2%3A1"),
        ("a@b", "/base/items/a%40b"),
        ("100%", "/base/items/100%25"),
        ("...", "/base/items/..."),
    ] {
        assert_eq!(seen(&executor, "item", json!({ "id": id })).await["target"], target);
    }
}

#[tokio::test]
async fn row_5_values_that_meet_in_one_segment_cannot_make_a_dot_segment() {
    is_refused("pair", &[json!({"a": ".", "b": "."}), json!({"a": "%2e", "b": "."})]).await;
}

#[tokio::test]
async fn row_6_values_of_other_types_are_not_guessed_to_be_numbers() {
    let rows = [json!("5abc"), json!("0x10"), json!(true), json!(5.5), json!(" 5"), json!("")];
    is_refused("count", &rows.map(|n| json!({ "n": n }))).await;
}

#[tokio::test]
async fn rows_7_and_12_undeclared_names_are_refused_and_declared_ones_encoded() {
    let rows = [
        json!({"id": "1", "admin": 1}),
        json!({"id": "1", "server_url": "http://evil.example"}),
        json!({"id": "1", "host": "evil"}),
        json!({"id": "1", "server": {"host": "evil"}}),
    ];
    is_refused("item", &rows).await;
    let server = Server::start().await;
    let executor = executor(&server.url("/base"), "");
    let target =
        &seen(&executor, "item", json!({"id": "1", "q": "a&admin=true#x?"})).await["target"];
    assert_eq!(target, "/base/items/1?q=a%26admin%3Dtrue%23x%3F");
}

#[tokio::test]
async fn row_8_the_credential_in_the_query_replaces_others_of_its_name() {
    let server = Server::start().await;
    let auth = "auth: { api_key: { in: query, name: key, value: literal:s3cret } }";
    let executor = executor(&server.url(""), auth);
    is_refused("count", &[json!({"n": 1, "nope": "MODEL"})]).await;
    let tools: Vec<_> =
        executor.entries().filter(|entry| entry.name().as_str() == "count").collect();
    assert!(
        !tools[0].declaration().unwrap().input_schema.to_value().to_string().contains("key"),
        "{tools:?}"
    );
    assert_eq!(seen(&executor, "count", json!({"n": 1})).await["target"], "/count/1?key=****");
}

#[tokio::test]
async fn row_9_control_characters_in_headers_are_refused() {
    let values = ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "a\u{7f}", "\u{1}"];
    is_refused("item", &values.map(|note| json!({"id": "1", "X_Note": note}))).await;
}

#[tokio::test]
async fn rows_10_and_11_headers_a_model_may_not_set_are_not_offered() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "");
    let tool = executor.find("headers").and_then(Entry::declaration).unwrap();
    assert_eq!(tool.input_schema.to_value()["properties"], json!({}), "{tool:?}");
    is_refused("headers", &[json!({"Authorization": "Bearer x"}), json!({"Host": "evil"})]).await;
    let headers = &seen(&executor, "headers", json!({})).await["headers"];
    let names: Vec<_> = headers.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
}

#[tokio::test]
async fn row_23_text_that_looks_like_a_reference_is_text() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "");
    for text in [
        "$session.params.tok",
        "projects/p/secrets/x/versions/1",
        "{\"$ref\":\"@dialogflow/sessionId\"}",
    ] {
        let target = seen(&executor, "item", json!({"id": "1", "q": text})).await["target"].clone();
        let query = target.as_str().unwrap().split_once("?q=").unwrap().1.to_owned();
        let decoded = url::form_urlencoded::parse(format!("q={query}").as_bytes())
            .next()
            .unwrap()
            .1
            .into_owned();
        assert_eq!(decoded, text);
    }
}
