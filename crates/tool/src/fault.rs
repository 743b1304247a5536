//! A call that failed or was refused, in words and fields that a model can act on. `call::wording` writes the sentences; this module only holds
//! them.

use std::time::Duration;

use serde::Serialize;

use crate::{Value, codes, json_forms};

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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Fault {
    /// The stable class of the failure.
    pub code: FaultCode,
    /// A sentence or two, at most 600 bytes, that say what happened and what to do.
    pub message: String,
    /// Every violation, if the arguments are at fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The progress of the request: whether it reached the service.
    pub reached: Reached,
    /// The next step for the model.
    pub next: Next,
    /// The time for which the service asks to wait.
    #[serde(serialize_with = "json_forms::write_seconds", skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// The HTTP status, if the service answered.
    #[serde(skip)]
    pub status: Option<u16>,
    /// The service's own words about the failure: JSON, or text as a JSON string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

codes! {
    /// The stable class of a failure. An explanation says what the code means, how far the call came, what the model should do,
    /// and what a person does.
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
    /// assert!(FaultCode::UnknownTool.explanation().starts_with("There is no tool of that name. "));
    /// ```
    pub enum FaultCode {
        /// The call was made before under its idempotency key; its answer is not known any more.
        AnswerLost = "answer_lost":
            "The service answered the first call, and nothing was sent for this one. The model should not call again. A person looks in the service what the first call did, uses a new key for a new call, and keeps answers for longer by `ttl` of `idempotency`.";
        /// The call could not be written into the audit file.
        AuditFailed = "audit_failed":
            "Nothing was sent. The model should try again later. A person makes room on the disk, or makes the file of `audit` writable again.";
        /// No credential could be put on the request, or the service refused it.
        AuthFailed = "auth_failed":
            "Nothing was sent if the secret is missing; otherwise the service answered that it refuses the credential, and did nothing. The model should not call again, or try later if the server of the tokens is away. A person sets the missing secret, or corrects `auth` or `credentials` of the toolset.";
        /// Another change of the database stood in the way.
        Conflict = "conflict":
            "The database was reached, and the call changed nothing. The model should try again later. A person looks which other program holds locks for long.";
        /// A rule of the database refuses the change: a row that there is already, a value that is not allowed, a row that others refer to.
        ConstraintViolated = "constraint_violated":
            "The database was reached, and the call changed nothing. The model sees the columns that it may know, and should correct the arguments. A person has nothing to do.";
        /// A fault of callgate itself: it made what the service does not take.
        Internal = "internal":
            "The service was reached, and the call changed nothing. The model should not call again. A person reports the fault to callgate's makers, with its message and the version of the service.";
        /// Arguments are missing, unknown or of the wrong kind.
        InvalidArguments = "invalid_arguments":
            "Nothing was sent. The model sees each mistake, and should correct the arguments and call again. A person has nothing to do; if calls fail like this often, better words in the description help.";
        /// The idempotency key of the call was used for another one.
        KeyReused = "key_reused":
            "Nothing was sent. The model should change the call. The program that makes the calls uses a key of its own for each of them.";
        /// A required value that only the session can give is missing or of the wrong type.
        MissingSessionValue = "missing_session_value":
            "Nothing was sent. The model should not call again, because no argument can give the value; if the user can give it, it should ask. The program that makes the call puts the value into the session.";
        /// A person has to approve the call, and nobody can be asked where it was made.
        NeedsApproval = "needs_approval":
            "Nothing was sent. The model should ask the user, or try later if the call could not be kept until somebody decides. A person approves the call where it is made, or the operator takes the tool out of `confirm`.";
        /// The tool asks the user for values, who were not asked yet or cannot be asked where the call was made.
        NeedsValues = "needs_values":
            "Nothing was done. The model should ask the user. The program that makes the call answers what the tool asks, or a person calls the tool where it can ask.";
        /// The row that the call names does not exist, or not for this caller.
        NotFound = "not_found":
            "The database was reached, and the call changed nothing. The model should look for the right key, by `list` for example, and call again. A person has nothing to do.";
        /// This build cannot do what the description asks for.
        NotSupported = "not_supported":
            "Nothing was sent. The model should not call again. A person leaves the tool out by `exclude` of `tools`, corrects the description, or makes the call where it can run.";
        /// The replay transport has no recorded answer for the request.
        NothingRecorded = "nothing_recorded":
            "Nothing was sent. The model should not call again. A person records the case, or uses the arguments of a recorded one; the journal shows the nearest recorded request and how it differs.";
        /// The call was begun before under its idempotency key or its approval; whether it was executed is not known.
        OutcomeUnknown = "outcome_unknown":
            "The service may have been reached by the first call; nothing was sent for this one. The model should ask the user. A person looks in the service whether the first call was executed, and has it made again if it was not: under a new key, or with a new approval.";
        /// Too many calls are running, or the service is known to be down.
        Overloaded = "overloaded":
            "Nothing was sent. The model should try again later; the fault says after how long. A person raises `concurrency` of `limits`, or looks why the service is down.";
        /// Too many calls were made in a short time.
        RateLimited = "rate_limited":
            "Nothing was sent. The model should try again later; the fault says after how long. A person raises `rate` of `limits`, if the service allows it.";
        /// The request may not be sent: it would leave the origin or break a limit.
        Refused = "refused":
            "Nothing was sent. The model should correct the arguments if they are at fault, and otherwise not call again. A person names the server under `server`, or allows its address under `egress`, if it is trusted.";
        /// A person was asked about the call and rejected it.
        Rejected = "rejected":
            "Nothing was sent. The model should not repeat the call, but ask the user what to do instead. A person has nothing else to do.";
        /// The answer is larger than the bound.
        ResponseTooLarge = "response_too_large":
            "The service was reached, and a call that writes was executed. The model should ask for less, or ask the user after a write. A person raises `response_bytes` of `limits`.";
        /// The row was changed or removed since it was read, or since a person saw it.
        RowChanged = "row_changed":
            "The database was reached, and the call changed nothing. The model should read the row again and decide anew; a person who approved the call is asked again. A person has nothing to do.";
        /// The service answered with a status that is not a success.
        ServiceError = "service_error":
            "The service was reached; its own words are in the result. By the status, the model should correct the arguments, ask the user, try again later, or not call again. A person reads what the service says, and looks at the credential after status 403.";
        /// The service is called with a token of the user's own, which the session lacks or the service refused.
        SignInRequired = "sign_in_required":
            "Nothing was sent if the session lacks the token; otherwise the service, or the server of the tokens, refused it and did nothing. The model should ask the user, who signs in. The program that makes the call puts the new token into the session.";
        /// A table, a column or a type is not what it was when the tools were loaded.
        StaleDescription = "stale_description":
            "The database was reached, and the call changed nothing. The model should not call again. A person loads the configuration again, and corrects it if the load finds a fault.";
        /// The first call with the idempotency key is still running.
        StillRunning = "still_running":
            "Nothing was sent for this call; the first one may have reached the service. The model should try again later, and then gets the result of the first call. A person has nothing to do.";
        /// The call was stopped before it ended: its caller left, or the program that made it was stopped.
        Stopped = "stopped":
            "The service may have been reached, and the fault says if nothing was sent. The model should try again later if that does no harm, and otherwise ask the user. A person looks in the service whether a call that writes was executed.";
        /// The call did not end in time.
        TimedOut = "timed_out":
            "The service may have been reached, and the fault says if nothing was sent. The model should try again later if that does no harm, and otherwise ask the user. A person raises `timeout` of `limits`, or looks why the service is slow, and whether a call that writes was executed.";
        /// The change would touch more rows than a call may, or the statement would read more.
        TooManyRows = "too_many_rows":
            "The database was reached, and the change was rolled back, or the statement was not run or was ended; the fault says how many rows it would have touched or read, unless rows of others count among them. The model should narrow the conditions. A person raises `affected` of the entity or the statement, if so many rows may change at once; makes an index that begins with a column that the fault names, or raises `rows_read` of `limits`.";
        /// The tool was taken away, or its caller may not use it any more, while its call waited for the client or had its result.
        ToolRemoved = "tool_removed":
            "The call may have been made. The model should not call again. A person looks what changed in the configuration or the description.";
        /// The approval of the call has expired, was used, or is another call's.
        UnknownApproval = "unknown_approval":
            "Nothing was sent. The model should make the call again, and the user is asked again. A person decides sooner.";
        /// Nothing is stored under the id of the session that the call names, and the call brings no values itself.
        UnknownSession = "unknown_session":
            "Nothing was sent. The model should not call again, because no argument can give what the session should. The program that makes the call stores the session again (it ends some time after its last change), or sends its values with the call.";
        /// There is no tool of that name.
        UnknownTool = "unknown_tool":
            "Nothing was sent. The model sees the nearest names, and should call one of the declared tools; for an operation that the load refuses it sees the reason. A person compares the tools that were declared to the model with those that the configuration offers now.";
        /// The service could not be reached, or the connection broke.
        Unreachable = "unreachable":
            "The fault says whether nothing was sent or the service may have been reached. The model should try again later if that does no harm, ask the user after a write, and not call again if there is no secure connection. A person looks whether the service runs, corrects `server`, or trusts its certificate under `tls`.";
        /// The service answered something that is not what its headers say.
        UnreadableResponse = "unreadable_response":
            "The service was reached, and a call that writes was executed. The model should not call again, or ask the user after a write. A person looks whether `server` names the right service, and corrects what it answers.";
    }
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
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Problem {
    /// The location in the arguments: `owner.email`, `labels[2]`.
    pub at: String,
    /// The value that was expected at the location.
    pub expected: String,
    /// The value at the location.
    pub got: String,
    /// The remedy, or the nearest allowed name or value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

crate::named! {
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
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Reached {
        /// The service may have received the request.
        Maybe = "maybe",
        /// No byte of the request was sent.
        No = "no",
        /// The service answered.
        Yes = "yes",
    }
}

crate::named! {
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
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum Next {
        /// Ask the user for the missing values.
        AskUser = "ask_user",
        /// Call again with other arguments.
        CorrectArguments = "correct_arguments",
        /// Do not call again.
        GiveUp = "give_up",
        /// Call again later with unchanged arguments.
        TryLater = "try_later",
    }
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

    crate::setters! {
        /// Adds the violations.
        pub fn with_problems(problems: Vec<Problem>) = problems;
        /// Sets how far the request got.
        pub fn with_reached(reached: Reached) = reached;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_says_what_the_model_should_do() {
        let silent = FaultCode::ALL.iter().find(|code| !code.explanation().contains("he model s"));
        assert_eq!(silent, None);
    }
}
