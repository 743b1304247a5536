//! Tests of rates that two processes count in one store, and of both ways when it is away.

use std::sync::atomic::AtomicBool;

use callgate_session::{Bounds, Error, ErrorKind};

use super::*;
use crate::tests::store::{Hook, Request, TestStore};

/// Memory that can be taken away.
#[derive(Debug, Default)]
struct Away(AtomicBool);

impl Away {
    fn store() -> Arc<TestStore<Self>> {
        TestStore::new(Bounds { records: 100, bytes: 1 << 20 }, Self::default())
    }

    fn set(&self, is_away: bool) {
        self.0.store(is_away, Ordering::SeqCst);
    }
}

#[async_trait]
impl Hook for Away {
    async fn before(&self, request: Request<'_>) -> Result<(), Error> {
        let is_served = match request {
            Request::Get | Request::Put(..) => true,
            Request::List | Request::Remove => false,
            Request::Take => !self.0.load(Ordering::SeqCst),
        };
        if is_served {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Unavailable, "it is away");
        Err(error.with_retry_after(Duration::from_secs(7)))
    }
}

/// Two processes over one store.
fn processes(
    config: &LimitsConfig,
    store: &Arc<TestStore<Away>>,
    on_outage: RateOutage,
) -> [(Executor, Arc<AtomicUsize>); 2] {
    [(); 2].map(|()| of_limits(Limits::new(config).with_shared_rates(store.clone(), on_outage)))
}

async fn at_once(executor: &Executor, n_calls: usize, principal: &str) -> Vec<Outcome> {
    join_all((0..n_calls).map(|_| call(executor, "pets-get", principal))).await
}

#[tokio::test(start_paused = true)]
async fn processes_of_one_store_share_the_rates_of_toolsets_and_of_principals() {
    let of_toolset = LimitsConfig {
        toolsets: BTreeMap::from([("pets".to_owned(), rate(10, 10))]),
        ..LimitsConfig::default()
    };
    let of_principal = LimitsConfig { principal: rate(10, 10), ..LimitsConfig::default() };
    // Each of two principals makes 25 calls in each process.
    for (config, n_answered) in [(of_toolset, 10), (of_principal, 20)] {
        let store = Away::store();
        let [(one, _), (other, _)] = &processes(&config, &store, RateOutage::Refuse);
        let outcomes = join_all(
            [(one, "kim"), (one, "lee"), (other, "kim"), (other, "lee")]
                .map(|(process, principal)| at_once(process, 25, principal)),
        );
        let outcomes = outcomes.await.concat();
        let n_limited = counted(&outcomes, Some(FaultCode::RateLimited));
        assert_eq!((counted(&outcomes, None), n_limited), (n_answered, 100 - n_answered));
    }
}

#[tokio::test(start_paused = true)]
async fn while_the_store_is_away_each_process_counts_by_itself_or_refuses() {
    let toolsets = BTreeMap::from([("pets".to_owned(), rate(1, 5))]);
    let config = LimitsConfig { toolsets, ..LimitsConfig::default() };
    let store = Away::store();
    let [(one, _), (other, _)] = &processes(&config, &store, RateOutage::Local);
    // The first process has made three calls; each of them took as much as it counts locally.
    assert_eq!(counted(&at_once(one, 3, "kim").await, None), 3);
    store.set(true);
    // Two seconds gave two calls back.
    assert_eq!(counted(&at_once(one, 20, "kim").await, None), 4);
    assert_eq!(counted(&at_once(other, 20, "kim").await, None), 5);
    store.set(false);
    assert_eq!(counted(&at_once(other, 20, "kim").await, None), 5);

    let store = Away::store();
    let [(one, _), _] = &processes(&config, &store, RateOutage::Refuse);
    store.set(true);
    let outcome = call(one, "pets-get", "kim").await;
    let Outcome::Failed(fault) = outcome else { panic!("it was made: {outcome:?}") };
    let expected = (FaultCode::Overloaded, Reached::No, Next::TryLater);
    assert_eq!((fault.code, fault.reached, fault.next), expected);
    assert_eq!(fault.retry_after, Some(Duration::from_secs(7)));
    // What has no rate goes on.
    assert!(!call(one, "shop-get", "kim").await.is_failed());
    store.set(false);
    assert!(!call(one, "pets-get", "kim").await.is_failed());
}

#[tokio::test(start_paused = true)]
async fn a_changed_rate_begins_anew_for_all_processes() {
    let config = |calls| LimitsConfig { principal: rate(calls, 1), ..LimitsConfig::default() };
    let store = Away::store();
    let [(one, _), _] = &processes(&config(1), &store, RateOutage::Refuse);
    assert_eq!(counted(&at_once(one, 2, "kim").await, None), 1);
    let [(one, _), (other, _)] = &processes(&config(2), &store, RateOutage::Refuse);
    let (first, second) = tokio::join!(at_once(one, 2, "kim"), at_once(other, 2, "kim"));
    assert_eq!(counted(&[first, second].concat(), None), 1);
}
