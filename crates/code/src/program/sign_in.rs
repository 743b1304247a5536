//! Calls that wait until the user has signed in: no request had a token of theirs, or the service refused it and did nothing. Such a call
//! is sent again when a decision says that they have, or when the program is asked for again.

use std::time::SystemTime;

use callgate_executor::{AnswersSignIns, CLIENT_TIME, Decided, Decision, Resumption, random_name};
use callgate_tool::{FaultCode, Outcome, Pending, PendingKind, Reached, Value, json};

use super::Program;
use crate::{
    journal::CallState,
    message::Raised,
    outcome::{Ended, raised_fault},
};

impl Program<'_> {
    /// The sign-in for which a call waits that ended like this; `None` if it waits for none: nobody brings an answer, one said that the
    /// user has signed in, and it is not so, or the user did not sign in for an earlier call of the tool.
    pub(super) fn awaited_sign_in(
        &mut self,
        number: usize,
        waited: Option<&Pending>,
        outcome: &Outcome,
    ) -> Option<Box<Pending>> {
        let Outcome::Failed(fault) = outcome else { return None };
        let is_sign_in_required =
            fault.code == FaultCode::SignInRequired && fault.reached != Reached::Maybe;
        let can_wait = self.call.extensions().get::<AnswersSignIns>().is_some();
        if !is_sign_in_required || !can_wait || self.journal.is_full() {
            return None;
        }
        if let Some(waited) = waited.filter(|waited| is_sign_in(waited)) {
            if decision(self.resumption, waited).is_some() {
                return None;
            }
            if waited.expires.is_none_or(|at| at > SystemTime::now()) {
                return Some(Box::new(waited.clone()));
            }
        }
        let tool = self.journal.calls.get(number)?.tool.as_deref()?;
        if self.has_lacked_sign_in(tool) {
            return None;
        }
        let mut program = self.decision_facts(number, tool);
        // A sign-in covers no further call.
        program.remove("covers");
        let text = format!(
            "the user has to sign in for `{tool}`: {}; approve when they have, and the call is made again",
            fault.message
        );
        let request = json!({
            "text": text, "tool": tool, "sign_in": raised_fault(fault).fault,
            "program": Value::Object(program),
        });
        self.journal.count_request_size(&request);
        let id = format!("{}{}", Pending::SIGN_IN, random_name()?);
        let mut pending = Pending::new(PendingKind::Approval, id, request);
        pending.expires = SystemTime::now().checked_add(CLIENT_TIME);
        Some(Box::new(pending))
    }

    /// True if an earlier call of the tool ended for want of a sign-in: a loop does not ask again at each turn.
    fn has_lacked_sign_in(&self, tool: &str) -> bool {
        let is_of_sign_in = |state: &CallState| {
            let CallState::Ended(Ended::Failed(code, _), _) = state else { return false };
            code == FaultCode::SignInRequired.as_str()
        };
        let mut calls = self.journal.calls.iter();
        calls.any(|call| call.tool.as_deref() == Some(tool) && is_of_sign_in(&call.state))
    }
}

pub(super) fn is_sign_in(pending: &Pending) -> bool {
    pending.id.starts_with(Pending::SIGN_IN)
}

/// True if the call that waits is made again because another one is: its sign-in may be the same.
pub(super) fn is_tried_again(resumption: &Resumption, waiting: &Pending) -> bool {
    let is_rejected =
        resumption.decided.as_ref().is_some_and(|decided| decided.decision == Decision::Reject);
    is_sign_in(waiting) && resumption.pending.starts_with(Pending::SIGN_IN) && !is_rejected
}

/// The end of a call for which the user does not sign in, if that is the decision: the exception is that of the call.
pub(super) fn sign_in_refusal(
    resumption: Option<&Resumption>,
    waiting: &Pending,
) -> Option<(Ended, Raised)> {
    if !is_sign_in(waiting) || decision(resumption, waiting)? != Decision::Reject {
        return None;
    }
    let fault = waiting.request.get("sign_in")?.clone();
    let text = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or_default();
    let reached = Reached::from_name(text("reached")).unwrap_or(Reached::No);
    let ended = Ended::Failed(text("code").to_owned(), reached);
    let text = format!("{}: {}", text("code"), text("message"));
    Some((ended, Raised { text, fault }))
}

/// The decision about this call.
fn decision(resumption: Option<&Resumption>, waiting: &Pending) -> Option<Decision> {
    let decided: &Decided = resumption?.decided.as_ref()?;
    (decided.approval == waiting.id).then_some(decided.decision)
}
