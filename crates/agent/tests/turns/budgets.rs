//! Budgets: what turns that run together use is counted whole, and each principal has its own.

use std::{sync::Arc, time::Duration};

use callgate_agent::{AgentSettings, Budget, EndReason, Input, Transcripts, TurnContext};
use callgate_dialect::Dialect;
use callgate_session::{Bounds, Memory, Store};
use callgate_tool::{Principal, Session};
use futures_util::future::join_all;

use crate::{
    fake::{Fake, Said, Step},
    shop::{Made, agent, unasked},
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
