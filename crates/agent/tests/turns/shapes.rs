//! Streams in the shapes in which servers send them that resemble a provider: no call is lost, merged, renamed or made twice,
//! whole and cut after any event, and each conversation that results can be sent.

mod anthropic;
mod bedrock;
mod files;
mod gemini;
mod generated;
mod openai;
mod responses;
mod servers;
mod whole;

use callgate_agent::{EndReason, Transcript, streamed_reply};
use callgate_dialect::Dialect;

use crate::{
    fake::{Said, Step},
    shop::Talk,
};

/// The calls that most shapes ask for.
const TWO: [&str; 2] = [r#"shop-add {"n":1}"#, r#"shop-remove {"n":2}"#];

/// The calls of a turn whose replies are these, the number of requests, and how it ended. The conversation goes on after it.
async fn made(dialect: Dialect, replies: &[Vec<u8>]) -> (Vec<String>, usize, EndReason) {
    let steps = replies.iter().cloned().map(Step::Bytes);
    let steps = steps.chain([Step::Streams(Said::text("Done."), usize::MAX)]);
    let mut talk = Talk::either(dialect, steps, true);
    let end = talk.say("Go.").await;
    talk.refused_nothing();
    let (calls, n_requests) = (talk.made(), talk.n_requests());
    let next = talk.say("Go on.").await;
    assert_eq!(next.reason, EndReason::Answered, "{:?}", next.detail);
    assert_eq!(talk.made(), calls, "no call is made later");
    talk.refused_nothing();
    let read = |text: &str| Transcript::from_text(text, |_| None).unwrap();
    let (kept, repair) = read(&talk.transcript.to_text());
    assert!(repair.is_nothing(), "{repair}");
    assert_eq!(kept.to_text(), talk.transcript.to_text());
    (calls, n_requests, end.reason)
}

/// Checks a stream that ends with calls: whole, in pieces, and cut after each of its events.
async fn check_bytes(dialect: Dialect, name: &str, events: &[Vec<u8>], expected: &[&str]) {
    let whole = events.concat();
    let (calls, n_requests, reason) = made(dialect, std::slice::from_ref(&whole)).await;
    assert_eq!((&*calls, reason), (&*texts(expected), EndReason::Answered), "{dialect}: {name}");
    assert_eq!(n_requests, 2, "{dialect}: {name}");
    let read = |n_piece: usize| {
        let (words, messages) = streamed_reply(dialect, whole.chunks(n_piece)).unwrap();
        let messages = messages.expect("a whole reply").into_iter();
        (words, messages.map(|message| message.text().to_owned()).collect::<Vec<_>>())
    };
    let at_once = read(whole.len());
    for n_piece in [1, 7, 64] {
        assert_eq!(read(n_piece), at_once, "{dialect}: {name} in pieces of {n_piece}");
    }
    for n_events in 0..events.len() {
        let cut = events[..n_events].concat();
        let (calls, n_requests, _) = made(dialect, &[cut, whole.clone()]).await;
        // A cut that leaves a whole reply is one: the next reply asks again.
        let n_times = if n_requests == 3 && calls.len() > expected.len() { 2 } else { 1 };
        assert_eq!(calls, texts(&expected.repeat(n_times)), "{dialect}: {name} after {n_events}");
    }
}

async fn check(dialect: Dialect, name: &str, events: &[String], expected: &[&str]) {
    let events: Vec<_> = events.iter().map(|event| event.clone().into_bytes()).collect();
    check_bytes(dialect, name, &events, expected).await;
}

fn texts(calls: &[&str]) -> Vec<String> {
    calls.iter().map(ToString::to_string).collect()
}

/// An event of a stream.
fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}
