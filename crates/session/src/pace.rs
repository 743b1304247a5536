//! The pace of requests that a store counts for all who use it. A pace is kept as one time: the time until its whole burst is
//! free again (the generic cell rate algorithm).

use std::{
    num::NonZeroU32,
    time::{Duration, Instant},
};

use bytes::Bytes;

use crate::{
    error::{self, Error, ErrorKind},
    key::Key,
    record::Record,
    store::{Expected, Store},
};

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
/// assert_eq!(store.take(&key, pace, now).await?, None);
/// assert_eq!(store.take(&key, pace, now).await?, Some(Duration::from_secs(2)));
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a pace is these two numbers")]
pub struct Pace {
    /// The span of time.
    pub each: Duration,
    /// The most requests at once.
    pub burst: NonZeroU32,
}

impl Pace {
    /// The time until the whole burst is free again after one more request, of a pace for which it is `left` now.
    ///
    /// # Errors
    /// Returns how long to wait for the next request.
    fn after(self, left: Duration) -> Result<Duration, Duration> {
        let whole = self.each.saturating_mul(self.burst.get());
        let next = left.min(whole).saturating_add(self.each);
        if next > whole { Err(next.saturating_sub(whole)) } else { Ok(next) }
    }
}

/// Takes a request of a pace by replacing a record, which lives until the whole burst is free again.
pub(crate) async fn take<S: Store + ?Sized>(
    store: &S,
    key: &Key,
    pace: Pace,
    now: Instant,
) -> Result<Option<Duration>, Error> {
    for _ in 0..ATTEMPTS {
        let stored = store.get(key, now).await?;
        let left = stored.as_ref().and_then(|stored| stored.record.time_to_live());
        let next = match pace.after(left.unwrap_or_default()) {
            Ok(next) => next,
            Err(wait) => return Ok(Some(wait)),
        };
        let expected = stored.map_or(Expected::Absent, |stored| Expected::Version(stored.version));
        let record = Record::new("application/octet-stream", Bytes::new());
        match store.put(key, record.with_time_to_live(next), expected, now).await {
            Ok(_) => return Ok(None),
            // Another request was faster.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
    Err(error::conflict())
}

/// The number of requests that may be faster than one. Each time, one of them succeeds.
const ATTEMPTS: usize = 64;
