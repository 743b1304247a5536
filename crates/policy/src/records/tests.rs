//! Tests each rule of keys, and that no request is ever begun twice while its key is kept.

mod processes;
mod slow;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use slow::Slow;

const TIME: Duration = Duration::from_secs(10);
/// About the bytes of a key without a result, of a principal with a short name.
const KEY: usize = 300;

fn bounds(most: usize, bytes: usize) -> RecordBounds {
    RecordBounds { ttl: TIME, most, bytes }
}

async fn begin(records: &Arc<Records>, key: &str, digest: u8) -> Begun {
    begin_as(records, None, key, digest).await
}

async fn begin_as(
    records: &Arc<Records>,
    principal: Option<&Principal>,
    key: &str,
    digest: u8,
) -> Begun {
    let key = IdempotencyKey(key.to_owned());
    records.begin(principal, &key, [digest; 32], |_| false).await
}

#[track_caller]
fn fresh(begun: Begun) -> Guard {
    match begun {
        Begun::Fresh(guard) => guard,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_under_a_key_begins_once_and_its_result_expires() {
    let records = Records::new(bounds(9, 99_999));
    let guard = fresh(begin(&records, "k", 1).await);
    assert!(matches!(begin(&records, "k", 1).await, Begun::Running));
    assert!(matches!(begin(&records, "k", 2).await, Begun::Different));
    tokio::time::advance(Duration::from_mins(1)).await;
    assert!(matches!(begin(&records, "k", 1).await, Begun::Running), "it is never forgotten");
    guard.finish(b"seven").await;
    tokio::time::advance(Duration::from_secs(9)).await;
    assert!(matches!(begin(&records, "k", 1).await, Begun::Replay(first) if first == b"seven"));
    assert!(matches!(begin(&records, "k", 2).await, Begun::Different));
    tokio::time::advance(Duration::from_secs(1)).await;
    fresh(begin(&records, "k", 2).await).free_key().await;
}

#[tokio::test(start_paused = true)]
async fn a_key_without_execution_begins_again_and_an_abandoned_one_does_not() {
    let records = Records::new(bounds(9, 99_999));
    fresh(begin(&records, "k", 1).await).free_key().await;
    drop(fresh(begin(&records, "k", 1).await));
    assert!(matches!(begin(&records, "k", 1).await, Begun::Unknown));
    tokio::time::advance(Duration::from_secs(10)).await;
    fresh(begin(&records, "k", 1).await).free_key().await;
}

#[tokio::test]
async fn a_key_belongs_to_its_principal() {
    let records = Records::new(bounds(9, 99_999));
    let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    let mut held = Vec::new();
    for principal in [Some(&kim), Some(&lee), None] {
        held.push(fresh(begin_as(&records, principal, "k", 1).await));
    }
    assert_eq!(held.len(), 3);
    assert!(matches!(begin_as(&records, Some(&kim), "k", 1).await, Begun::Running));
}

#[track_caller]
fn wait(begun: Begun) -> u64 {
    match begun {
        Begun::Full(wait) => wait.as_secs(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_store_refuses_keys_until_one_expires() {
    let records = Records::new(bounds(2, 99_999));
    let first = fresh(begin(&records, "a", 1).await);
    let _second = fresh(begin(&records, "b", 1).await);
    assert_eq!(wait(begin(&records, "c", 1).await), 1, "a request may end soon");
    assert!(matches!(begin(&records, "a", 1).await, Begun::Running), "what is known is answered");
    first.finish(b"1").await;
    tokio::time::advance(Duration::from_secs(4)).await;
    assert_eq!(wait(begin(&records, "c", 1).await), 6);
    tokio::time::advance(Duration::from_secs(6)).await;
    fresh(begin(&records, "c", 1).await).free_key().await;

    let records = Records::new(bounds(9, 3 * KEY));
    fresh(begin(&records, "a", 1).await).finish(&[0; 2 * KEY]).await;
    assert_eq!(wait(begin(&records, "b", 1).await), 10);
    tokio::time::advance(TIME).await;
    fresh(begin(&records, "b", 1).await).free_key().await;
}

#[tokio::test(start_paused = true)]
async fn records_of_an_earlier_process_are_kept_for_the_rest_of_their_time() {
    let records = Records::new(bounds(3, 99_999));
    let earlier = |name: &str, result, age| Earlier {
        principal: None,
        key: digest::key_digest(None, name),
        digest: [1; 32],
        result,
        age: Duration::from_secs(age),
    };
    for (name, result, age) in [("a", Some(&b"1"[..]), 9), ("b", None, 2), ("old", None, 11)] {
        records.keep_earlier_result(earlier(name, result, age)).await;
    }
    records.keep_earlier_result(Earlier { digest: [2; 32], ..earlier("a", None, 0) }).await;
    assert!(matches!(begin(&records, "a", 1).await, Begun::Replay(first) if first == b"1"));
    assert!(matches!(begin(&records, "b", 1).await, Begun::Unknown));
    fresh(begin(&records, "old", 1).await).free_key().await;
    tokio::time::advance(Duration::from_secs(1)).await;
    fresh(begin(&records, "a", 1).await).free_key().await;
    tokio::time::advance(Duration::from_secs(7)).await;
    fresh(begin(&records, "b", 1).await).free_key().await;
}

/// The number of keys that a principal can begin, and finish with a result of so many bytes.
async fn filled(records: &Arc<Records>, principal: Option<&Principal>, bytes: usize) -> usize {
    for number in 0.. {
        match begin_as(records, principal, &number.to_string(), 1).await {
            Begun::Fresh(guard) => guard.finish(&vec![0; bytes]).await,
            Begun::Full(_) => return number,
            other => panic!("{other:?}"),
        }
    }
    0
}

#[tokio::test]
async fn a_principal_that_fills_its_share_of_keys_leaves_capacity_for_others() {
    let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    for bounds in [bounds(64, 9_999_999), bounds(9_999, 64 * (KEY + 1_000))] {
        let records = Records::new(bounds);
        let mut shares = Vec::new();
        for principal in [Some(&kim), None, Some(&lee)] {
            shares.push(filled(&records, principal, 1_000).await);
        }
        let [first, second, third] = shares[..] else { panic!("{shares:?}") };
        assert!((62..=66).contains(&first), "a lone principal has the bounds: {shares:?}");
        assert!((30..=34).contains(&second) && (14..=18).contains(&third), "{shares:?}");
        for principal in [Some(&kim), None, Some(&lee)] {
            assert!(matches!(begin_as(&records, principal, "0", 1).await, Begun::Replay(_)));
        }
    }
}

#[tokio::test]
async fn results_of_many_requests_at_once_use_no_share_of_another_principal() {
    let (kim, records) = (Principal::new("kim"), Records::new(bounds(64, 2 * 64 * KEY)));
    let mut guards = Vec::new();
    for at in 0..60 {
        guards.push(fresh(begin(&records, &at.to_string(), 1).await));
    }
    for guard in guards {
        guard.finish(&[0; 10 * KEY]).await;
    }
    assert!(matches!(begin(&records, "0", 1).await, Begun::Replay(_)));
    assert!(matches!(begin(&records, "59", 1).await, Begun::Unknown), "not made again");
    assert!(filled(&records, Some(&kim), KEY).await >= 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_costs_two_requests_to_the_store_of_a_program_and_a_repetition_two() {
    let store = Slow::store();
    let records = Records::over(store.clone(), TIME);
    fresh(begin(&records, "k", 1).await).finish(b"1").await;
    assert_eq!(store.n_requests(), 2);
    assert!(matches!(begin(&records, "k", 1).await, Begun::Replay(first) if first == b"1"));
    assert_eq!(store.n_requests(), 2);
    fresh(begin(&records, "free", 1).await).free_key().await;
    assert_eq!(store.n_requests(), 2);
    // Another process with the same store has the result, too.
    let other = Records::over(store.clone(), TIME);
    assert!(matches!(begin(&other, "k", 1).await, Begun::Replay(first) if first == b"1"));
    assert!(matches!(begin(&other, "k", 2).await, Begun::Different));
    tokio::time::advance(TIME).await;
    fresh(begin(&other, "k", 2).await).free_key().await;
}

#[tokio::test]
async fn an_abandoned_call_is_unknown_in_the_store_of_a_program_too() {
    let store = Slow::store();
    let records = Records::over(store.clone(), TIME);
    let guard = fresh(begin(&records, "k", 1).await);
    assert!(matches!(begin(&records, "k", 1).await, Begun::Running));
    // The store does not hear of it: nobody waits for it.
    drop(guard);
    for _ in 0..3 {
        assert!(matches!(begin(&records, "k", 1).await, Begun::Unknown));
        assert!(matches!(begin(&records, "k", 2).await, Begun::Different));
    }
    let _running = fresh(begin(&records, "other", 1).await);
    let other = Records::over(store.clone(), TIME);
    assert!(matches!(begin(&other, "other", 1).await, Begun::Running), "of another process");
}

#[tokio::test]
async fn an_unreachable_store_begins_no_call_and_leaves_a_finished_one_unknown() {
    let store = Slow::store();
    let records = Records::over(store.clone(), TIME);
    let guard = fresh(begin(&records, "k", 1).await);
    store.is_away.store(true, Ordering::Relaxed);
    assert!(matches!(begin(&records, "other", 1).await, Begun::Unavailable));
    guard.finish(b"1").await;
    store.is_away.store(false, Ordering::Relaxed);
    assert!(matches!(begin(&records, "k", 1).await, Begun::Unknown), "its result was not kept");
}

#[tokio::test]
async fn of_many_calls_that_replace_an_end_one_begins() {
    let records = Records::over(Slow::store(), TIME);
    let key = IdempotencyKey("k".to_owned());
    for end in [Some(&b"pending"[..]), None] {
        let begun = records.begin(None, &key, [1; 32], |kept| kept.is_none()).await;
        match end {
            Some(result) => fresh(begun).finish(result).await,
            None => drop(fresh(begun)),
        }
        let begun = (0..20).map(|_| records.begin(None, &key, [1; 32], |kept| kept == end));
        let begun = futures_util::future::join_all(begun).await;
        let (fresh, rest): (Vec<_>, Vec<_>) =
            begun.into_iter().partition(|begun| matches!(begun, Begun::Fresh(_)));
        assert_eq!(fresh.len(), 1);
        assert!(rest.iter().all(|begun| matches!(begun, Begun::Running)), "{rest:?}");
    }
}

#[tokio::test]
async fn a_malformed_record_counts_as_a_call_with_an_unknown_end() {
    let records = Records::over(Slow::store(), TIME);
    let name = record_key(None, &digest::key_digest(None, "k"));
    for bytes in [&b""[..], b"e", &[b'r'; 40], &[b'u'; 40], &[b'x'; 33]] {
        let record = Record::new("", bytes.to_vec().into()).with_time_to_live(TIME);
        records.store.put(&name, record, Expected::Any, now()).await.unwrap();
        assert!(matches!(begin(&records, "k", 1).await, Begun::Unknown));
    }
}

/// A step with one of three keys.
#[derive(Clone, Copy, Debug)]
enum Step {
    Begin(usize),
    Drop(usize),
    Finish(usize),
    Free(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize).prop_map(Step::Begin),
        1 => (0..3_usize).prop_map(Step::Drop),
        2 => (0..3_usize).prop_map(Step::Finish),
        1 => (0..3_usize).prop_map(Step::Free),
        1 => (1..8_u64).prop_map(Step::Wait),
    ]
}

/// The expected state of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Free,
    Running,
    Ended(Instant),
    Unknown(Instant),
}

fn expected(model: Model, now: Instant) -> &'static str {
    let lives = |since: Instant| now < since + Duration::from_secs(10);
    match model {
        Model::Running => "running",
        Model::Ended(since) if lives(since) => "replay",
        Model::Unknown(since) if lives(since) => "unknown",
        _ => "fresh",
    }
}

proptest! {
    #[test]
    fn no_key_begins_twice_while_its_record_exists(steps in prop::collection::vec(step(), 1..60)) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let records = Records::new(bounds(3, 99_999));
            let mut models = [Model::Free; 3];
            let mut guards = [None, None, None];
            for step in steps {
                let now = Instant::now();
                match step {
                    Step::Wait(seconds) => tokio::time::advance(Duration::from_secs(seconds)).await,
                    Step::Begin(at) => {
                        let got = match begin(&records, &at.to_string(), 1).await {
                            Begun::Fresh(guard) => {
                                guards[at] = Some(guard);
                                "fresh"
                            }
                            Begun::Replay(_) => "replay",
                            Begun::Running => "running",
                            Begun::Unknown => "unknown",
                            other => panic!("{other:?}"),
                        };
                        assert_eq!(got, expected(models[at], now));
                        if got == "fresh" {
                            models[at] = Model::Running;
                        }
                    }
                    Step::Drop(at) | Step::Finish(at) | Step::Free(at) => {
                        let Some(guard) = guards[at].take() else { continue };
                        match step {
                            Step::Drop(_) => drop(guard),
                            Step::Finish(_) => guard.finish(b"1").await,
                            _ => guard.free_key().await,
                        }
                        models[at] = match step {
                            Step::Drop(_) => Model::Unknown(now),
                            Step::Finish(_) => Model::Ended(now),
                            _ => Model::Free,
                        };
                    }
                }
            }
        });
    }
}
