//! The use of an approval: it is written before the call is made, and ended after it. A store that does not answer may have
//! kept what it was given, or may keep it later; then the use is taken back, so that the approval is not lost with a call that
//! was never made.

use std::{sync::Arc, time::Duration};

use callgate_call::wording::approval as wording;
use callgate_session::{Error, ErrorKind, Expected, Key, Space, Store, Version};
use callgate_tool::Fault;
use tokio::time::{Instant, sleep};

use super::{approvals_unavailable_fault, now};
use crate::approval_record::{Approval, StoredApproval, Use, User};

/// The use of an approval for a call that is made, as an extension of the call.
#[derive(Clone, Debug)]
pub(super) struct Usage {
    store: Arc<dyn Store>,
    key: Key,
    version: Version,
    approval: Approval,
    /// True if its request lies beside it.
    has_detail: bool,
}

#[derive(Debug)]
pub(super) enum Try {
    /// It is used, by nobody else.
    Used(Option<Box<Usage>>),
    /// Somebody else was faster.
    Lost,
}

/// Uses an approval for a call that is about to be made. Of two simultaneous uses, only one finds the version.
pub(super) async fn claim_unused_approval(
    store: &Arc<dyn Store>,
    stored_approval: &StoredApproval,
) -> Result<Try, Box<Fault>> {
    let mut user = User::default();
    getrandom::fill(&mut user).map_err(|_| wording::not_read(Duration::ZERO))?;
    let begun =
        stored_approval.approval.with_use(Use::begin_for_user(user, &stored_approval.approval));
    match replace_or_drop_approval(store, stored_approval, &begun).await {
        Ok(Some(version)) => {
            let (store, key) = (Arc::clone(store), stored_approval.key.clone());
            let has_detail = stored_approval.has_separate_request();
            let usage = Usage { store, key, version, approval: begun, has_detail };
            Ok(Try::Used(Some(Box::new(usage))))
        }
        Ok(None) => Ok(Try::Used(None)),
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(Try::Lost),
        Err(error) => {
            let undo =
                Undo { store: Arc::clone(store), stored_approval: stored_approval.clone(), user };
            tokio::spawn(undo.undo_with_retries());
            Err(approvals_unavailable_fault(&error))
        }
    }
}

/// Uses an approval up for a call that is not made.
pub(super) async fn use_up_rejected(
    store: &Arc<dyn Store>,
    stored_approval: &StoredApproval,
) -> Result<Try, Box<Fault>> {
    match replace_or_drop_approval(
        store,
        stored_approval,
        &stored_approval.approval.with_use(Use::Rejected),
    )
    .await
    {
        Ok(_) => {
            if stored_approval.has_separate_request() {
                remove_stored_request(store, &stored_approval.key).await;
            }
            Ok(Try::Used(None))
        }
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(Try::Lost),
        Err(error) => Err(approvals_unavailable_fault(&error)),
    }
}

/// Removes the request of an approval that is used up. If this fails, it ends with its approval.
async fn remove_stored_request(store: &Arc<dyn Store>, key: &Key) {
    let removed = store.remove(&key.in_space(Space::Detail), Expected::Any, now()).await;
    removed.inspect_err(|error| tracing::debug!(%error, "the request of an approval stays")).ok();
}

/// Puts an approval in the place of the one that was found; `None` if there is no room for it, and it was removed.
async fn replace_or_drop_approval(
    store: &Arc<dyn Store>,
    stored_approval: &StoredApproval,
    approval: &Approval,
) -> Result<Option<Version>, Error> {
    let expected = Expected::Version(stored_approval.version);
    match store.put(&stored_approval.key, approval.to_record()?, expected, now()).await {
        Err(error) if matches!(error.kind(), ErrorKind::Full | ErrorKind::TooLarge) => {
            store.remove(&stored_approval.key, expected, now()).await.map(|_| None)
        }
        put => put.map(Some),
    }
}

impl Usage {
    /// Says that the call has ended. If this fails, the use counts as begun until its time is over.
    pub(super) async fn end_use(&self) {
        let ended = Approval { used: Some(Use::Made), ..self.approval.clone() };
        let expected = Expected::Version(self.version);
        let put = match ended.to_record() {
            Ok(record) => self.store.put(&self.key, record, expected, now()).await.map(drop),
            Err(error) => Err(error),
        };
        put.inspect_err(|error| tracing::debug!(%error, "a used approval is not ended")).ok();
        if self.has_detail {
            remove_stored_request(&self.store, &self.key).await;
        }
    }

    /// Removes the approval, because its call is another one, and is not made.
    pub(super) async fn delete_stored_approval(usage: Option<&Self>) {
        let Some(Self { store, key, version, has_detail, .. }) = usage else { return };
        if *has_detail {
            remove_stored_request(store, key).await;
        }
        let removed = store.remove(key, Expected::Version(*version), now()).await;
        removed.inspect_err(|error| tracing::debug!(%error, "a used approval stays")).ok();
    }
}

/// Takes back a use that the store may have kept: the approval is written again, in a version of its own, so that a use which
/// arrives later finds another one.
struct Undo {
    store: Arc<dyn Store>,
    stored_approval: StoredApproval,
    user: User,
}

impl Undo {
    async fn undo_with_retries(self) {
        let end = Instant::now() + Use::TIME;
        while self.attempt_undo().await.is_err() {
            if Instant::now() >= end {
                return self.warn_of_failed_undo();
            }
            sleep(PAUSE).await;
        }
    }

    fn warn_of_failed_undo(&self) {
        let approval = &self.stored_approval.approval.id;
        tracing::warn!(
            approval,
            "the store did not answer the use of this approval for 30 s: its call was not made, and the approval may count as used"
        );
    }

    async fn attempt_undo(&self) -> Result<(), Error> {
        let StoredApproval { key, version, approval, .. } = &self.stored_approval;
        let record = approval.to_record()?;
        match self.store.put(key, record.clone(), Expected::Version(*version), now()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            put => return put.map(drop),
        }
        let stored = self.store.get(key, now()).await?;
        let stored_approval =
            stored.and_then(|stored| StoredApproval::from_stored(key.clone(), &stored));
        let (record, version) = match stored_approval {
            Some(stored_approval) if stored_approval.approval.is_use_begun_by(&self.user) => {
                (record, stored_approval.version)
            }
            // An earlier attempt may have changed this server, and no replica yet.
            Some(stored_approval) if stored_approval.approval.used.is_none() => {
                (stored_approval.approval.to_record()?, stored_approval.version)
            }
            _ => return Ok(()),
        };
        match self.store.put(key, record, Expected::Version(version), now()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(()),
            put => put.map(drop),
        }
    }
}

/// The pause before the store is asked again.
const PAUSE: Duration = Duration::from_millis(200);
