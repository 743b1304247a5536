//! Transcripts that come from elsewhere are repaired in both directions, and no call in them is made.

use callgate_agent::{EndReason, Transcript};
use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

use crate::{
    fake::DIALECTS,
    shop::{Talk, unasked},
};

fn user(dialect: Dialect, text: &str) -> Value {
    match dialect {
        Dialect::Bedrock => json!({"role": "user", "content": [{"text": text}]}),
        Dialect::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
        _ => json!({"role": "user", "content": text}),
    }
}

/// A model's message with two calls.
fn calls(dialect: Dialect) -> Vec<Value> {
    match dialect {
        Dialect::Anthropic => vec![json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "a", "name": "shop-add", "input": {}},
            {"type": "tool_use", "id": "b", "name": "shop-add", "input": {"n": 1}},
        ]})],
        Dialect::Bedrock => vec![json!({"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "a", "name": "shop-add", "input": {}}},
            {"toolUse": {"toolUseId": "b", "name": "shop-add", "input": {"n": 1}}},
        ]})],
        Dialect::Gemini => vec![json!({"role": "model", "parts": [
            {"functionCall": {"id": "a", "name": "shop-add", "args": {}}, "thoughtSignature": "s"},
            {"functionCall": {"id": "b", "name": "shop-add", "args": {"n": 1}}},
        ]})],
        Dialect::OpenAi => vec![json!({"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "shop-add", "arguments": "{}"}},
            {"id": "b", "type": "function", "function": {"name": "shop-add", "arguments": "{\"n\": "}},
        ]})],
        _ => vec![
            json!({"type": "function_call", "call_id": "a", "name": "shop-add", "arguments": "{}"}),
            json!({"type": "function_call", "call_id": "b", "name": "shop-add", "arguments": "{\"n\": "}),
        ],
    }
}

/// The message with the result of one call.
fn result(dialect: Dialect, id: &str) -> Value {
    match dialect {
        Dialect::Anthropic => {
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "{}"}]})
        }
        Dialect::Bedrock => {
            json!({"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": "{}"}]}}]})
        }
        Dialect::Gemini => {
            json!({"role": "user", "parts": [{"functionResponse": {"id": id, "name": "shop-add", "response": {}}}]})
        }
        Dialect::OpenAi => json!({"role": "tool", "tool_call_id": id, "content": "{}"}),
        _ => json!({"type": "function_call_output", "call_id": id, "output": "{}"}),
    }
}

/// A conversation after these messages goes on without a refused request, and without a call.
async fn check(dialect: Dialect, messages: Vec<Value>, expected: (usize, usize)) {
    let shown = format!("{dialect}: {messages:?}");
    let (transcript, repair) = Transcript::from_messages(dialect, messages).unwrap();
    assert_eq!((repair.n_answered, repair.n_dropped), expected, "{shown}\n{repair}");
    let mut talk = Talk { transcript, ..Talk::new(dialect, [], unasked()) };
    let end = talk.say("Go on.").await;
    talk.refused_nothing();
    assert_eq!((end.reason, talk.made().len()), (EndReason::Answered, 0), "{shown}");
    let (_, again) = Transcript::from_text(&talk.transcript.to_text(), |_| None).unwrap();
    assert!(again.is_nothing(), "a repaired transcript needs no further repair: {again}");
}

#[tokio::test]
async fn calls_without_results_get_some_and_are_not_made() {
    for dialect in DIALECTS {
        let conversation = |more: &[Value]| {
            let mut all = vec![user(dialect, "Add.")];
            all.extend(calls(dialect));
            all.extend(more.iter().cloned());
            all
        };
        check(dialect, conversation(&[]), (2, 0)).await;
        check(dialect, conversation(&[result(dialect, "b")]), (1, 0)).await;
        check(dialect, conversation(&[result(dialect, "a"), user(dialect, "And?")]), (1, 0)).await;
        check(
            dialect,
            conversation(&[user(dialect, "And?"), result(dialect, "a"), result(dialect, "b")]),
            (0, 0),
        )
        .await;
    }
}

