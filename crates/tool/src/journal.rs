//! The decisions made while a call ran, for the operator. The journal has only names and numbers: values of a session or of
//! a model never enter it, except where a recording lacks the request it was asked for.

mod entries;
mod notes;
mod sentences;

use std::time::Duration;

pub use self::entries::{Audience, JournalEntry};

use crate::{fault::FaultCode, remedy::Remedy};

/// The decisions of one call, in order.
///
/// ```
/// use callgate_tool::{Event, Journal};
///
/// let mut journal = Journal::default();
/// journal.note(Event::Approved);
/// assert_eq!(journal.events(), [Event::Approved]);
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Journal {
    events: Vec<Event>,
}

/// One decision.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_tool::{Event, Journal};
///
/// let mut journal = Journal::default();
/// journal.note(Event::DefaultUsed { argument: "limit".to_owned() });
/// journal.note(Event::Attempt { status: Some(503), elapsed: Duration::from_millis(40) });
/// let is_attempt = |event: &&Event| matches!(event, Event::Attempt { .. });
/// assert_eq!(journal.events().iter().filter(is_attempt).count(), 1);
/// let lines: Vec<String> = journal.events().iter().map(Event::to_string).collect();
/// assert_eq!(lines, ["`limit` was filled by its default", "answered 503 after 40 ms"]);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A person approved an earlier request of the call. The request has changed since, so it needs a new approval.
    ApprovalOutdated,
    /// A person approved the request of the call.
    Approved,
    /// A request was sent; the service may or may not have answered.
    Attempt {
        /// The status, if there was a response.
        status: Option<u16>,
        /// The time from asking for a connection to the head of the response.
        elapsed: Duration,
    },
    /// The operator's value was used, because the argument is hidden or the model left it out.
    ConfiguredUsed {
        /// The argument.
        argument: String,
    },
    /// A value was converted without loss.
    Converted {
        /// The argument.
        argument: String,
        /// The JSON type before the conversion.
        from: &'static str,
        /// The JSON type after the conversion.
        to: &'static str,
    },
    /// There is no credential for the request.
    CredentialAbsent {
        /// The reason, in the words of the secret store.
        why: String,
    },
    /// The service's response held a credential of the call, which callgate masked.
    CredentialEchoed,
    /// The service refused the credential for good.
    CredentialRefused {
        /// The references of the credential's secrets, or the name under which tokens are requested and the token's age.
        credential: String,
    },
    /// The service refused the credential; callgate sent the request again with a fresh one.
    CredentialRenewed,
    /// A default was omitted because another value excludes it.
    DefaultExcluded {
        /// The argument.
        argument: String,
    },
    /// A default breaks the description's own rules and was omitted.
    DefaultUnfit {
        /// The argument.
        argument: String,
    },
    /// The description's default was used.
    DefaultUsed {
        /// The argument.
        argument: String,
    },
    /// A default was omitted, because it would decide with other defaults alone what the call changes.
    DefaultWithheld {
        /// The argument.
        argument: String,
    },
    /// An empty array or object was omitted, because its style cannot write it.
    EmptyOmitted {
        /// The argument.
        argument: String,
    },
    /// A text does not have the format that the description declares. It was sent as it stands.
    FormatIgnored {
        /// The argument.
        argument: String,
        /// The format; `None` for a value that fits no alternative with its formats.
        format: Option<&'static str>,
    },
    /// The model sent a value that only the session may give; callgate ignored it.
    HiddenIgnored {
        /// The argument.
        argument: String,
    },
    /// The media type of the body was chosen by the value, because the preferred one cannot hold it.
    MediaChosen {
        /// The media type.
        media_type: String,
    },
    /// A tool asked a model, such as one that writes its program.
    ModelAsked {
        /// The tokens of the requests.
        input: u64,
        /// The tokens of the replies.
        output: u64,
    },
    /// The replay transport has no response: the request and the nearest recorded one, with credentials masked.
    NothingRecorded {
        /// Both requests and their differences.
        detail: String,
    },
    /// A failed attempt was the last, although the toolset's policy repeats such requests.
    NotRetried {
        /// The reason why there was no further attempt.
        why: &'static str,
    },
    /// The address of the next page has parameters more than once of which the description declares no list, so a call cannot
    /// give all their values.
    NextPageRepeated {
        /// The names of the parameters; at most a few are listed.
        names: Vec<String>,
    },
    /// The address of the next page has parameters that the description does not declare, so a call cannot name them.
    NextPageUndeclared {
        /// The names of the parameters; at most a few are listed.
        names: Vec<String>,
    },
    /// The response states that there is more, and no argument that asks for it can be made from what it says.
    NextPageUnnamed,
    /// A `null` for an optional input was treated as omitted.
    NullOmitted {
        /// The argument.
        argument: String,
    },
    /// Bytes before the first part of a multipart response, or after the last, were ignored.
    OutsidePartsIgnored {
        /// The number of bytes.
        count: usize,
    },
    /// The service answered with a redirect, which callgate did not follow.
    Redirected {
        /// The origin that the redirect leads to: `https://www.example.com`; at the same server with the path.
        to: String,
        /// The operation's path as the service has it, if that of the description differs by a slash at its end alone.
        path: Option<String>,
        /// True if the redirect leads to another host, which is hardly the operation's server.
        is_other_host: bool,
    },
    /// callgate did not send the request because its destination is not allowed, or would not after a dry run.
    Refused {
        /// The destination, if the description names one. Shows addresses.
        why: Option<String>,
        /// The operator's next step, if they want to allow the destination.
        #[doc(hidden)]
        remedy: Remedy,
    },
    /// The call was made before under its idempotency key; callgate returned the first result and did not make it again.
    Replayed,
    /// The rows of a database that the call read or changed.
    RowsCounted {
        /// The number of rows.
        count: u64,
    },
    /// The store of results could not be used, so the whole result is in the memory of one process.
    ResultKeptLocally,
    /// The whole result is too large to be kept, or there is no room for it.
    ResultNotKept,
    /// An attempt failed, and the policy of the toolset allowed a further one.
    Retried {
        /// The failure of the attempt.
        code: FaultCode,
        /// The status, if the service answered.
        status: Option<u16>,
        /// The wait before the further attempt.
        wait: Duration,
    },
    /// The service had closed the connection before it answered, so the request was sent again over a new one.
    SentAgain,
    /// An optional input that only the session can give was omitted.
    SessionValueAbsent {
        /// The argument.
        argument: String,
        /// The source where callgate looked for the value: `$session.params.x`.
        source: String,
    },
    /// A value of the session is a credential of another toolset and was withheld from the inputs that ask for it.
    SessionValueWithheld {
        /// The name of the value: `token`, `user.token`.
        name: String,
    },
    /// The session's value was used instead of the model's.
    SessionValueWon {
        /// The argument.
        argument: String,
    },
    /// The call needs a token of the session's own user, which the session lacks or the service refused.
    SignInRequired {
        /// The place of the token in the session: the name of a parameter, `$session.credentials.NAME`,
        /// `$context.variables.NAME`, or `$caller.token`.
        parameter: String,
    },
    /// A statement was sent to a database.
    StatementSent {
        /// The text with placeholders. Only that of a tool for SQL of a model holds values.
        text: String,
        /// The digest of the values, as hexadecimal digits.
        values: String,
    },
    /// A successful response is text, and the description declares JSON alone.
    TextForJson {
        /// The declared media types.
        expected: Vec<String>,
    },
    /// The tool was found by folding case and separators in its name, or by the longer name that its `operationId` makes.
    ToolFolded {
        /// The name in the call.
        asked: String,
        /// The tool's own name.
        meant: String,
    },
    /// Invalid bytes of a response's text and lone surrogates of its JSON, which no text can hold, were replaced by U+FFFD.
    CharactersReplaced {
        /// The number of replacements.
        count: usize,
    },
    /// An undeclared member of an object argument was sent, because the schema allows further members.
    UndeclaredSent {
        /// The location of the member.
        argument: String,
    },
    /// A dry run of a call that could not be sent, because it has no usable credential.
    Unauthorized {
        /// The missing part.
        why: String,
    },
    /// The service did not answer.
    Unanswered {
        /// The service's origin: `https://api.example.com`.
        server: String,
        /// The reason, in the words of the failing part.
        why: String,
    },
    /// Invisible characters and terminal escapes were removed from a response.
    UnseenRemoved {
        /// The number of characters.
        count: usize,
    },
}

