//! Streams of events put together, cut, and refused.

use super::*;

/// Feeds bytes in pieces; returns the words, and the body.
fn fed(wire: Wire, bytes: &[u8], n_piece: usize) -> Result<(String, Option<String>), String> {
    let mut reply = StreamedReply::new(wire);
    let mut said = String::new();
    for piece in bytes.chunks(n_piece) {
        let pushed = reply.push(piece, &mut |words: &str| said.push_str(words));
        pushed.map_err(|fault| fault.message)?;
    }
    Ok((said, reply.body()))
}

/// Checks the words and the body, whatever pieces the events come in, and that no part of them but the last is a reply.
#[track_caller]
fn check_bytes(wire: Wire, events: &[Vec<u8>], words: &str, expected: &str) {
    let bytes = events.concat();
    for n_piece in [1, 7, bytes.len()] {
        let fed = fed(wire, &bytes, n_piece).unwrap();
        assert_eq!(fed, (words.to_owned(), Some(expected.to_owned())));
    }
    let n_last = events.last().unwrap().len();
    for n_bytes in 0..=bytes.len() - n_last {
        let cut = fed(wire, &bytes[..n_bytes], bytes.len()).unwrap();
        assert_eq!(cut.1, None, "after {n_bytes} bytes");
    }
}

#[track_caller]
fn check(wire: Wire, events: &[&str], words: &str, expected: &str) {
    let event = |data: &&str| format!("event: x\r\ndata: {data}\r\n\r\n").into_bytes();
    let events: Vec<_> = events.iter().map(event).collect();
    check_bytes(wire, &events, words, expected);
}

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
    bytes.extend(crc32::crc32(&bytes).to_be_bytes());
    bytes.extend([&headers, payload.as_bytes()].concat());
    bytes.extend(crc32::crc32(&bytes).to_be_bytes());
    bytes
}

#[test]
fn blocks_of_anthropic_are_put_together() {
    check(
        Wire::Anthropic,
        &[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I look."}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s="}}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"So "}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"a","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 1"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"it is."}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":".10}"}}"#,
            // The event after it says nothing more.
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":30}}"#,
        ],
        "So it is.",
        r#"{"content":[{"type":"thinking","thinking":"I look.","signature":"s="},{"type":"text","text":"So it is."},{"type":"tool_use","id":"t","name":"a","input":{"n":1.10}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":30}}"#,
    );
}

#[test]
fn interleaved_calls_of_chat_completions_are_put_together() {
    check(
        Wire::OpenAi,
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":"I "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"reasoning_content":"think."}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"One "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"moment.","tool_calls":[{"index":0,"function":{"arguments":"{\"n\":1}"}},{"index":1,"function":{"arguments":"}"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
        ],
        "One moment.",
        r#"{"choices":[{"message":{"role":"assistant","content":"One moment.","reasoning_content":"I think.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
    );
}

#[test]
fn parts_of_gemini_stay_as_they_are() {
    check(
        Wire::Gemini,
        &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"I think.","thought":true}]}}]}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{ "text":"So"}]}}]}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":1.10}},"thoughtSignature":"s="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2}}"#,
        ],
        "So",
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"I think.","thought":true},{ "text":"So"},{"functionCall":{"name":"f","args":{"n":1.10}},"thoughtSignature":"s="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2}}"#,
    );
}

#[test]
fn the_completed_response_of_responses_is_the_reply() {
    check(
        Wire::Responses,
        &[
            r#"{"type":"response.created","response":{"output":[]}}"#,
            r#"{"type":"response.output_text.delta","delta":"So"}"#,
            r#"{"type":"response.completed","response":{ "status":"completed","output":[{"n":1.10}]}}"#,
        ],
        "So",
        r#"{ "status":"completed","output":[{"n":1.10}]}"#,
    );
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
    check_bytes(Wire::Bedrock, &events, "So it is.Cited.", &format!("{BEDROCK}null}}"));
    // The tokens come after the message.
    let metadata = r#"{"usage":{"inputTokens":9,"outputTokens":30},"metrics":{"latencyMs":1}}"#;
    events.push(frame("event", "metadata", metadata));
    let body = fed(Wire::Bedrock, &events.concat(), 5).unwrap().1.unwrap();
    assert_eq!(body, format!(r#"{BEDROCK}{{"inputTokens":9,"outputTokens":30}}}}"#));
    Wire::Bedrock.reply(&body).unwrap();
}

#[test]
fn a_stream_of_bedrock_with_any_other_byte_is_no_reply() {
    let bytes = of_bedrock().concat();
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 0x10;
        let said = fed(Wire::Bedrock, &other, bytes.len()).unwrap_err();
        assert!(said.contains("checksum"), "byte {at}: {said}");
    }
}

#[track_caller]
fn check_refused(frames: &[Vec<u8>], expected: &str) {
    let said = fed(Wire::Bedrock, &frames.concat(), 64).unwrap_err();
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
    check_refused(
        &[event("contentBlockDelta", r#"{"delta":{"text":"a"}}"#)],
        "a block has no index",
    );
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
        assert_eq!(fed(Wire::Bedrock, &bytes, 9).unwrap().1.is_some(), is_reply, "{reason}");
    }
}

#[test]
fn an_error_in_a_stream_is_said_in_the_providers_words() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for wire in [Wire::Anthropic, Wire::OpenAi, Wire::Gemini, Wire::Responses] {
        let event = format!("data: {error}\n\n");
        let said = fed(wire, event.as_bytes(), 100).unwrap_err();
        assert!(said.contains("Overloaded"), "{wire:?}: {said}");
    }
}
