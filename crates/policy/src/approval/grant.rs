//! The approval that a call may use, where the caller's own decision counts: one that it brings by its id, or one that somebody else gave for an equal call. Of
//! simultaneous calls only one uses it. A used approval stays until it ends, so that whoever decides again, because the
//! response was lost, learns of the use.

use std::time::Duration;

use callgate_call::wording::approval as wording;
use callgate_executor::{Approved, Call, CoveredCall, Decision, Resumption};
use callgate_tool::{Approvers, Fault, Principal};

use super::{
    Approvals, approval_key, approvals_unavailable_fault, count_decision, now,
    usage::{self, Try},
};
use crate::{
    approval_record::{Approval, ApprovalState, AskedApproval, Permit, StoredApproval, Use},
    digest::Digest,
};

#[derive(Debug)]
pub(super) enum Grant {
    /// The approval was given, and is used up.
    Given {
        permit: Permit,
        digest: Digest,
        is_decided_now: bool,
    },
    Waiting(Box<Approval>),
}

impl Grant {
    pub(super) fn digest(&self) -> &Digest {
        match self {
            Self::Given { digest, .. } => digest,
            Self::Waiting(approval) => &approval.digest,
        }
    }

    fn from_approval(approval: &Approval, by: Option<String>) -> Self {
        let permit = Permit { approval: approval.id.clone(), by };
        let is_decided_now = approval.state == ApprovalState::Waiting;
        Self::Given { permit, digest: approval.digest, is_decided_now }
    }
}

impl Approvals {
    /// The approval that came with the call, by a decision or by its id alone. Each approval works once.
    pub(super) async fn use_named_approval(
        &self,
        call: &mut Call<'_>,
    ) -> Result<Option<Grant>, Box<Fault>> {
        let (decided, named) = (call.take_decision(), call.take_approval());
        let Some(id) = decided.as_ref().map(|decided| decided.approval.clone()).or(named) else {
            return Ok(None);
        };
        let Some(stored_approval) = self.own_approval(call, &id).await? else {
            count_decision("unknown");
            return Err(wording::unknown());
        };
        match stored_approval.approval.used {
            Some(Use::Begun { .. }) => return Err(wording::being_used(SOON)),
            Some(Use::Made) => return Err(wording::used_approval()),
            Some(Use::Rejected) => return Err(wording::rejected_call()),
            None => {}
        }
        let decision = decided.as_ref().map(|decided| decided.decision);
        let decider = decided.and_then(|decided| decided.by);
        let (state, is_reject) =
            (&stored_approval.approval.state, decision == Some(Decision::Reject));
        let by = match state {
            ApprovalState::Rejected { by } => Some(by.clone()),
            _ if is_reject => decider,
            ApprovalState::Approved { by } => Some(by.clone()),
            ApprovalState::Waiting if decision.is_none() => {
                return Ok(Some(Grant::Waiting(Box::new(stored_approval.approval))));
            }
            ApprovalState::Waiting => decider,
        };
        let is_rejected = is_reject || matches!(state, ApprovalState::Rejected { .. });
        if !is_rejected && !self.may_approve(call, by.as_deref()) {
            return Err(wording::approver_must_differ_fault(&id));
        }
        if !self.use_if_unused(call, &stored_approval, is_rejected).await? {
            count_decision("unknown");
            return Err(wording::being_used(SOON));
        }
        if !is_rejected {
            return Ok(Some(Grant::from_approval(&stored_approval.approval, by)));
        }
        if *state == ApprovalState::Waiting {
            count_decision("rejected");
        }
        call.extensions_mut().insert(Permit { approval: id, by });
        Err(wording::rejected_call())
    }

    /// The approval of an earlier call of the same program and tool that covers this one, whatever it sends. Where somebody else has to
    /// approve, each call is decided by itself.
    fn covering_grant(&self, call: &mut Call<'_>, digest: Digest) -> Option<Grant> {
        let CoveredCall(approval) = call.extensions().get()?;
        let permit = Permit { approval: approval.clone(), by: None };
        if self.rules.approvers == Approvers::Others {
            return None;
        }
        call.extensions_mut().insert(Approved);
        Some(Grant::Given { permit, digest, is_decided_now: false })
    }

