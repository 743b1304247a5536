//! A number of calls in a period, with a burst: governor's algorithm with tokio's clock.

use std::{num::NonZeroU32, time::Duration};

use callgate_session::Pace;
use governor::{
    NotUntil, Quota, RateLimiter,
    clock::{Clock, Reference},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};
use tokio::time::Instant;

/// A number of calls in a period; after a rest, `burst` of them at once.
///
/// ```
/// use std::{num::NonZeroU32, time::Duration};
///
/// use callgate_policy::{Bound, Rate};
///
/// let calls = NonZeroU32::new(60).expect("more than none");
/// let burst = NonZeroU32::new(10).expect("more than none");
/// let rate = Rate { calls, per: Duration::from_secs(60), burst };
/// let bound = Bound { concurrency: Some(4), rate: Some(rate) };
/// # drop(bound);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rate {
    /// The number of calls.
    pub calls: NonZeroU32,
    /// The period.
    pub per: Duration,
    /// The most calls at once.
    pub burst: NonZeroU32,
}

impl Rate {
    pub(crate) fn pace(self) -> Pace {
        let each = (self.per / self.calls.get()).max(Duration::from_nanos(1));
        Pace { each, burst: self.burst }
    }
}

#[derive(Debug)]
pub(crate) struct Bucket {
    pub(crate) rate: Rate,
    limiter: RateLimiter<NotKeyed, InMemoryState, Ticking, NoOpMiddleware<Duration>>,
}

impl Bucket {
    pub(crate) fn new(rate: Rate) -> Self {
        let each = rate.pace().each;
        let quota = Quota::with_period(each).unwrap_or_else(|| Quota::per_second(rate.calls));
        let limiter = RateLimiter::direct_with_clock(quota.allow_burst(rate.burst), Ticking::new());
        Self { rate, limiter }
    }

    /// The longest time until the bucket is full.
    pub(crate) fn full_refill_time(&self) -> Duration {
        let whole = self.rate.per.saturating_mul(self.rate.burst.get());
        whole / self.rate.calls.get()
    }

    /// Takes one call, or returns how long to wait for the next.
    pub(crate) fn take_call(&self) -> Result<(), Duration> {
        let now = self.limiter.clock().now();
        self.limiter.check().map_err(|not_until: NotUntil<Duration>| not_until.wait_time_from(now))
    }
}

/// Tokio's clock, so that tests can pause it. Time counts from the making of the bucket.
#[derive(Clone, Debug)]
struct Ticking(Instant);

impl Ticking {
    fn new() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Ticking {
    type Instant = Duration;

    fn now(&self) -> Duration {
        // Governor allows the burst at once only at a time that is not zero.
        Reference::saturating_sub(&self.0.elapsed(), governor::nanos::Nanos::new(0))
    }
}
