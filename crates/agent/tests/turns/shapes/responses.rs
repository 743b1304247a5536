//! Streams of Responses whose last event leaves items out, or tells of them otherwise than the events before.

use callgate_agent::EndReason;
use callgate_dialect::Dialect;

use super::{TWO, check, event, made};
use crate::{fake::Step, shop::Talk};

/// An item of a call: its id, the id of the call, the tool and the arguments.
fn call(id: &str, call_id: &str, tool: &str, arguments: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":"{id}","#) };
    format!(
        r#"{{{id}"type":"function_call","call_id":"{call_id}","name":"shop-{tool}","arguments":{arguments}}}"#
    )
}

fn told(kind: &str, position: &str, rest: &str) -> String {
    let position =
        if position.is_empty() { String::new() } else { format!(r#""output_index":{position},"#) };
    event(&format!(r#"{{"type":"response.{kind}",{position}{rest}}}"#))
}

fn item(kind: &str, position: &str, item: &str) -> String {
    told(&format!("output_item.{kind}"), position, &format!(r#""item":{item}"#))
}

fn completed(response: &str) -> String {
    event(&format!(r#"{{"type":"response.completed","response":{response}}}"#))
}

const ONE: &str = r#""{\"n\":1}""#;
const OTHER: &str = r#""{\"n\":2}""#;
const NOTHING: &str = r#"{"status":"completed","output":[]}"#;

#[tokio::test(start_paused = true)]
async fn items_that_are_done_count_where_the_last_event_leaves_them_out() {
    let (add, remove) = (call("i1", "c1", "add", ONE), call("i2", "c2", "remove", OTHER));
    let message = r#"{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"So.","annotations":[]}]}"#;
    for response in [
        NOTHING.to_owned(),
        r#"{"status":"completed","output":null}"#.to_owned(),
        r#"{"status":"completed"}"#.to_owned(),
        format!(r#"{{"status":"completed","output":[{message}]}}"#),
        format!(r#"{{"status":"completed","output":[{add}]}}"#),
        format!(r#"{{"status":"completed","output":[{add},{remove}]}}"#),
    ] {
        for positions in [["0", "1", "2"], ["0", "0", "0"], ["", "", ""], ["0", "3", "9"]] {
            let events = [
                event(r#"{"type":"response.created","response":{"output":[]}}"#),
                item("done", positions[0], message),
                item("added", positions[1], &add.replace(ONE, r#""""#)),
                item("done", positions[1], &add),
                item("done", positions[2], &remove),
                completed(&response),
            ];
            check(Dialect::Responses, &response, &events, &TWO).await;
        }
    }
    let events = [
        item("done", "0", &add),
        item("done", "1", &remove),
        event(r#"{"type":"response.completed"}"#),
    ];
    check(Dialect::Responses, "no response", &events, &TWO).await;
}

#[tokio::test(start_paused = true)]
async fn calls_are_distinguished_by_any_ids() {
    for (name, ids, call_ids) in [
        ("no ids of items", ["", ""], ["c1", "c2"]),
        ("no ids of calls", ["i1", "i2"], ["", ""]),
        ("no ids", ["", ""], ["", ""]),
        ("one id of items", ["", ""], ["c1", "c2"]),
    ] {
        let add = call(ids[0], call_ids[0], "add", ONE);
        let remove = call(ids[1], call_ids[1], "remove", OTHER);
        for positions in [["0", "1"], ["", ""]] {
            let events = [
                item("done", positions[0], &add),
                item("done", positions[1], &remove),
                completed(NOTHING),
            ];
            check(Dialect::Responses, name, &events, &TWO).await;
        }
        let whole = format!(r#"{{"output":[{add},{remove}]}}"#);
        check(Dialect::Responses, name, &[completed(&whole)], &TWO).await;
    }
    // The id of an item differs between its events.
    let events = [
        item("added", "0", &call("i1", "c1", "add", r#""""#)),
        item("done", "0", &call("i7", "c1", "add", ONE)),
        item("added", "1", &call("i2", "c2", "remove", r#""""#)),
        item("done", "1", &call("i8", "c2", "remove", OTHER)),
        completed(NOTHING),
    ];
    check(Dialect::Responses, "other ids", &events, &TWO).await;
}

#[tokio::test(start_paused = true)]
async fn calls_in_pieces_count_where_no_event_says_that_they_are_done() {
    let added = |position: &str, id: &str, call_id: &str, tool: &str| {
        item("added", position, &call(id, call_id, tool, r#""""#))
    };
    let piece = |kind: &str, id: &str, position: &str, rest: &str| {
        told(
            &format!("function_call_arguments.{kind}"),
            position,
            &format!(r#""item_id":"{id}",{rest}"#),
        )
    };
    let events = [
        added("0", "i1", "c1", "add"),
        added("1", "i2", "c2", "remove"),
        piece("delta", "i1", "0", r#""delta":"{\"n\"""#),
        piece("delta", "i2", "1", r#""delta":"{\"n\":2}""#),
        piece("delta", "i1", "0", r#""delta":":1}""#),
        piece("done", "i2", "1", r#""arguments":"{\"n\":2}""#),
        completed(NOTHING),
    ];
    check(Dialect::Responses, "pieces", &events, &TWO).await;
    let object = call("i1", "c1", "add", r#"{"n":1}"#);
    let events = [
        item("done", "0", &object),
        item("done", "1", &call("", "c2", "remove", OTHER)),
        completed(NOTHING),
    ];
    check(Dialect::Responses, "arguments as an object", &events, &TWO).await;
}

#[tokio::test]
async fn words_alone_stay_in_the_conversation_where_the_last_event_leaves_them_out() {
    let word =
        |text: &str| told("output_text.delta", "0", &format!(r#""item_id":"m","delta":"{text}""#));
    let events = [word("So "), word("it is."), completed(NOTHING)].concat();
    let mut talk = Talk::either(Dialect::Responses, [Step::Bytes(events.into())], true);
    let end = talk.say("Go.").await;
    assert_eq!((end.reason, &*end.text), (EndReason::Answered, "So it is."));
    assert!(talk.transcript.messages_with_results()[1].text().contains("So it is."));
}

#[tokio::test]
async fn calls_that_a_server_has_made_itself_are_not_made_again() {
    let output =
        |id: &str| format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"done"}}"#);
    let words = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It is done.","annotations":[]}]}"#;
    let add = call("i1", "c1", "add", r#""{\"n\":1}""#);
    let items = format!("{add},{},{words}", output("c1"));
    let reply = format!(r#"{{"status":"completed","output":[{items}]}}"#);
    let (calls, n_requests, reason) = made(Dialect::Responses, &[reply.into_bytes()]).await;
    assert_eq!((calls.len(), n_requests, reason), (0, 1, EndReason::Answered));
    let remove = call("i2", "c2", "remove", r#""{\"n\":2}""#);
    let reply = format!(r#"{{"status":"completed","output":[{items},{remove}]}}"#);
    let (calls, ..) = made(Dialect::Responses, &[reply.into_bytes()]).await;
    assert_eq!(calls, super::texts(&TWO[1..]));
}
