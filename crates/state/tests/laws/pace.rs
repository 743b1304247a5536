//! The law of a pace, for every implementation: generated takes and waits against the limiter that one process has.

use std::num::NonZeroU32;

use callgate_session::Pace;
use governor::{Quota, RateLimiter, clock::FakeRelativeClock};

use super::*;

#[derive(Clone, Copy, Debug)]
pub(super) enum PaceStep {
    Take,
    /// A number of halves of the time between two requests.
    Wait(u32),
}

pub(super) fn pace_steps() -> impl Strategy<Value = (u32, Vec<PaceStep>)> {
    let step = prop_oneof![3 => Just(PaceStep::Take), 1 => (1_u32..9).prop_map(PaceStep::Wait)];
    (1_u32..6, prop::collection::vec(step, 1..40))
}

/// A whole burst is taken at once, and each request after it when its time has come. Requests are an hour apart, in which no time
/// matters that the test itself takes.
pub(super) async fn keeps_pace(
    store: &dyn Store,
    wait: &dyn Fn(u64),
    (burst, steps): (u32, Vec<PaceStep>),
) {
    let burst = NonZeroU32::new(burst).unwrap();
    let pace = Pace { each: EACH, burst };
    let clock = FakeRelativeClock::default();
    let quota = Quota::with_period(EACH).unwrap().allow_burst(burst);
    let limiter = RateLimiter::direct_with_clock(quota, clock.clone());
    let mut now = tokio::time::Instant::now().into_std();
    let key = Key::new(Space::Rate, Owner::new(None, &Session::default()), "toolset:pets");
    for step in steps {
        match step {
            PaceStep::Take => {
                let expected = limiter.check().err();
                let expected = expected
                    .map(|not_until| not_until.wait_time_from(governor::clock::Clock::now(&clock)));
                match (store.take_paced_request(&key, pace, now).await.unwrap(), expected) {
                    (Some(wait), Some(expected)) => {
                        let early = expected.saturating_sub(wait);
                        assert!(wait <= expected && early < TAKEN, "{wait:?} {expected:?}");
                    }
                    (taken, expected) => assert_eq!(taken, expected),
                }
            }
            PaceStep::Wait(halves) => {
                let passes = EACH / 2 * halves;
                clock.advance(passes);
                now += passes;
                wait(passes.as_secs());
            }
        }
    }
}

const EACH: Duration = Duration::from_hours(1);
/// More than a test takes.
const TAKEN: Duration = Duration::from_mins(10);

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_memory_keeps_the_pace_of_a_limiter(steps in pace_steps()) {
        let memory = Memory::new(Bounds { records: 100, bytes: 1 << 20 });
        run(keeps_pace(&memory, &|_| {}, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_a_file_keeps_the_pace_of_a_limiter(steps in pace_steps()) {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::open(&FileSettings::new(folder.path().join("state.db"))).unwrap();
        run(keeps_pace(&store, &|_| {}, steps));
    }
}
