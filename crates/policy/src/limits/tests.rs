//! Tests each limit, how long calls wait at it, and that a held permit becomes free again however the call ends.

mod rate_outage;

use std::sync::atomic::{AtomicUsize, Ordering};

use callgate_executor::{Executor, Function};
use callgate_tool::{
    Arguments, FaultCode, Next, Principal, Reached, Session, ToolCall, Value, json,
};
use futures_util::future::join_all;

use super::*;

fn second() -> Duration {
    Duration::from_secs(1)
}

/// Tools of `pets` and `shop` that take two seconds, or as long as `how_long` says.
fn executor(config: &LimitsConfig) -> (Executor, Arc<AtomicUsize>) {
    of_limits(Limits::new(config))
}

fn of_limits(limits: Limits) -> (Executor, Arc<AtomicUsize>) {
    let most = Arc::<AtomicUsize>::default();
    let running = Arc::<AtomicUsize>::default();
    let mut builder = Executor::builder().middleware(limits);
    for toolset in ["pets", "shop"] {
        let (most, running) = (Arc::clone(&most), Arc::clone(&running));
        let function = Function::new(toolset, "get", json!({"type": "object"}), move |_| {
            let (most, running) = (Arc::clone(&most), Arc::clone(&running));
            async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(second() * 2).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Value::Null
            }
        });
        builder = builder.backend(function.unwrap());
    }
    (builder.build().unwrap(), most)
}

async fn call(executor: &Executor, tool: &str, principal: &str) -> Outcome {
    let (asked, session) = (ToolCall::new("1", tool, Arguments::new()), Session::default());
    executor
        .call_with(Call::new(&asked, &session).with_principal(Principal::new(principal)))
        .await
        .outcome
}

/// The number of calls with this ending.
fn counted(outcomes: &[Outcome], code: Option<FaultCode>) -> usize {
    let of = |outcome: &&Outcome| match outcome {
        Outcome::Failed(fault) => Some(fault.code) == code,
        _ => code.is_none(),
    };
    outcomes.iter().filter(of).count()
}

fn concurrency(permits: usize) -> Bound {
    Bound { concurrency: Some(permits), rate: None }
}

fn rate(calls: u32, burst: u32) -> Bound {
    let number = |it| std::num::NonZeroU32::new(it).unwrap();
    let rate = Rate { calls: number(calls), per: second(), burst: number(burst) };
    Bound { concurrency: None, rate: Some(rate) }
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_concurrency_limit_are_refused_with_a_time_to_retry() {
    let row = |config: LimitsConfig, n_answered: usize| async move {
        let (executor, most) = executor(&config);
        let outcomes = join_all((0..20).map(|_| call(&executor, "pets-get", "kim"))).await;
        assert_eq!(counted(&outcomes, None), n_answered, "{config:?}");
        assert_eq!(counted(&outcomes, Some(FaultCode::Overloaded)), 20 - n_answered);
        assert_eq!(most.load(Ordering::SeqCst), 5.min(n_answered));
        let faults = outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Failed(fault) => Some((fault.reached, fault.next, fault.retry_after)),
            _ => None,
        });
        let later = (Reached::No, Next::TryLater, Some(second()));
        assert!(faults.into_iter().all(|fault| fault == later), "{outcomes:?}");
    };
    let usual = LimitsConfig::default;
    let toolsets = |name: &str| BTreeMap::from([(name.to_owned(), concurrency(5))]);
    row(LimitsConfig { in_flight: 5, ..usual() }, 5).await;
    row(LimitsConfig { principal: concurrency(5), ..usual() }, 5).await;
    row(LimitsConfig { toolsets: toolsets("pets"), ..usual() }, 5).await;
    // Calls that wait longer than a call takes get a permit; no more calls wait than the queue allows.
    row(LimitsConfig { in_flight: 5, queue_wait: second() * 3, ..usual() }, 10).await;
    row(LimitsConfig { in_flight: 5, queue_wait: second() * 3, queue: 3, ..usual() }, 8).await;
}

#[tokio::test(start_paused = true)]
async fn each_toolset_and_each_principal_has_a_concurrency_limit_of_its_own() {
    let toolsets = BTreeMap::from([("pets".to_owned(), concurrency(1))]);
    let config = LimitsConfig { toolsets, principal: concurrency(2), ..LimitsConfig::default() };
    let (executor, _) = executor(&config);
    let asked = [
        ("pets-get", "kim"),
        ("pets-get", "lee"),
        ("shop-get", "kim"),
        ("shop-get", "kim"),
        ("shop-get", "lee"),
    ];
    let outcomes = join_all(asked.map(|(tool, principal)| call(&executor, tool, principal))).await;
    let answered: Vec<_> = outcomes.iter().map(|outcome| !outcome.is_failed()).collect();
    assert_eq!(answered, [true, false, true, false, true]);
}

