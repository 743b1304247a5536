//! Something of one's own around every call: it vetoes some, and sees those end whose caller left.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use callgate::{
    Answer, Arguments, Backend, Call, Content, Effect, Executor, Fault, FaultCode, Middleware,
    Next, Outcome, Session, ToolCall,
    middleware::{Ended, Ending},
    policy::Metrics,
    result::Journal,
};
use serde_json::json;
use tokio::sync::Notify;

/// Lets reads through, and counts the calls whose callers left.
#[derive(Clone, Debug, Default)]
struct Guard {
    dropped: Arc<Mutex<Vec<String>>>,
}

#[async_trait::async_trait]
impl Middleware for Guard {
    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        if call.tool() == "slow" || backend.is_some_and(|tool| tool.effect() == Effect::Read) {
            return ControlFlow::Continue(());
        }
        let fault = Fault::new(FaultCode::Refused, "this agent only reads", Next::GiveUp);
        ControlFlow::Break(fault.into())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        if matches!(ended.ending, Ending::Dropped) {
            self.dropped.lock().expect("nobody panicked").push(call.tool().to_owned());
        }
    }
}

#[tokio::test]
async fn a_vetoed_call_never_reaches_the_tool() {
    let (guard, is_called) = (Guard::default(), Arc::new(AtomicBool::new(false)));
    let told = Arc::clone(&is_called);
    let executor = Executor::builder()
        .function("", "erase", json!({"type": "object"}), move |_| {
            told.store(true, Ordering::Relaxed);
            std::future::ready(Answer::new(None, Content::Empty))
        })
        .middleware(Metrics::new())
        .middleware(guard)
        .build()
        .expect("an executor");
    let call = ToolCall::new("1", "erase", Arguments::new());
    let ended = executor.call(&call, &Session::default()).await.outcome;
    let Outcome::Failed(fault) = ended else { panic!("{ended:?}") };
    assert_eq!(fault.message, "this agent only reads");
    assert!(!is_called.load(Ordering::Relaxed));
}

#[tokio::test]
async fn own_middleware_sees_the_end_of_a_dropped_call() {
    let (guard, begun) = (Guard::default(), Arc::new(Notify::new()));
    let told = Arc::clone(&begun);
    let executor = Executor::builder()
        .function("", "slow", json!({"type": "object"}), move |_| {
            told.notify_one();
            std::future::pending::<Answer>()
        })
        .middleware(guard.clone())
        .build()
        .expect("an executor");
    let running = tokio::spawn(async move {
        let call = ToolCall::new("1", "slow", Arguments::new());
        executor.call(&call, &Session::default()).await
    });
    begun.notified().await;
    running.abort();
    assert!(running.await.is_err());
    assert_eq!(*guard.dropped.lock().expect("nobody panicked"), ["slow"]);
}
