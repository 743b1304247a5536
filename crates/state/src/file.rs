//! The store in a file: a database (`SQLite`) that one process has open. One thread uses it, so that waiting requests share
//! the wait for the disk.

mod connect;
mod examination;
mod request;
mod shares;
mod table;
mod worker;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use async_trait::async_trait;
use callgate_secret::Secret;
use callgate_session::{
    Error, Expected, Group, Key, QueuePermit, Record, Sealer, Space, Store, Stored, Version,
};
use tokio::time::Instant as Clock;

use self::{
    request::{Answer, Request},
    worker::Worker,
};
use crate::{
    address::{Address, Addresses},
    engine::{Engine, Page, Put, Row, Rows},
    store::Sealed,
};

/// The settings of a store in a file.
///
/// ```
/// use callgate_state::FileSettings;
///
/// let settings = FileSettings::new("/var/lib/callgate/state.db");
/// assert_eq!(settings.bytes, 1 << 30);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileSettings {
    /// The file. It is made if it is absent; its folder is not.
    pub path: PathBuf,
    /// The key that seals records; without one, a key file lies beside the file.
    pub key: Option<Secret>,
    /// Keys that open what they sealed, and seal nothing more.
    pub old_keys: Vec<Secret>,
    /// The most bytes of all records; a principal may have as many as are still free.
    pub bytes: u64,
}

impl FileSettings {
    /// A file with a key file beside it, of at most 1 GiB.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), key: None, old_keys: Vec::new(), bytes: BYTES }
    }
}

/// Records in a file, which survive the end of the process.
///
/// Every change is in the file before it is answered, so that the end of the process loses nothing. Approvals and
/// idempotency keys are on the disk before they are answered, and survive a loss of power too; a session or a result of the
/// last moments may not. Records are sealed (AES-256-GCM), and their addresses are keyed digests. A record is kept until its
/// end; a principal that fills its share loses its oldest results first, and is refused after them.
///
/// ```
/// use std::time::Instant;
///
/// use callgate_session::{Expected, Key, Owner, Record, Space, Store};
/// use callgate_state::{FileSettings, FileStore};
/// # use callgate_tool::Session;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("state.db");
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let store = FileStore::open(&FileSettings::new(&path))?;
/// let key = Key::new(Space::Session, Owner::new(None, &Session::new("s-1")), "cart");
/// let now = Instant::now();
/// store.put(&key, Record::json(&["a pet"])?, Expected::Absent, now).await?;
/// drop(store);
/// let store = FileStore::open(&FileSettings::new(&path))?;
/// let stored = store.get(&key, now).await?.expect("it survives the process");
/// assert_eq!(stored.record.read::<Vec<String>>()?, ["a pet"]);
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileStore(Sealed<FileEngine>);

pub(crate) struct FileEngine {
    path: PathBuf,
    addresses: Arc<Addresses>,
    worker: Worker,
    /// The opening, by the clock of the callers and by the calendar.
    opened: (Instant, SystemTime),
}

impl FileStore {
    /// Opens a file, and makes it if it is absent. Waits for the disk: a task calls it through `spawn_blocking`.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](callgate_session::ErrorKind::Unavailable) if the file cannot be opened or another process
    /// has it, [`ErrorKind::Unreadable`](callgate_session::ErrorKind::Unreadable) if it is another program's or another
    /// release's, [`ErrorKind::Sealing`](callgate_session::ErrorKind::Sealing) if none of the keys opens it.
    pub fn open(settings: &FileSettings) -> Result<Self, Error> {
        let (table, addresses, sealer) = connect::open_file(settings)?;
        let worker = Worker::start(table)?;
        let opened = (Clock::now().into_std(), SystemTime::now());
        let (path, addresses) = (settings.path.clone(), Arc::new(addresses));
        let engine = FileEngine { path, addresses, worker, opened };
        Ok(Self(Sealed::new(engine, sealer)))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.engine.path
    }

    /// Looks at a file without opening it, while a sidecar may have it: what is there, or the reason why none can open it.
    /// `has_key` if a key is named for it.
    ///
    /// # Errors
    /// The errors of [`FileStore::open`], except that another process has the file, and that its key is another one.
    #[doc(hidden)]
    pub fn file_status(path: &Path, has_key: bool) -> Result<String, Error> {
        examination::file_status(path, has_key)
    }

    /// The key file of a file of state for which no key is named.
    pub fn key_file_path(path: &Path) -> PathBuf {
        crate::key_file::key_file_path(path)
    }
}

crate::store::delegate_store!(FileStore);

impl FileEngine {
    /// A time of the callers' clock in milliseconds since 1970, for the file to keep.
    fn calendar_milliseconds(&self, now: Instant) -> i64 {
        let (opened, calendar) = self.opened;
        let began = calendar.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let since = now.saturating_duration_since(opened);
        i64::try_from((began + since).as_millis()).unwrap_or(i64::MAX)
    }
}

#[async_trait]
impl Engine for FileEngine {
    const IS_SHARED: bool = false;

    async fn addresses(&self, _: &Sealer) -> Result<Arc<Addresses>, Error> {
        Ok(Arc::clone(&self.addresses))
    }

    async fn get(
        &self,
        address: Address,
        now: Instant,
        permit: QueuePermit,
    ) -> Result<Option<Row>, Error> {
        let now = self.calendar_milliseconds(now);
        match self.worker.ask_worker(Request::Get { address, now }, permit).await? {
            Answer::Found(row) => Ok(row),
            Answer::Changed(_) | Answer::Counted(_) | Answer::Listed(_) => Ok(None),
        }
    }

    async fn list(&self, page: Page, now: Instant, permit: QueuePermit) -> Result<Rows, Error> {
        let now = self.calendar_milliseconds(now);
        match self.worker.ask_worker(Request::List { page, now }, permit).await? {
            Answer::Listed(rows) => Ok(rows),
            Answer::Changed(_) | Answer::Counted(_) | Answer::Found(_) => {
                Ok(Rows { rows: Vec::new(), is_last: true })
            }
        }
    }

    async fn count(
        &self,
        space: &'static str,
        now: Instant,
        permit: QueuePermit,
    ) -> Result<usize, Error> {
        let now = self.calendar_milliseconds(now);
        match self.worker.ask_worker(Request::Count { space, now }, permit).await? {
            Answer::Counted(number) => Ok(number),
            Answer::Changed(_) | Answer::Found(_) | Answer::Listed(_) => Ok(0),
        }
    }

    async fn put(&self, put: Put, now: Instant, permit: QueuePermit) -> Result<(), Error> {
        let now = self.calendar_milliseconds(now);
        let ends = put.row.time_to_live.map_or(i64::MAX, |lives: Duration| {
            now.saturating_add(i64::try_from(lives.as_millis()).unwrap_or(i64::MAX))
        });
        self.worker.ask_worker(Request::Put { put, ends, now }, permit).await.map(drop)
    }

    async fn remove(
        &self,
        address: Address,
        expected: Expected,
        now: Instant,
        permit: QueuePermit,
    ) -> Result<bool, Error> {
        let now = self.calendar_milliseconds(now);
        let answer =
            self.worker.ask_worker(Request::Remove { address, expected, now }, permit).await?;
        Ok(matches!(answer, Answer::Changed(true)))
    }
}

callgate_secret::opaque!(FileEngine { path });

/// The size of a file that a small disk has room for, with its write-ahead log.
const BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests;