#[tokio::test(start_paused = true)]
async fn the_waiting_time_covers_all_limits_together() {
    let toolsets = BTreeMap::from([("pets".to_owned(), concurrency(1))]);
    let config = LimitsConfig { in_flight: 1, toolsets, ..LimitsConfig::default() };
    let (executor, _) = executor(&config);
    let started = Instant::now();
    let (_, waited) = tokio::join!(call(&executor, "pets-get", "kim"), async {
        let outcome = call(&executor, "pets-get", "kim").await;
        (outcome, started.elapsed())
    });
    assert!(waited.0.is_failed());
    assert_eq!(waited.1, second());
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_admits_its_burst_and_says_when_to_retry() {
    let toolsets = BTreeMap::from([("pets".to_owned(), rate(2, 3))]);
    let (executor, _) = executor(&LimitsConfig { toolsets, ..LimitsConfig::default() });
    let outcomes = join_all((0..5).map(|_| call(&executor, "pets-get", "kim"))).await;
    assert_eq!(counted(&outcomes, None), 3);
    assert_eq!(counted(&outcomes, Some(FaultCode::RateLimited)), 2);
    // The calls took two seconds: all three are available again.
    let outcomes = join_all((0..4).map(|_| call(&executor, "pets-get", "lee"))).await;
    assert_eq!(counted(&outcomes, None), 3);
}

#[tokio::test(start_paused = true)]
async fn the_rate_limit_of_a_principal_does_not_limit_another() {
    let config = LimitsConfig { principal: rate(1, 1), ..LimitsConfig::default() };
    let (executor, _) = executor(&config);
    let asked = ["kim", "kim", "lee", "lee"];
    let outcomes = join_all(asked.map(|principal| call(&executor, "pets-get", principal))).await;
    let limited: Vec<_> = outcomes.iter().map(Outcome::is_failed).collect();
    assert_eq!(limited, [false, true, false, true]);
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_free_again_when_the_caller_leaves() {
    let (executor, _) = executor(&LimitsConfig { in_flight: 1, ..LimitsConfig::default() });
    for left_after in [1, 2_500] {
        let mut running = Box::pin(call(&executor, "pets-get", "kim"));
        assert!(futures_util::future::poll_immediate(&mut running).await.is_none());
        // One call that leaves the queue, then one that leaves while it runs.
        let waiting = call(&executor, "pets-get", "kim");
        let left = tokio::time::timeout(Duration::from_millis(left_after.min(500)), waiting).await;
        assert!(left.is_err());
        drop(running);
        assert!(!call(&executor, "pets-get", "kim").await.is_failed());
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_unknown_tools_give_their_permits_back() {
    let (executor, _) = executor(&LimitsConfig { in_flight: 1, ..LimitsConfig::default() });
    for _ in 0..3 {
        let Outcome::Failed(fault) = call(&executor, "nope", "kim").await else {
            panic!("no such tool")
        };
        assert_eq!(fault.code, FaultCode::UnknownTool);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reload_keeps_the_counts_of_limits_that_are_unchanged() {
    let toolsets = || BTreeMap::from([("pets".to_owned(), rate(1, 1))]);
    let config =
        LimitsConfig { toolsets: toolsets(), principal: rate(1, 1), ..LimitsConfig::default() };
    let first = Limits::new(&config);
    let take = |limits: &Limits| {
        let principal =
            limits.principals.as_ref().unwrap().limit_unless_too_many_principals(None).unwrap();
        let buckets = [principal.bucket.clone(), limits.toolsets["pets"].bucket.clone()];
        buckets.map(|bucket| bucket.unwrap().take_call().is_ok())
    };
    assert_eq!(take(&first), [true, true]);
    let more = LimitsConfig { in_flight: 7, ..config.clone() };
    let next = Limits::following(&more, Some(&first));
    assert_eq!(take(&next), [false, false]);
    assert!(!Arc::ptr_eq(&next.in_flight, &first.in_flight));
    let other = LimitsConfig { principal: rate(2, 1), ..config.clone() };
    assert_eq!(take(&Limits::following(&other, Some(&first))), [true, false]);
    assert_eq!(take(&Limits::new(&config)), [true, true]);
}

#[tokio::test(start_paused = true)]
async fn principals_with_a_full_bucket_make_room_for_others() {
    let limits = Limits::new(&LimitsConfig { principal: rate(1, 1), ..LimitsConfig::default() });
    let principals = limits.principals.unwrap();
    let find =
        |name: &str| principals.limit_unless_too_many_principals(Some(&Principal::new(name)));
    let mut n_known = 0;
    while find(&n_known.to_string())
        .is_some_and(|bounded| bounded.bucket.as_ref().unwrap().take_call().is_ok())
    {
        n_known += 1;
    }
    assert_eq!(n_known, 10_000);
    assert!(find("0").is_some(), "who is known is found");
    tokio::time::advance(second()).await;
    assert!(find("new").is_some());
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_caller_that_wait_do_not_stand_before_those_of_another() {
    let toolsets = [("pets".to_owned(), concurrency(1))].into_iter().collect();
    let (queue, queue_wait) = (4, second() * 5);
    let config = LimitsConfig { queue, queue_wait, toolsets, ..LimitsConfig::default() };
    let (executor, most) = executor(&config);
    let greedy = join_all((0..20).map(|_| call(&executor, "pets-get", "kim")));
    let modest = call(&executor, "pets-get", "lee");
    let (greedy, modest) = tokio::join!(greedy, modest);
    assert!(!matches!(modest, Outcome::Failed(_)), "{modest:?}");
    assert_eq!(counted(&greedy, Some(FaultCode::Overloaded)), 18, "two of them end in time");
    assert_eq!(most.load(Ordering::SeqCst), 1);
}
