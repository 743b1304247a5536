//! The time of day, for dates and signatures. Durations are measured elsewhere, by a monotonic clock.

use std::{sync::Arc, time::SystemTime};

/// A source of the time of day: the machine's clock unless a program provides another.
///
/// ```
/// # use std::time::SystemTime;
/// # use callgate_transport::Clock;
/// let clock = Clock::new(|| SystemTime::UNIX_EPOCH);
/// assert_eq!(clock.now(), SystemTime::UNIX_EPOCH);
/// ```
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

impl Clock {
    /// A clock that returns what `now` returns.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now) }
    }

    /// The time of day.
    pub fn now(&self) -> SystemTime {
        (self.now)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

callgate_secret::opaque!(Clock {});
