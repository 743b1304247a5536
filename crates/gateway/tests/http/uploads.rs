//! Files that a caller hands in: `POST /v1/results`, and calls that send them on.

use crate::prelude::*;
use callgate_testkit::temporary_file;

use axum::{body::Bytes, routing::post};

const DESCRIPTION: &str = "
paths:
  /files:
    post:
      operationId: upload
      requestBody: {content: {application/octet-stream: {}}}
      responses: {'200': {description: kept, content: {text/plain: {}}}}
";

/// A sidecar before a service that says which bytes it got.
async fn sidecar(keys: &str) -> (Sidecar, TempDir) {
    let echo = post(async |body: Bytes| format!("{body:?}"));
    let server = callgate_testkit::serve(Router::new().route("/files", echo)).await;
    let (folder, file) = temporary_file("spec.yaml", callgate_testkit::describe(DESCRIPTION));
    let shop = format!("openapi: '{}', server: '{server}', prefix: ''", file.display());
    (Sidecar::of(&format!("{keys}toolsets: {{shop: {{{shop}}}}}")).await, folder)
}

async fn upload(sidecar: &Sidecar, path: &str, media_type: &str, body: &str) -> Answered {
    sidecar.send("POST", path, &[("content-type", media_type)], body).await
}

async fn sent(sidecar: &Sidecar, handle: &Value, session: Value) -> Value {
    let call = json!({"tool": "upload", "args": {"body": {"handle": handle}}});
    let body = json!({"calls": [call], "session": session});
    sidecar.post("/v1/calls", &body).await.json()["results"][0].take()
}

#[tokio::test]
async fn an_upload_with_an_idempotency_key_is_refused_by_the_name_of_the_header() {
    let (sidecar, _folder) = sidecar("").await;
    let headers = [("content-type", "text/csv"), ("idempotency-key", "a")];
    let refused = sidecar.send("POST", "/v1/results", &headers, "id").await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("`Idempotency-Key`: expected none"), "{}", refused.text);
}

#[tokio::test]
async fn a_file_that_was_handed_in_is_sent_by_a_later_call() {
    let (sidecar, _folder) = sidecar("").await;
    let stored =
        upload(&sidecar, "/v1/results", "text/csv; charset=utf-8", "id,name\n7,Rex\n").await;
    assert_eq!(stored.status, 201, "{}", stored.text);
    let file = stored.json();
    let handle = file["handle"].as_str().unwrap();
    assert_eq!(stored.header("location"), format!("/v1/results/{handle}"));
    assert_eq!(file["size"], 14);
    assert_eq!(file["mediaType"], "text/csv; charset=utf-8");
    assert!(file["expires"].is_string() && file.get("notes").is_none(), "{file}");
    let shown = sidecar.get(&format!("/v1/results/{handle}")).await;
    assert_eq!(
        (&*shown.text, shown.header("content-type")),
        ("id,name\n7,Rex\n", "text/csv; charset=utf-8")
    );
    let result = sent(&sidecar, &file["handle"], Value::Null).await;
    assert_eq!(result["response"], r#"b"id,name\n7,Rex\n""#, "{result}");
}

#[tokio::test]
async fn a_file_is_for_the_session_that_it_was_handed_in_for() {
    let (sidecar, _folder) = sidecar("").await;
    sidecar.put("/v1/sessions/s-1", &json!({})).await;
    let stored = upload(&sidecar, "/v1/results?session=s-1", "text/plain", "for s-1").await.json();
    let handle = stored["handle"].as_str().unwrap();
    let own = sent(&sidecar, &stored["handle"], json!({"id": "s-1"})).await;
    assert_eq!(own["response"], r#"b"for s-1""#, "{own}");
    assert_eq!(sidecar.get(&format!("/v1/results/{handle}?session=s-1")).await.text, "for s-1");
    for session in [Value::Null, json!({"id": "s-2"})] {
        let other = sent(&sidecar, &stored["handle"], session).await;
        assert_eq!(other["error"]["problems"][0]["at"], "body.handle", "{other}");
    }
    for query in ["", "?session=s-2"] {
        assert_eq!(sidecar.get(&format!("/v1/results/{handle}{query}")).await.status, 404);
    }
}

#[tokio::test]
async fn a_file_that_is_too_large_or_a_form_is_refused_with_what_to_do() {
    let (sidecar, _folder) = sidecar("").await;
    let large = upload(&sidecar, "/v1/results", "text/plain", &"x".repeat((1 << 20) + 1)).await;
    assert_eq!(large.status, 413, "{}", large.text);
    assert!(large.text.contains("at most 1048576 bytes; `limits.body_bytes`"), "{}", large.text);
    for media_type in
        ["multipart/form-data; boundary=b", "application/x-www-form-urlencoded", "text"]
    {
        let form = upload(&sidecar, "/v1/results", media_type, "x").await;
        assert_eq!(form.status, 415, "{}", form.text);
        let got = format!("got: `{media_type}`; send the file itself");
        assert!(form.json()["detail"].as_str().unwrap().contains(&got), "{}", form.text);
    }
    let unnamed = sidecar.send("POST", "/v1/results", &[], "x").await;
    assert_eq!(unnamed.status, 415, "{}", unnamed.text);
    let asked = upload(&sidecar, "/v1/results?name=a", "text/plain", "x").await;
    assert_eq!(asked.status, 400, "{}", asked.text);
}
