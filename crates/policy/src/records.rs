//! Results by the keys that callers chose, so that a repeated request is not made twice. Each is one record of a store,
//! begun and ended by compare-and-swap. Knows neither calls nor HTTP: the caller defines results and identical requests.

mod entry;
mod holders;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Waker},
    time::Duration,
};

use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store, Stored, Version,
};
use callgate_tool::{Principal, Session};
use tokio::time::Instant;

use self::{
    entry::{Entry, State},
    holders::{Holders, Registration},
};
use crate::digest::{self, Digest};

/// The key that a caller gives a request, so that repeating it is safe. As an extension of a call, it is the call's key.
///
/// ```
/// use callgate_executor::Call;
/// use callgate_policy::IdempotencyKey;
/// # use callgate_tool::{Session, ToolCall};
///
/// # fn keyed<'a>(asked: &'a ToolCall, session: &'a Session) -> Call<'a> {
/// Call::new(asked, session).with_extension(IdempotencyKey("order-17".to_owned()))
/// # }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IdempotencyKey(pub String);

/// The limits of the results that are kept in memory.
///
/// ```
/// use callgate_policy::{Begun, IdempotencyKey, RecordBounds, Records};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let records = Records::new(RecordBounds { most: 1, ..RecordBounds::default() });
/// let [first, second] = ["order-17", "order-18"].map(|key| IdempotencyKey(key.to_owned()));
/// let first = records.begin(None, &first, [7; 32], |_| false).await;
/// assert!(matches!(first, Begun::Fresh(_)));
/// let second = records.begin(None, &second, [8; 32], |_| false).await;
/// assert!(matches!(second, Begun::Full(_)));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct RecordBounds {
    /// The time that a result is kept after its request has ended.
    pub ttl: Duration,
    /// The most keys that are kept for one principal, including those of running requests.
    pub most: usize,
    /// The most bytes of one principal's keys and results; beyond them, the principal's further keys are refused.
    pub bytes: usize,
}

/// An hour, 10,000 keys, 64 MiB.
impl Default for RecordBounds {
    fn default() -> Self {
        Self { ttl: Duration::from_hours(1), most: 10_000, bytes: 64 << 20 }
    }
}

/// Results by key. Every key is kept until its time is over.
///
/// In memory, all principals together have twice the bounds, and a principal is refused once it holds as much as is still
/// free: a lone one has the bounds, and one that fills its share leaves room for another. Callers without a principal
/// count as one. Another store decides by itself whom it refuses.
///
/// ```
/// use callgate_policy::{Begun, IdempotencyKey, RecordBounds, Records};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let records = Records::new(RecordBounds::default());
/// let key = IdempotencyKey("order-17".to_owned());
/// let Begun::Fresh(guard) = records.begin(None, &key, [7; 32], |_| false).await else { return };
/// guard.finish(b"created").await;
/// let again = records.begin(None, &key, [7; 32], |_| false).await;
/// assert!(matches!(again, Begun::Replay(first) if first == b"created"));
/// let other = records.begin(None, &key, [8; 32], |_| false).await;
/// assert!(matches!(other, Begun::Different));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Records {
    store: Arc<dyn Store>,
    /// The store, if it is the records' own: the bounds are for it alone.
    memory: Option<Arc<Memory>>,
    time_to_live: Mutex<Duration>,
    holders: Arc<Holders>,
}

/// The state of a key.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Begun {
    /// The key was used for another request.
    Different,
    /// The key is new: the request may be made. Report its result to the guard.
    Fresh(Guard),
    /// The key is new, and there is no room for it; there may be some after this time.
    Full(Duration),
    /// The request was made, and this is its result.
    Replay(Vec<u8>),
    /// The request is being made.
    Running,
    /// The store cannot be reached.
    Unavailable,
    /// The request was begun and given up: nobody knows whether it was executed.
    Unknown,
}

