//! Streams of Gemini and the services that resemble it.

use callgate_agent::EndReason;
use callgate_dialect::Dialect;

use super::{TWO, check, event, made};

const ADD: &str = r#"{"functionCall":{"name":"shop-add","args":{"n":1}},"thoughtSignature":"s="}"#;
const REMOVE: &str = r#"{"functionCall":{"name":"shop-remove","args":{"n":2}}}"#;
const SIGNATURE: &str = r#","thoughtSignature":"s=""#;
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
    let texts = ADD.replace(r#"{"n":1}"#, r#""{\"n\":1}""#);
    let usage = r#"{"candidates":[],"usageMetadata":{"promptTokenCount":1}}"#;
    for (name, events) in [
        ("no ids", plain()),
        ("ids", vec![parts(&[&named(ADD, "a")]), parts(&[&named(REMOVE, "b")]), event(END)]),
        ("one id", vec![parts(&[&named(ADD, "a")]), parts(&[&named(REMOVE, "a")]), event(END)]),
        ("one event", vec![parts(&[ADD, REMOVE]), event(END)]),
        ("arguments as texts", vec![parts(&[&texts, REMOVE]), event(END)]),
        ("no role", plain().iter().map(|event| event.replace(r#""role":"model","#, "")).collect()),
        ("words that are null", vec![parts(&[r#"{"text":null}"#, ADD, REMOVE]), event(END)]),
        ("no parts", with(1, r#"{"candidates":[{"content":{"role":"model","parts":null}}]}"#)),
        ("no content", with(1, r#"{"candidates":[{"content":null,"index":0}]}"#)),
        ("no candidates", with(0, r#"{"candidates":null,"usageMetadata":{"promptTokenCount":1}}"#)),
        ("usage after the end", with(3, usage)),
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

/// The pieces of a call whose arguments are streamed, the last of which says only that nothing follows.
fn pieces(name: &str, n: u32, signature: &str) -> Vec<String> {
    let call =
        |members: &str, rest: &str| parts(&[&format!(r#"{{"functionCall":{{{members}}}{rest}}}"#)]);
    vec![
        call(&format!(r#""name":"{name}","willContinue":true"#), signature),
        call(r#""willContinue":true"#, ""),
        call(
            &format!(
                r#""partialArgs":[{{"jsonPath":"$.n","numberValue":{n}}}],"willContinue":true"#
            ),
            "",
        ),
        call("", ""),
    ]
}

fn streamed_arguments() -> Vec<String> {
    let add = pieces("shop-add", 1, SIGNATURE);
    [add, pieces("shop-remove", 2, ""), vec![event(END)]].concat()
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_arguments_come_in_pieces_is_made_once_it_is_whole() {
    let replaced = |from: &str, to: &str| {
        streamed_arguments().iter().map(|event| event.replace(from, to)).collect::<Vec<_>>()
    };
    let without_ends = || {
        let continues = r#"],"willContinue":true"#;
        let mut events = replaced(continues, "]");
        events.retain(|event| !event.contains(r#"{"functionCall":{}}"#));
        events
    };
    let signed_at_the_end = || {
        let unsigned = |event: &String| event.replace(SIGNATURE, "");
        let mut events: Vec<_> = without_ends().iter().map(unsigned).collect();
        events.insert(3, parts(&[&format!(r#"{{"functionCall":{{}}{SIGNATURE}}}"#)]));
        events
    };
    let whole = [
        r#"{"functionCall":{"name":"shop-add","args":{"n":1},"partialArgs":[],"willContinue":false},"thoughtSignature":"s="}"#,
        REMOVE,
    ];
    let ends = r#"{"willContinue":true}"#;
    let valueless = r#"{"partialArgs":[{"jsonPath":"$.n[]"}],"willContinue":true}"#;
    let (last, false_word) = (r#""functionCall":{}"#, r#""functionCall":{"willContinue":false}"#);
    for (name, events) in [
        ("as Vertex AI", streamed_arguments()),
        ("a signature at the end", signed_at_the_end()),
        ("a list of no pieces", vec![parts(&whole), event(END)]),
        ("an element without a value", replaced(ends, valueless)),
        ("no piece that only ends", without_ends()),
        ("a false word", replaced(last, false_word)),
        ("an empty name", replaced(r#""partialArgs""#, r#""name":"","partialArgs""#)),
        ("in Protocol Buffers' names", replaced("willContinue", "will_continue")),
    ] {
        check(Dialect::Gemini, name, &events, &TWO).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_with_a_call_that_is_not_whole_is_requested_again() {
    let whole = streamed_arguments().concat();
    let mut unended = streamed_arguments();
    unended.remove(7);
    let unended = unended.concat();
    let mut unclosed = pieces("shop-add", 1, SIGNATURE);
    unclosed.pop();
    unclosed.extend(pieces("shop-add", 2, ""));
    unclosed.push(event(END));
    for broken in [
        unended.clone(),
        unclosed.concat(),
        whole.replace(r#""name":"shop-remove","#, ""),
        whole.replace("$.n", "$.n[7]"),
    ] {
        let replies = [broken.clone().into_bytes(), whole.clone().into_bytes()];
        let (calls, n_requests, reason) = made(Dialect::Gemini, &replies).await;
        assert_eq!((calls, n_requests), (super::texts(&TWO), 3), "{broken}");
        assert_eq!(reason, EndReason::Answered, "{broken}");
    }
    // The provider says that it was cut: the model reads that, too.
    let cut = unended.replace(r#""STOP""#, r#""MAX_TOKENS""#).into_bytes();
    let (calls, n_requests, _) = made(Dialect::Gemini, &[cut]).await;
    assert_eq!((calls.len(), n_requests), (0, 2));
}

#[tokio::test]
async fn words_about_pieces_of_arguments_are_words() {
    let words = r#"{"text":"It says \"willContinue\"."}"#;
    let reply = format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{words},{ADD},{REMOVE}]}}}}]}}"#
    );
    super::whole::check(Dialect::Gemini, &reply).await;
}

#[tokio::test]
async fn pieces_of_arguments_in_a_reply_that_is_no_stream_are_one_call() {
    let pieces = [
        r#"{"functionCall":{"name":"shop-add","willContinue":true},"thoughtSignature":"s="}"#,
        r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.n","numberValue":1}]}}"#,
        REMOVE,
    ];
    let reply = format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{}]}},"finishReason":"STOP"}}]}}"#,
        pieces.join(",")
    );
    super::whole::check(Dialect::Gemini, &reply).await;
}
