//! One transcript in a store while a turn of it runs. Its record says until when, so that a second turn finds it taken.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use callgate_session::{ErrorKind as StoreErrorKind, Expected, Key, Record, Store};
use tokio::time::Instant;

use crate::{
    error::{self, Error},
    transcript::{Transcript, TranscriptForm},
};

/// Keeps one transcript while its turn runs.
#[derive(Debug)]
pub(crate) struct Keeper {
    store: Arc<dyn Store>,
    key: Key,
    expected: Expected,
    /// The time that a turn takes at most.
    time: Duration,
    time_to_live: Duration,
}

impl Keeper {
    /// Keeps what is under `key`, while a turn takes `time` at most.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        key: Key,
        time: Duration,
        time_to_live: Duration,
    ) -> Self {
        Self { store, key, expected: Expected::Absent, time, time_to_live }
    }

    /// The transcript that is kept, if no turn of it runs.
    pub(crate) async fn begin(&mut self) -> Result<Option<TranscriptForm>, Error> {
        let stored = self.store.get(&self.key, now()).await.map_err(error::store)?;
        let Some(stored) = stored else { return Ok(None) };
        self.expected = Expected::Version(stored.version);
        let form: TranscriptForm = stored.record.read().map_err(error::store)?;
        if form.running_until.is_some_and(|until| until > milliseconds(Duration::ZERO)) {
            return Err(error::busy());
        }
        Ok(Some(form))
    }

    /// Keeps the transcript as that of a running turn.
    pub(crate) async fn keep(&mut self, transcript: &Transcript) -> Result<(), Error> {
        let mut form = transcript.form();
        form.running_until = Some(milliseconds(self.time));
        self.put(&form).await
    }

    /// Keeps the transcript after its turn.
    pub(crate) async fn end(&mut self, transcript: &Transcript) -> Result<(), Error> {
        self.put(&transcript.form()).await
    }

    async fn put(&mut self, form: &TranscriptForm) -> Result<(), Error> {
        let record = Record::json(form).map_err(error::store)?.with_time_to_live(self.time_to_live);
        let put = self.store.put(&self.key, record, self.expected, now()).await;
        let version = put.map_err(|source| match source.kind() {
            StoreErrorKind::Conflict => error::busy(),
            _ => error::store(source),
        })?;
        self.expected = Expected::Version(version);
        Ok(())
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The moment after a time from now, in milliseconds since 1970.
fn milliseconds(from_now: Duration) -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.saturating_add(from_now).as_millis()).unwrap_or(u64::MAX)
}
