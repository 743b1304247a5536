//! Streams of Gemini and the services that resemble it.

use callgate_dialect::Dialect;

use super::{TWO, check, event};

const ADD: &str = r#"{"functionCall":{"name":"shop-add","args":{"n":1}},"thoughtSignature":"s="}"#;
const REMOVE: &str = r#"{"functionCall":{"name":"shop-remove","args":{"n":2}}}"#;
const END: &str = r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}"#;

fn parts(parts: &[&str]) -> String {
    let parts = parts.join(",");
    event(&format!(r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}}}}]}}"#))
}

#[tokio::test(start_paused = true)]
async fn odd_parts_of_gemini_are_put_together() {
    let plain = || vec![parts(&[ADD]), parts(&[REMOVE]), event(END)];
    let with = |at: usize, data: &str| {
        let mut events = plain();
        events.insert(at, event(data));
        events
    };
    let named =
        |part: &str, id: &str| part.replace(r#"{"name""#, &format!(r#"{{"id":"{id}","name""#));
    for (name, events) in [
        ("no ids", plain()),
        ("ids", vec![parts(&[&named(ADD, "a")]), parts(&[&named(REMOVE, "b")]), event(END)]),
        ("one id", vec![parts(&[&named(ADD, "a")]), parts(&[&named(REMOVE, "a")]), event(END)]),
        ("one event", vec![parts(&[ADD, REMOVE]), event(END)]),
        (
            "arguments as texts",
            vec![parts(&[&ADD.replace(r#"{"n":1}"#, r#""{\"n\":1}""#), REMOVE]), event(END)],
        ),
        ("no role", plain().iter().map(|event| event.replace(r#""role":"model","#, "")).collect()),
        ("words that are null", vec![parts(&[r#"{"text":null}"#, ADD, REMOVE]), event(END)]),
        ("no parts", with(1, r#"{"candidates":[{"content":{"role":"model","parts":null}}]}"#)),
        ("no content", with(1, r#"{"candidates":[{"content":null,"index":0}]}"#)),
        ("no candidates", with(0, r#"{"candidates":null,"usageMetadata":{"promptTokenCount":1}}"#)),
        (
            "usage after the end",
            with(3, r#"{"candidates":[],"usageMetadata":{"promptTokenCount":1}}"#),
        ),
        ("the end twice", with(3, END)),
        ("lines as on Windows", plain().iter().map(|event| event.replace('\n', "\r\n")).collect()),
    ] {
        check(Dialect::Gemini, name, &events, &TWO).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_gemini_without_arguments_has_none() {
    for arguments in ["", r#","args":null"#, r#","args":{}"#] {
        let part = format!(
            r#"{{"functionCall":{{"name":"shop-add"{arguments}}},"thoughtSignature":"s="}}"#
        );
        check(Dialect::Gemini, arguments, &[parts(&[&part]), event(END)], &["shop-add {}"]).await;
    }
}
