//! Replies that no honest model sends: each ends bounded, no call is made twice, and the conversation goes on.

use callgate_agent::{Answer, End, EndReason, Given, Input};
use callgate_dialect::Dialect;
use callgate_executor::Decision;

use crate::{
    fake::{DIALECTS, Said, Step, body, streamed_events},
    shop::{Talk, context},
};

struct Ended {
    end: End,
    n_requests: usize,
    made: Vec<String>,
}

/// The end of a turn with these replies, each of which comes whole or as a stream. The conversation goes on after it.
async fn ended(dialect: Dialect, is_streamed: bool, replies: Vec<Vec<u8>>) -> Ended {
    let mut talk = Talk::either(dialect, replies.into_iter().map(Step::Bytes), is_streamed);
    let end = talk.say("Go.").await;
    let calls = talk.made();
    let next = talk.say("Go on.").await;
    assert_eq!((next.reason, &*next.text), (EndReason::Answered, "That is all."), "{dialect}");
    assert_eq!(talk.made(), calls, "{dialect}");
    talk.refused_nothing();
    Ended { end, n_requests: talk.n_requests(), made: calls }
}

/// The ends of a turn with one reply: whole, and as a stream.
async fn both(dialect: Dialect, said: &Said) -> [Ended; 2] {
    let stream = streamed_events(dialect, said).concat();
    [
        ended(dialect, false, vec![body(dialect, said).into_bytes()]).await,
        ended(dialect, true, vec![stream]).await,
    ]
}

fn calls(n_calls: usize) -> Said {
    let arguments: Vec<_> = (0..n_calls).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    let calls: Vec<_> = arguments.iter().map(|arguments| ("shop-add", &**arguments)).collect();
    Said::calls(&calls)
}

#[tokio::test]
async fn of_ten_thousand_calls_in_one_reply_those_within_the_limit_are_made_once() {
    let said = calls(10_000);
    let whole =
        ended(Dialect::OpenAi, false, vec![body(Dialect::OpenAi, &said).into_bytes()]).await;
    check_limit(&whole);
    for dialect in DIALECTS {
        check_limit(&ended(dialect, true, vec![streamed_events(dialect, &said).concat()]).await);
    }
}

