//! Results by the keys that callers chose, so that a repeated request is not made twice. Each is one record of a store,
//! begun and ended by compare-and-swap. Knows neither calls nor HTTP: the caller defines results and identical requests.

mod claim;
mod entry;
mod guard;
mod holders;
mod renewal;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store, Stored,
};
use callgate_tool::{Principal, Session, hexadecimal};
use tokio::time::{Instant, timeout};

pub use self::guard::Guard;
use self::{
    claim::Claim,
    entry::{Entry, State},
    holders::{Holder, Holders},
    renewal::LEASE,
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

impl IdempotencyKey {
    /// The key that a caller gave a single call; `None` if the text is empty, longer than 255 characters or has control
    /// characters, which stand in keys that follow from others.
    ///
    /// ```
    /// use callgate_policy::IdempotencyKey;
    ///
    /// assert_eq!(IdempotencyKey::of_text("order-17"), Some(IdempotencyKey("order-17".to_owned())));
    /// assert_eq!(IdempotencyKey::of_text("order\u{1f}17"), None);
    /// assert_eq!(IdempotencyKey::of_text(""), None);
    /// ```
    pub fn of_text(text: &str) -> Option<Self> {
        let is_key = (1..=LONGEST_KEY).contains(&text.chars().count());
        (is_key && !text.chars().any(char::is_control)).then(|| Self(text.to_owned()))
    }
}

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
/// In a store that several processes share, whoever makes a request has a lease on its record, and renews it while the
/// request runs. Once the lease has lapsed by the store's clock, nobody knows whether the request was executed; its key is
/// never free because of that.
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
        let memory = Arc::new(Memory::refusing(doubled_bounds(bounds)));
        let store = Arc::<Memory>::clone(&memory);
        Arc::new(Self { memory: Some(memory), ..Self::with_store(store, bounds.ttl) })
    }

    /// Keeps results in a store, each for this time after its request has ended.
    pub fn over(store: Arc<dyn Store>, time_to_live: Duration) -> Arc<Self> {
        Arc::new(Self::with_store(store, time_to_live))
    }

    fn with_store(store: Arc<dyn Store>, time_to_live: Duration) -> Self {
        let time_to_live = Mutex::new(time_to_live);
        Self { store, memory: None, time_to_live, holders: Arc::default() }
    }

    /// Sets other limits from now on. Results already kept stay for the time promised.
    pub fn set_bounds(&self, bounds: RecordBounds) {
        *self.lock() = bounds.ttl;
        if let Some(memory) = &self.memory {
            memory.set_bounds(doubled_bounds(bounds));
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
        let key = record_key(principal, &digest::key_digest(principal, &key.0));
        // Mostly the key is new, and one request to the store is enough.
        let mut expected = Expected::Absent;
        for _ in 0..ATTEMPTS {
            match self.claim_key(&key, digest, expected).await {
                Ok(guard) => return Begun::Fresh(guard),
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return self.state_for_error(&error),
            }
            let stored = match self.store.get(&key, now()).await {
                Ok(Some(stored)) => stored,
                Ok(None) => {
                    expected = Expected::Absent;
                    continue;
                }
                Err(error) => return self.state_for_error(&error),
            };
            match self.resolve_key_state(&key, digest, &stored).await {
                None => {}
                Some(Begun::Replay(result)) if may_replace(Some(&result)) => {}
                Some(Begun::Unknown) if may_replace(None) => {}
                Some(begun) => return begun,
            }
            expected = Expected::Version(stored.version);
        }
        Begun::Running
    }

    /// Keeps the result of an earlier process's request for the rest of its time. A key that is already known here wins.
    pub(crate) async fn keep_earlier_result(&self, earlier: Earlier<'_>) {
        let Earlier { principal, key, digest, result, age } = earlier;
        let Some(left) = self.lock().checked_sub(age) else { return };
        let state = result.map_or(State::Unknown, State::Ended);
        let record =
            Entry { digest, holder: NOBODY, lease: Duration::ZERO, state }.encode_record(left);
        let key = record_key(principal, &key);
        if let Err(error) = self.store.put(&key, record, Expected::Absent, now()).await {
            tracing::debug!(%error, "a key of an earlier process is not kept");
        }
    }

    async fn claim_key(
        self: &Arc<Self>,
        key: &Key,
        digest: Digest,
        expected: Expected,
    ) -> Result<Guard, Error> {
        let mut registration = self.holders.register();
        let (records, key, holder) = (Arc::clone(self), key.clone(), registration.holder());
        let claim = Claim::new(records, key, digest, holder);
        match claim.claim_if_expected(expected).await {
            Ok(()) => Ok(Guard::new(claim, registration)),
            Err(error) => {
                let is_put = !matches!(
                    error.kind(),
                    ErrorKind::Conflict | ErrorKind::Full | ErrorKind::TooLarge
                );
                // The record may be there, or come later.
                let is_told = is_put && self.store.is_shared() && {
                    timeout(REVOCATION, claim.mark_unsent()).await == Ok(true)
                };
                registration.is_unsent = is_put && !is_told;
                Err(error)
            }
        }
    }

    /// The state of a stored key; `None` if its request was certainly not sent, so that any request may take it over.
    async fn resolve_key_state(&self, key: &Key, digest: Digest, stored: &Stored) -> Option<Begun> {
        let Some(entry) = Entry::from_record(&stored.record) else { return Some(Begun::Unknown) };
        let is_other = entry.digest != digest;
        match entry.state {
            State::Unsent => None,
            State::Running if self.holders.has_left_unsent(&entry.holder) => None,
            _ if is_other => Some(Begun::Different),
            State::Ended(result) => Some(Begun::Replay(result.to_vec())),
            State::Running if self.has_holder_left(&entry) => {
                let expected = Expected::Version(stored.version);
                let unknown = self.record_of_entry(Entry { state: State::Unknown, ..entry });
                match self.store.put(key, unknown, expected, now()).await {
                    // It has just ended, or its holder has renewed the lease.
                    Err(error) if error.kind() == ErrorKind::Conflict => Some(Begun::Running),
                    _ => Some(Begun::Unknown),
                }
            }
            State::Running => Some(Begun::Running),
            State::Unknown => Some(Begun::Unknown),
        }
    }

    /// Returns true if the holder of a key makes its request no more. In a store that processes share, the lease tells it of
    /// a holder in another one.
    fn has_holder_left(&self, entry: &Entry<'_>) -> bool {
        let is_open = self.holders.is_running_here(&entry.holder);
        is_open.map_or_else(|| !self.store.is_shared() || entry.lease.is_zero(), |is_open| !is_open)
    }

    /// The record of an entry. That of a running request outlasts the longest one.
    fn record_of_entry(&self, entry: Entry<'_>) -> Record {
        let time_to_live = *self.lock();
        match entry.state {
            State::Running => {
                Entry { lease: LEASE, ..entry }.encode_record(time_to_live.max(LONGEST_RUN))
            }
            _ => Entry { lease: Duration::ZERO, ..entry }.encode_record(time_to_live),
        }
    }

    fn state_for_error(&self, error: &Error) -> Begun {
        match error.kind() {
            ErrorKind::Full | ErrorKind::TooLarge => {
                // A record that lives longer is one of a running request.
                let retry_delay = error.retry_after().filter(|wait| *wait <= *self.lock());
                Begun::Full(retry_delay.unwrap_or(SOON))
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

/// Leaves out the results.
impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time_to_live = *self.lock();
        f.debug_struct("Records").field("time_to_live", &time_to_live).finish_non_exhaustive()
    }
}

/// The name of a record is a digest, which the audit file has, too.
fn record_key(principal: Option<&Principal>, key: &Digest) -> Key {
    let session = Session::default();
    Key::new(Space::Idempotency, Owner::new(principal, &session), &hexadecimal(key))
}

fn doubled_bounds(bounds: RecordBounds) -> Bounds {
    Bounds { records: bounds.most.saturating_mul(2), bytes: bounds.bytes.saturating_mul(2) }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// No request runs longer; then the key of one whose process ended without a word, and that nobody repeated, is free.
const LONGEST_RUN: Duration = Duration::from_hours(24);
/// The longest key in characters: keys are compared and kept, and longer ones are mistakes.
const LONGEST_KEY: usize = 255;
/// The holder of what was read from an audit.
const NOBODY: Holder = [0; 16];
/// The longest wait for a store that has not kept a key to hear that its request is not made.
const REVOCATION: Duration = Duration::from_millis(500);
/// The number of times that a key is looked up while others change its record.
const ATTEMPTS: usize = 8;
/// The wait until a running request may have ended.
const SOON: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
