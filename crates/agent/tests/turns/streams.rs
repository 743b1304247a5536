//! Replies as streams: whole, and broken off after every event.

use std::sync::{Arc, Mutex};

use callgate_agent::{Agent, EndReason, Input, Transcript, TurnContext, TurnEvent};
use callgate_dialect::Dialect;

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, context, executor, unasked},
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
    let (fake, made) = (Fake::new(dialect, steps), Made::default());
    let agent = Agent::new(executor(&made), fake.streamed(), unasked());
    let mut transcript = Transcript::new(dialect).unwrap();
    let end = agent.turn(&mut transcript, Input::text("Go."), &context()).await.unwrap();
    fake.refused_nothing();
    // If the first reply was whole, the second one asks for further calls.
    let was_whole = fake.n_requests() == 3 && made.all().len() == 4;
    if !was_whole {
        assert_eq!(
            (end.reason, made.all().len()),
            (EndReason::Answered, 2),
            "{dialect} after {n_events}"
        );
        assert_eq!((fake.n_requests(), &*end.text), (3, "Done."), "{dialect} after {n_events}");
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

/// A context that writes down the words that are shown.
fn showing(shown: &Arc<Mutex<String>>) -> TurnContext {
    let shown = Arc::clone(shown);
    context().with_events(move |event| {
        if let TurnEvent::Text(text) = event {
            shown.lock().unwrap().push_str(text);
        }
    })
}

#[tokio::test]
async fn the_words_of_a_stream_are_shown_as_they_come() {
    for dialect in DIALECTS {
        let steps = [Step::Streams(Said::text("Done, at last."), usize::MAX)];
        let (fake, made) = (Fake::new(dialect, steps), Made::default());
        let agent = Agent::new(executor(&made), fake.streamed(), unasked());
        let shown = Arc::new(Mutex::new(String::new()));
        let context = showing(&shown);
        let mut transcript = Transcript::new(dialect).unwrap();
        agent.turn(&mut transcript, Input::text("Go."), &context).await.unwrap();
        assert_eq!(*shown.lock().unwrap(), "Done, at last.", "{dialect}");
        let body = fake.last();
        let is_in_path = matches!(dialect, Dialect::Bedrock | Dialect::Gemini);
        assert!(is_in_path || body["stream"].as_bool() == Some(true), "{body}");
    }
}