/// A request that is being made. If it is dropped without a report, the result of the request counts as unknown.
#[must_use]
pub struct Guard {
    records: Arc<Records>,
    key: Key,
    digest: Digest,
    version: Version,
    is_ended: bool,
    /// Last, so that the request counts as running until the store has its end.
    _registration: Registration,
}

#[derive(Clone, Copy)]
pub(crate) struct Earlier<'a> {
    pub(crate) principal: Option<&'a Principal>,
    pub(crate) key: Digest,
    pub(crate) digest: Digest,
    pub(crate) result: Option<&'a [u8]>,
    pub(crate) age: Duration,
}

impl Records {
    /// Keeps results in memory.
    pub fn new(bounds: RecordBounds) -> Arc<Self> {
        let memory = Arc::new(Memory::refusing(of_all(bounds)));
        let store = Arc::<Memory>::clone(&memory);
        Arc::new(Self { memory: Some(memory), ..Self::with(store, bounds.ttl) })
    }

    /// Keeps results in a store, each for this time after its request has ended.
    pub fn over(store: Arc<dyn Store>, time_to_live: Duration) -> Arc<Self> {
        Arc::new(Self::with(store, time_to_live))
    }

    fn with(store: Arc<dyn Store>, time_to_live: Duration) -> Self {
        let time_to_live = Mutex::new(time_to_live);
        Self { store, memory: None, time_to_live, holders: Arc::default() }
    }

    /// Sets other limits from now on. Results already kept stay for the time promised.
    pub fn set_bounds(&self, bounds: RecordBounds) {
        *self.lock() = bounds.ttl;
        if let Some(memory) = &self.memory {
            memory.set_bounds(of_all(bounds));
        }
    }

    /// Begins the request that a principal gave a key. The digest covers everything that makes two requests equal. The
    /// request is made anew if its end may be replaced: a result, or `None` for a request that was given up.
    pub async fn begin(
        self: &Arc<Self>,
        principal: Option<&Principal>,
        key: &IdempotencyKey,
        digest: Digest,
        may_replace: impl Fn(Option<&[u8]>) -> bool + Send,
    ) -> Begun {
        let key = key_of(principal, &digest::of_key(principal, &key.0));
        // Mostly the key is new, and one request to the store is enough.
        let mut expected = Expected::Absent;
        for _ in 0..ATTEMPTS {
            match self.taken(&key, digest, expected).await {
                Ok(guard) => return Begun::Fresh(guard),
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return self.refused(&error),
            }
            let stored = match self.store.get(&key, now()).await {
                Ok(Some(stored)) => stored,
                Ok(None) => {
                    expected = Expected::Absent;
                    continue;
                }
                Err(error) => return self.refused(&error),
            };
            match self.state(&key, digest, &stored).await {
                Begun::Replay(result) if may_replace(Some(&result)) => {}
                Begun::Unknown if may_replace(None) => {}
                begun => return begun,
            }
            expected = Expected::Version(stored.version);
        }
        Begun::Running
    }

    /// Keeps the result of an earlier process's request for the rest of its time. A key that is already known here wins.
    pub(crate) async fn recall(&self, earlier: Earlier<'_>) {
        let Earlier { principal, key, digest, result, age } = earlier;
        let Some(left) = self.lock().checked_sub(age) else { return };
        let state = result.map_or(State::Unknown, State::Ended);
        let record = Entry { digest, state }.record().with_time_to_live(left);
        let key = key_of(principal, &key);
        if let Err(error) = self.store.put(&key, record, Expected::Absent, now()).await {
            tracing::debug!(%error, "a key of an earlier process is not kept");
        }
    }

    /// Makes the caller the holder of the key, if its record is as expected.
    async fn taken(
        self: &Arc<Self>,
        key: &Key,
        digest: Digest,
        expected: Expected,
    ) -> Result<Guard, Error> {
        let registration = self.holders.register();
        let state = State::Running(registration.holder());
        let record = Entry { digest, state }.record().with_time_to_live(LONGEST_RUN);
        let version = self.store.put(key, record, expected, now()).await?;
        let (records, key) = (Arc::clone(self), key.clone());
        Ok(Guard { records, key, digest, version, is_ended: false, _registration: registration })
    }

