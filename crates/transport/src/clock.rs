//! The time of day, for what is dated or signed. Spans of time are measured elsewhere, by a clock that only goes forward.

use std::{fmt, sync::Arc, time::SystemTime};

/// Tells the time of day: the machine's unless a program brings another.
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
    /// A clock that tells what `now` answers.
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

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}
