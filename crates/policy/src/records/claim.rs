//! The record of a key and its holder: whoever makes the request of the key.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use callgate_session::{Error, ErrorKind, Expected, Key, Record, Version};

use super::{
    Records,
    entry::{Entry, State},
    holders::Holder,
    now,
};
use crate::digest::Digest;

pub(super) struct Claim {
    records: Arc<Records>,
    key: Key,
    digest: Digest,
    /// The digest of the requests that repeat the ended one, if it is another.
    end_digest: OnceLock<Digest>,
    holder: Holder,
    /// The version that the holder wrote last.
    version: AtomicU64,
}

impl Claim {
    pub(super) fn new(records: Arc<Records>, key: Key, digest: Digest, holder: Holder) -> Self {
        let (end_digest, version) = (OnceLock::new(), AtomicU64::default());
        Self { records, key, digest, end_digest, holder, version }
    }

    pub(super) fn set_end_digest(&self, digest: Digest) {
        self.end_digest.set(digest).ok();
    }

    pub(super) fn is_shared(&self) -> bool {
        self.records.store.is_shared()
    }

    /// Becomes the holder, if the record is as expected.
    pub(super) async fn claim_if_expected(&self, expected: Expected) -> Result<(), Error> {
        self.put_state_if_expected(expected, State::Running).await
    }

    /// Writes a state over the record, if it is still the holder's. Another process may have written that the end is
    /// unknown, and a store that did not answer may have kept what it was given.
    pub(super) async fn put_state_if_own(&self, state: State<'_>) -> Result<(), Error> {
        let last_version = Version::new(self.version.load(Ordering::Relaxed));
        match self.put_state_if_expected(Expected::Version(last_version), state).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let is_renewal = state == State::Running;
                let version = self.own_version(is_renewal).await?.ok_or(error)?;
                self.put_state_if_expected(Expected::Version(version), state).await
            }
            put => put,
        }
    }

    /// Marks a request that is not made although its record may be there, or may come later; returns whether it could.
    pub(super) async fn mark_unsent(&self) -> bool {
        match self.put_state_if_expected(Expected::Absent, State::Unsent).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let Ok(own) = self.own_version(true).await else { return false };
                let Some(version) = own else { return true };
                self.put_state_if_expected(Expected::Version(version), State::Unsent).await.is_ok()
            }
            put => put.is_ok(),
        }
    }

    /// In a store of this process alone nothing comes late, so that no mark has to take up room.
    pub(super) async fn free_key(&self) -> Result<(), Error> {
        if self.is_shared() {
            return self.put_state_if_own(State::Unsent).await;
        }
        let version = Version::new(self.version.load(Ordering::Relaxed));
        self.records.store.remove(&self.key, Expected::Version(version), now()).await.map(drop)
    }

    /// The version of the record, if it is the holder's.
    async fn own_version(&self, is_running: bool) -> Result<Option<Version>, Error> {
        let stored = self.records.store.get(&self.key, now()).await?;
        Ok(stored.filter(|stored| self.is_own(&stored.record, is_running)).map(|it| it.version))
    }

    async fn put_state_if_expected(
        &self,
        expected: Expected,
        state: State<'_>,
    ) -> Result<(), Error> {
        let Self { records, key, digest, end_digest, holder, version } = self;
        let digest = *end_digest.get().unwrap_or(digest);
        let entry = Entry { digest, holder: *holder, lease: Duration::ZERO, state };
        let put = records.store.put(key, records.record_of_entry(entry), expected, now()).await?;
        version.store(put.number(), Ordering::Relaxed);
        Ok(())
    }

    fn is_own(&self, record: &Record, is_running: bool) -> bool {
        let Some(entry) = Entry::from_record(record) else { return false };
        let is_open = match entry.state {
            State::Running => true,
            State::Unknown => !is_running,
            State::Ended(_) | State::Unsent => false,
        };
        is_open && entry.holder == self.holder
    }
}
