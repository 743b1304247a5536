//! The number of fetches, and the results of callers meanwhile. Time is tokio's and stands still unless a test advances it.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::time::{advance, sleep, timeout};

use super::*;

#[derive(Clone, Debug, Eq, PartialEq)]
enum Told {
    Away,
    Gone,
}

impl FetchFailure for Told {
    fn is_transient(&self) -> bool {
        *self == Self::Away
    }
}

type Flight = SingleFlight<usize, Told, &'static str>;

#[derive(Default)]
struct Source(AtomicUsize);

impl Source {
    /// Returns the number of the fetch after a second; the value is good for a minute and due for renewal after 45 seconds.
    async fn answer(&self) -> Result<(usize, Life), Told> {
        let number = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        sleep(SECOND).await;
        let now = Instant::now();
        Ok((number, Life { renew_at: now + SECOND * 45, end: now + SECOND * 60 }))
    }

    async fn fail(&self, told: Told) -> Result<(usize, Life), Told> {
        self.0.fetch_add(1, Ordering::SeqCst);
        sleep(SECOND).await;
        Err(told)
    }

    async fn hang(&self) -> Result<(usize, Life), Told> {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }

    fn n_asked(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn flight(lasting: Lasting) -> (Flight, Arc<Source>) {
    let pace = Pace { pause: SECOND * 10, stale: SECOND * 30, lasting };
    (Flight::new(pace), Arc::default())
}

async fn get(flight: &Flight, source: &Source) -> Result<usize, Told> {
    flight.get(&"a", |_| source.answer()).await
}

#[tokio::test(start_paused = true)]
async fn a_thousand_concurrent_callers_cause_one_fetch() {
    let (flight, source) = flight(Lasting::Keeps);
    let all = join_all((0..1000).map(|_| get(&flight, &source))).await;
    assert!(all.iter().all(|value| *value == Ok(1)));
    let all = join_all((0..1000).map(|_| flight.get(&"b", |_| source.fail(Told::Gone)))).await;
    // With other inputs the current value is good to its end; one caller fetched.
    assert!(all.iter().all(|value| *value == Ok(1)));
    assert_eq!(source.n_asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_caller_takes_over_a_flight_whose_caller_leaves() {
    let (flight, source) = flight(Lasting::Keeps);
    let leaving = timeout(SECOND / 2, flight.get(&"a", |_| source.hang()));
    let (left, all) = tokio::join!(leaving, async {
        sleep(SECOND / 4).await;
        join_all((0..1000).map(|_| get(&flight, &source))).await
    });
    assert!(left.is_err());
    assert!(all.iter().all(|value| *value == Ok(2)));
    assert_eq!((source.n_asked(), flight.is_fetch_running()), (2, false));
}

#[tokio::test(start_paused = true)]
async fn all_waiting_callers_get_a_failure_and_no_fetch_follows_for_a_while() {
    let (flight, source) = flight(Lasting::Keeps);
    for told in [Told::Away, Told::Gone] {
        let asked = source.n_asked();
        let all =
            join_all((0..1000).map(|_| flight.get(&"a", |_| source.fail(told.clone())))).await;
        assert!(all.iter().all(|value| *value == Err(told.clone())));
        assert_eq!(get(&flight, &source).await, Err(told.clone()));
        assert_eq!(source.n_asked(), asked + 1);
        // Other inputs may succeed.
        assert!(flight.get(&"b", |_| source.fail(told.clone())).await.is_err());
        assert_eq!(source.n_asked(), asked + 2);
        advance(SECOND * 10).await;
    }
    assert_eq!(get(&flight, &source).await, Ok(5));
}

#[tokio::test(start_paused = true)]
async fn one_caller_renews_early_while_the_others_use_the_old_value() {
    let (flight, source) = flight(Lasting::Keeps);
    get(&flight, &source).await.unwrap();
    advance(SECOND * 46).await;
    let all = join_all((0..1000).map(|_| get(&flight, &source))).await;
    assert_eq!(all.iter().filter(|value| **value == Ok(2)).count(), 1);
    assert_eq!(get(&flight, &source).await, Ok(2));
    assert_eq!(source.n_asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_task_renews_a_value_early_and_no_caller_waits() {
    let (flight, source) = flight(Lasting::Keeps);
    let tasks = Mutex::default();
    let at_once = || {
        let source = Arc::clone(&source);
        flight.get_renewing_in_task(&"a", &tasks, |_| async move { source.answer().await })
    };
    at_once().await.unwrap();
    advance(SECOND * 46).await;
    let asked = Instant::now();
    for _ in 0..1000 {
        assert_eq!(at_once().await, Ok(1));
    }
    assert_eq!(asked.elapsed(), Duration::ZERO);
    flight.wait_until_idle().await;
    assert_eq!((at_once().await, source.n_asked()), (Ok(2), 2));
    // The work of a task ends with the tasks, and the next caller fetches anew.
    advance(SECOND * 46).await;
    at_once().await.unwrap();
    sleep(SECOND / 2).await;
    drop(tasks);
    sleep(SECOND / 2).await;
    assert_eq!(get(&flight, &source).await, Ok(4));
}

#[tokio::test(start_paused = true)]
async fn a_value_is_used_past_its_expiry_while_its_source_is_unreachable() {
    let (flight, source) = flight(Lasting::Keeps);
    get(&flight, &source).await.unwrap();
    advance(SECOND * 61).await;
    assert_eq!(flight.get(&"a", |_| source.fail(Told::Away)).await, Ok(1));
    assert_eq!(get(&flight, &source).await, Ok(1), "it rests");
    advance(SECOND * 27).await;
    assert_eq!(flight.get(&"a", |_| source.fail(Told::Away)).await, Ok(1));
    advance(SECOND).await;
    assert_eq!(flight.get(&"a", |_| source.fail(Told::Away)).await, Err(Told::Away));
}

#[tokio::test(start_paused = true)]
async fn a_permanent_failure_may_withdraw_the_value() {
    for (lasting, expected) in [(Lasting::Keeps, Ok(1)), (Lasting::Withdraws, Err(Told::Gone))] {
        let (flight, source) = flight(lasting);
        get(&flight, &source).await.unwrap();
        advance(SECOND * 46).await;
        flight.get(&"a", |_| source.fail(Told::Gone)).await.ok();
        assert_eq!(get(&flight, &source).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_of_an_early_renewal_does_not_fail_later_callers() {
    let pace = Pace { pause: SECOND * 30, stale: Duration::ZERO, lasting: Lasting::Keeps };
    let (flight, source) = (Flight::new(pace), Source::default());
    get(&flight, &source).await.unwrap();
    advance(SECOND * 50).await;
    assert_eq!(flight.get(&"a", |_| source.fail(Told::Away)).await, Ok(1));
    advance(SECOND * 10).await;
    assert_eq!(get(&flight, &source).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_late_refusal_of_an_old_value_keeps_the_newer_one() {
    let (flight, source) = flight(Lasting::Keeps);
    get(&flight, &source).await.unwrap();
    flight.forget_if(|held| held.value == 1);
    assert_eq!(get(&flight, &source).await, Ok(2));
    assert_eq!(flight.inspect_value(|held| held.is_replacement), Some(true));
    flight.forget_if(|held| held.value == 1);
    flight.distrust_if(|held| held.value == 1);
    assert_eq!((get(&flight, &source).await, source.n_asked()), (Ok(2), 2));
    // A refused value is returned if there is no other.
    flight.distrust_if(|held| held.value == 2);
    assert_eq!(flight.get(&"a", |_| source.fail(Told::Away)).await, Ok(2));
    advance(SECOND * 11).await;
    assert_eq!(get(&flight, &source).await, Ok(4));
    assert!(!flight.replace_by_failure_if(Told::Away, |held| held.value == 2));
    assert!(flight.replace_by_failure_if(Told::Gone, |held| held.value == 4));
    assert_eq!(get(&flight, &source).await, Err(Told::Gone));
}

#[tokio::test(start_paused = true)]
async fn the_number_of_flights_is_bounded_and_running_ones_stay() {
    let pace = Pace { pause: SECOND, stale: Duration::ZERO, lasting: Lasting::Keeps };
    let flights = SingleFlights::<usize, usize, Told, &'static str>::new(pace, 64);
    let source = Source::default();
    let first = flights.slot_or_new(&0);
    let waiting = get(&first, &source);
    let (value, ()) = tokio::join!(waiting, async {
        for key in 1..1000 {
            assert!(flights.len() <= 64);
            get(&flights.slot_or_new(&key), &source).await.unwrap();
        }
    });
    assert_eq!(value, Ok(1));
    assert!(flights.existing_slot(&0).is_some() && flights.existing_slot(&999).is_some());
    assert!(flights.existing_slot(&1).is_none());
    assert!(flights.find(|flight| flight.inspect_value(|held| held.value) == Some(1)).is_some());
}

#[test]
fn without_a_runtime_nothing_is_fetched_and_debug_shows_no_value() {
    let (flight, _) = flight(Lasting::Keeps);
    flight.fetch_in_task(&"canary", &Mutex::default(), FetchReason::Needed, |_| async {
        Err(Told::Away)
    });
    assert!(
        !flight.is_fetch_running()
            && flight.n_fetches_begun() == 0
            && flight.last_fetch_end().is_none()
    );
    assert!(!format!("{flight:?}").contains("canary"));
}

const SECOND: Duration = Duration::from_secs(1);
