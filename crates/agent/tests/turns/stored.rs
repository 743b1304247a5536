//! Transcripts in a store: one turn at a time, each for its owner, and a program that ends in the middle of a turn.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use callgate_agent::{
    AgentSettings, Answer, EndReason, ErrorKind, Given, Input, Transcripts, TurnContext, TurnEvent,
};
use callgate_dialect::Dialect;
use callgate_executor::Decision;
use callgate_session::{
    Bounds, Error as StoreError, ErrorKind as StoreErrorKind, Expected, Group, Key, Memory, Record,
    Store, Stored, Version,
};
use callgate_tool::{Principal, Session};

use crate::{
    fake::{DIALECTS, Fake, Said, Step},
    shop::{Made, Talk, agent, context, transcripts, unasked},
};

#[tokio::test]
async fn a_kept_conversation_goes_on_for_its_owner_alone() {
    let (fake, made) = (Fake::new(Dialect::Anthropic, []), Made::default());
    let (agent, transcripts) = (agent(&fake, &made, unasked()), transcripts());
    let kim = context().with_principal(Principal::new("kim"));
    let lee = context().with_principal(Principal::new("lee"));
    for expected in [0, 2, 4] {
        let kept = transcripts.turn(&agent, "pizza", Input::text("Hello."), &kim).await.unwrap();
        assert_eq!((kept.n_before, kept.end.reason), (expected, EndReason::Answered));
    }
    let other = Fake::new(Dialect::Anthropic, []);
    let agent = crate::shop::agent(&other, &made, unasked());
    let kept = transcripts.turn(&agent, "pizza", Input::text("Hello."), &lee).await.unwrap();
    assert_eq!(kept.n_before, 0);
    fake.refused_nothing();
}

#[tokio::test]
async fn a_second_turn_while_one_runs_is_refused() {
    let (fake, made) = (Fake::new(Dialect::OpenAi, [Step::Hang]), Made::default());
    let (agent, transcripts) = (agent(&fake, &made, unasked()), transcripts());
    let first = tokio::spawn({
        let (agent, transcripts) = (agent.clone(), transcripts.clone());
        async move {
            transcripts.turn(&agent, "pizza", Input::text("Hello."), &context()).await.map(drop)
        }
    });
    while fake.n_requests() == 0 {
        tokio::task::yield_now().await;
    }
    let error =
        transcripts.turn(&agent, "pizza", Input::text("Hello?"), &context()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    let other = TurnContext::new(Session::new("s-2"));
    assert!(transcripts.turn(&agent, "pizza", Input::text("Hello."), &other).await.is_ok());
    first.abort();
}

#[tokio::test]
async fn a_waiting_call_of_the_store_goes_on_after_its_approval() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-add", r#"{"n":1}"#)]))];
        let (fake, made) = (Fake::new(dialect, steps), Made::default());
        let (agent, transcripts) = (agent(&fake, &made, AgentSettings::default()), transcripts());
        let kept =
            transcripts.turn(&agent, "pizza", Input::text("Add."), &context()).await.unwrap();
        assert_eq!(kept.end.reason, EndReason::Waiting);
        let id = kept.end.pending[0].id.clone();
        let approved = Input::Answers(vec![Answer::new(id, Given::Decision(Decision::Approve))]);
        let again = approved.clone();
        let kept = transcripts.turn(&agent, "pizza", approved, &context()).await.unwrap();
        assert_eq!((kept.end.reason, made.all().len()), (EndReason::Answered, 1), "{dialect}");
        let error = transcripts.turn(&agent, "pizza", again, &context()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Answer, "an approval is used once");
        assert_eq!(made.all().len(), 1, "an approval is used once");
        fake.refused_nothing();
    }
}

#[tokio::test]
async fn a_call_that_ran_when_its_program_ended_is_not_made_again_and_may_have_been_executed() {
    use callgate_executor::{Executor, Function};

    let schema = callgate_tool::json!({"type": "object"});
    let function =
        Function::new("shop", "add", schema, |_| std::future::pending::<callgate_tool::Value>());
    let function = function.unwrap().with_limit(Duration::from_hours(1));
    let executor = Executor::builder().backend(function).build().unwrap();
    let steps = [Step::Says(Said::calls(&[("shop-add", "{}")]))];
    let mut talk = Talk::with(Dialect::OpenAi, steps, executor, unasked());
    assert!(crate::loops::polled(20, talk.say("Add.")).await.is_none(), "the call does not end");
    let said = talk.transcript.messages_with_results().last().unwrap().text().to_owned();
    assert!(said.contains("may have been executed") && said.contains("maybe"), "{said}");
}

