//! Replies as streams: whole, and broken off after every event.

use std::sync::{Arc, Mutex};

use callgate_agent::{EndReason, Input, TurnContext, TurnEvent, streamed_reply};
use callgate_dialect::Dialect;
use callgate_tool::{Json, json};

use crate::{
    fake::{DIALECTS, Failing, Said, Step, streamed_events},
    loops::Random,
    shop::{Talk, context, unasked},
};

/// A turn whose first reply breaks off after so many events, and is asked for again.
async fn broken_off(dialect: Dialect, n_events: usize) -> bool {
    let calls = [("shop-add", r#"{"n":1}"#), ("shop-menu", r#"{"n":2}"#)];
    let asked = || Said { text: "One moment.", ..Said::calls(&calls) };
    let steps = [
        Step::Streams(asked(), n_events),
        Step::Streams(asked(), usize::MAX),
        Step::Streams(Said::text("Done."), usize::MAX),
    ];
    let mut talk = Talk::either(dialect, steps, true);
    let shown = Arc::new(Mutex::new(String::new()));
    let end = talk.turn_in(Input::text("Go."), &showing(&shown)).await.unwrap();
    talk.refused_nothing();
    // If the first reply was whole, the second one asks for further calls.
    let was_whole = talk.n_requests() == 3 && talk.made().len() == 4;
    if !was_whole {
        assert_eq!(end.reason, EndReason::Answered, "{dialect} after {n_events}");
        assert_eq!(talk.made().len(), 2, "{dialect} after {n_events}");
        assert_eq!((talk.n_requests(), &*end.text), (3, "Done."), "{dialect} after {n_events}");
        let shown = shown.lock().unwrap();
        assert!(
            ["", "One moment.|"].contains(&shown.trim_end_matches("One moment.Done.")),
            "{shown}"
        );
    }
    was_whole
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_off_after_any_event_calls_nothing_and_its_request_is_retried() {
    for dialect in DIALECTS {
        let mut n_events = 0;
        while !broken_off(dialect, n_events).await {
            n_events += 1;
        }
        assert!(n_events > 1, "{dialect}");
    }
}

/// A context that writes down the words that are shown, with `|` where they begin anew.
fn showing(shown: &Arc<Mutex<String>>) -> TurnContext {
    let shown = Arc::clone(shown);
    context().with_events(move |event| match event {
        TurnEvent::Text(text) => shown.lock().unwrap().push_str(text),
        TurnEvent::Retry(void) => {
            assert!(shown.lock().unwrap().ends_with(void));
            shown.lock().unwrap().push('|');
        }
        _ => {}
    })
}

#[tokio::test]
async fn the_words_of_a_stream_are_shown_as_they_come() {
    for dialect in DIALECTS {
        let steps = [Step::Streams(Said::text("Done, at last."), usize::MAX)];
        let mut talk = Talk::either(dialect, steps, true);
        let shown = Arc::new(Mutex::new(String::new()));
        talk.turn_in(Input::text("Go."), &showing(&shown)).await.unwrap();
        assert_eq!(*shown.lock().unwrap(), "Done, at last.", "{dialect}");
        let body = talk.last();
        let is_in_path = matches!(dialect, Dialect::Bedrock | Dialect::Gemini);
        assert!(is_in_path || body["stream"].as_bool() == Some(true), "{body}");
    }
}

/// The words that are shown of a stream and the text of its end, where the model's key is `model-key-0123`.
async fn with_key(dialect: Dialect, step: Step) -> (String, String) {
    let talk = Talk::new(dialect, [step], unasked());
    let model = talk.fake.streamed_for("model-key-0123");
    let shown = Arc::new(Mutex::new(String::new()));
    let turn = talk.by_model(model).turn_in(Input::text("Go."), &showing(&shown)).await;
    let end = turn.unwrap();
    let shown = shown.lock().unwrap().clone();
    (shown, end.text)
}

#[tokio::test]
async fn words_of_a_stream_are_shown_without_the_key_of_the_model() {
    let expected = "You sent ****, not mod";
    for dialect in DIALECTS {
        let said = Said::text("You sent model-key-0123, not mod");
        let (shown, text) = with_key(dialect, Step::Streams(said, usize::MAX)).await;
        assert_eq!((&*shown, &*text), (expected, expected), "{dialect}");
    }
    let pieces = ["You sent mod", "el-", "key-0123, n", "ot mod"];
    let delta = |text| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let last = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let events = pieces.map(delta).into_iter().chain([last]);
    let bytes = events.map(|event| format!("data: {event}\n\n").into_bytes()).collect::<Vec<_>>();
    let (shown, text) = with_key(Dialect::OpenAi, Step::Bytes(bytes.concat())).await;
    assert_eq!((&*shown, &*text), (expected, expected));
}

/// The words and the texts of the messages, or what is wrong.
fn read<'b>(
    dialect: Dialect,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> Result<(String, Option<Vec<String>>), String> {
    let (words, messages) = streamed_reply(dialect, pieces)?;
    let text = |message: Json| message.text().to_owned();
    Ok((words, messages.map(|messages| messages.into_iter().map(text).collect())))
}

/// The bytes of a stream with so many changes.
fn changed(whole: &[u8], n_changes: usize, random: &mut Random) -> Vec<u8> {
    let mut below = |n: usize| usize::try_from(random.below(u64::try_from(n).unwrap())).unwrap();
    let mut bytes = whole.to_vec();
    for _ in 0..n_changes {
        let (at, other) = (below(bytes.len()), u8::try_from(below(256)).unwrap());
        let end = (at + below(40)).min(bytes.len());
        match below(4) {
            0 => bytes[at] = other,
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, other),
            _ => bytes.extend_from_within(at..end),
        }
        bytes.push(b'\n');
    }
    bytes
}

#[test]
fn a_stream_with_any_changes_reads_the_same_in_pieces_of_any_length() {
    let calls = [("shop-add", r#"{"n":1}"#), ("shop-menu", r#"{"n":2}"#)];
    let said = Said { text: "One moment.", ..Said::calls(&calls) };
    let mut random = Random(1);
    for dialect in DIALECTS {
        let whole = streamed_events(dialect, &said).concat();
        for n_changes in (0..4).cycle().take(2000) {
            let bytes = changed(&whole, n_changes, &mut random);
            let n_piece = 1 + usize::try_from(random.below(30)).unwrap();
            let at_once = read(dialect, [&*bytes]);
            let in_pieces = read(dialect, bytes.chunks(n_piece));
            assert_eq!(at_once, in_pieces, "{dialect}: {}", String::from_utf8_lossy(&bytes));
            assert!(n_changes > 0 || at_once.unwrap().1.is_some(), "{dialect}");
        }
    }
}

/// The end of a turn whose first stream says an error after so many events, with the number of requests and of calls, and the
/// words that are shown. The conversation goes on after it.
async fn failed_after(
    dialect: Dialect,
    n_events: usize,
    failing: Failing,
) -> (EndReason, usize, usize, String) {
    let calls = [("shop-add", r#"{"n":1}"#), ("shop-menu", r#"{"n":2}"#)];
    let asked = || Said { text: "One moment.", ..Said::calls(&calls) };
    let steps = [
        Step::Fails(asked(), n_events, failing),
        Step::Streams(asked(), usize::MAX),
        Step::Streams(Said::text("Done."), usize::MAX),
    ];
    let mut talk = Talk::either(dialect, steps, true);
    let shown = Arc::new(Mutex::new(String::new()));
    let end = talk.turn_in(Input::text("Go."), &showing(&shown)).await.unwrap();
    let counts = (talk.n_requests(), talk.made().len());
    let next = talk.say("Go on.").await;
    assert_eq!(next.reason, EndReason::Answered, "{dialect} after {n_events}");
    assert_eq!(talk.made().len(), 2, "no call is made twice: {dialect} after {n_events}");
    talk.refused_nothing();
    let shown = shown.lock().unwrap().clone();
    (end.reason, counts.0, counts.1, shown)
}

#[tokio::test(start_paused = true)]
async fn a_passing_error_after_any_event_of_a_stream_is_retried_and_the_words_before_it_are_void() {
    for dialect in DIALECTS {
        let asked = Said { text: "One moment.", ..Said::calls(&[("shop-add", r#"{"n":1}"#)]) };
        // Those of the second call, and the end.
        let n_events = streamed_events(dialect, &asked).len() - 1;
        let mut shown = Vec::new();
        for n_events in 0..n_events {
            let (reason, n_requests, n_calls, words) =
                failed_after(dialect, n_events, Failing::ForNow).await;
            let expected = (EndReason::Answered, 3, 2);
            assert_eq!((reason, n_requests, n_calls), expected, "{dialect} after {n_events}");
            shown.push(words);
        }
        shown.dedup();
        assert_eq!(shown, ["One moment.Done.", "One moment.|One moment.Done."], "{dialect}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_in_a_stream_that_does_not_pass_is_not_retried() {
    for dialect in DIALECTS {
        let (reason, n_requests, n_calls, words) = failed_after(dialect, 0, Failing::ForGood).await;
        let expected = (EndReason::ModelFailed, 1, 0);
        assert_eq!((reason, n_requests, n_calls), expected, "{dialect}: {words}");
    }
}
