//! The approvals of equal calls. Their ids lie in a list of their own under the digest of the call, so that nobody reads all that
//! wait to find them.

use callgate_call::wording::approval as wording;
use callgate_executor::Call;
use callgate_session::{Error, ErrorKind, Expected, Key, Owner, Record, Space, Stored};
use callgate_tool::{Approvers, Fault, hexadecimal};

use super::{Approvals, approvals_unavailable_fault, now};
use crate::{approval_record::StoredApproval, digest::Digest};

impl Approvals {
    /// The unused approvals of calls that are equal to this one: those that others may decide about, and the one under which the
    /// call waits.
    pub(super) async fn unused_equal_approvals(
        &self,
        call: &Call<'_>,
        digest: &Digest,
        asked: Option<&str>,
    ) -> Result<Vec<StoredApproval>, Box<Fault>> {
        let mut ids: Vec<String> = asked.map(str::to_owned).into_iter().collect();
        if self.may_others_decide(call) {
            let listed = self.store.get(&equal_approvals_key(call, digest), now()).await;
            let listed = listed.map_err(|error| approvals_unavailable_fault(&error))?;
            let listed = listed.as_ref().and_then(listed_ids).unwrap_or_default();
            ids.extend(listed.into_iter().filter(|id| asked != Some(id)));
        }
        let mut equal = Vec::new();
        for id in ids {
            let own = self.own_approval(call, &id).await?;
            equal.extend(own.filter(|own| own.approval.digest == *digest && is_unused(own)));
        }
        Ok(equal)
    }

    /// Adds the approval of this id to those of equal calls, if others may decide about it. One that was asked for while only its
    /// caller might decide is used under its id alone, after a reload too.
    ///
    /// # Errors
    /// It cannot be kept.
    pub(super) async fn list_for_equal_calls(
        &self,
        call: &Call<'_>,
        digest: &Digest,
        id: &str,
    ) -> Result<(), Box<Fault>> {
        if !self.may_others_decide(call) {
            return Ok(());
        }
        let key = equal_approvals_key(call, digest);
        let mut tries = 1..=ATTEMPTS;
        loop {
            let stored =
                self.store.get(&key, now()).await.map_err(|error| not_listed_fault(&error))?;
            let expected = stored.as_ref().map(|stored| Expected::Version(stored.version));
            let mut ids = stored.as_ref().and_then(listed_ids).unwrap_or_default();
            if ids.len() >= MANY {
                ids = self.unused_ids(call, ids).await?;
            }
            ids.push(id.to_owned());
            let record = Record::json(&ids).map_err(|error| not_listed_fault(&error))?;
            let record = record.with_time_to_live(self.rules.time);
            match self.store.put(&key, record, expected.unwrap_or(Expected::Absent), now()).await {
                Ok(_) => return Ok(()),
                // An equal call was faster.
                Err(error) if error.kind() == ErrorKind::Conflict && tries.next().is_some() => {}
                Err(error) => return Err(not_listed_fault(&error)),
            }
        }
    }

    /// Those of some approvals that were not used, the latest of them.
    async fn unused_ids(
        &self,
        call: &Call<'_>,
        ids: Vec<String>,
    ) -> Result<Vec<String>, Box<Fault>> {
        let mut unused = Vec::new();
        for id in ids {
            let own = self.own_approval(call, &id).await?;
            unused.extend(own.filter(is_unused).map(|_| id));
        }
        unused.drain(..unused.len().saturating_sub(MOST));
        Ok(unused)
    }

    fn may_others_decide(&self, call: &Call<'_>) -> bool {
        self.rules.approvers != Approvers::Caller && call.principal().is_some()
    }
}

fn equal_approvals_key(call: &Call<'_>, digest: &Digest) -> Key {
    let owner = Owner::new(call.principal(), call.session());
    Key::new(Space::Detail, owner, &format!("equal to {}", hexadecimal(digest)))
}

/// `None` for a record of another release.
fn listed_ids(stored: &Stored) -> Option<Vec<String>> {
    stored.record.read().ok()
}

fn is_unused(stored_approval: &StoredApproval) -> bool {
    stored_approval.approval.used.is_none()
}

fn not_listed_fault(error: &Error) -> Box<Fault> {
    tracing::debug!(%error, "a call that needs approval is not listed");
    wording::not_kept(error.retry_after().unwrap_or_default())
}

/// The ids from which on used ones are left out.
const MANY: usize = 8;
/// The equal calls that wait at once and are found by their digest; others are made under their ids.
const MOST: usize = 64;
/// The equal calls that may be faster than one.
const ATTEMPTS: usize = 16;
