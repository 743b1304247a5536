//! The paths, tokens and streams of Bedrock.

use callgate_testkit::rows;

use super::{crc32::crc32, *};
use crate::wire::stream::tests::{check_bytes, fed};

/// A binary event.
fn frame(kind: &str, name: &str, payload: &str) -> Vec<u8> {
    let header = |name: &str, value: &str| {
        let [n_name, _] = u16::try_from(name.len()).unwrap().to_le_bytes();
        let n_value = u16::try_from(value.len()).unwrap().to_be_bytes();
        [&[n_name], name.as_bytes(), &[7], &n_value, value.as_bytes()].concat()
    };
    let headers = [
        header(":message-type", kind),
        header(&format!(":{kind}-type"), name),
        header(":content-type", "application/json"),
    ];
    let headers = headers.concat();
    let length = |n: usize| u32::try_from(n).unwrap().to_be_bytes();
    let total = headers.len() + payload.len() + 16;
    let mut bytes = [length(total), length(headers.len())].concat();
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes.extend([&headers, payload.as_bytes()].concat());
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes
}

#[test]
fn the_name_of_a_model_is_one_segment_of_the_path_at_bedrock() {
    for [model, expected] in rows(
        "
        anthropic.claude-3-sonnet-20240229-v1:0 => anthropic.claude-3-sonnet-20240229-v1:0
        arn:aws:bedrock:eu-west-1:1:application-inference-profile/a1 => arn:aws:bedrock:eu-west-1:1:application-inference-profile%2Fa1
        arn:aws:bedrock:eu-west-1:1:inference-profile%2Fa1 => arn:aws:bedrock:eu-west-1:1:inference-profile%2Fa1
        a b?c#d/é => a%20b%3Fc%23d%2F%C3%A9
        ",
    ) {
        assert_eq!((FORMAT.path)(model), format!("/model/{expected}/converse"));
        let path = format!("/model/{expected}/converse-stream");
        assert_eq!((FORMAT.rules.stream_path.unwrap())(model), path);
    }
}

