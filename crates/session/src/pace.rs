//! The pace of requests that a store counts for all who use it. A pace is kept as one time: the time until its whole burst is
//! free again (the generic cell rate algorithm).

use std::{num::NonZeroU32, time::Duration};

/// A request in each span of time; after a rest, `burst` of them at once.
///
/// ```
/// use std::{
///     num::NonZeroU32,
///     time::{Duration, Instant},
/// };
///
/// use callgate_session::{Bounds, Key, Memory, Owner, Pace, Space, Store};
/// use callgate_tool::Session;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (store, now) = (Memory::new(Bounds { records: 9, bytes: 4096 }), Instant::now());
/// let key = Key::new(Space::Rate, Owner::new(None, &Session::default()), "toolset:pets");
/// let pace = Pace { each: Duration::from_secs(2), burst: NonZeroU32::MIN };
/// assert_eq!(store.take_paced_request(&key, pace, now).await?, None);
/// assert_eq!(store.take_paced_request(&key, pace, now).await?, Some(Duration::from_secs(2)));
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pace {
    /// The span of time.
    pub each: Duration,
    /// The most requests at once.
    pub burst: NonZeroU32,
}

impl Pace {
    /// The time until the whole burst is free again after one more request; or how long to wait for that request.
    pub(crate) fn time_until_full_burst(self, left: Duration) -> Result<Duration, Duration> {
        let whole = self.each.saturating_mul(self.burst.get());
        let next = left.min(whole).saturating_add(self.each);
        if next > whole { Err(next.saturating_sub(whole)) } else { Ok(next) }
    }
}
