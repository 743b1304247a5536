//! Tests each rule of keys, and that no request is ever begun twice while its key is kept.

use proptest::prelude::*;

use super::*;

fn bounds(most: usize, bytes: usize) -> RecordBounds {
    RecordBounds { ttl: Duration::from_secs(10), most, bytes }
}

fn begin(records: &Arc<Records<u32>>, key: &str, digest: u8) -> Begun<u32> {
    records.begin(None, &IdempotencyKey(key.to_owned()), [digest; 32])
}

#[track_caller]
fn fresh(begun: Begun<u32>) -> Guard<u32> {
    match begun {
        Begun::Fresh(guard) => guard,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_is_begun_once_and_its_result_is_kept_for_its_time() {
    let records = Records::new(bounds(9, 99));
    let guard = fresh(begin(&records, "k", 1));
    assert!(matches!(begin(&records, "k", 1), Begun::Running));
    assert!(matches!(begin(&records, "k", 2), Begun::Different));
    tokio::time::advance(Duration::from_mins(1)).await;
    assert!(matches!(begin(&records, "k", 1), Begun::Running), "it is never forgotten");
    guard.finish(7, 1);
    tokio::time::advance(Duration::from_secs(9)).await;
    assert!(matches!(begin(&records, "k", 1), Begun::Replay(first) if *first == 7));
    assert!(matches!(begin(&records, "k", 2), Begun::Different));
    tokio::time::advance(Duration::from_secs(1)).await;
    fresh(begin(&records, "k", 2)).free();
}

#[tokio::test(start_paused = true)]
async fn what_was_not_executed_is_begun_again_and_what_was_given_up_is_not() {
    let records = Records::new(bounds(9, 99));
    fresh(begin(&records, "k", 1)).free();
    drop(fresh(begin(&records, "k", 1)));
    assert!(matches!(begin(&records, "k", 1), Begun::Unknown));
    tokio::time::advance(Duration::from_secs(10)).await;
    fresh(begin(&records, "k", 1)).free();
}

#[tokio::test]
async fn a_key_is_its_principals() {
    let (records, key) = (Records::new(bounds(9, 99)), IdempotencyKey("k".to_owned()));
    let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    let held: Vec<_> = [Some(&kim), Some(&lee), None]
        .map(|principal| fresh(records.begin(principal, &key, [1; 32])))
        .into_iter()
        .collect();
    assert_eq!(held.len(), 3);
    assert!(matches!(records.begin(Some(&kim), &key, [1; 32]), Begun::Running));
}

#[tokio::test(start_paused = true)]
async fn a_full_store_refuses_until_a_keys_time_is_up() {
    let records = Records::new(bounds(2, 99));
    let (first, _second) = (fresh(begin(&records, "a", 1)), fresh(begin(&records, "b", 1)));
    assert!(matches!(begin(&records, "c", 1), Begun::Full));
    assert!(matches!(begin(&records, "a", 1), Begun::Running), "what is known is answered");
    assert_eq!(records.wait(), Duration::from_secs(1));
    first.finish(1, 1);
    tokio::time::advance(Duration::from_secs(4)).await;
    assert_eq!(records.wait(), Duration::from_secs(6));
    assert!(matches!(begin(&records, "c", 1), Begun::Full));
    tokio::time::advance(Duration::from_secs(6)).await;
    fresh(begin(&records, "c", 1)).free();

    let records = Records::new(bounds(9, 10));
    fresh(begin(&records, "a", 1)).finish(1, 10);
    assert!(matches!(begin(&records, "b", 1), Begun::Full));
    tokio::time::advance(Duration::from_secs(10)).await;
    fresh(begin(&records, "b", 1)).free();
}

#[tokio::test(start_paused = true)]
async fn what_an_earlier_process_knew_is_kept_for_the_rest_of_its_time() {
    let records = Records::new(bounds(3, 99));
    let key = |name: &str| digest::of_key(None, name);
    for (name, result, age) in [("a", Some((1, 1)), 9), ("b", None, 2), ("old", None, 11)] {
        records.recall(key(name), [1; 32], result, Duration::from_secs(age));
    }
    records.recall(key("a"), [2; 32], None, Duration::ZERO);
    assert!(matches!(begin(&records, "a", 1), Begun::Replay(first) if *first == 1));
    assert!(matches!(begin(&records, "b", 1), Begun::Unknown));
    fresh(begin(&records, "old", 1)).free();
    tokio::time::advance(Duration::from_secs(1)).await;
    fresh(begin(&records, "a", 1)).free();
    tokio::time::advance(Duration::from_secs(7)).await;
    fresh(begin(&records, "b", 1)).free();
}

/// The number of keys that a principal can begin, and finish with a result of so many bytes.
fn filled(records: &Arc<Records<u32>>, principal: Option<&Principal>, bytes: usize) -> usize {
    (0..1_000)
        .take_while(|number| {
            let key = IdempotencyKey(number.to_string());
            let Begun::Fresh(guard) = records.begin(principal, &key, [1; 32]) else { return false };
            guard.finish(1, bytes);
            true
        })
        .count()
}

#[tokio::test]
async fn a_principal_that_fills_its_share_of_keys_leaves_room_for_others() {
    let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    for (bounds, bytes) in [(bounds(64, 9_999), 1), (bounds(999, 64), 1)] {
        let records = Records::new(bounds);
        let shares = [Some(&kim), None, Some(&lee)].map(|one| filled(&records, one, bytes));
        assert_eq!(shares, [64, 32, 16], "a lone principal has the bounds");
        let key = IdempotencyKey("0".to_owned());
        for principal in [Some(&kim), None, Some(&lee)] {
            assert!(matches!(records.begin(principal, &key, [1; 32]), Begun::Replay(_)));
        }
    }
}

#[tokio::test]
async fn results_of_many_requests_at_once_take_no_share_of_another() {
    let (kim, records) = (Principal::new("kim"), Records::new(bounds(64, 64)));
    let key = |at: usize| IdempotencyKey(at.to_string());
    let guards: Vec<_> = (0..60).map(|at| fresh(records.begin(None, &key(at), [1; 32]))).collect();
    for guard in guards {
        guard.finish(1, 10);
    }
    assert!(matches!(records.begin(None, &key(0), [1; 32]), Begun::Replay(_)));
    assert!(matches!(records.begin(None, &key(59), [1; 32]), Begun::Unknown), "not made again");
    assert_eq!(filled(&records, Some(&kim), 10), 3);
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
    fn no_key_is_begun_twice_while_it_is_kept(steps in prop::collection::vec(step(), 1..60)) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let records = Records::new(bounds(3, 99));
            let mut models = [Model::Free; 3];
            let mut guards = [None, None, None];
            for step in steps {
                let now = Instant::now();
                match step {
                    Step::Wait(seconds) => tokio::time::advance(Duration::from_secs(seconds)).await,
                    Step::Begin(at) => {
                        let got = match begin(&records, &at.to_string(), 1) {
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
                            Step::Finish(_) => drop(guard.finish(1, 1)),
                            _ => guard.free(),
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