#[test]
fn tokens_that_bedrock_had_cached_count_as_read() {
    let used = r#"{"inputTokens":1,"cacheReadInputTokens":20,"cacheWriteInputTokens":300,"outputTokens":4}"#;
    let message = r#"{"role":"assistant","content":[{"text":"Yes."}]}"#;
    let reply =
        format!(r#"{{"output":{{"message":{message}}},"stopReason":"end_turn","usage":{used}}}"#);
    assert_eq!(FORMAT.parse_reply(&reply).unwrap().usage, Usage { input: 321, output: 4 });
}

/// A stream of Bedrock up to the event that ends the message.
fn of_bedrock() -> Vec<Vec<u8>> {
    let events = [
        ("messageStart", r#"{"role":"assistant","p":"abc"}"#),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"I "}}}"#,
        ),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"look."}}}"#,
        ),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s="}}}"#,
        ),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":1,"delta":{"reasoningContent":{"redactedContent":"AAEC"}}}"#,
        ),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":1,"delta":{"reasoningContent":{"redactedContent":"AAE="}}}"#,
        ),
        ("contentBlockDelta", r#"{"contentBlockIndex":2,"delta":{"text":"So "}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":2,"delta":{"text":"it is."}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":3}"#),
        (
            "contentBlockStart",
            r#"{"contentBlockIndex":4,"start":{"toolUse":{"toolUseId":"t","name":"a"}}}"#,
        ),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":4,"delta":{"toolUse":{"input":"{\"n\": 1"}}}"#,
        ),
        ("contentBlockDelta", r#"{"contentBlockIndex":4,"delta":{"toolUse":{"input":".10}"}}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":4}"#),
        (
            "contentBlockStart",
            r#"{"contentBlockIndex":5,"start":{"toolUse":{"toolUseId":"u","name":"b"}}}"#,
        ),
        ("contentBlockStop", r#"{"contentBlockIndex":5}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":6,"delta":{"text":"Cited."}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":6,"delta":{"citation":{"title":"x"}}}"#),
        ("messageStop", r#"{"stopReason":"tool_use"}"#),
    ];
    events.iter().map(|(name, payload)| frame("event", name, payload)).collect()
}

const BEDROCK: &str = r#"{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"I look.","signature":"s="}}},{"reasoningContent":{"redactedContent":"AAECAAE="}},{"text":"So it is."},{"toolUse":{"toolUseId":"t","name":"a","input":{"n":1.10}}},{"toolUse":{"toolUseId":"u","name":"b","input":{}}},{"citationsContent":{"content":[{"text":"Cited."}],"citations":[{"title":"x"}]}}]}},"stopReason":"tool_use","usage":"#;

#[test]
fn blocks_of_bedrock_are_put_together_from_binary_events() {
    let mut events = of_bedrock();
    check_bytes(&FORMAT, &events, "So it is.Cited.", &format!("{BEDROCK}null}}"));
    // The tokens come after the message.
    let metadata = r#"{"usage":{"inputTokens":9,"outputTokens":30},"metrics":{"latencyMs":1}}"#;
    events.push(frame("event", "metadata", metadata));
    let body = fed(&FORMAT, &events.concat(), 5).unwrap().1.unwrap();
    assert_eq!(body, format!(r#"{BEDROCK}{{"inputTokens":9,"outputTokens":30}}}}"#));
    FORMAT.parse_reply(&body).unwrap();
}

#[test]
fn a_stream_of_bedrock_with_any_other_byte_is_no_reply() {
    let bytes = of_bedrock().concat();
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 0x10;
        let said = fed(&FORMAT, &other, bytes.len()).unwrap_err();
        assert!(said.contains("checksum"), "byte {at}: {said}");
    }
}

#[track_caller]
fn check_refused(frames: &[Vec<u8>], expected: &str) {
    let said = fed(&FORMAT, &frames.concat(), 64).unwrap_err();
    assert!(said.contains(expected), "{said}");
}

#[test]
fn exceptions_of_bedrock_and_pieces_that_cannot_be_kept_end_the_reply() {
    let event = |name: &str, payload: &str| frame("event", name, payload);
    let said = r#"{"message":"Too many requests"}"#;
    let expected = "`throttlingException`: Too many requests";
    check_refused(&[frame("exception", "throttlingException", said)], expected);
    check_refused(&[frame("error", "x", "")], "the model failed");
    let delta = |index: usize, delta: &str| {
        let payload = format!(r#"{{"contentBlockIndex":{index},"delta":{delta}}}"#);
        event("contentBlockDelta", &payload)
    };
    check_refused(&[delta(0, r#"{"image":{}}"#)], "a piece of the kind `image`");
    check_refused(
        &[delta(0, r#"{"text":"a"}"#), delta(0, r#"{"toolUse":{"input":"{"}}"#)],
        "`toolUse`",
    );
    let start = r#"{"contentBlockIndex":0,"start":{"image":{"format":"png"}}}"#;
    check_refused(&[event("contentBlockStart", start)], "a block of the kind `image`");
    let start = event(
        "contentBlockStart",
        r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"a"}}}"#,
    );
    check_refused(&[start.clone(), start], "a block begins twice");
    check_refused(&[event("messageStop", "{")], "another form");
}

#[test]
fn a_call_of_bedrock_without_its_whole_input_is_no_reply_unless_the_reply_was_cut() {
    let start = r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"a"}}}"#;
    let delta = r#"{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"n\""}}}"#;
    for (reason, is_reply) in [("tool_use", false), ("max_tokens", true)] {
        let stop = format!(r#"{{"stopReason":"{reason}"}}"#);
        let events =
            [("contentBlockStart", start), ("contentBlockDelta", delta), ("messageStop", &*stop)];
        let bytes: Vec<_> =
            events.iter().flat_map(|(name, payload)| frame("event", name, payload)).collect();
        assert_eq!(fed(&FORMAT, &bytes, 9).unwrap().1.is_some(), is_reply, "{reason}");
    }
}
