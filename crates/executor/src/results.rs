//! Keeps whole results for a while: those that were cut, and files that a model cannot read. A handle is random and
//! leads to a result only for calls of the principal and the session that made it, as long as they may use its tool. While a
//! program's store is away, results are kept in the memory of this process.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store,
};
use callgate_tool::{Event, Handle, Journal, StoredResult};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use tokio::time::Instant;

use crate::rights::CallRights;

/// The kept results, as one executor reads them.
#[derive(Debug)]
pub(crate) struct Results {
    store: Arc<dyn Store>,
    /// Has what the store does not take; none where the store is memory itself.
    fallback: Option<Arc<Memory>>,
    served: OnceLock<ServedTools>,
}

/// Says whether the executor has a tool in a toolset.
struct ServedTools(Box<HasTool>);

type HasTool = dyn Fn(&str, &str) -> bool + Send + Sync;

callgate_secret::opaque!(ServedTools = "ServedTools");

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
        let fallback = Some(Arc::new(Memory::new(BOUNDS)));
        Self { store, fallback, served: OnceLock::new() }
    }

    /// The results for another executor.
    pub(crate) fn for_another_executor(&self) -> Self {
        let (store, fallback) = (Arc::clone(&self.store), self.fallback.clone());
        Self { store, fallback, served: OnceLock::new() }
    }

    /// Sets which tools the executor has: only their results are read.
    pub(crate) fn set_served_tools(
        &self,
        has_tool: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) {
        self.served.get_or_init(|| ServedTools(Box::new(has_tool)));
    }

    /// Keeps a result. The journal says so if that is not possible, or only in the memory of this process.
    pub(crate) async fn keep_result(
        &self,
        result: StoredResult,
        owner: Owner<'_>,
        journal: &mut Journal,
    ) -> Option<Handle> {
        match self.store_file(result, owner).await {
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
    pub(crate) async fn store_file(
        &self,
        result: StoredResult,
        owner: Owner<'_>,
    ) -> Result<KeptFile, Error> {
        let mut random = [0; 16];
        let drawn = getrandom::fill(&mut random);
        drawn.map_err(|_| Error::new(ErrorKind::Sealing, "no random number is available"))?;
        let handle = Handle::from_random(u128::from_ne_bytes(random));
        let StoredResult { toolset, tool, media_type, filename, bytes, .. } = result;
        let origin = [&*tool, filename.as_deref().unwrap_or_default()].join(BETWEEN);
        let origin = percent_encode(origin.as_bytes(), NON_ALPHANUMERIC);
        let record = Record::new(format!("{toolset}{BETWEEN}{media_type}{ORIGIN}{origin}"), bytes);
        let record = record.with_time_to_live(TIME_TO_LIVE);
        let key = result_key(&handle, owner);
        let kept = self.store.put(&key, record.clone(), Expected::Absent, now()).await;
        let Err(error) = kept else { return Ok(KeptFile { handle, is_local: false }) };
        let fallback = self.fallback.as_ref().filter(|_| error.kind() != ErrorKind::TooLarge);
        let Some(fallback) = fallback else { return Err(error) };
        fallback.put(&key, record, Expected::Absent, now()).await?;
        Ok(KeptFile { handle, is_local: true })
    }

    /// The result behind a handle, if its owner may read it by these rights now.
    pub(crate) async fn get(
        &self,
        handle: &Handle,
        owner: Owner<'_>,
        rights: &CallRights,
    ) -> Result<Option<StoredResult>, Error> {
        let key = result_key(handle, owner);
        let local = match &self.fallback {
            Some(fallback) => fallback.get(&key, now()).await?,
            None => None,
        };
        let stored_entry = match local {
            Some(local) => Some(local),
            None => self.store.get(&key, now()).await?,
        };
        let result = stored_entry.map(|stored| result_from_record(&stored.record));
        Ok(result.filter(|result| self.may_read(result, rights)))
    }

    /// True if the owner of a result may read it: they handed it in, or may use the tool whose call made it.
    fn may_read(&self, result: &StoredResult, rights: &CallRights) -> bool {
        let StoredResult { toolset, tool, .. } = result;
        if result.is_supplied_by_caller() {
            return true;
        }
        if tool.is_empty() {
            // A record of an earlier release names the toolset alone.
            return rights.may_use(toolset);
        }
        let has_tool = self.served.get().is_some_and(|ServedTools(has)| has(toolset, tool));
        has_tool && rights.may_read(toolset, tool)
    }
}

/// Reads a record: its media type has the toolset before it, and as a parameter the tool and the name of the file.
fn result_from_record(record: &Record) -> StoredResult {
    let text = record.media_type();
    let (toolset, rest) = text.split_once(BETWEEN).unwrap_or(("", text));
    let (media_type, origin) = rest.rsplit_once(ORIGIN).unwrap_or((rest, ""));
    let origin = percent_decode_str(origin).decode_utf8_lossy();
    let (tool, filename) = origin.split_once(BETWEEN).unwrap_or((&*origin, ""));
    let filename = Some(filename).filter(|name| !name.is_empty()).map(str::to_owned);
    let result = StoredResult::new(media_type, Bytes::clone(record.bytes()));
    result.with_toolset(toolset).with_tool(tool).with_filename(filename)
}

impl Default for Results {
    fn default() -> Self {
        let (store, fallback) = (Arc::new(Memory::new(BOUNDS)), None);
        Self { store, fallback, served: OnceLock::new() }
    }
}

fn result_key(handle: &Handle, owner: Owner<'_>) -> Key {
    Key::new(Space::Result, owner, handle.as_str())
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

const BOUNDS: Bounds = Bounds { records: MAX_RESULTS, bytes: MAX_BYTES };
/// Stands between the toolset and the media type in a record, and between the tool and the name of the file: toolsets and
/// tools have no control characters.
const BETWEEN: &str = "\u{1f}";
/// The parameter of the media type that has the tool and the name of the file: a replica of an earlier release takes what
/// stands behind the toolset for the media type.
const ORIGIN: &str = ";callgate-origin=";
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
        let result = StoredResult::new("a/b", Bytes::from(vec![0; length]));
        let result = result.with_filename((length % 2 == 1).then(|| "a b.pdf".to_owned()));
        result.with_toolset("pets").with_tool("pets-load")
    }

    /// Results of an executor that has the tool alone.
    fn served(results: Results) -> Results {
        results.set_served_tools(|toolset, tool| (toolset, tool) == ("pets", "pets-load"));
        results
    }

    async fn read(results: &Results, handle: &Handle, owner: Owner<'_>) -> Option<StoredResult> {
        results.get(handle, owner, &CallRights::default()).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_stored_result_expires_after_its_time_to_live() {
        let (results, session) = (served(Results::default()), Session::default());
        let owner = Owner::new(None, &session);
        let handle = results.keep_result(result(3), owner, &mut Journal::default()).await.unwrap();
        assert_eq!(read(&results, &handle, owner).await, Some(result(3)));
        assert_eq!(read(&results, &Handle::from_random(7), owner).await, None);
        tokio::time::advance(TIME_TO_LIVE).await;
        assert_eq!(read(&results, &handle, owner).await, None);
        let mut journal = Journal::default();
        assert!(results.keep_result(result(MAX_BYTES), owner, &mut journal).await.is_none());
        assert_eq!(journal.events(), [Event::ResultNotKept]);
    }

    #[tokio::test]
    async fn a_stored_result_is_found_only_by_its_owner() {
        let results = served(Results::default());
        let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
        let (one, other) = (Session::new("1"), Session::new("2"));
        let owner = Owner::new(Some(&kim), &one);
        let handle = results.keep_result(result(3), owner, &mut Journal::default()).await.unwrap();
        for stranger in [
            Owner::new(Some(&lee), &one),
            Owner::new(Some(&kim), &other),
            Owner::new(None, &one),
            Owner::new(Some(&kim), &Session::default()),
        ] {
            assert_eq!(read(&results, &handle, stranger).await, None);
        }
        assert!(read(&results, &handle, owner).await.is_some());
    }

    #[tokio::test]
    async fn a_stored_result_is_read_only_while_its_tool_is_there_and_may_be_used() {
        let (results, session) = (served(Results::default()), Session::default());
        let owner = Owner::new(None, &session);
        let journal = &mut Journal::default();
        let handle = results.keep_result(result(3), owner, journal).await.unwrap();
        let of_caller = StoredResult::new("a/b", Bytes::new());
        let brought = results.keep_result(of_caller, owner, journal).await.unwrap();
        let without = results.for_another_executor();
        without.set_served_tools(|_, tool| tool == "pets-list");
        let unbuilt = results.for_another_executor();
        let all = CallRights::default();
        let others = CallRights::of_toolsets(Some(Arc::new(["free".to_owned()].into())));
        let another_tool =
            CallRights::default().with_access_condition(|_, tool| tool == "pets-list");
        let only_calls = CallRights::default().with_call_condition(|_, tool| tool == "pets-list");
        for (results, rights, is_read) in [
            (&results, &all, true),
            (&results, &only_calls, true),
            (&results, &others, false),
            (&results, &another_tool, false),
            (&without, &all, false),
            (&unbuilt, &all, false),
        ] {
            let read = results.get(&handle, owner, rights).await.unwrap();
            assert_eq!(read.is_some(), is_read, "{rights:?}");
            assert!(results.get(&brought, owner, rights).await.unwrap().is_some());
        }
    }

    #[tokio::test]
    async fn a_record_of_an_earlier_release_is_read_by_its_toolset() {
        let (results, session) = (Results::default(), Session::default());
        let owner = Owner::new(None, &session);
        let others = CallRights::of_toolsets(Some(Arc::new(["free".to_owned()].into())));
        for (at, text, toolset, is_hidden) in
            [(1, "pets\u{1f}a/b", "pets", true), (2, "a/b", "", false)]
        {
            let handle = Handle::from_random(at);
            let record = Record::new(text, Bytes::new());
            let key = result_key(&handle, owner);
            results.store.put(&key, record, Expected::Absent, now()).await.unwrap();
            let expected = StoredResult::new("a/b", Bytes::new()).with_toolset(toolset);
            assert_eq!(read(&results, &handle, owner).await, Some(expected));
            let hidden = results.get(&handle, owner, &others).await.unwrap().is_none();
            assert_eq!(hidden, is_hidden, "{text}");
        }
    }
    /// A former release takes what stands behind the toolset for the media type: it must be one that a response can have.
    #[tokio::test]
    async fn a_replica_of_an_earlier_release_reads_a_media_type_from_a_record() {
        let (results, session) = (served(Results::default()), Session::default());
        let owner = Owner::new(None, &session);
        let handle = results.keep_result(result(3), owner, &mut Journal::default()).await.unwrap();
        let stored = results.store.get(&result_key(&handle, owner), now()).await.unwrap().unwrap();
        let text = stored.record.media_type();
        let (toolset, media_type) = text.split_once(BETWEEN).unwrap();
        assert_eq!(toolset, "pets");
        assert!(http::HeaderValue::from_str(media_type).is_ok(), "{media_type}");
        assert!(media_type.starts_with("a/b;"), "{media_type}");
    }
}
