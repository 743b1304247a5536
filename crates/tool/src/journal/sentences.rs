//! The sentences about decisions, for the operator and in the notes of a result. They name no value.

use std::{fmt, time::Duration};

use super::Event;
use crate::{fault::FaultCode, remedy::Remedy, spelling::shortened_text};

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApprovalOutdated => f.write_str("the approved request was another; asked again"),
            Self::Approved => f.write_str("a person approved the request"),
            Self::Attempt { status, elapsed } => write_attempt(f, *status, *elapsed),
            Self::ConfiguredUsed { .. }
            | Self::Converted { .. }
            | Self::DefaultExcluded { .. }
            | Self::DefaultUnfit { .. }
            | Self::DefaultUsed { .. }
            | Self::DefaultWithheld { .. }
            | Self::EmptyOmitted { .. }
            | Self::FormatIgnored { .. }
            | Self::HiddenIgnored { .. }
            | Self::MediaChosen { .. }
            | Self::NullOmitted { .. }
            | Self::SessionValueAbsent { .. }
            | Self::SessionValueWon { .. }
            | Self::UndeclaredSent { .. } => self.write_argument_event(f),
            Self::CredentialAbsent { .. }
            | Self::CredentialEchoed
            | Self::CredentialRefused { .. }
            | Self::CredentialRenewed
            | Self::SignInRequired { .. } => self.write_credential_event(f),
            Self::NotRetried { why } => write!(f, "not sent again: {why}"),
            Self::NothingRecorded { detail } => {
                write!(f, "nothing is recorded for this request\n{detail}")
            }
            Self::ModelAsked { .. }
            | Self::NextPageRepeated { .. }
            | Self::NextPageUndeclared { .. }
            | Self::NextPageUnnamed
            | Self::OutsidePartsIgnored { .. }
            | Self::ResultKeptLocally
            | Self::ResultNotKept
            | Self::SentAgain
            | Self::CharactersReplaced { .. }
            | Self::TextForJson { .. }
            | Self::UnseenRemoved { .. } => self.write_answer_event(f),
            Self::Redirected { to, path, .. } => write_redirect(f, to, path.as_deref()),
            Self::Refused { why, remedy } => write_refusal(f, why.as_deref(), remedy),
            Self::Replayed => f.write_str("this is the first result of its idempotency key"),
            Self::Retried { code, status, wait } => {
                let (failed, wait) = (failure_text(*code, *status), wait.as_millis());
                write!(f, "{failed}; a further attempt followed after {wait} ms")
            }
            Self::SessionValueWithheld { name } => write!(
                f,
                "`{name}` of the session is a credential of another toolset and no input; \
                 `session_parameters: {{allow: [{name}]}}` gives it to this one"
            ),
            Self::RowsCounted { count } => write!(f, "the database read or changed {count} rows"),
            Self::StatementSent { text, .. } => write!(f, "sent to the database: `{text}`"),
            Self::ToolFolded { asked, meant } => {
                let asked = shortened_text(asked, LONGEST_NAME);
                write!(f, "the name `{asked}` was taken as `{meant}`")
            }
            Self::Unauthorized { why } => write!(f, "a call would not be sent: {why}"),
            Self::Unanswered { server, why } => write!(f, "no answer from `{server}`: {why}"),
        }
    }
}

