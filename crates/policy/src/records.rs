//! Results by the keys that callers chose, so that a repeated request is not made twice. Knows neither calls nor HTTP: the
//! caller defines results and identical requests.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use callgate_tool::Principal;
use tokio::time::Instant;

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

/// The limits of the results that are kept.
///
/// ```
/// use callgate_policy::{Begun, IdempotencyKey, RecordBounds, Records};
///
/// let records = Records::<String>::new(RecordBounds { most: 1, ..RecordBounds::default() });
/// let first = records.begin(None, &IdempotencyKey("order-17".to_owned()), [7; 32]);
/// assert!(matches!(first, Begun::Fresh(_)));
/// let second = records.begin(None, &IdempotencyKey("order-18".to_owned()), [8; 32]);
/// assert!(matches!(second, Begun::Full));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "whoever keeps results decides about each bound")]
pub struct RecordBounds {
    /// The time that a result is kept after its request has ended.
    pub ttl: Duration,
    /// The most keys that are kept for one principal, including those of running requests.
    pub most: usize,
    /// The most bytes of one principal's results; beyond them, the principal's further keys are refused.
    pub bytes: usize,
}

/// An hour, 10,000 keys, 64 MiB.
impl Default for RecordBounds {
    fn default() -> Self {
        Self { ttl: Duration::from_hours(1), most: 10_000, bytes: 64 << 20 }
    }
}

/// Results by key. Every key is kept until its time is over: if there is no room, further keys are refused.
///
/// All principals together have twice the bounds, and a principal is refused once it holds as much as is still free: a lone
/// one has the bounds, and one that fills its share leaves room for another. Callers without a principal count as one.
///
/// ```
/// use callgate_policy::{Begun, IdempotencyKey, RecordBounds, Records};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let records = Records::new(RecordBounds::default());
/// let (key, digest) = (IdempotencyKey("order-17".to_owned()), [7; 32]);
/// let Begun::Fresh(guard) = records.begin(None, &key, digest) else { return };
/// guard.finish("created", 7);
/// assert!(matches!(records.begin(None, &key, digest), Begun::Replay(first) if *first == "created"));
/// assert!(matches!(records.begin(None, &key, [8; 32]), Begun::Different));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Records<T> {
    state: Mutex<State<T>>,
}

/// The state of a key.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "whoever begins a request must handle each")]
pub enum Begun<T> {
    /// The key was used for another request.
    Different,
    /// The key is new: the request may be made. Report its result to the guard.
    Fresh(Guard<T>),
    /// The key is new, and there is no room for it.
    Full,
    /// The request was made, and this is its result.
    Replay(Arc<T>),
    /// The request is being made.
    Running,
    /// The request was begun and given up: nobody knows whether it was executed.
    Unknown,
}

/// A request that is being made. If it is dropped without a report, the result of the request counts as unknown.
#[must_use]
pub struct Guard<T> {
    records: Arc<Records<T>>,
    key: Digest,
    is_told: bool,
}

struct State<T> {
    bounds: RecordBounds,
    records: BTreeMap<Digest, Record<T>>,
    /// The keys of requests that have ended, in the order in which they expire.
    ended: VecDeque<(Instant, Digest)>,
    /// The bytes of the results.
    bytes: usize,
    /// The keys and bytes of each principal, by its digest.
    shares: BTreeMap<Digest, Share>,
}

/// The keys and the bytes of the results that one principal holds.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    keys: usize,
    bytes: usize,
}

struct Record<T> {
    owner: Digest,
    digest: Digest,
    ending: Ending<T>,
}

enum Ending<T> {
    Ended(Arc<T>, usize),
    Running,
    Unknown,
}

impl<T> Records<T> {
    /// Starts without results.
    pub fn new(bounds: RecordBounds) -> Arc<Self> {
        let (records, ended, shares) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        Arc::new(Self { state: Mutex::new(State { bounds, records, ended, bytes: 0, shares }) })
    }

    /// The limits of the records.
    pub fn bounds(&self) -> RecordBounds {
        self.lock().bounds
    }

    /// Sets other limits from now on. Results already kept stay for the time promised.
    pub fn set_bounds(&self, bounds: RecordBounds) {
        self.lock().bounds = bounds;
    }

    /// Begins the request that a principal gave a key. The digest covers everything that makes two requests equal.
    pub fn begin(
        self: &Arc<Self>,
        principal: Option<&Principal>,
        key: &IdempotencyKey,
        digest: Digest,
    ) -> Begun<T> {
        self.begin_after(principal, key, digest, |_| false)
    }

    /// Begins a request like [`Records::begin`], and makes it anew if its kept result may be replaced, such as a question
    /// that is now answered.
    pub fn begin_after(
        self: &Arc<Self>,
        principal: Option<&Principal>,
        key: &IdempotencyKey,
        digest: Digest,
        is_replaced: impl Fn(&T) -> bool,
    ) -> Begun<T> {
        let owner = digest::of_key(principal, "");
        let key = digest::of_key(principal, &key.0);
        let mut state = self.lock();
        state.forget(Instant::now());
        let is_known = match state.records.get(&key) {
            None => false,
            Some(known) if known.digest != digest => return Begun::Different,
            Some(known) => match &known.ending {
                Ending::Ended(result, _) if is_replaced(result) => true,
                Ending::Ended(result, _) => return Begun::Replay(Arc::clone(result)),
                Ending::Running => return Begun::Running,
                Ending::Unknown => return Begun::Unknown,
            },
        };
        if is_known {
            // The replacing result is kept for its own time.
            state.ended.retain(|(_, ended)| *ended != key);
        } else if state.is_full(&owner) {
            return Begun::Full;
        }
        state.insert(key, Record { owner, digest, ending: Ending::Running });
        drop(state);
        Begun::Fresh(Guard { records: Arc::clone(self), key, is_told: false })
    }

