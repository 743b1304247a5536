//! Messages of servers other than Anthropic's.

use callgate_dialect::Dialect;

use super::{TWO, check, event};

/// The events of a message with blocks: pieces of one, as their indices, their beginnings and their deltas.
fn message(blocks: &[(&str, &str, &[&str])]) -> Vec<String> {
    let mut events =
        vec![event(r#"{"type":"message_start","message":{"usage":{"input_tokens":3}}}"#)];
    for (index, block, deltas) in blocks {
        let index = if index.is_empty() { String::new() } else { format!(r#""index":{index},"#) };
        events.push(event(&format!(
            r#"{{"type":"content_block_start",{index}"content_block":{block}}}"#
        )));
        events.extend(deltas.iter().map(|delta| {
            event(&format!(r#"{{"type":"content_block_delta",{index}"delta":{delta}}}"#))
        }));
        let index = index.trim_end_matches(',');
        let stop = format!(
            r#"{{{index}{}"type":"content_block_stop"}}"#,
            if index.is_empty() { "" } else { "," }
        );
        events.push(event(&stop));
    }
    events.push(event(
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":4}}"#,
    ));
    events.push(event(r#"{"type":"message_stop"}"#));
    events
}

const WORDS: &str = r#"{"type":"text","text":""}"#;
const SAID: &[&str] = &[r#"{"type":"text_delta","text":"One moment."}"#];
const ADD: &str = r#"{"type":"tool_use","id":"t1","name":"shop-add","input":{}}"#;
const REMOVE: &str = r#"{"type":"tool_use","id":"t2","name":"shop-remove","input":{}}"#;
const ONE_ADDED: &[&str] = &[
    r#"{"type":"input_json_delta","partial_json":""}"#,
    r#"{"type":"input_json_delta","partial_json":"{\"n\""}"#,
    r#"{"type":"input_json_delta","partial_json":":1}"}"#,
];
const TWO_REMOVED: &[&str] = &[r#"{"type":"input_json_delta","partial_json":"{\"n\":2}"}"#];

#[tokio::test(start_paused = true)]
async fn blocks_are_distinguished_by_any_indices() {
    for (name, [first, second, third]) in [
        ("as Anthropic", ["0", "1", "2"]),
        ("gaps", ["0", "2", "5"]),
        ("from one", ["1", "2", "3"]),
        ("backwards", ["7", "3", "1"]),
        ("one", ["0", "0", "0"]),
        ("none", ["", "", ""]),
        ("null", ["null", "null", "null"]),
        ("huge", ["0", "18446744073709551614", "18446744073709551615"]),
    ] {
        let blocks = [(first, WORDS, SAID), (second, ADD, ONE_ADDED), (third, REMOVE, TWO_REMOVED)];
        check(Dialect::Anthropic, name, &message(&blocks), &TWO).await;
    }
}

#[tokio::test(start_paused = true)]
async fn odd_blocks_are_put_together() {
    let remove = ("2", REMOVE, TWO_REMOVED);
    let plain = || message(&[("0", WORDS, SAID), ("1", ADD, ONE_ADDED), remove]);
    let with = |at: usize, event: String| {
        let mut events = plain();
        events.insert(at, event);
        events
    };
    let whole = ADD.replace("{}", r#"{"n":1}"#);
    let text = ADD.replace("{}", r#""{\"n\":1}""#);
    let at_end = plain().len() - 1;
    let object: &[&str] = &[r#"{"type":"input_json_delta","partial_json":{"n":1}}"#];
    let (add, other) = (ADD.replace(r#""id":"t1","#, ""), REMOVE.replace("\"t2\"", "\"\""));
    let no_ids = [("1", &*add, ONE_ADDED), ("2", &*other, TWO_REMOVED)];
    let usage = r#"{"type":"message_delta","delta":{},"usage":{"input_tokens":null}}"#;
    for (name, events) in [
        ("the input in the beginning", message(&[("1", &whole, &[]), remove])),
        ("the input as a text", message(&[("1", &text, &[]), remove])),
        ("the input as an object", message(&[("1", ADD, object), remove])),
        ("no words", message(&[("0", WORDS, &[]), ("1", ADD, ONE_ADDED), remove])),
        ("no ids", message(&no_ids)),
        ("a ping", with(3, event(r#"{"type":"ping"}"#))),
        ("a comment", with(3, ":\n\n".to_owned())),
        ("usage after the reason", with(at_end, event(usage))),
        ("a mark of the end", with(at_end + 1, event("[DONE]"))),
        ("lines as on Windows", plain().iter().map(|event| event.replace('\n', "\r\n")).collect()),
        ("named events", plain().iter().map(|event| format!("event: x\n{event}")).collect()),
        ("no space", plain().iter().map(|event| event.replace("data: ", "data:")).collect()),
    ] {
        check(Dialect::Anthropic, name, &events, &TWO).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_input_has_no_arguments_however_that_is_written() {
    for input in [r#","input":{}"#, r#","input":null"#, r#","input":"""#, ""] {
        let block = format!(r#"{{"type":"tool_use","id":"t1","name":"shop-add"{input}}}"#);
        for deltas in [&[][..], &[r#"{"type":"input_json_delta","partial_json":""}"#]] {
            let events = message(&[("0", &block, deltas)]);
            check(Dialect::Anthropic, input, &events, &["shop-add {}"]).await;
        }
    }
}
