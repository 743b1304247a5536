//! Rates that the processes of one store count together, in the store, and what happens to calls while it is away.

use std::{sync::Arc, time::Duration};

use callgate_call::wording::around as wording;
use callgate_session::{Key, Owner, Space, Store};
use callgate_tool::{Fault, Principal, Session};
use tokio::time::Instant;

use crate::rate::{Bucket, Rate};

/// The fate of calls whose rate cannot be counted, because the store that counts for several processes is away.
///
/// ```
/// use callgate_policy::RateOutage;
///
/// // More calls for a while are better than none.
/// assert_eq!(RateOutage::default(), RateOutage::Local);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum RateOutage {
    /// This process counts by itself: N processes allow N times as much.
    #[default]
    Local,
    /// They are refused before they are sent.
    Refuse,
}

#[derive(Clone, Debug)]
pub(super) struct SharedRates {
    pub(super) store: Arc<dyn Store>,
    pub(super) on_outage: RateOutage,
}

#[derive(Clone, Copy)]
pub(super) enum Counted<'a> {
    Principal(Option<&'a Principal>),
    Toolset(&'a str),
}

impl SharedRates {
    /// Takes a call of a rate. The bucket of this process counts it too, so that it does not begin with a whole burst when the
    /// store goes away.
    pub(super) async fn take_call(
        &self,
        counted: Counted<'_>,
        bucket: &Bucket,
    ) -> Result<(), Box<Fault>> {
        let key = counted.rate_key(bucket.rate);
        let taken = self
            .store
            .take_paced_request(&key, bucket.rate.pace(), Instant::now().into_std())
            .await;
        match (taken, self.on_outage) {
            (Ok(None), _) => {
                let _: Result<(), Duration> = bucket.take_call();
                Ok(())
            }
            (Ok(Some(wait)), _) => Err(wording::rate_limited(wait)),
            (Err(_), RateOutage::Local) => bucket.take_call().map_err(wording::rate_limited),
            (Err(error), RateOutage::Refuse) => {
                Err(wording::rates_unavailable(error.retry_after().unwrap_or(PAUSE)))
            }
        }
    }
}

impl Counted<'_> {
    /// The name of a rate. Another rate begins anew, as it does in one process.
    fn rate_key(self, Rate { calls, per, burst }: Rate) -> Key {
        let (nobody, rate) = (Session::default(), format!("{calls}/{}/{burst}", per.as_nanos()));
        match self {
            Self::Principal(principal) => {
                Key::new(Space::Rate, Owner::new(principal, &nobody), &format!("principal:{rate}"))
            }
            Self::Toolset(name) => {
                let name = format!("toolset:{name}:{rate}");
                Key::new(Space::Rate, Owner::new(None, &nobody), &name)
            }
        }
    }
}

/// The time until the next try where the store does not say one.
const PAUSE: Duration = Duration::from_secs(1);
