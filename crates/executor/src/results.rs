//! Keeps whole results for a while: those that were cut, and files that a model cannot read. A handle is random and
//! leads to a result only for calls of the principal and the session that made it. While a program's store is away, results
//! are kept in the memory of this process.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store,
};
use callgate_tool::{Event, Handle, Journal, StoredResult};
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub(crate) struct Results {
    store: Arc<dyn Store>,
    /// Has what the store does not take; none where the store is memory itself.
    fallback: Option<Arc<Memory>>,
}

/// Bytes that are kept under a handle.
#[doc(hidden)]
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeptFile {
    /// The handle.
    pub handle: Handle,
    /// True if the store did not take the bytes, so that only this process has them.
    pub is_local: bool,
}

impl KeptFile {
    /// The time for which the bytes are kept.
    pub const TIME: Duration = TIME_TO_LIVE;
}

impl Results {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, fallback: Some(Arc::new(Memory::new(BOUNDS))) }
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Keeps a result. The journal says so if that is not possible, or only in the memory of this process.
    pub(crate) async fn keep(
        &self,
        result: StoredResult,
        owner: Owner<'_>,
        journal: &mut Journal,
    ) -> Option<Handle> {
        match self.kept(result, owner).await {
            Ok(KeptFile { handle, is_local }) => {
                if is_local {
                    journal.note(Event::ResultKeptLocally);
                }
                Some(handle)
            }
            Err(error) => {
                tracing::debug!(%error, "a result is not kept");
                journal.note(Event::ResultNotKept);
                None
            }
        }
    }

    /// Keeps bytes in the store or, where it does not take them, in the memory of this process.
    pub(crate) async fn kept(
        &self,
        result: StoredResult,
        owner: Owner<'_>,
    ) -> Result<KeptFile, Error> {
        let mut random = [0; 16];
        let drawn = getrandom::fill(&mut random);
        drawn.map_err(|_| Error::new(ErrorKind::Sealing, "no random number is available"))?;
        let handle = Handle::from_random(u128::from_ne_bytes(random));
        let made_by = format!("{}{BETWEEN}{}", result.toolset, result.media_type);
        let record = Record::new(made_by, result.bytes);
        let record = record.with_time_to_live(TIME_TO_LIVE);
        let key = key(&handle, owner);
        let kept = self.store.put(&key, record.clone(), Expected::Absent, now()).await;
        let Err(error) = kept else { return Ok(KeptFile { handle, is_local: false }) };
        let fallback = self.fallback.as_ref().filter(|_| error.kind() != ErrorKind::TooLarge);
        let Some(fallback) = fallback else { return Err(error) };
        fallback.put(&key, record, Expected::Absent, now()).await?;
        Ok(KeptFile { handle, is_local: true })
    }

    pub(crate) async fn get(
        &self,
        handle: &Handle,
        owner: Owner<'_>,
    ) -> Result<Option<StoredResult>, Error> {
        let key = key(handle, owner);
        let local = match &self.fallback {
            Some(fallback) => fallback.get(&key, now()).await?,
            None => None,
        };
        let found = match local {
            Some(local) => Some(local),
            None => self.store.get(&key, now()).await?,
        };
        Ok(found.map(|stored| {
            let bytes = Bytes::clone(stored.record.bytes());
            let media_type = stored.record.media_type();
            let (toolset, media_type) = media_type.split_once(BETWEEN).unwrap_or(("", media_type));
            StoredResult::new(media_type, bytes).with_toolset(toolset)
        }))
    }
}

impl Default for Results {
    fn default() -> Self {
        Self { store: Arc::new(Memory::new(BOUNDS)), fallback: None }
    }
}

fn key(handle: &Handle, owner: Owner<'_>) -> Key {
    Key::new(Space::Result, owner, handle.as_str())
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

const BOUNDS: Bounds = Bounds { records: MAX_RESULTS, bytes: MAX_BYTES };
/// Stands between the toolset and the media type in a record; neither has control characters.
const BETWEEN: char = '\u{1f}';
/// The time in which a conversation returns to an earlier result.
const TIME_TO_LIVE: Duration = Duration::from_mins(15);
/// The most bytes of all results together: sixty-four responses at the default limit.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// The number of results that a busy agent makes in that time.
const MAX_RESULTS: usize = 1024;

#[cfg(test)]
mod tests {
    use callgate_tool::{Principal, Session};

    use super::*;

    fn result(length: usize) -> StoredResult {
        StoredResult::new("a/b", Bytes::from(vec![0; length])).with_toolset("pets")
    }

    #[tokio::test(start_paused = true)]
    async fn a_stored_result_expires_after_its_time_to_live() {
        let (results, session) = (Results::default(), Session::default());
        let owner = Owner::new(None, &session);
        let handle = results.keep(result(3), owner, &mut Journal::default()).await.unwrap();
        assert_eq!(results.get(&handle, owner).await.unwrap(), Some(result(3)));
        assert_eq!(results.get(&Handle::from_random(7), owner).await.unwrap(), None);
        tokio::time::advance(TIME_TO_LIVE).await;
        assert_eq!(results.get(&handle, owner).await.unwrap(), None);
        let mut journal = Journal::default();
        assert!(results.keep(result(MAX_BYTES), owner, &mut journal).await.is_none());
        assert_eq!(journal.events(), [Event::ResultNotKept]);
    }

    #[tokio::test]
    async fn a_stored_result_is_found_only_by_its_owner() {
        let results = Results::default();
        let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
        let (one, other) = (Session::new("1"), Session::new("2"));
        let owner = Owner::new(Some(&kim), &one);
        let handle = results.keep(result(3), owner, &mut Journal::default()).await.unwrap();
        for stranger in [
            Owner::new(Some(&lee), &one),
            Owner::new(Some(&kim), &other),
            Owner::new(None, &one),
            Owner::new(Some(&kim), &Session::default()),
        ] {
            assert_eq!(results.get(&handle, stranger).await.unwrap(), None);
        }
        assert!(results.get(&handle, owner).await.unwrap().is_some());
    }
}
