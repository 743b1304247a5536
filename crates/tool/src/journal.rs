//! The decisions made while a call ran, for the operator. The journal has only names and numbers: values of a session or of
//! a model never enter it, except where a recording lacks the request it was asked for.

use std::{fmt, time::Duration};

use crate::remedy::Remedy;

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
        /// The references of the credential's secrets, or the name under which tokens are requested and the age of the
        /// token.
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
    /// An empty array or object was omitted, because its style cannot write it.
    EmptyOmitted {
        /// The argument.
        argument: String,
    },
    /// The model sent a value that only the session may give; callgate ignored it.
    HiddenIgnored {
        /// The argument.
        argument: String,
    },
    /// The replay transport has no response: the request and the nearest recorded one, with credentials masked.
    NothingRecorded {
        /// Both requests and their differences.
        detail: String,
    },
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
        /// The origin that the redirect leads to: `https://www.example.com`.
        to: String,
    },
    /// callgate did not send the request because its destination is not allowed, or would not after a dry run.
    Refused {
        /// The destination, if the description names one. Shows addresses.
        why: Option<String>,
        /// The operator's next step, if they want to allow the destination.
        remedy: Remedy,
    },
    /// The call was made before under its idempotency key; callgate returned the first result and did not make it again.
    Replayed,
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
    /// The tool was found by folding case and separators in its name.
    ToolFolded {
        /// The name in the call.
        asked: String,
        /// The tool's own name.
        meant: String,
    },
    /// Lone surrogates in a response's JSON, which no text can hold, were replaced by U+FFFD.
    SurrogatesReplaced {
        /// The number of surrogates.
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

    /// The arguments, and the values inside them, for which defaults were sent.
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
            Event::DefaultUsed { argument } => Some(argument.as_str()),
            _ => None,
        });
        used.filter(move |argument| !is_left_out(argument))
    }

    /// The decisions so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApprovalOutdated => f.write_str("the approved request was another; asked again"),
            Self::Approved => f.write_str("a person approved the request"),
            Self::Attempt { status, elapsed } => attempted(f, *status, *elapsed),
            Self::Converted { argument, from, to } => {
                write!(f, "`{argument}` was converted from {from} to {to}")
            }
            Self::CredentialAbsent { .. }
            | Self::CredentialEchoed
            | Self::CredentialRefused { .. }
            | Self::CredentialRenewed
            | Self::SignInRequired { .. } => self.of_credential(f),
            Self::DefaultExcluded { argument } => {
                write!(f, "the default of `{argument}` was left out: another value excludes it")
            }
            Self::DefaultUnfit { argument } => {
                write!(
                    f,
                    "the default of `{argument}` breaks the description's own rules and was left out"
                )
            }
            Self::DefaultUsed { argument } => write!(f, "`{argument}` was filled by its default"),
            Self::EmptyOmitted { argument } => write!(f, "`{argument}` is empty and was left out"),
            Self::HiddenIgnored { argument } => {
                write!(f, "`{argument}` is filled by the session; the model's value was ignored")
            }
            Self::NothingRecorded { detail } => {
                write!(f, "nothing is recorded for this request\n{detail}")
            }
            Self::NullOmitted { argument } => write!(f, "`{argument}` was null and is omitted"),
            Self::OutsidePartsIgnored { .. }
            | Self::SurrogatesReplaced { .. }
            | Self::UnseenRemoved { .. } => self.of_answer(f),
            Self::Redirected { to } => write!(f, "a redirect to `{to}` was not followed"),
            Self::Refused { why, remedy } => refused(f, why.as_deref(), remedy),
            Self::Replayed => f.write_str("this is the first result of its idempotency key"),
            Self::SentAgain => f.write_str(
                "the service had closed the connection; the request was sent again over a new one",
            ),
            Self::SessionValueAbsent { argument, source } => {
                write!(f, "`{argument}` is omitted: the session has no `{source}`")
            }
            Self::SessionValueWon { argument } => {
                write!(f, "`{argument}` was taken from the session, not from the model")
            }
            Self::SessionValueWithheld { name } => write!(
                f,
                "`{name}` of the session is a credential of another toolset and no input; \
                 `session_parameters: {{allow: [{name}]}}` gives it to this one"
            ),
            Self::ToolFolded { asked, meant } => write!(f, "`{asked}` was taken as `{meant}`"),
            Self::UndeclaredSent { argument } => write!(f, "`{argument}` is sent undeclared"),
            Self::Unauthorized { why } => write!(f, "a call would not be sent: {why}"),
            Self::Unanswered { server, why } => write!(f, "no answer from `{server}`: {why}"),
        }
    }
}

impl Event {
    fn of_answer(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsidePartsIgnored { count } => {
                write!(f, "{count} bytes of the answer outside of its parts were ignored")
            }
            Self::SurrogatesReplaced { count } => {
                write!(f, "{count} halves of surrogate pairs of the answer became U+FFFD")
            }
            Self::UnseenRemoved { count } => {
                write!(f, "{count} characters nobody sees were taken out of the answer")
            }
            _ => Ok(()),
        }
    }

    fn of_credential(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CredentialAbsent { why } => write!(f, "no credential: {why}"),
            Self::CredentialEchoed => {
                f.write_str("the service's answer held a credential of the call, which is masked")
            }
            Self::CredentialRefused { credential } => {
                write!(f, "the service refused the credential: {credential}")
            }
            Self::SignInRequired { parameter } => {
                write!(f, "the user has to sign in: a new token belongs into `{parameter}`")
            }
            _ => f.write_str("the service refused the credential; sent once more with a fresh one"),
        }
    }
}

fn refused(f: &mut fmt::Formatter<'_>, why: Option<&str>, remedy: &Remedy) -> fmt::Result {
    match why {
        Some(why) => write!(f, "{why}; to call it all the same, {remedy}"),
        None => write!(f, "{remedy}"),
    }
}

fn attempted(f: &mut fmt::Formatter<'_>, status: Option<u16>, elapsed: Duration) -> fmt::Result {
    let elapsed = elapsed.as_millis();
    match status {
        Some(status) => write!(f, "answered {status} after {elapsed} ms"),
        None => write!(f, "no answer after {elapsed} ms"),
    }
}