    /// The wait until a key expires; a second if all requests are running.
    pub fn wait(&self) -> Duration {
        let state = self.lock();
        let first = state.ended.front().map(|(until, _)| *until);
        first.map_or(Duration::from_secs(1), |until| until.duration_since(Instant::now()))
    }

    /// Keeps the known result of an earlier process's request, `age` after it ended; `None` if the result is unknown. A key
    /// that is already known here wins.
    pub fn recall(&self, key: Digest, digest: Digest, result: Option<(T, usize)>, age: Duration) {
        let mut state = self.lock();
        let Some(left) = state.bounds.ttl.checked_sub(age) else { return };
        if state.records.contains_key(&key) || state.records.len() >= state.bounds.most {
            return;
        }
        let known = result.map(|(result, bytes)| Ending::Ended(Arc::new(result), bytes));
        let ending = known.unwrap_or(Ending::Unknown);
        state.insert(key, Record { owner: EARLIER, digest, ending });
        state.keep(key, Instant::now() + left);
    }

    fn end(&self, key: Digest, ending: Ending<T>) {
        let mut state = self.lock();
        let Some(Record { owner, digest, .. }) = state.remove(&key) else { return };
        // Of many requests that end together, results beyond the principal's share are not kept. Their keys are.
        let ending = if state.has_bytes(&owner) { ending } else { Ending::Unknown };
        state.insert(key, Record { owner, digest, ending });
        let until = Instant::now() + state.bounds.ttl;
        state.keep(key, until);
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// Keeps a key until then. A request that ends later is almost always kept longer.
    fn keep(&mut self, key: Digest, until: Instant) {
        let n_later = self.ended.iter().rev().take_while(|(known, _)| *known > until).count();
        self.ended.insert(self.ended.len() - n_later, (until, key));
    }

    /// Forgets the expired keys.
    fn forget(&mut self, now: Instant) {
        while let Some((_, key)) = self.ended.pop_front_if(|(until, _)| *until <= now) {
            self.remove(&key);
        }
    }

    /// Returns true if a principal may begin no further request.
    fn is_full(&self, owner: &Digest) -> bool {
        let free = self.bounds.most.saturating_mul(2).saturating_sub(self.records.len());
        self.share(owner).keys >= free || !self.has_bytes(owner)
    }

    /// Returns true if a principal may keep a further result.
    fn has_bytes(&self, owner: &Digest) -> bool {
        self.share(owner).bytes < self.bounds.bytes.saturating_mul(2).saturating_sub(self.bytes)
    }

    fn share(&self, owner: &Digest) -> Share {
        self.shares.get(owner).copied().unwrap_or_default()
    }

    /// Puts a record in place of the one of its key.
    fn insert(&mut self, key: Digest, record: Record<T>) {
        self.remove(&key);
        let bytes = record.ending.bytes();
        self.bytes = self.bytes.saturating_add(bytes);
        let share = self.shares.entry(record.owner).or_default();
        share.keys += 1;
        share.bytes = share.bytes.saturating_add(bytes);
        self.records.insert(key, record);
    }

    fn remove(&mut self, key: &Digest) -> Option<Record<T>> {
        let record = self.records.remove(key)?;
        let mut share = self.share(&record.owner);
        self.bytes = self.bytes.saturating_sub(record.ending.bytes());
        share.bytes = share.bytes.saturating_sub(record.ending.bytes());
        share.keys = share.keys.saturating_sub(1);
        if share.keys == 0 {
            self.shares.remove(&record.owner);
        } else {
            self.shares.insert(record.owner, share);
        }
        Some(record)
    }
}

impl<T> Ending<T> {
    fn bytes(&self) -> usize {
        if let Self::Ended(_, bytes) = self { *bytes } else { 0 }
    }
}

impl<T> Guard<T> {
    /// Ends the request with this result, which takes this many bytes.
    pub fn finish(mut self, result: T, bytes: usize) -> Arc<T> {
        let result = Arc::new(result);
        self.is_told = true;
        self.records.end(self.key, Ending::Ended(Arc::clone(&result), bytes));
        result
    }

    /// Frees the key, because the request was not executed: the key may be used again.
    pub fn free(mut self) {
        self.is_told = true;
        self.records.lock().remove(&self.key);
    }
}

impl<T> Drop for Guard<T> {
    fn drop(&mut self) {
        if !self.is_told {
            self.records.end(self.key, Ending::Unknown);
        }
    }
}

/// Leaves out the results.
impl<T> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Records")
            .field("bounds", &state.bounds)
            .field("n_records", &state.records.len())
            .finish()
    }
}

impl<T> fmt::Debug for Guard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}

/// The owner of the keys of an earlier process, whose principals are not known.
const EARLIER: Digest = [0; 32];

#[cfg(test)]
mod tests;
