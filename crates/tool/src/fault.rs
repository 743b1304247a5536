//! A failure in words and fields a model can act on. The sentences are written in `call::wording`; this module only
//! holds them.

use std::time::Duration;

use crate::Value;

/// The reason why a call failed and what to do about it.
///
/// It holds no host, header, stack or secret. `body` is the service's own and is shown as data.
///
/// ```
/// use callgate_tool::{Fault, FaultCode, Next, Outcome, Reached};
///
/// let fault = Fault::new(FaultCode::Refused, "this agent changes nothing", Next::GiveUp);
/// assert_eq!(fault.reached, Reached::No);
/// assert!(Outcome::Failed(Box::new(fault)).is_failed());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// The stable class of the failure.
    pub code: FaultCode,
    /// The event and what to do, in a sentence or two of at most 600 bytes.
    pub message: String,
    /// Every violation, when arguments are at fault.
    pub problems: Vec<Problem>,
    /// True if the service was reached.
    pub reached: Reached,
    /// The next step for the model.
    pub next: Next,
    /// The time for which the service asks to wait.
    pub retry_after: Option<Duration>,
    /// The HTTP status, when the service answered.
    pub status: Option<u16>,
    /// The service's own words about the failure: JSON, or text as a JSON string.
    pub body: Option<Value>,
}

/// The stable class of a failure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum FaultCode {
    /// The call was made before under its idempotency key; its answer is not known any more.
    AnswerLost,
    /// The call could not be written into the audit file.
    AuditFailed,
    /// No credential could be put on the request.
    AuthFailed,
    /// Arguments are missing, unknown or of the wrong kind.
    InvalidArguments,
    /// The idempotency key of the call was used for another one.
    KeyReused,
    /// A required value that only the session can give is missing or of the wrong type.
    MissingSessionValue,
    /// A person has to approve the call, and nobody can be asked where it was made.
    NeedsApproval,
    /// The tool asks the user for values, who were not asked yet or cannot be asked where the call was made.
    NeedsValues,
    /// This build cannot do what the description asks for.
    NotSupported,
    /// The replay transport has no recorded answer for the request.
    NothingRecorded,
    /// The call was begun before under its idempotency key; whether it was executed is not known.
    OutcomeUnknown,
    /// Too many calls are running, or the service is known to be down.
    Overloaded,
    /// Too many calls were made in a short time.
    RateLimited,
    /// The request may not be sent: it would leave the origin or break a limit.
    Refused,
    /// A person was asked about the call and rejected it.
    Rejected,
    /// The answer is larger than the bound.
    ResponseTooLarge,
    /// The service answered with a status that is not a success.
    ServiceError,
    /// The service is called with a token of the user's own, which the session lacks or the service refused.
    SignInRequired,
    /// The first call with the idempotency key is still running.
    StillRunning,
    /// The program that made the call was stopped before it ended.
    Stopped,
    /// The call did not end in time.
    TimedOut,
    /// The tool was taken away while its call waited for the client.
    ToolRemoved,
    /// The approval of the call has expired, was used, or is another call's.
    UnknownApproval,
    /// There is no tool of that name.
    UnknownTool,
    /// The service could not be reached, or the connection broke.
    Unreachable,
    /// The service answered something that is not what its headers say.
    UnreadableResponse,
}

/// One violation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The argument, with a path into it: `owner.email`, `labels[2]`.
    pub at: String,
    /// The value that was expected there.
    pub expected: String,
    /// The value that was there instead.
    pub got: String,
    /// The remedy, or the nearest legal name or value.
    pub suggestion: Option<String>,
}

/// True if the service saw the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes a result must handle a new one")]
pub enum Reached {
    /// It may have.
    Maybe,
    /// No byte of the request was sent.
    No,
    /// It answered.
    Yes,
}

/// The next step for a model after a failure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes a result must handle a new one")]
pub enum Next {
    /// Ask the user for what is missing.
    AskUser,
    /// Call again with other arguments.
    CorrectArguments,
    /// Do not call again.
    GiveUp,
    /// Call again later with the same arguments.
    TryLater,
}

impl Fault {
    /// A fault found before anything was sent.
    pub fn new(code: FaultCode, message: impl Into<String>, next: Next) -> Self {
        Self {
            code,
            message: message.into(),
            problems: Vec::new(),
            reached: Reached::No,
            next,
            retry_after: None,
            status: None,
            body: None,
        }
    }

    /// The same fault with its violations.
    #[must_use]
    pub fn with_problems(mut self, problems: Vec<Problem>) -> Self {
        self.problems = problems;
        self
    }

    /// The same fault, told how far the request went.
    #[must_use]
    pub fn with_reached(mut self, reached: Reached) -> Self {
        self.reached = reached;
        self
    }
}

impl FaultCode {
    /// Every code, in alphabetical order.
    pub const ALL: [Self; 26] = [
        Self::AnswerLost,
        Self::AuditFailed,
        Self::AuthFailed,
        Self::InvalidArguments,
        Self::KeyReused,
        Self::MissingSessionValue,
        Self::NeedsApproval,
        Self::NeedsValues,
        Self::NotSupported,
        Self::NothingRecorded,
        Self::OutcomeUnknown,
        Self::Overloaded,
        Self::RateLimited,
        Self::Refused,
        Self::Rejected,
        Self::ResponseTooLarge,
        Self::ServiceError,
        Self::SignInRequired,
        Self::StillRunning,
        Self::Stopped,
        Self::TimedOut,
        Self::ToolRemoved,
        Self::UnknownApproval,
        Self::UnknownTool,
        Self::Unreachable,
        Self::UnreadableResponse,
    ];

    /// The code as it stands on a wire: `invalid_arguments`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnswerLost => "answer_lost",
            Self::AuditFailed => "audit_failed",
            Self::AuthFailed => "auth_failed",
            Self::InvalidArguments => "invalid_arguments",
            Self::KeyReused => "key_reused",
            Self::MissingSessionValue => "missing_session_value",
            Self::NeedsApproval => "needs_approval",
            Self::NeedsValues => "needs_values",
            Self::NotSupported => "not_supported",
            Self::NothingRecorded => "nothing_recorded",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Overloaded => "overloaded",
            Self::RateLimited => "rate_limited",
            Self::Refused => "refused",
            Self::Rejected => "rejected",
            Self::ResponseTooLarge => "response_too_large",
            Self::ServiceError => "service_error",
            Self::SignInRequired => "sign_in_required",
            Self::StillRunning => "still_running",
            Self::Stopped => "stopped",
            Self::TimedOut => "timed_out",
            Self::ToolRemoved => "tool_removed",
            Self::UnknownApproval => "unknown_approval",
            Self::UnknownTool => "unknown_tool",
            Self::Unreachable => "unreachable",
            Self::UnreadableResponse => "unreadable_response",
        }
    }
}

impl Reached {
    /// `maybe`, `no` or `yes`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Maybe => "maybe",
            Self::No => "no",
            Self::Yes => "yes",
        }
    }
}

impl Next {
    /// `ask_user`, `correct_arguments`, `give_up` or `try_later`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AskUser => "ask_user",
            Self::CorrectArguments => "correct_arguments",
            Self::GiveUp => "give_up",
            Self::TryLater => "try_later",
        }
    }
}