/// A store whose disk is full for a while.
#[derive(Debug)]
struct Disk {
    memory: Memory,
    is_full: Arc<AtomicBool>,
}

#[async_trait]
impl Store for Disk {
    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, StoreError> {
        self.memory.get(key, now).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.memory.list(group, after, most, now).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, StoreError> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "no space left on the disk"));
        }
        self.memory.put(key, record, expected, now).await
    }

    async fn remove(
        &self,
        key: &Key,
        expected: Expected,
        now: Instant,
    ) -> Result<bool, StoreError> {
        self.memory.remove(key, expected, now).await
    }
}

/// Transcripts on a disk, and a context that fills it after the first result.
fn transcripts_on_disk() -> (Transcripts, Arc<AtomicBool>, TurnContext) {
    let is_full = Arc::new(AtomicBool::new(false));
    let memory = Memory::new(Bounds { records: 100, bytes: 1 << 20 });
    let transcripts = Transcripts::new(Arc::new(Disk { memory, is_full: Arc::clone(&is_full) }));
    let filled = Arc::clone(&is_full);
    let context = context().with_events(move |event| {
        filled.fetch_or(matches!(event, TurnEvent::Result(_)), Ordering::Relaxed);
    });
    (transcripts, is_full, context)
}

#[tokio::test]
async fn a_turn_that_cannot_be_kept_any_more_reports_the_calls_that_it_made() {
    for dialect in DIALECTS {
        let steps = [Step::Says(Said::calls(&[("shop-add", r#"{"n":1}"#)]))];
        let (fake, made) = (Fake::new(dialect, steps), Made::default());
        let is_full = Arc::new(AtomicBool::new(false));
        let memory = Memory::new(Bounds { records: 100, bytes: 1 << 20 });
        let transcripts =
            Transcripts::new(Arc::new(Disk { memory, is_full: Arc::clone(&is_full) }));
        let agent = agent(&fake, &made, unasked());
        let filled = Arc::clone(&is_full);
        let context = context().with_events(move |event| {
            filled.fetch_or(matches!(event, TurnEvent::Result(_)), Ordering::Relaxed);
        });
        let kept = transcripts.turn(&agent, "pizza", Input::text("Add."), &context).await.unwrap();
        assert_eq!((kept.end.reason, kept.end.n_calls), (EndReason::Cancelled, 1), "{dialect}");
        let detail = kept.end.detail.clone().unwrap();
        assert_eq!(detail, "the transcript is not kept: no space left on the disk", "{dialect}");
        let result = kept.added_messages().last().unwrap().text().to_owned();
        assert!(!result.contains("may have been executed"), "{dialect}: {result}");
        is_full.store(false, Ordering::Relaxed);
        let kept = transcripts.turn(&agent, "pizza", Input::text("Go on."), &context).await;
        assert_eq!(kept.unwrap().end.reason, EndReason::Answered, "{dialect}");
        assert_eq!(made.all().len(), 1, "{dialect}");
        fake.refused_nothing();
    }
}

#[tokio::test]
async fn approved_calls_that_were_made_are_reported_when_the_next_one_cannot_be_made() {
    let calls = Said::calls(&[("shop-add", r#"{"n":1}"#), ("shop-remove", r#"{"n":2}"#)]);
    let (fake, made) = (Fake::new(Dialect::OpenAi, [Step::Says(calls)]), Made::default());
    let (transcripts, _, context) = transcripts_on_disk();
    let agent = agent(&fake, &made, AgentSettings::default());
    let kept = transcripts.turn(&agent, "pizza", Input::text("Go."), &crate::shop::context()).await;
    let pending = kept.unwrap().end.pending;
    assert_eq!(pending.len(), 2);
    let approve = |id: &String| Answer::new(id.clone(), Given::Decision(Decision::Approve));
    let answers = pending.iter().map(|call| approve(&call.id)).collect();
    let kept = transcripts.turn(&agent, "pizza", Input::Answers(answers), &context).await.unwrap();
    assert_eq!((kept.end.reason, made.all().len()), (EndReason::Cancelled, 1));
    let results: Vec<&str> = kept.added_messages().iter().map(callgate_tool::Json::text).collect();
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(
        !results[0].contains("cancelled") && results[1].contains("nothing was sent"),
        "{results:?}"
    );
}
