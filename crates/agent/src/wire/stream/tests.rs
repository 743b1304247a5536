//! Streams of events put together, cut, and refused.

use callgate_tool::json;

use super::*;
use crate::wire::Wire;

/// Feeds bytes in pieces; returns the words, and the body.
pub(in crate::wire) fn fed(
    wire: Wire,
    bytes: &[u8],
    n_piece: usize,
) -> Result<(String, Option<String>), String> {
    let mut reply = (wire.stream)(&[]);
    let mut said = String::new();
    for piece in bytes.chunks(n_piece) {
        let pushed = reply.push_bytes(piece, &mut |words: &str| said.push_str(words));
        pushed.map_err(|fault| fault.message)?;
    }
    Ok((said, reply.whole_reply_body()))
}

/// Checks the words and the body, whatever pieces the events come in, and that no part of them but the last is a reply.
#[track_caller]
pub(in crate::wire) fn check_bytes(wire: Wire, events: &[Vec<u8>], words: &str, expected: &str) {
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
fn check(dialect: Dialect, events: &[&str], words: &str, expected: &str) {
    let event = |data: &&str| format!("event: x\r\ndata: {data}\r\n\r\n").into_bytes();
    let events: Vec<_> = events.iter().map(event).collect();
    check_bytes(wire(dialect).unwrap(), &events, words, expected);
}

#[test]
fn blocks_of_anthropic_are_put_together() {
    check(
        Dialect::Anthropic,
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
        Dialect::OpenAi,
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
fn details_of_thoughts_are_put_together_to_those_of_a_whole_message() {
    check(
        Dialect::OpenAi,
        &[
            r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","index":0}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"think.","reasoning_details":[{"type":"reasoning.text","text":"think.","index":0}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"s=","index":0}]}}]}"#,
            r#"{"choices":[{"delta":{"content":"So."},"finish_reason":"stop"}]}"#,
        ],
        "So.",
        r#"{"choices":[{"message":{"role":"assistant","reasoning":"I think.","reasoning_details":[{"type":"reasoning.text","text":"I think.","index":0,"signature":"s="}],"content":"So."},"finish_reason":"stop"}]}"#,
    );
}

#[test]
fn a_declared_name_that_begins_like_that_of_the_call_before_is_another_call() {
    let tools = ["get", "get_user"].map(|name| Json::from(json!({"function": {"name": name}})));
    for (arguments, id) in [("{}", ""), (r#"{\"n\":1}"#, ""), (r#"{\"n\":1}"#, r#""id":"c","#)] {
        let event = |name: &str| {
            let call = format!(
                r#"{{"index":0,{id}"function":{{"name":"{name}","arguments":"{arguments}"}}}}"#
            );
            format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n")
        };
        let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        let stream = event("get") + &event("get_user") + end;
        let declared: Vec<_> = tools.iter().collect();
        let mut reply = (wire(Dialect::OpenAi).unwrap().stream)(&declared);
        reply.push_bytes(stream.as_bytes(), &mut |_: &str| {}).unwrap();
        let body = Value::parse(&reply.whole_reply_body().unwrap()).unwrap();
        let calls = &body["choices"][0]["message"]["tool_calls"];
        let names = [0, 1].map(|at| calls[at]["function"]["name"].clone());
        assert_eq!(names, ["get", "get_user"].map(Value::from), "{stream}");
    }
}

#[test]
fn parts_of_gemini_stay_as_they_are() {
    check(
        Dialect::Gemini,
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
fn pieces_of_arguments_of_gemini_are_put_together_to_one_call() {
    let event = |part: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#);
    let piece = |values: &str| {
        event(&format!(r#"{{"functionCall":{{"partialArgs":[{values}],"willContinue":true}}}}"#))
    };
    let events = [
        event(r#"{"functionCall":{"name":"f","willContinue":true},"thoughtSignature":"s="}"#),
        piece(r#"{"jsonPath":"$.a.b[0]","stringValue":"Bos","willContinue":true}"#),
        piece(
            r#"{"jsonPath":"$.a.b[0]","stringValue":"ton"},{"jsonPath":"$.a.n","numberValue":1.10}"#,
        ),
        piece(r#"{"jsonPath":"$.a.b[0]","stringValue":""}"#),
        event(r#"{"functionCall":{"willContinue":true}}"#),
        piece(r#"{"jsonPath":"$.a.b[1]","boolValue":true},{"jsonPath":"$['c']","nullValue":null}"#),
        event(
            r#"{"function_call":{"partial_args":[{"json_path":"$.d","null_value":"NULL_VALUE"}]}}"#,
        ),
        // It says again that the call has ended.
        event(r#"{"functionCall":{}}"#),
        event(r#"{"functionCall":{"name":"g","id":"2","args":{}}}"#),
        event(r#"{"functionCall":{"name":"f","id":"3","willContinue":true}}"#),
        event(r#"{"functionCall":{"name":"h","id":"4","willContinue":true}}"#),
        event(r#"{"functionCall":{"id":"3","partialArgs":{"jsonPath":"$.x","stringValue":"3"}}}"#),
        event(r#"{"functionCall":{"id":"4","args":{"x":4}}}"#),
        r#"{"candidates":[{"content":{"parts":[{"text":"So"}]},"finishReason":"STOP"}]}"#
            .to_owned(),
    ];
    let events: Vec<_> = events.iter().map(String::as_str).collect();
    let calls = [
        r#"{"functionCall":{"name":"f","args":{"a":{"b":["Boston",true],"n":1.10},"c":null,"d":null}},"thoughtSignature":"s="}"#,
        r#"{"functionCall":{"name":"g","id":"2","args":{}}}"#,
        r#"{"functionCall":{"name":"f","id":"3","args":{"x":"3"}}}"#,
        r#"{"functionCall":{"name":"h","id":"4","args":{"x":4}}}"#,
    ];
    let body = format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{},{{"text":"So"}}]}},"finishReason":"STOP"}}]}}"#,
        calls.join(",")
    );
    check(Dialect::Gemini, &events, "So", &body);
}

#[test]
fn a_piece_of_arguments_without_a_place_is_a_fault() {
    for value in [r#"{"stringValue":"x"}"#, r#"{"jsonPath":"$.a[7]","stringValue":"x"}"#, "7"] {
        let part = format!(r#"{{"functionCall":{{"name":"f","partialArgs":[{value}]}}}}"#);
        let event =
            format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{part}]}}}}]}}\n\n");
        let said = fed(wire(Dialect::Gemini).unwrap(), event.as_bytes(), 100).unwrap_err();
        assert!(said.contains("argument"), "{value}: {said}");
    }
}

#[test]
fn the_completed_response_of_responses_is_the_reply() {
    check(
        Dialect::Responses,
        &[
            r#"{"type":"response.created","response":{"output":[]}}"#,
            r#"{"type":"response.output_text.delta","delta":"So"}"#,
            r#"{"type":"response.completed","response":{ "status":"completed","output":[{"n":1.10}]}}"#,
        ],
        "So",
        r#"{ "status":"completed","output":[{"n":1.10}]}"#,
    );
}

#[test]
fn a_line_of_a_stream_ends_by_each_line_break_of_the_standard() {
    let data = r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"So"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2}}"#;
    for end in ["\n", "\r", "\r\n"] {
        let event = format!(": ping{end}{end}event: x{end}data: {data}{end}{end}").into_bytes();
        check_bytes(wire(Dialect::Gemini).unwrap(), &[event], "So", data);
    }
}

#[test]
fn an_error_in_a_stream_is_said_in_the_providers_words() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for dialect in [Dialect::Anthropic, Dialect::OpenAi, Dialect::Gemini, Dialect::Responses] {
        let event = format!("data: {error}\n\n");
        let said = fed(wire(dialect).unwrap(), event.as_bytes(), 100).unwrap_err();
        assert!(said.contains("Overloaded"), "{dialect}: {said}");
    }
}