#[track_caller]
fn check_limit(ended: &Ended) {
    let expected: Vec<_> = (0..64).map(|n| format!(r#"shop-add {{"n":{n}}}"#)).collect();
    assert_eq!(ended.made, expected);
    assert_eq!((ended.end.reason, ended.n_requests), (EndReason::Limit, 3));
}

#[tokio::test]
async fn a_call_whose_arguments_are_nested_too_deeply_is_not_made() {
    let nested = format!(r#"{{"n":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    for dialect in DIALECTS {
        let said = Said::calls(&[("shop-add", &nested)]);
        let ended = ended(dialect, false, vec![body(dialect, &said).into_bytes()]).await;
        assert_eq!(ended.made, [""; 0], "{dialect}");
        let is_text = matches!(dialect, Dialect::OpenAi | Dialect::Responses);
        let reason = if is_text { EndReason::Answered } else { EndReason::ModelFailed };
        assert_eq!(ended.end.reason, reason, "{dialect}: {:?}", ended.end.detail);
    }
}

#[tokio::test]
async fn a_stream_with_arguments_that_are_nested_too_deeply_calls_nothing() {
    let nested = format!(":{}7{}}}", "[".repeat(100_000), "]".repeat(100_000));
    // The checksums of Bedrock's events hold for their bytes alone.
    for dialect in DIALECTS.into_iter().filter(|dialect| *dialect != Dialect::Bedrock) {
        let said = Said::calls(&[("shop-add", r#"{"n":7}"#)]);
        let stream = String::from_utf8(streamed_events(dialect, &said).concat()).unwrap();
        assert!(stream.contains(":7}"), "{dialect}");
        let ended = ended(dialect, true, vec![stream.replace(":7}", &nested).into_bytes()]).await;
        assert_eq!(ended.made, [""; 0], "{dialect}");
    }
}

#[tokio::test]
async fn a_call_of_a_tool_whose_name_has_a_mebibyte_is_answered_and_not_made() {
    let name = "shop-add".repeat(1 << 17);
    for dialect in DIALECTS {
        let said = Said::calls(&[(&name, r#"{"n":1}"#), ("shop-add", r#"{"n":2}"#)]);
        for ended in both(dialect, &said).await {
            assert_eq!(ended.made, [r#"shop-add {"n":2}"#], "{dialect}");
            assert_eq!(ended.end.reason, EndReason::Answered, "{dialect}: {:?}", ended.end.detail);
        }
    }
}

/// Bytes of a reply with one in their words that is of no text.
fn spoilt(mut bytes: Vec<u8>) -> Vec<u8> {
    while let Some(at) = bytes.windows(4).position(|part| part == b"Well") {
        bytes[at + 1] = 0xff;
    }
    bytes
}

#[tokio::test(start_paused = true)]
async fn a_reply_with_bytes_that_are_no_utf8_leaves_a_transcript_that_can_be_sent() {
    for dialect in DIALECTS {
        let said = Said::text("Well done.");
        let whole = ended(dialect, false, vec![spoilt(body(dialect, &said).into_bytes())]).await;
        let stream = spoilt(streamed_events(dialect, &said).concat());
        let streamed = ended(dialect, true, vec![stream]).await;
        for ended in [whole, streamed] {
            match ended.end.reason {
                EndReason::Answered => assert_eq!(ended.end.text, "W\u{fffd}ll done.", "{dialect}"),
                EndReason::ModelFailed => assert_eq!(dialect, Dialect::Bedrock, "{:?}", ended.end),
                other => panic!("{dialect}: {other:?}"),
            }
        }
    }
}

/// A reply whose second call has the id of the first.
fn with_one_id(dialect: Dialect, second: &str) -> Vec<u8> {
    let said = Said::calls(&[("shop-add", r#"{"n":1}"#), ("shop-add", second)]);
    body(dialect, &said).replace("1_1\"", "1_0\"").into_bytes()
}

#[tokio::test]
async fn calls_with_one_id_are_made_once_each_and_equal_ones_once_together() {
    for dialect in DIALECTS {
        let other = ended(dialect, false, vec![with_one_id(dialect, r#"{"n":2}"#)]).await;
        assert_eq!(other.made, [r#"shop-add {"n":1}"#, r#"shop-add {"n":2}"#], "{dialect}");
        for equal in [r#"{"n":1}"#, r#"{ "n" : 1 }"#] {
            let equal = ended(dialect, false, vec![with_one_id(dialect, equal)]).await;
            assert_eq!(equal.made, [r#"shop-add {"n":1}"#], "{dialect}");
            assert_eq!(equal.end.reason, EndReason::Answered, "{dialect}: {:?}", equal.end.detail);
        }
        assert_eq!(other.end.reason, EndReason::Answered, "{dialect}: {:?}", other.end.detail);
    }
}

#[tokio::test]
async fn a_call_with_the_id_of_an_earlier_round_is_a_call_of_its_own() {
    for dialect in DIALECTS {
        let reply = |n: usize| {
            let said = Said::calls(&[("shop-add", &*format!(r#"{{"n":{n}}}"#))]);
            body(dialect, &said).into_bytes()
        };
        let ended = ended(dialect, false, vec![reply(1), reply(2)]).await;
        assert_eq!(ended.made, [r#"shop-add {"n":1}"#, r#"shop-add {"n":2}"#], "{dialect}");
        assert_eq!(ended.end.reason, EndReason::Answered, "{dialect}: {:?}", ended.end.detail);
    }
}

/// A turn in which two calls of one id wait for approvals, and the answers to them.
async fn approved(n_approvals: usize) -> (Result<End, callgate_agent::Error>, Vec<String>) {
    let dialect = Dialect::OpenAi;
    let steps = [Step::Bytes(with_one_id(dialect, r#"{"n":2}"#))];
    let mut talk = Talk::new(dialect, steps, callgate_agent::AgentSettings::default());
    let end = talk.say("Go.").await;
    assert_eq!((end.reason, end.pending.len()), (EndReason::Waiting, 2));
    let ids = end.pending.iter().map(|pending| &*pending.id).cycle().take(n_approvals);
    let answers = ids.map(|id| Answer::new(id, Given::Decision(Decision::Approve))).collect();
    let end = talk.turn_in(Input::Answers(answers), &context()).await;
    talk.refused_nothing();
    (end, talk.made())
}

#[tokio::test]
async fn two_calls_of_one_id_need_two_approvals_and_a_third_approval_is_refused() {
    let (end, made) = approved(1).await;
    assert_eq!((end.unwrap().reason, made.len()), (EndReason::Waiting, 1));
    let (end, made) = approved(2).await;
    assert_eq!((end.unwrap().reason, made.len()), (EndReason::Answered, 2));
    let (end, made) = approved(3).await;
    assert_eq!((end.unwrap_err().kind(), made.len()), (callgate_agent::ErrorKind::Answer, 0));
}
