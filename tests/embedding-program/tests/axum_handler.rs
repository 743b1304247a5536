//! A server of one's own, whose handler runs the calls of a model.

use axum::{Json, Router, extract::State, routing::post};
use callgate::{Executor, Session, ToolCall, dialect};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn calls(State(executor): State<Executor>, Json(asked): Json<Vec<Value>>) -> String {
    let call = |asked: &Value| {
        let arguments = serde_json::from_value(asked["arguments"].clone()).unwrap_or_default();
        ToolCall::new(
            asked["id"].to_string(),
            asked["tool"].as_str().unwrap_or_default(),
            arguments,
        )
    };
    let calls: Vec<_> = asked.iter().map(call).collect();
    let results = executor.call_all(&calls, &Session::default()).await;
    let results: Vec<_> =
        results.iter().map(|result| dialect::json_result(result).to_string()).collect();
    format!("[{}]", results.join(","))
}

#[tokio::test]
async fn an_axum_handler_runs_calls_in_parallel() {
    let description = std::fs::read(callgate_embed::description()).unwrap();
    let server = callgate_embed::service().await;
    let executor = callgate::openapi(description).server(server).build().await.unwrap();
    let routes = Router::new().route("/", post(calls)).with_state(executor);
    let origin = callgate_embed::serve(routes).await;

    let asked = json!([
        {"id": 1, "tool": "getPet", "arguments": {"id": 7}},
        {"id": 2, "tool": "nope"},
    ])
    .to_string();
    let address = origin.strip_prefix("http://").unwrap();
    let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{asked}",
        asked.len()
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let results: Value = serde_json::from_str(body).unwrap();
    assert_eq!(results[0]["response"]["name"], "Rex");
    assert_eq!(results[1]["error"]["code"], "unknown_tool");
}
