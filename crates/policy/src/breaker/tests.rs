//! Tests when calls to a service stop, and that some call always tests it again.

use std::sync::atomic::{AtomicUsize, Ordering};

use callgate_executor::{Executor, Function};
use callgate_tool::{Arguments, Fault, Next, Reached, Session, ToolCall, Value, json};

use super::*;

/// A service of toolset `pets` that ends a call as its argument says, and counts calls.
struct Service {
    executor: Executor,
    n_calls: Arc<AtomicUsize>,
}

fn fault(code: FaultCode, status: Option<u16>) -> Outcome {
    let mut fault = Fault::new(code, "no", Next::TryLater).with_reached(Reached::No);
    fault.status = status;
    fault.into()
}

impl Service {
    fn new(failures: u32) -> Self {
        let n_calls = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&n_calls);
        let schema = json!({"type": "object", "properties": {"how": {"type": "string"}}});
        let function = Function::new("pets", "get", schema, move |call| {
            count.fetch_add(1, Ordering::Relaxed);
            async move {
                match call.arguments().get("how").and_then(Value::as_str) {
                    Some("down") => fault(FaultCode::Unreachable, None),
                    Some("500") => fault(FaultCode::ServiceError, Some(500)),
                    Some("refused") => fault(FaultCode::Refused, None),
                    Some("slow") => std::future::pending().await,
                    _ => Value::Null.into(),
                }
            }
        });
        let settings = BreakerSettings { failures, open: Duration::from_secs(10) };
        let breaker = Breaker::new(BTreeMap::from([("pets".to_owned(), settings)]));
        let builder = Executor::builder().backend(function.unwrap()).middleware(breaker);
        let builder = builder.function("other", "get", json!({"type": "object"}), |_| async {
            fault(FaultCode::Unreachable, None)
        });
        Self { executor: builder.build().unwrap(), n_calls }
    }

    async fn call(&self, how: &str) -> Outcome {
        let arguments = Arguments::from_iter([("how".to_owned(), how.into())]);
        let asked = ToolCall::new("1", "pets-get", arguments);
        self.executor.call(&asked, &Session::default()).await.outcome
    }

    /// Makes the calls and reports for each whether it went through.
    async fn passes(&self, hows: &[&str]) -> Vec<bool> {
        let mut passed = Vec::new();
        for how in hows {
            let before = self.n_calls.load(Ordering::Relaxed);
            self.call(how).await;
            passed.push(self.n_calls.load(Ordering::Relaxed) > before);
        }
        passed
    }
}

async fn wait(seconds: u64) {
    tokio::time::advance(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn consecutive_failures_open_the_breaker_and_a_probe_closes_it() {
    let service = Service::new(3);
    assert_eq!(
        service.passes(&["down", "down", "down", "fine", "fine"]).await,
        [true, true, true, false, false]
    );
    let Outcome::Failed(fault) = service.call("fine").await else { panic!("it is open") };
    assert_eq!(
        (fault.code, fault.reached, fault.next),
        (FaultCode::Overloaded, Reached::No, Next::TryLater)
    );
    assert_eq!(fault.retry_after, Some(Duration::from_secs(10)));
    wait(9).await;
    assert_eq!(service.passes(&["fine"]).await, [false]);
    wait(1).await;
    assert_eq!(
        service.passes(&["down", "fine"]).await,
        [true, false],
        "a probe that fails opens it again"
    );
    wait(10).await;
    assert_eq!(service.passes(&["fine", "fine", "down", "down", "fine"]).await, [true; 5]);
}

#[tokio::test(start_paused = true)]
async fn any_response_of_the_service_counts_as_reached() {
    let service = Service::new(2);
    assert_eq!(
        service.passes(&["down", "500", "down", "fine", "down", "refused", "down", "fine"]).await,
        [true, true, true, true, true, true, true, false],
        "what was not sent says nothing"
    );
    wait(10).await;
    assert_eq!(service.passes(&["500", "fine"]).await, [true, true]);
}

#[tokio::test(start_paused = true)]
async fn one_probe_runs_at_a_time_and_an_abandoned_one_lets_the_next_probe_run() {
    let service = Service::new(1);
    service.call("down").await;
    wait(10).await;
    let mut probe = Box::pin(service.call("slow"));
    assert!(futures_util::future::poll_immediate(&mut probe).await.is_none());
    assert_eq!(service.passes(&["fine", "fine"]).await, [false, false]);
    drop(probe);
    assert_eq!(
        service.passes(&["refused", "fine"]).await,
        [true, true],
        "nor does one that is not sent wedge it"
    );
}

#[tokio::test(start_paused = true)]
async fn calls_that_began_before_the_breaker_opened_do_not_close_it() {
    let service = Service::new(1);
    let mut early = Box::pin(service.call("slow"));
    assert!(futures_util::future::poll_immediate(&mut early).await.is_none());
    service.call("down").await;
    drop(early);
    assert_eq!(service.passes(&["fine"]).await, [false]);
}

#[tokio::test]
async fn the_breaker_does_not_stop_toolsets_without_one() {
    let service = Service::new(1);
    for _ in 0..3 {
        let asked = ToolCall::new("1", "other-get", Arguments::new());
        let result = service.executor.call(&asked, &Session::default()).await;
        assert!(
            matches!(result.outcome, Outcome::Failed(fault) if fault.code == FaultCode::Unreachable)
        );
    }
}

fn end(breaker: &Breaker, journal: &Journal, outcome: &Outcome) {
    let (ending, elapsed, reached) = (Ending::Outcome(outcome), Duration::ZERO, Reached::No);
    breaker.circuits["a"].note_end(&Ended { ending, journal, elapsed, reached }, false);
}

#[tokio::test(start_paused = true)]
async fn each_attempt_of_a_retried_call_counts() {
    let (down, up) = (fault(FaultCode::Unreachable, None), Value::Null.into());
    let (unreachable, late) = (FaultCode::Unreachable, FaultCode::TimedOut);
    let busy = (FaultCode::ServiceError, Some(503));
    for (attempts, outcome, n_left) in [
        (&[(unreachable, None), (unreachable, None)][..], &down, 0),
        (&[(unreachable, None), (late, None)], &down, 1),
        (&[(unreachable, None), busy], &down, 2),
        (&[(unreachable, None), (unreachable, None)], &up, 3),
    ] {
        let settings = BreakerSettings { failures: 3, ..BreakerSettings::default() };
        let breaker = Breaker::new(BTreeMap::from([("a".to_owned(), settings)]));
        let mut journal = Journal::default();
        for (code, status) in attempts {
            let (code, status, wait) = (*code, *status, Duration::ZERO);
            journal.note(Event::Retried { code, status, wait });
        }
        end(&breaker, &journal, outcome);
        for _ in 0..n_left {
            assert!(breaker.circuits["a"].try_pass().is_ok(), "{attempts:?}");
            end(&breaker, &Journal::default(), &down);
        }
        assert!(breaker.circuits["a"].try_pass().is_err(), "{attempts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reload_keeps_open_breakers_whose_settings_are_unchanged() {
    let settings = |failures| {
        BTreeMap::from([(
            "a".to_owned(),
            BreakerSettings { failures, ..BreakerSettings::default() },
        )])
    };
    let first = Breaker::new(settings(1));
    end(&first, &Journal::default(), &fault(FaultCode::Unreachable, None));
    let same = Breaker::following(settings(1), Some(&first));
    assert!(same.circuits["a"].try_pass().is_err());
    assert!(Breaker::following(settings(2), Some(&first)).circuits["a"].try_pass().is_ok());
}
