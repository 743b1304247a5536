//! Keeps a call that needs a person's approval until the decision. If nobody can decide, the call is refused.

use callgate_call::wording::approval as wording;
use callgate_tool::{Approvers, Object, Outcome, Pending, ToolCall, ToolResult, Value};

use super::{Batch, RequestedCall};
use crate::waiting_calls::{WaitingCall, WaitingCalls};

#[derive(Clone)]
pub(crate) struct WaitingCallKeeper {
    pub(crate) calls: WaitingCalls,
    pub(crate) session: Object,
}

impl WaitingCallKeeper {
    /// True if the request that goes on may have another credential: one of the stored session, or of its own caller. A credential in
    /// this request would be that of the other one, too.
    pub(super) fn allows_new_credentials(&self) -> bool {
        let credentials = self.session.get("credentials").and_then(Value::as_object);
        credentials.is_none_or(Object::is_empty)
    }
}

// Leaves out the session, which may hold credentials.
callgate_secret::opaque!(WaitingCallKeeper = "Keeper(****)");

/// The result of the call at a position. A call that waits for an approval is kept.
pub(super) async fn store_if_waiting(
    batch: &Batch,
    at: usize,
    asked: &RequestedCall,
    mut result: ToolResult,
) -> ToolResult {
    let Some(pending) = result.outcome.pending_approval() else { return result };
    let fault = match &batch.keeper {
        None if pending.approvers != Approvers::Caller => {
            Some(wording::other_approver_fault(&pending.id))
        }
        None => Some(wording::nobody_asks()),
        Some(keeper) => {
            let arguments = asked.call.arguments.clone();
            let call = ToolCall::new(&*asked.call.id, &*result.tool, arguments);
            let session = keeper.session.clone();
            let (timeout, origin) = (asked.timeout, asked.origin.clone());
            let (execution, key) = (batch.execution, batch.call_idempotency_key(at, asked));
            let waiting = WaitingCall { call, timeout, execution, session, key, origin };
            let principal = batch.caller.principal.as_ref();
            let kept = keeper.calls.keep_call(principal, pending, waiting).await;
            kept.err().map(|error| wording::not_kept(error.retry_after().unwrap_or_default()))
        }
    };
    if let Some(fault) = fault {
        result.outcome = Outcome::Failed(fault);
    } else if let Outcome::Pending(pending) = &mut result.outcome {
        add_resume_request_text(pending);
    }
    result
}

/// Says by which request a program goes on that waits for a sign-in: no listing has it.
fn add_resume_request_text(pending: &mut Pending) {
    if !pending.id.starts_with(Pending::SIGN_IN) {
        return;
    }
    let Some(Value::String(text)) = pending.request.get_mut("text") else { return };
    let id = &pending.id;
    text.push_str(&format!(r#": `POST /v1/approvals/{id}` with `{{"decision": "approve"}}`"#));
}
