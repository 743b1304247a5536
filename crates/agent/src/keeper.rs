//! One transcript in a store while a turn of it runs. Whoever keeps it notices if somebody else has changed it.

use std::{sync::Arc, time::Duration};

use callgate_session::{ErrorKind as StoreErrorKind, Expected, Key, Record, Store};
use tokio::time::Instant;

use crate::{
    error::{self, Error},
    transcript::{Transcript, TranscriptForm},
};

/// Keeps one transcript while its turn runs.
#[derive(Debug)]
pub(crate) struct TranscriptKeeper {
    store: Arc<dyn Store>,
    key: Key,
    expected: Expected,
    time_to_live: Duration,
}

impl TranscriptKeeper {
    /// Keeps what is under `key`, in place of the transcript that is there.
    pub(crate) async fn load_transcript(
        store: Arc<dyn Store>,
        key: Key,
        time_to_live: Duration,
    ) -> Result<(Self, Option<TranscriptForm>), Error> {
        let stored = store.get(&key, now()).await.map_err(error::store_error)?;
        let expected = stored.as_ref().map(|stored| Expected::Version(stored.version));
        let form =
            stored.map(|stored| stored.record.read().map_err(error::store_error)).transpose()?;
        let expected = expected.unwrap_or(Expected::Absent);
        Ok((Self { store, key, expected, time_to_live }, form))
    }

    /// Keeps the transcript in place of the one that was read or kept last.
    pub(crate) async fn keep(&mut self, transcript: &Transcript) -> Result<(), Error> {
        let record = Record::json(&transcript.to_form()).map_err(error::store_error)?;
        let record = record.with_time_to_live(self.time_to_live);
        let put = self.store.put(&self.key, record, self.expected, now()).await;
        let version = put.map_err(|source| match source.kind() {
            StoreErrorKind::Conflict => error::changed_transcript(),
            _ => error::store_error(source),
        })?;
        self.expected = Expected::Version(version);
        Ok(())
    }
}

pub(crate) fn now() -> std::time::Instant {
    Instant::now().into_std()
}
