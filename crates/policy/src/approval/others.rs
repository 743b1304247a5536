//! Decisions of others than the caller: an approval that waits is marked. The call itself is made later, by its own caller.

use callgate_executor::{Decided, Decision};
use callgate_session::{Error, ErrorKind, Expected};
use callgate_tool::Approvers;

use super::{Approvals, Extent, count_decision, now};
use crate::{
    approval_record::{Approval, ApprovalState, StoredApproval},
    audit::Audit,
};

/// The result of a decision of somebody else than the caller.
///
/// ```
/// use callgate_policy::Marked;
///
/// fn told(marked: &Marked) -> &'static str {
///     match marked {
///         Marked::Absent => "nothing waits under this id",
///         Marked::Earlier(_) => "it was decided before",
///         Marked::Now(_) => "the caller can make the call now",
///         Marked::Own => "somebody else has to decide",
///         Marked::Unaudited => "the decision cannot be recorded",
///     }
/// }
/// assert_eq!(told(&Marked::Own), "somebody else has to decide");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Marked {
    /// No approval of this id waits, or it is none that the principal may decide.
    Absent,
    /// It was decided before, as the state says.
    Earlier(Box<Approval>),
    /// The decision holds.
    Now(Box<Approval>),
    /// The principal that decides made the call, or is not known.
    Own,
    /// The decision must be recorded, and cannot be.
    Unaudited,
}

impl Approvals {
    /// The parties that may approve calls.
    pub fn approvers(&self) -> Approvers {
        self.rules.approvers
    }

    /// Marks the call that waits under an id as approved or rejected, if `may` allows the principal that
    /// [decided](Decided::by) to. The caller makes the call later: by making it again, or under the id
    /// ([`Call::with_approval`](callgate_executor::Call::with_approval)). The audit records the decision before it holds.
    ///
    /// ```
    /// use callgate_executor::{Call, Decided, Decision, Executor};
    /// use callgate_policy::{ApprovalRules, Approvals, Confirm, Marked};
    /// use callgate_tool::{Approvers, Arguments, Outcome, Principal, Session, ToolCall, json};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let mut rules = ApprovalRules { approvers: Approvers::Others, ..ApprovalRules::default() };
    /// rules.toolsets.insert("shop".to_owned(), Confirm::Writes);
    /// let approvals = Approvals::new(rules);
    /// let executor = Executor::builder()
    ///     .function("shop", "buy", json!({"type": "object"}), |_| async { json!("bought") })
    ///     .middleware(approvals.clone())
    ///     .build()?;
    ///
    /// let (asked, session) = (ToolCall::new("1", "shop-buy", Arguments::new()), Session::default());
    /// let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    /// let call = || Call::new(&asked, &session).with_principal(kim.clone());
    /// let Outcome::Pending(pending) = executor.call_with(call()).await.outcome else { return Err("nobody was asked".into()) };
    ///
    /// let own = Decided::new(&pending.id, Decision::Approve).by(&kim);
    /// assert_eq!(approvals.decide(&own, |_| true, None).await?, Marked::Own);
    /// let others = Decided::new(&pending.id, Decision::Approve).by(&lee);
    /// assert!(matches!(approvals.decide(&others, |_| true, None).await?, Marked::Now(_)));
    /// // The caller makes the call again.
    /// assert_eq!(executor.call_with(call()).await.text(), Some("\"bought\""));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the [`Store`](callgate_session::Store).
    pub async fn decide(
        &self,
        decided: &Decided,
        may: impl Fn(&Approval) -> bool + Send,
        audit: Option<&Audit>,
    ) -> Result<Marked, Error> {
        let Some(StoredApproval { key, version, approval, .. }) =
            self.approval_by_id(Extent::All, &decided.approval).await?
        else {
            return Ok(Marked::Absent);
        };
        if approval.used.is_some() || !may(&approval) {
            return Ok(Marked::Absent);
        }
        // Whether a caller without a name is somebody else is not known.
        let is_others = |by: &&str| approval.caller.as_deref().is_some_and(|caller| caller != *by);
        let Some(by) = decided.by.as_deref().filter(is_others) else { return Ok(Marked::Own) };
        if approval.state != ApprovalState::Waiting {
            return Ok(Marked::Earlier(Box::new(approval)));
        }
        if let Some(audit) = audit
            && !audit.record_decision(decided, &approval).await
        {
            return Ok(Marked::Unaudited);
        }
        let (state, counted) = decided_state(decided.decision, by);
        let approval = Approval { state, ..approval };
        let expected = Expected::Version(version);
        match self.store.put(&key, approval.to_record()?, expected, now()).await {
            Ok(_) => {
                count_decision(counted);
                Ok(Marked::Now(Box::new(approval)))
            }
            // Somebody else was faster, or the caller has taken the call back.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let earlier = self.store.get(&key, now()).await?;
                let earlier = earlier.and_then(|stored| StoredApproval::from_stored(key, &stored));
                let earlier =
                    earlier.filter(|stored_approval| stored_approval.approval.used.is_none());
                let earlier = earlier
                    .map(|stored_approval| Marked::Earlier(Box::new(stored_approval.approval)));
                Ok(earlier.unwrap_or(Marked::Absent))
            }
            Err(error) => Err(error),
        }
    }
}

fn decided_state(decision: Decision, by: &str) -> (ApprovalState, &'static str) {
    let by = by.to_owned();
    match decision {
        Decision::Approve => (ApprovalState::Approved { by }, "approved"),
        Decision::Reject => (ApprovalState::Rejected { by }, "rejected"),
    }
}