/// As `llama-server` wrote it into a stream that it had begun.
#[test]
fn an_error_in_a_field_of_its_own_is_the_fault_of_the_stream() {
    let said = "the request exceeds the available context size. try increasing the context size or enable context shift";
    let error = format!(r#"{{"code":400,"message":"{said}","type":"invalid_request_error"}}"#);
    let begun = r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#;
    for bytes in [format!("error: {error}\n\n"), format!("{begun}\n\nerror: {error}\n\n")] {
        for n_piece in [1, 7, bytes.len()] {
            let fault = fed(wire(Dialect::OpenAi).unwrap(), bytes.as_bytes(), n_piece).unwrap_err();
            assert_eq!(fault, format!("the model failed: {said}"), "{bytes}");
        }
    }
}

/// As vLLM writes it in place of an event; a proxy's sign of life is none.
#[test]
fn an_error_in_place_of_an_event_is_the_fault_of_every_stream() {
    let error = r#"{"object":"error","message":"the engine is dead","type":"InternalServerError","param":null,"code":500}"#;
    let alive = r#"{"type":"keepalive","sequence_number":3}"#;
    for dialect in [Dialect::Anthropic, Dialect::OpenAi, Dialect::Responses] {
        let wire = wire(dialect).unwrap();
        let fault = fed(wire, format!("data: {error}\n\n").as_bytes(), 9).unwrap_err();
        assert_eq!(fault, "the model failed: the engine is dead", "{dialect}");
        let events = format!(": ping\n\ndata: {alive}\n\ndata:\n\n");
        assert_eq!(fed(wire, events.as_bytes(), 9), Ok((String::new(), None)), "{dialect}");
    }
}
