//! A failure in words and fields that a model can act on. `call::wording` writes the sentences; this module only holds
//! them.

use std::time::Duration;

use crate::Value;

/// The reason why a call failed and what to do about it.
///
/// A fault holds no host, header, stack or secret. `body` is the service's own text and is shown as data.
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
    /// A sentence or two, at most 600 bytes, that say what happened and what to do.
    pub message: String,
    /// Every violation, if the arguments are at fault.
    pub problems: Vec<Problem>,
    /// The progress of the request: whether it reached the service.
    pub reached: Reached,
    /// The next step for the model.
    pub next: Next,
    /// The time for which the service asks to wait.
    pub retry_after: Option<Duration>,
    /// The HTTP status, if the service answered.
    pub status: Option<u16>,
    /// The service's own words about the failure: JSON, or text as a JSON string.
    pub body: Option<Value>,
}

/// Makes [`FaultCode`] and the name of each code from the table.
macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $name:literal;)+) => {
        /// The stable class of a failure.
        ///
        /// ```
        /// use callgate_tool::{Fault, FaultCode, Next};
        ///
        /// let fault = Fault::new(FaultCode::RateLimited, "wait for a minute", Next::TryLater);
        /// let status = match fault.code {
        ///     FaultCode::InvalidArguments => 422,
        ///     FaultCode::Overloaded | FaultCode::RateLimited => 429,
        ///     FaultCode::UnknownTool => 404,
        ///     _ => 502,
        /// };
        /// assert_eq!((status, fault.code.as_str()), (429, "rate_limited"));
        /// ```
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[non_exhaustive]
        pub enum FaultCode {
            $($(#[$meta])* $code,)+
        }

        impl FaultCode {
            /// Every code, in alphabetical order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$code),+];

            /// The code as it is written on a wire: `invalid_arguments`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }
        }
    };
}

codes! {
    /// The call was made before under its idempotency key; its answer is not known any more.
    AnswerLost = "answer_lost";
    /// The call could not be written into the audit file.
    AuditFailed = "audit_failed";
    /// No credential could be put on the request.
    AuthFailed = "auth_failed";
    /// Arguments are missing, unknown or of the wrong kind.
    InvalidArguments = "invalid_arguments";
    /// The idempotency key of the call was used for another one.
    KeyReused = "key_reused";
    /// A required value that only the session can give is missing or of the wrong type.
    MissingSessionValue = "missing_session_value";
    /// A person has to approve the call, and nobody can be asked where it was made.
    NeedsApproval = "needs_approval";
    /// The tool asks the user for values, who were not asked yet or cannot be asked where the call was made.
    NeedsValues = "needs_values";
    /// This build cannot do what the description asks for.
    NotSupported = "not_supported";
    /// The replay transport has no recorded answer for the request.
    NothingRecorded = "nothing_recorded";
    /// The call was begun before under its idempotency key; whether it was executed is not known.
    OutcomeUnknown = "outcome_unknown";
    /// Too many calls are running, or the service is known to be down.
    Overloaded = "overloaded";
    /// Too many calls were made in a short time.
    RateLimited = "rate_limited";
    /// The request may not be sent: it would leave the origin or break a limit.
    Refused = "refused";
    /// A person was asked about the call and rejected it.
    Rejected = "rejected";
    /// The answer is larger than the bound.
    ResponseTooLarge = "response_too_large";
    /// The service answered with a status that is not a success.
    ServiceError = "service_error";
    /// The service is called with a token of the user's own, which the session lacks or the service refused.
    SignInRequired = "sign_in_required";
    /// The first call with the idempotency key is still running.
    StillRunning = "still_running";
    /// The program that made the call was stopped before it ended.
    Stopped = "stopped";
    /// The call did not end in time.
    TimedOut = "timed_out";
    /// The tool was taken away while its call waited for the client.
    ToolRemoved = "tool_removed";
    /// The approval of the call has expired, was used, or is another call's.
    UnknownApproval = "unknown_approval";
    /// There is no tool of that name.
    UnknownTool = "unknown_tool";
    /// The service could not be reached, or the connection broke.
    Unreachable = "unreachable";
    /// The service answered something that is not what its headers say.
    UnreadableResponse = "unreadable_response";
}

/// One violation.
///
/// ```
/// use callgate_tool::{Fault, FaultCode, Next, Problem};
///
/// let problem = Problem {
///     at: "owner.email".to_owned(),
///     expected: "a text".to_owned(),
///     got: "7".to_owned(),
///     suggestion: None,
/// };
/// let fault = Fault::new(FaultCode::InvalidArguments, "nothing was sent", Next::CorrectArguments)
///     .with_problems(vec![problem]);
/// for Problem { at, expected, got, .. } in &fault.problems {
///     assert_eq!(format!("`{at}`: {expected}, got: {got}"), "`owner.email`: a text, got: 7");
/// }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The location in the arguments: `owner.email`, `labels[2]`.
    pub at: String,
    /// The value that was expected at the location.
    pub expected: String,
    /// The value at the location.
    pub got: String,
    /// The remedy, or the nearest allowed name or value.
    pub suggestion: Option<String>,
}

/// The progress of a request on its way to the service.
///
/// ```
/// use callgate_tool::{Fault, FaultCode, Next, Reached};
///
/// let fault = Fault::new(FaultCode::TimedOut, "no answer in time", Next::TryLater);
/// let fault = fault.with_reached(Reached::Maybe);
/// let may_have_happened = match fault.reached {
///     Reached::Maybe | Reached::Yes => true,
///     Reached::No => false,
/// };
/// assert!(may_have_happened);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes a result must handle a new one")]
pub enum Reached {
    /// The service may have received the request.
    Maybe,
    /// No byte of the request was sent.
    No,
    /// The service answered.
    Yes,
}

/// The next step for a model after a failure.
///
/// ```
/// use callgate_tool::{Fault, FaultCode, Next};
///
/// let fault = Fault::new(FaultCode::UnknownTool, "there is no such tool", Next::CorrectArguments);
/// let model_goes_on = match fault.next {
///     Next::AskUser | Next::CorrectArguments => true,
///     Next::GiveUp | Next::TryLater => false,
/// };
/// assert!(model_goes_on);
/// assert_eq!(fault.next.as_str(), "correct_arguments");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes a result must handle a new one")]
pub enum Next {
    /// Ask the user for the missing values.
    AskUser,
    /// Call again with other arguments.
    CorrectArguments,
    /// Do not call again.
    GiveUp,
    /// Call again later with unchanged arguments.
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

    /// Adds the violations.
    #[must_use]
    pub fn with_problems(mut self, problems: Vec<Problem>) -> Self {
        self.problems = problems;
        self
    }

    /// Sets how far the request got.
    #[must_use]
    pub fn with_reached(mut self, reached: Reached) -> Self {
        self.reached = reached;
        self
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