    /// True if the call of a program's tool brings the answer to a call of the program that waits, and not a decision about itself:
    /// the tool finds it among the extensions.
    pub(super) async fn mark_program_resumption(
        &self,
        call: &mut Call<'_>,
    ) -> Result<bool, Box<Fault>> {
        let asked = call.extensions().get::<AskedApproval>().map(|AskedApproval(id)| id.as_str());
        let named = call.decision().map(|decided| decided.approval.as_str());
        let Some(pending) = named.or_else(|| call.approval()).or(asked).map(str::to_owned) else {
            return Ok(false);
        };
        match self.own_approval(call, &pending).await {
            Ok(Some(_)) => return Ok(false),
            Ok(None) => {}
            Err(unread) => {
                // A program that waits still does, and its key is not free.
                call.extensions_mut().insert(Resumption { pending, decided: None, answer: None });
                return Err(unread);
            }
        }
        let decided = call.take_decision();
        call.take_approval();
        call.extensions_mut().insert(Resumption { pending, decided, answer: None });
        Ok(true)
    }

    /// The approval that covers the call, or that somebody else gave for an equal one, or under which one waits.
    pub(super) async fn use_equal_approval(
        &self,
        call: &mut Call<'_>,
        digest: &Digest,
    ) -> Result<Option<Grant>, Box<Fault>> {
        if let Some(grant) = self.covering_grant(call, *digest) {
            return Ok(Some(grant));
        }
        let asked = call.extensions().get::<AskedApproval>().map(|AskedApproval(id)| id.clone());
        let mut equal_approvals =
            self.unused_equal_approvals(call, digest, asked.as_deref()).await?;
        // One that was approved is used first; of equal ones, the oldest.
        equal_approvals.sort_by_key(|stored_approval| {
            (state_rank(&stored_approval.approval.state), stored_approval.approval.asked)
        });
        for stored_approval in equal_approvals {
            let approval = &stored_approval.approval;
            let is_usable = match &approval.state {
                ApprovalState::Approved { by } => self.may_approve(call, Some(by)),
                ApprovalState::Rejected { .. } => true,
                ApprovalState::Waiting
                    if self.rules.approvers == Approvers::Others
                        || asked.as_ref() == Some(&approval.id) =>
                {
                    return Ok(Some(Grant::Waiting(Box::new(stored_approval.approval))));
                }
                ApprovalState::Waiting => false,
            };
            let is_approved = matches!(approval.state, ApprovalState::Approved { .. });
            if !is_usable || !self.use_if_unused(call, &stored_approval, !is_approved).await? {
                continue;
            }
            let by = approval.state.by().map(ToOwned::to_owned);
            if is_approved {
                return Ok(Some(Grant::from_approval(approval, by)));
            }
            call.extensions_mut().insert(Permit { approval: approval.id.clone(), by });
            return Err(wording::rejected_call());
        }
        Ok(None)
    }

    /// The approval of an id, if it is one of this call's principal, session and tool.
    pub(super) async fn own_approval(
        &self,
        call: &Call<'_>,
        id: &str,
    ) -> Result<Option<StoredApproval>, Box<Fault>> {
        let key = approval_key(call, id);
        let stored = self
            .store
            .get(&key, now())
            .await
            .map_err(|error| approvals_unavailable_fault(&error))?;
        Ok(stored.and_then(|stored| StoredApproval::from_stored(key, &stored)))
    }

    /// True if the approval was not used before. That of a call that is made is ended after the call.
    async fn use_if_unused(
        &self,
        call: &mut Call<'_>,
        stored_approval: &StoredApproval,
        is_rejected: bool,
    ) -> Result<bool, Box<Fault>> {
        let used = if is_rejected {
            usage::use_up_rejected(&self.store, stored_approval).await?
        } else {
            usage::claim_unused_approval(&self.store, stored_approval).await?
        };
        match used {
            Try::Lost => return Ok(false),
            Try::Used(usage) => usage.map(|usage| call.extensions_mut().insert(*usage)),
        };
        if !is_rejected {
            call.extensions_mut().insert(Approved);
        }
        Ok(true)
    }

    /// True if the approval of this principal counts for the call: the one rule of all ways in.
    fn may_approve(&self, call: &Call<'_>, by: Option<&str>) -> bool {
        let caller = call.principal().map(Principal::id);
        match self.rules.approvers {
            Approvers::Caller | Approvers::Either => true,
            Approvers::Others => caller.is_some() && by.is_some() && caller != by,
        }
    }
}

fn state_rank(state: &ApprovalState) -> u8 {
    match state {
        ApprovalState::Approved { .. } => 0,
        ApprovalState::Rejected { .. } => 1,
        ApprovalState::Waiting => 2,
    }
}

/// The wait until a call under an approval may have ended.
const SOON: Duration = Duration::from_secs(1);