impl Event {
    fn write_argument_event(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MediaChosen { media_type } => {
                write!(f, "the body is sent as `{media_type}`, which its value fits")
            }
            Self::ConfiguredUsed { argument } => {
                write!(f, "`{argument}` was filled by the configuration")
            }
            Self::Converted { argument, from, to } => {
                write!(f, "`{argument}` was converted from {from} to {to}")
            }
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
            Self::DefaultWithheld { argument } => write!(
                f,
                "the default of `{argument}` was left out: a body that changes something is not made of defaults alone"
            ),
            Self::EmptyOmitted { argument } => write!(f, "`{argument}` is empty and was left out"),
            Self::FormatIgnored { argument, format: Some(format) } => write!(
                f,
                "`{argument}` is sent as it stands, although the description says `{format}`"
            ),
            Self::FormatIgnored { argument, format: None } => write!(
                f,
                "`{argument}` is sent as it stands, although the description says other formats"
            ),
            Self::HiddenIgnored { argument } => {
                write!(f, "`{argument}` is filled by the session; the model's value was ignored")
            }
            Self::NullOmitted { argument } => write!(f, "`{argument}` was null and is omitted"),
            Self::SessionValueAbsent { argument, source } => {
                write!(f, "`{argument}` is omitted: the session has no `{source}`")
            }
            Self::SessionValueWon { argument } => {
                write!(f, "`{argument}` was taken from the session, not from the model")
            }
            Self::UndeclaredSent { argument } => write!(f, "`{argument}` is sent undeclared"),
            _ => Ok(()),
        }
    }

    fn write_answer_event(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelAsked { input, output } => write!(
                f,
                "the tool asked a model, which took {input} tokens of requests and {output} of replies"
            ),
            Self::NextPageRepeated { names } => {
                let names = names.join("`, `");
                write!(
                    f,
                    "the address of the next page has several values of `{names}`, of which the description declares no list, so no call can send them: pages may repeat, miss items or end here"
                )
            }
            Self::NextPageUndeclared { names } => {
                let names = names.join("`, `");
                write!(
                    f,
                    "the address of the next page has `{names}`, which the description does not declare, so no call can send it: pages may repeat, miss items or end here"
                )
            }
            Self::NextPageUnnamed => f.write_str(
                "the answer says that there is more, and names no next page that a declared parameter asks for",
            ),
            Self::OutsidePartsIgnored { count } => {
                write!(f, "{count} bytes of the answer outside of its parts were ignored")
            }
            Self::ResultKeptLocally => f.write_str(
                "the store of results cannot be used now, so the whole result is kept by one process alone: its handle works there until that process ends",
            ),
            Self::ResultNotKept => {
                f.write_str("the whole result is not kept: there is no room for it")
            }
            Self::SentAgain => f.write_str(
                "the service had closed the connection; the request was sent again over a new one",
            ),
            Self::CharactersReplaced { count } => {
                write!(f, "{count} characters of the answer became U+FFFD: its bytes are no text in its encoding, or half of a surrogate pair")
            }
            Self::TextForJson { expected } => {
                let expected = expected.join("` or `");
                write!(
                    f,
                    "expected `{expected}`, got text: the page of a login, maybe, or of another server"
                )
            }
            Self::UnseenRemoved { count } => {
                write!(f, "{count} characters nobody sees were taken out of the answer")
            }
            _ => Ok(()),
        }
    }

    fn write_credential_event(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// The most letters of a name that a note repeats.
const LONGEST_NAME: usize = 100;

fn write_redirect(f: &mut fmt::Formatter<'_>, to: &str, path: Option<&str>) -> fmt::Result {
    write!(f, "a redirect to `{to}` was not followed")?;
    path.iter().try_for_each(|path| {
        write!(
            f,
            "; the service has the operation at `{path}`, with or without the slash at its end"
        )
    })
}

fn write_refusal(f: &mut fmt::Formatter<'_>, why: Option<&str>, remedy: &Remedy) -> fmt::Result {
    match why {
        Some(why) => write!(f, "{why}; to call it all the same, {remedy}"),
        None => write!(f, "{remedy}"),
    }
}

pub(super) fn failure_text(code: FaultCode, status: Option<u16>) -> String {
    match (code, status) {
        (_, Some(status)) => format!("the service answered {status}"),
        (FaultCode::TimedOut, None) => "the service did not answer in time".to_owned(),
        _ => "the connection to the service failed".to_owned(),
    }
}

fn write_attempt(
    f: &mut fmt::Formatter<'_>,
    status: Option<u16>,
    elapsed: Duration,
) -> fmt::Result {
    let elapsed = elapsed.as_millis();
    match status {
        Some(status) => write!(f, "answered {status} after {elapsed} ms"),
        None => write!(f, "no answer after {elapsed} ms"),
    }
}
