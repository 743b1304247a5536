//! Keeps tokens until they must be renewed, and asks for each only once however many calls need it. Where a token comes
//! from is the caller's business; nothing here runs when no call does, and a failing source is left alone for a while.

mod lifetime;
mod slot;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use callgate_secret::Secret;
use http::HeaderValue;
use tokio::time::Instant;

use crate::{error::Error, refusal::Refusal};
pub(crate) use lifetime::UNSAID;
use slot::Slot;

/// Whom a token is for: a hash, so that nothing secret is kept to look it up.
pub(crate) type Key = [u8; 32];

/// A token as it was issued.
#[derive(Clone, Debug)]
pub(crate) struct Issued {
    pub(crate) token: Secret,
    /// The time for which the issuer says it lives, in seconds; nothing where it does not say.
    pub(crate) expires_in: Option<f64>,
    /// The time when it was asked for: its life may have begun then.
    pub(crate) asked_at: Instant,
}

/// The version of a token: the operator's secrets as they were when it was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Version(Vec<Secret>);

/// The tokens of one credential.
#[derive(Debug, Default)]
pub(crate) struct TokenCache {
    slots: Mutex<BTreeMap<Key, Arc<Slot>>>,
}

impl TokenCache {
    /// The token of `key`, from `fetch` where the cache has none that is good; else `fetch` is
    /// not begun. Dropping the future stops the fetch; who
    /// waits for it then fetches in its place.
    ///
    /// # Errors
    /// What `fetch` failed with, now or a moment ago.
    pub(crate) async fn token(
        &self,
        key: &Key,
        version: &Version,
        fetch: impl Future<Output = Result<Issued, Error>> + Send,
    ) -> Result<Secret, Error> {
        self.slot(key).token(version, fetch).await
    }

    /// The token of `key` and the header that holds it, where there is nothing to be done for it.
    pub(crate) fn kept(&self, key: &Key) -> Option<(Secret, HeaderValue)> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).get(key)?.kept()
    }

    /// The token of `key` while it is good, whatever became of the operator's secrets.
    pub(crate) fn good(&self, key: &Key) -> Option<Secret> {
        self.slot(key).good()
    }

    /// The time since the token of `key` was had, where there is one.
    pub(crate) fn age(&self, key: &Key) -> Option<Duration> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).get(key)?.age()
    }

    /// The service refused one of these secrets. Answers whether another token can be had.
    pub(crate) fn refused(&self, key: &Key, refused: &[Secret], refusal: Refusal) -> bool {
        self.slot(key).refused(refused, refusal)
    }

    /// The same for a caller that no longer knows the key.
    pub(crate) fn refused_somewhere(&self, refused: &[Secret], refusal: Refusal) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |token: &Secret| refused.iter().any(|known| known.expose() == token.expose());
        let holder = slots.values().find(|slot| slot.good().as_ref().is_some_and(holds));
        holder.is_none_or(|slot| slot.refused(refused, refusal))
    }

    fn slot(&self, key: &Key) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(key) {
            return Arc::clone(slot);
        }
        make_room(&mut slots);
        Arc::clone(slots.entry(*key).or_default())
    }
}

/// A name of a token with its age, where that is known.
pub(crate) fn aged(name: &str, age: Option<Duration>) -> String {
    match age {
        Some(age) => format!("{name}, which is {} s old", age.as_secs()),
        None => name.to_owned(),
    }
}

impl Version {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        Self(secrets.into_iter().collect())
    }

    fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs.into_iter().all(|(a, b)| a.expose() == b.expose())
    }
}

/// Drops what is of no use any more; where all of it is, the tokens that end first.
fn make_room(slots: &mut BTreeMap<Key, Arc<Slot>>) {
    if slots.len() < MAX_TOKENS {
        return;
    }
    let is_used = |slot: &Arc<Slot>| Arc::strong_count(slot) > 1;
    slots.retain(|_, slot| is_used(slot) || slot.good().is_some());
    let excess = slots.len().saturating_sub(MAX_TOKENS - MAX_TOKENS / 8);
    let mut ends: Vec<_> = slots.iter().map(|(key, slot)| (slot.end(), *key)).collect();
    ends.sort_unstable();
    for (_, key) in ends.into_iter().take(excess) {
        slots.remove(&key);
    }
}

/// One token a user of a large deployment, some tens of mebibytes.
const MAX_TOKENS: usize = 10_000;

#[cfg(test)]
mod tests;
