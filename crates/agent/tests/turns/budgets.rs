//! Budgets: what turns that run together use is counted whole, and each principal has its own.

use std::{sync::Arc, time::Duration};

use callgate_agent::{
    Agent, AgentSettings, Budget, End, EndReason, Input, Transcripts, TurnContext, TurnEvent,
};
use callgate_dialect::Dialect;
use callgate_executor::Stop;
use callgate_session::{Bounds, Memory, Store};
use callgate_tool::{Principal, Session};
use futures_util::future::join_all;

use crate::{
    fake::{Failing, Fake, Said, Step},
    shop::{Made, agent, executor, unasked},
};

fn store() -> Arc<dyn Store> {
    Arc::new(Memory::new(Bounds { records: 1000, bytes: 1 << 20 }))
}

/// Settings with a budget for an hour.
fn within(tokens: u64) -> AgentSettings {
    let budget = Budget { tokens, per: Duration::from_hours(1) };
    AgentSettings { budget: Some(budget), ..unasked() }
}

/// A turn of a session of its own, whose request and reply have 100 tokens.
async fn turn(store: &Arc<dyn Store>, session: &str, principal: &str, tokens: u64) -> EndReason {
    let reply = Said { tokens: 99, ..Said::text("Yes.") };
    let (fake, made) = (Fake::new(Dialect::OpenAi, [Step::Says(reply)]), Made::default());
    let agent = agent(&fake, &made, within(tokens));
    let context = TurnContext::new(Session::new(session));
    let context = context.with_principal(Principal::new(principal));
    // Each has its own way to the store, as sidecars that share one.
    let transcripts = Transcripts::new(Arc::clone(store));
    let kept = transcripts.turn(&agent, "pizza", Input::text("Hello."), &context).await.unwrap();
    let n_requests = usize::from(kept.end.reason != EndReason::Limit);
    assert_eq!(fake.n_requests(), n_requests, "{:?}", kept.end);
    kept.end.reason
}

#[tokio::test]
async fn turns_that_run_together_lose_no_token_of_a_budget() {
    let store = store();
    let sessions: Vec<_> = (0..50).map(|n| format!("s-{n}")).collect();
    let turns = sessions.iter().map(|session| turn(&store, session, "kim", 1_000_000));
    assert_eq!(join_all(turns).await, vec![EndReason::Answered; 50]);
    assert_eq!(turn(&store, "last", "kim", 5000).await, EndReason::Limit);
    assert_eq!(turn(&store, "last", "kim", 5001).await, EndReason::Answered);
    assert_eq!(turn(&store, "last", "kim", 5001).await, EndReason::Limit);
    assert_eq!(turn(&store, "last", "lee", 5001).await, EndReason::Answered);
}

/// A turn whose stream does not end, and whose caller leaves once it has read the words of it, or does not.
async fn read_words(store: &Arc<dyn Store>, step: Step, leaves: Leaves) -> End {
    let (fake, made) = (Fake::new(Dialect::OpenAi, [step]), Made::default());
    let agent = Agent::new(executor(&made), fake.streamed(), within(1_000));
    let stop = Stop::default();
    let leaving = stop.clone();
    let context = TurnContext::new(Session::new("s")).with_stop(stop);
    let context = context.with_events(move |event| {
        if leaves == Leaves::AfterTheWords && matches!(event, TurnEvent::Text(_)) {
            leaving.stop();
        }
    });
    let transcripts = Transcripts::new(Arc::clone(store));
    transcripts.turn(&agent, "pizza", Input::text("Hello."), &context).await.unwrap().end
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Leaves {
    AfterTheWords,
    Never,
}

/// Covers callers that leave, a stream that fails, and one that is sent again.
#[tokio::test(start_paused = true)]
async fn words_that_were_delivered_are_counted_although_their_reply_does_not_end() {
    let words: &'static str = "word ".repeat(1_000).leak();
    let said = || Said::text(words);
    let broken = Step::Streams(said(), 1);
    let failed = Step::Fails(said(), 1, Failing::ForGood);
    for (step, leaves, reason) in [
        (broken.clone(), Leaves::AfterTheWords, EndReason::Cancelled),
        (failed, Leaves::Never, EndReason::ModelFailed),
        (broken, Leaves::Never, EndReason::Answered),
    ] {
        let store = store();
        let end = read_words(&store, step, leaves).await;
        assert_eq!(end.reason, reason, "{end:?}");
        assert!(end.usage.output >= 1_250 && end.is_estimated, "{end:?}");
        let next = read_words(&store, Step::Says(Said::text("Yes.")), Leaves::Never).await;
        assert_eq!(next.reason, EndReason::Limit, "{next:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_free_again_when_its_span_is_over() {
    let store = store();
    assert_eq!(turn(&store, "a", "kim", 100).await, EndReason::Answered);
    tokio::time::advance(Duration::from_mins(30)).await;
    assert_eq!(turn(&store, "a", "kim", 150).await, EndReason::Answered);
    tokio::time::advance(Duration::from_mins(29)).await;
    assert_eq!(turn(&store, "a", "kim", 150).await, EndReason::Limit);
    tokio::time::advance(Duration::from_mins(2)).await;
    assert_eq!(turn(&store, "a", "kim", 150).await, EndReason::Answered, "it began with the first");
}