impl Journal {
    /// Adds a decision.
    pub fn note(&mut self, event: Event) {
        self.events.push(event);
    }

    /// The arguments, and the values inside them, for which defaults or the operator's values were sent.
    pub fn defaults(&self) -> impl Iterator<Item = &str> {
        let is_left_out = |used: &str| {
            self.events.iter().any(|event| match event {
                Event::DefaultExcluded { argument } | Event::DefaultUnfit { argument } => {
                    argument == used
                }
                _ => false,
            })
        };
        let used = self.events.iter().filter_map(|event| match event {
            Event::ConfiguredUsed { argument } | Event::DefaultUsed { argument } => {
                Some(argument.as_str())
            }
            _ => None,
        });
        used.filter(move |argument| !is_left_out(argument))
    }

    /// The number of attempts, if the policy of the toolset repeated one that failed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use callgate_tool::{Event, FaultCode, Journal};
    ///
    /// let mut journal = Journal::default();
    /// assert_eq!(journal.attempts(), None);
    /// let (code, wait) = (FaultCode::ServiceError, Duration::from_millis(150));
    /// journal.note(Event::Retried { code, status: Some(503), wait });
    /// assert_eq!(journal.attempts(), Some(2));
    /// assert_eq!(journal.notes(), ["the call took 2 attempts: the service answered 503"]);
    /// ```
    pub fn attempts(&self) -> Option<usize> {
        let is_retry = |event: &&Event| matches!(event, Event::Retried { .. });
        let n_retries = self.events.iter().filter(is_retry).count();
        (n_retries > 0).then_some(n_retries + 1)
    }

    /// The decisions so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}
