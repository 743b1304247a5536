//! Tests of calls whose review reads the state that they would change.

use std::sync::atomic::AtomicU8;

use callgate_executor::Review;

use super::*;

/// A tool that changes a state, and the state that its last call was approved for.
#[derive(Debug)]
struct Changer {
    tool: Tool,
    toolset: &'static str,
    state: Arc<AtomicU8>,
}

#[async_trait]
impl Backend for Changer {
    callgate_executor::of_tool!(tool, toolset);

    async fn preview(&self, _: &Call<'_>, _: &mut Journal) -> Result<Preview, Box<Fault>> {
        Ok(Preview::Text("changes the state".to_owned()))
    }

    async fn review(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Review, Box<Fault>> {
        let state = [self.state.load(Ordering::Relaxed); 32];
        Ok(Review::new(self.preview(call, journal).await?).with_state_digest(state))
    }

    async fn run(&self, call: &Call<'_>, _: &mut Journal) -> Outcome {
        let Some(Reviewed(state)) = call.extensions().get() else {
            return Value::Null.into();
        };
        Value::from(u64::from(state[0])).into()
    }
}

fn executor(confirm: Confirm) -> (Executor, Arc<AtomicU8>) {
    let state = Arc::new(AtomicU8::new(1));
    let schema = Schema::new(json!({"type": "object"}));
    let name = ToolName::new("change").unwrap();
    let tool = Tool::new(name, "Changes".to_owned(), schema, Effect::Write);
    let changer = Changer { tool, toolset: "pets", state: Arc::clone(&state) };
    let approvals = Approvals::new(rules(confirm));
    let executor = Executor::builder().backend(changer).middleware(approvals).build().unwrap();
    (executor, state)
}

async fn call(executor: &Executor, approval: Option<&str>) -> Outcome {
    let asked = ToolCall::new("1", "change", Arguments::new());
    let session = Session::new("s");
    let mut call = Call::new(&asked, &session);
    if let Some(approval) = approval {
        call = call.with_decision(approval, Decision::Approve);
    }
    executor.call_with(call).await.outcome
}

fn asked_for(outcome: Outcome) -> String {
    match outcome {
        Outcome::Pending(pending) => pending.id,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_approved_call_brings_the_state_that_a_person_saw() {
    let (executor, _) = executor(Confirm::Writes);
    let approval = asked_for(call(&executor, None).await);
    assert_eq!(call(&executor, Some(&approval)).await.text(), Some("1"));
}

#[tokio::test]
async fn a_changed_state_needs_another_approval() {
    let (executor, state) = executor(Confirm::Writes);
    let approval = asked_for(call(&executor, None).await);
    state.store(2, Ordering::Relaxed);
    let again = asked_for(call(&executor, Some(&approval)).await);
    assert_ne!(again, approval);
    assert_eq!(call(&executor, Some(&again)).await.text(), Some("2"));
}

#[tokio::test]
async fn a_call_that_needs_no_approval_brings_no_state() {
    let (executor, _) = executor(Confirm::Never);
    assert_eq!(call(&executor, None).await.text(), Some("null"));
}
