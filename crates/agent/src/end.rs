//! The end of a turn: why it ended, what the model said last, and what it waits for.

use std::time::{Duration, SystemTime};

use callgate_tool::{Approvers, Arguments, PendingKind, Value};

use crate::{
    error::Error,
    transcript::{Open, Transcript, Waiting},
    usage::Usage,
};

/// The end of a turn.
///
/// ```
/// use callgate_agent::{End, EndReason};
///
/// fn shown(end: &End) -> String {
///     match end.reason {
///         EndReason::Answered => end.text.clone(),
///         EndReason::Waiting => format!("{} calls wait", end.pending.len()),
///         reason => format!("{}: {}", reason.as_str(), end.detail.as_deref().unwrap_or_default()),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct End {
    /// The id of the turn, which the log and the audit have.
    pub turn: String,
    /// The reason.
    pub reason: EndReason,
    /// More about the reason, in a sentence for people.
    pub detail: Option<String>,
    /// The words of the model for the user. A question to the user is an answer too.
    pub text: String,
    /// The requests to the model.
    pub n_rounds: usize,
    /// The calls that were made.
    pub n_calls: usize,
    /// The tokens of the turn.
    pub usage: Usage,
    /// True if some of the tokens are estimated, because the model counted none.
    pub is_estimated: bool,
    /// The time until the budget of the caller is free again, if it is used up.
    pub retry_after: Option<Duration>,
    /// The calls that wait, if the turn waits.
    pub pending: Vec<PendingCall>,
    /// True if the model has not replied to the words of the user, which were taken out of the transcript again.
    pub is_taken_back: bool,
}

callgate_tool::named! {
    /// The reason why a turn ended.
    ///
    /// ```
    /// use callgate_agent::EndReason;
    ///
    /// assert_eq!(EndReason::ModelFailed.as_str(), "model_failed");
    /// ```
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum EndReason {
        /// The model answered, or asks the user.
        Answered = "answered",
        /// The caller ended the turn.
        Cancelled = "cancelled",
        /// A limit of the turn or of the model was reached.
        Limit = "limit",
        /// The model could not be reached, or its reply cannot be used.
        ModelFailed = "model_failed",
        /// The model or its provider refused.
        Refused = "refused",
        /// The model asked for the same again and again.
        Repeated = "repeated",
        /// Calls wait for their client, an approval or a result.
        Waiting = "waiting",
    }
}

/// A call that waits.
///
/// ```
/// use callgate_agent::PendingCall;
///
/// fn question(pending: &PendingCall) -> String {
///     match pending.kind {
///         "approval" => format!("Send this? {}", pending.request),
///         "client" => format!("Run `{}` with {}", pending.tool, pending.request),
///         _ => format!("Make the call `{}`", pending.tool),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PendingCall {
    /// The id of the call, which an answer names.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: Arguments,
    /// `approval`, `client`, or `result` for a call that the caller of the turn makes.
    pub kind: &'static str,
    /// The request that a person decides about, or what the client has to run; `null` for `result`.
    pub request: Value,
    /// The moment when it stops waiting.
    pub expires: Option<SystemTime>,
    /// The id of its approval, if it waits for one: somebody else decides under it.
    pub approval: Option<String>,
    /// The parties that may approve it.
    pub approvers: Approvers,
}

impl End {
    /// The end of a turn whose transcript could not be kept after it: nothing waits, since nobody finds it again.
    pub(crate) fn cancelled_as_unkept(mut self, error: &Error) -> Self {
        let said = error.to_string();
        let detail = match self.detail.take() {
            Some(own) if own != said => format!("{own}; {said}"),
            _ => said,
        };
        Self { reason: EndReason::Cancelled, detail: Some(detail), pending: Vec::new(), ..self }
    }
}

impl Transcript {
    /// The calls that wait.
    pub fn pending_calls(&self) -> Vec<PendingCall> {
        let waiting = self.open.iter().flat_map(Open::waiting_calls);
        let pending = waiting.map(|(_, call, waiting)| {
            let (kind, request, expires) = match waiting {
                Waiting::Pending(pending) => {
                    (pending.kind.as_str(), pending.request.clone(), pending.expires)
                }
                Waiting::Result => ("result", Value::Null, None),
            };
            let of_approval = match waiting {
                Waiting::Pending(pending) if pending.kind == PendingKind::Approval => Some(pending),
                _ => None,
            };
            PendingCall {
                id: call.id.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.clone(),
                kind,
                request,
                expires,
                approval: of_approval.map(|pending| pending.id.clone()),
                approvers: of_approval.map(|pending| pending.approvers).unwrap_or_default(),
            }
        });
        pending.collect()
    }
}