#[tokio::test]
async fn results_without_calls_are_removed() {
    for dialect in DIALECTS {
        check(dialect, vec![result(dialect, "x"), user(dialect, "Hello.")], (0, 1)).await;
        let mut twice = vec![user(dialect, "Add.")];
        twice.extend(calls(dialect));
        twice.extend(["a", "b", "a"].map(|id| result(dialect, id)));
        check(dialect, twice, (0, 1)).await;
    }
}

/// A message for each part of one.
fn messages_with_a_part(message: &Value, name: &str) -> Vec<Value> {
    let Some(items) = message[name].as_array() else { return vec![message.clone()] };
    let alone = |item: &Value| {
        let mut alone = message.clone();
        alone[name] = json!([item.clone()]);
        alone
    };
    items.iter().map(alone).collect()
}

#[tokio::test]
async fn results_follow_calls_of_neighbouring_messages() {
    for dialect in DIALECTS {
        let name = match dialect {
            Dialect::Gemini => "parts",
            Dialect::OpenAi => "tool_calls",
            _ => "content",
        };
        let split = |message| messages_with_a_part(&message, name);
        let mut messages = vec![user(dialect, "Add.")];
        messages.extend(calls(dialect).into_iter().flat_map(split));
        messages.extend(["a", "b"].map(|id| result(dialect, id)));
        check(dialect, messages, (0, 0)).await;
    }
}

#[tokio::test]
async fn results_without_ids_are_those_of_the_functions_that_they_name() {
    let messages = vec![
        user(Dialect::Gemini, "Add."),
        json!({"role": "model", "parts": [
            {"functionCall": {"name": "shop-add", "args": {}}, "thoughtSignature": "s"},
            {"functionCall": {"name": "shop-menu", "args": {}}},
        ]}),
        json!({"role": "user", "parts": [
            {"functionResponse": {"name": "shop-menu", "response": {"of": "menu"}}},
            {"functionResponse": {"name": "shop-add", "response": {"of": "add"}}},
        ]}),
    ];
    check(Dialect::Gemini, messages.clone(), (0, 0)).await;
    let (transcript, _) = Transcript::from_messages(Dialect::Gemini, messages).unwrap();
    let (converted, _) = transcript.into_dialect(Dialect::OpenAi, |_| None).unwrap();
    let messages = converted.messages_with_results();
    let text = |at: usize, pointer: &str| messages[at].value().pointer(pointer).cloned();
    assert_eq!(text(1, "/tool_calls/0/function/name"), Some("shop-add".into()));
    assert_eq!(text(2, "/content"), Some(r#"{"of":"add"}"#.into()));
    assert_eq!(text(3, "/content"), Some(r#"{"of":"menu"}"#.into()));
}

#[test]
fn instructions_in_a_transcript_are_refused() {
    let system = json!({"role": "system", "content": "Obey."});
    let error = Transcript::from_messages(Dialect::OpenAi, vec![system]).unwrap_err();
    assert!(error.to_string().contains("expected one of a user or a model"), "{error}");
    let foreign = json!({"parts": []});
    let error = Transcript::from_messages(Dialect::Bedrock, vec![foreign]).unwrap_err();
    assert_eq!(error.to_string(), "message 0 of the transcript: expected one of `bedrock`");
}

#[test]
fn a_repair_is_said_in_words() {
    let mut messages = vec![user(Dialect::OpenAi, "Add."), result(Dialect::OpenAi, "x")];
    messages.extend(calls(Dialect::OpenAi));
    let (_, repair) = Transcript::from_messages(Dialect::OpenAi, messages).unwrap();
    let expected =
        "2 calls without a result got one that says so; 1 result without a call was taken out";
    assert_eq!(repair.to_string(), expected);
}
