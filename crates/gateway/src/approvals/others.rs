//! Decisions about calls of others: the approval is marked, and its caller makes the call later. The response holds nothing
//! of the service.

use axum::response::{IntoResponse, Response};
use callgate_executor::{Decided, Decision};
use callgate_policy::{Approval, ApprovalState, Marked};

use super::{
    absent_approval,
    listing::{approval_body, may_decide},
};
use crate::{
    answer::JsonText,
    caller::Caller,
    gateway::Gateway,
    problem::{Problem, ProblemKind},
};

pub(super) async fn decide_another_principals_call(
    gateway: &Gateway,
    caller: &Caller,
    id: &str,
    decision: Decision,
) -> Result<Response, Problem> {
    let built = gateway.current_build();
    let (Some(principal), Some(approvals)) = (&caller.principal, built.approvals()) else {
        return Err(absent_approval());
    };
    if caller.approves.is_empty() {
        return Err(absent_approval());
    }
    let decided = Decided::new(id, decision).by(principal);
    let may = |approval: &Approval| may_decide(&built, caller, approval);
    let audit = built.audit().map(AsRef::as_ref);
    match approvals.decide(&decided, may, audit).await? {
        Marked::Now(approval) => {
            Ok(JsonText::from_body(&approval_body(&built, caller, &approval)).into_response())
        }
        Marked::Earlier(approval) if is_same_decision(&approval.state, &decided) => {
            Ok(JsonText::from_body(&approval_body(&built, caller, &approval)).into_response())
        }
        Marked::Earlier(approval) => {
            let detail = format!("somebody was faster: it is {}", approval.state.as_str());
            Err(Problem::new(ProblemKind::DECIDED, detail))
        }
        Marked::Absent => Err(absent_approval()),
        Marked::Own => {
            let detail = "it is a call of your own: somebody else has to decide";
            Err(Problem::new(ProblemKind::OWN_CALL, detail))
        }
        Marked::Unaudited => {
            let detail = "the decision cannot be written into the audit file, and does not hold";
            Err(Problem::new(ProblemKind::UNAVAILABLE, detail))
        }
    }
}

/// True if the approval was decided in this way by this principal, so that a repeated request changes nothing.
fn is_same_decision(state: &ApprovalState, decided: &Decided) -> bool {
    let is_word = match decided.decision {
        Decision::Approve => matches!(state, ApprovalState::Approved { .. }),
        Decision::Reject => matches!(state, ApprovalState::Rejected { .. }),
    };
    is_word && state.by() == decided.by.as_deref()
}
