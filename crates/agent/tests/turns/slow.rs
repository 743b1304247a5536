//! Models that take their time: a reply is paid for once.

use std::time::Duration;

use callgate_agent::{AgentSettings, End, EndReason, TurnLimits};
use callgate_dialect::Dialect;

use crate::{
    fake::{DIALECTS, Said, Step, streamed_events},
    shop::{Talk, unasked},
};

/// The end of a turn with hours to spare, and the number of requests in it.
async fn ended(dialect: Dialect, step: Step, is_streamed: bool) -> (End, usize) {
    let limits = TurnLimits { time: Duration::from_hours(2), ..TurnLimits::default() };
    let settings = AgentSettings { limits, ..unasked() };
    let talk = Talk::new(dialect, [step], settings);
    let model = if is_streamed { talk.fake.streamed() } else { talk.fake.model() };
    let mut talk = talk.by_model(model);
    (talk.say("Hello.").await, talk.n_requests())
}

/// A reply whose events come so many seconds after each other.
fn slowly(dialect: Dialect, seconds: u64) -> Step {
    let events = streamed_events(dialect, &Said::text("Done."));
    Step::Slowly(events.into_iter().map(|event| (seconds, event)).collect())
}

#[tokio::test(start_paused = true)]
async fn a_stream_may_take_longer_than_the_time_of_the_model_as_long_as_it_goes_on() {
    for dialect in DIALECTS {
        let (end, n_requests) = ended(dialect, slowly(dialect, 119), true).await;
        let ended = (end.reason, n_requests);
        assert_eq!(ended, (EndReason::Answered, 1), "{dialect}: {:?}", end.detail);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_falls_silent_is_not_requested_again() {
    for dialect in DIALECTS {
        let (end, n_requests) = ended(dialect, slowly(dialect, 121), true).await;
        assert_eq!((end.reason, n_requests), (EndReason::ModelFailed, 1), "{dialect}");
        let said = "the reply of the model paused for more than 120 s, its `timeout`";
        assert_eq!(end.detail.as_deref(), Some(said), "{dialect}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_does_not_come_in_time_is_not_requested_again() {
    for is_streamed in [false, true] {
        let (end, n_requests) = ended(Dialect::OpenAi, Step::Hang, is_streamed).await;
        assert_eq!((end.reason, n_requests), (EndReason::ModelFailed, 1), "{:?}", end.detail);
    }
}