    /// The state of a key under which something is stored.
    async fn state(&self, key: &Key, digest: Digest, stored: &Stored) -> Begun {
        let Some(kept) = Entry::of(stored.record.bytes()) else { return Begun::Unknown };
        if kept.digest != digest {
            return Begun::Different;
        }
        match kept.state {
            State::Ended(result) => Begun::Replay(result.to_vec()),
            State::Running(holder) if self.holders.has_left(&holder, self.store.is_shared()) => {
                let expected = Expected::Version(stored.version);
                let unknown = self.ended(digest, State::Unknown);
                match self.store.put(key, unknown, expected, now()).await {
                    // It has just ended.
                    Err(error) if error.kind() == ErrorKind::Conflict => Begun::Running,
                    _ => Begun::Unknown,
                }
            }
            State::Running(_) => Begun::Running,
            State::Unknown => Begun::Unknown,
        }
    }

    fn ended(&self, digest: Digest, state: State<'_>) -> Record {
        Entry { digest, state }.record().with_time_to_live(*self.lock())
    }

    fn refused(&self, error: &Error) -> Begun {
        match error.kind() {
            ErrorKind::Full | ErrorKind::TooLarge => {
                // A record that lives longer is one of a running request.
                let known = error.retry_after().filter(|wait| *wait <= *self.lock());
                Begun::Full(known.unwrap_or(SOON))
            }
            _ => {
                tracing::warn!(%error, "an idempotency key cannot be kept");
                Begun::Unavailable
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Duration> {
        self.time_to_live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guard {
    /// Ends the request with this result. A result for which there is no room is not kept; its key is.
    pub async fn finish(mut self, result: &[u8]) {
        let kept = self.end(State::Ended(result)).await;
        let is_too_much =
            |error: &Error| matches!(error.kind(), ErrorKind::Full | ErrorKind::TooLarge);
        let kept = match kept {
            Err(error) if is_too_much(&error) => self.end(State::Unknown).await,
            kept => kept,
        };
        self.is_ended = true;
        if let Err(error) = kept {
            tracing::warn!(%error, "the result of an idempotency key is not kept");
        }
    }

    /// Frees the key, because the request was not executed: the key may be used again.
    pub async fn free(mut self) {
        let expected = Expected::Version(self.version);
        let freed = self.records.store.remove(&self.key, expected, now()).await;
        self.is_ended = true;
        if let Err(error) = freed {
            tracing::warn!(%error, "an idempotency key is not freed");
        }
    }

    async fn end(&self, state: State<'_>) -> Result<Version, Error> {
        let record = self.records.ended(self.digest, state);
        let expected = Expected::Version(self.version);
        self.records.store.put(&self.key, record, expected, now()).await
    }
}

/// A store in memory has the end at once. Any other has it when the key is used again and its holder is gone.
impl Drop for Guard {
    fn drop(&mut self) {
        if !self.is_ended {
            let mut end = Box::pin(self.end(State::Unknown));
            drop(end.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        }
    }
}

/// Leaves out the results.
impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time_to_live = *self.lock();
        f.debug_struct("Records").field("time_to_live", &time_to_live).finish_non_exhaustive()
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}

/// The name of a record is a digest, which the audit file has, too.
fn key_of(principal: Option<&Principal>, key: &Digest) -> Key {
    let session = Session::default();
    Key::new(Space::Idempotency, Owner::new(principal, &session), &digest::hex(key))
}

fn of_all(bounds: RecordBounds) -> Bounds {
    Bounds { records: bounds.most.saturating_mul(2), bytes: bounds.bytes.saturating_mul(2) }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// No request runs longer; then the key of one whose process ended without a word is free.
const LONGEST_RUN: Duration = Duration::from_hours(24);
/// The number of times that a key is looked up while others change its record.
const ATTEMPTS: usize = 8;
/// The wait until a running request may have ended.
const SOON: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
