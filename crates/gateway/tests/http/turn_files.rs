//! Files in the input of a turn: by the handle that `POST /v1/results` gave, and by their data.

#![cfg(feature = "agents")]

use crate::prelude::*;

use callgate_testkit::Service as Provider;

const PATH: &str = "/v1/agents/viewer/turns";

async fn sidecar() -> (Sidecar, Provider) {
    let reply = json!({"choices": [{"message": {"role": "assistant", "content": "A dog."}}]});
    let provider = Provider::start(move |_| (200, reply.to_string())).await;
    let text = format!(
        "models: {{main: {{dialect: openai, url: '{}/v1', model: m-1, auth: none}}}}\nagents: {{viewer: {{model: main}}}}\n\
         toolsets: {{app: {{functions: [{{name: open_page}}]}}}}",
        provider.origin
    );
    (Sidecar::of(&text).await, provider)
}

async fn kept(sidecar: &Sidecar, session: &str) -> Value {
    let path = format!("/v1/results?session={session}");
    let stored = sidecar.send("POST", &path, &[("content-type", "image/png")], "PNG").await;
    stored.json()["handle"].take()
}

fn turn(session: &str, parts: &Value) -> Value {
    json!({"session": {"id": session}, "input": parts})
}

#[tokio::test]
async fn a_turn_shows_the_model_files_by_handle_and_by_data() {
    let (sidecar, provider) = sidecar().await;
    let handle = kept(&sidecar, "s-1").await;
    let parts = json!([
        {"text": "What is this?"},
        {"handle": handle},
        {"data": "JVBERg==", "content_type": "application/pdf", "filename": "a.pdf"},
        {"data": "data:image/gif;base64,R0lG"},
    ]);
    let answered = sidecar.post(PATH, &turn("s-1", &parts)).await;
    assert_eq!(answered.json()["text"], "A dog.", "{}", answered.text);
    let expected = json!([
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
        {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lG"}},
    ]);
    let content = |at: usize| {
        let body: Value = serde_json::from_str(&provider.last().body).unwrap();
        body["messages"][at]["content"].clone()
    };
    assert_eq!(content(0), expected);
    assert_eq!(answered.json()["messages"][0]["content"], expected);
    sidecar.post(PATH, &turn("s-1", &json!("And now?"))).await;
    assert_eq!((content(0), content(2)), (expected, json!("And now?")), "it is kept");
}

#[tokio::test]
async fn a_part_without_a_file_for_the_model_is_refused_with_its_place() {
    let (sidecar, provider) = sidecar().await;
    let handle = kept(&sidecar, "s-2").await;
    for (part, status, expected) in [
        (json!({"handle": handle}), 422, "input.1.handle"),
        (json!({"handle": "result:00000000000000000000000000000000"}), 422, "input.1.handle"),
        (json!({"data": "?"}), 422, "input.1"),
        (json!({"data": "UE5H"}), 422, "`input.1`: expected a file that `openai` takes"),
        (json!({"data": "UE5H", "content_type": "image/tiff"}), 422, "got: `image/tiff`"),
        (json!({"data": "UE5H", "url": "https://x.example"}), 422, "got: `url`"),
        (json!("words"), 422, "`input.1`: expected an object"),
    ] {
        let body = turn("s-1", &json!([{"text": "What is this?"}, part]));
        let answered = sidecar.post(PATH, &body).await;
        assert_eq!(answered.status, status, "{part}: {}", answered.text);
        assert!(answered.text.contains(expected), "{part}: {}", answered.text);
    }
    for (input, status) in [(json!([]), 422), (json!(7), 400), (json!({"text": "a"}), 400)] {
        let answered = sidecar.post(PATH, &turn("s-1", &input)).await;
        assert_eq!(answered.status, status, "{}", answered.text);
    }
    assert!(provider.received().is_empty(), "the model was not asked");
}
