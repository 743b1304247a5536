//! The name of each decision, the readers of its sentence, and the sentence: for the operator and in the notes of a result. It
//! names no value.

use std::fmt;

use super::{Event, entries::Reach};
use crate::{fault::FaultCode, spelling::shortened_text};

/// Makes the table of decisions. A row has the decision, its name, the readers of its sentence, and the sentence with the
/// decision's fields and the values behind it.
macro_rules! decisions {
    ($($event:pat => $name:literal, $reach:ident, $sentence:literal $(, $part:ident = $value:expr)*;)+) => {
        impl Event {
            /// Reads the row of the decision: its name, the readers of its sentence, and the sentence.
            pub(super) fn read_row<T>(
                &self,
                read: impl FnOnce(&'static str, Reach, fmt::Arguments<'_>) -> T,
            ) -> T {
                match self {
                    $($event => read($name, Reach::$reach, format_args!($sentence $(, $part = $value)*)),)+
                }
            }
        }
    };
}

decisions! {
    Self::ApprovalOutdated => "approval_outdated", Caller, "the approved request was another; asked again";
    Self::Approved => "approved", Caller, "a person approved the request";
    Self::Attempt { status: Some(status), elapsed } => "attempt", Caller,
        "answered {status} after {elapsed} ms", elapsed = elapsed.as_millis();
    Self::Attempt { status: None, elapsed } => "attempt", Caller,
        "no answer after {elapsed} ms", elapsed = elapsed.as_millis();
    Self::CharactersReplaced { count } => "characters_replaced", Note,
        "{count} characters of the answer became U+FFFD: its bytes are no text in its encoding, or half of a surrogate pair";
    Self::ConfiguredUsed { argument } => "configured_used", Caller,
        "`{argument}` was filled by the configuration";
    Self::Converted { argument, from, to } => "converted", Note,
        "`{argument}` was converted from {from} to {to}";
    Self::CredentialAbsent { why } => "credential_absent", Operator, "no credential: {why}";
    Self::CredentialEchoed => "credential_echoed", Caller,
        "the service's answer held a credential of the call, which is masked";
    Self::CredentialRefused { credential } => "credential_refused", Operator,
        "the service refused the credential: {credential}";
    Self::CredentialRenewed => "credential_renewed", Caller,
        "the service refused the credential; sent once more with a fresh one";
    Self::DefaultExcluded { argument } => "default_excluded", Note,
        "the default of `{argument}` was left out: another value excludes it";
    Self::DefaultUnfit { argument } => "default_unfit", Note,
        "the default of `{argument}` breaks the description's own rules and was left out";
    Self::DefaultUsed { argument } => "default_used", Caller, "`{argument}` was filled by its default";
    Self::DefaultWithheld { argument } => "default_withheld", Note,
        "the default of `{argument}` was left out: a body that changes something is not made of defaults alone";
    Self::EmptyOmitted { argument } => "empty_omitted", Note, "`{argument}` is empty and was left out";
    Self::FormatIgnored { argument, format: Some(format) } => "format_ignored", Note,
        "`{argument}` is sent as it stands, although the description says `{format}`";
    Self::FormatIgnored { argument, format: None } => "format_ignored", Note,
        "`{argument}` is sent as it stands, although the description says other formats";
    Self::HiddenIgnored { argument } => "hidden_ignored", Note,
        "`{argument}` is filled by the session; the model's value was ignored";
    Self::MediaChosen { media_type } => "media_chosen", Note,
        "the body is sent as `{media_type}`, which its value fits";
    Self::ModelAsked { input, output } => "model_asked", Note,
        "the tool asked a model, which took {input} tokens of requests and {output} of replies";
    Self::NextPageRepeated { names } => "next_page_repeated", Note,
        "the address of the next page has several values of `{names}`, of which the description declares no list, so no call can send them: pages may repeat, miss items or end here",
        names = names.join("`, `");
    Self::NextPageUndeclared { names } => "next_page_undeclared", Note,
        "the address of the next page has `{names}`, which the description does not declare, so no call can send it: pages may repeat, miss items or end here",
        names = names.join("`, `");
    // The answer itself says it.
    Self::NextPageUnnamed => "next_page_unnamed", Caller,
        "the answer says that there is more, and names no next page that a declared parameter asks for";
    Self::NothingRecorded { detail } => "nothing_recorded", Operator,
        "nothing is recorded for this request\n{detail}";
    Self::NotRetried { why } => "not_retried", Caller, "not sent again: {why}";
    Self::NullOmitted { argument } => "null_omitted", Note, "`{argument}` was null and is omitted";
    Self::OutsidePartsIgnored { count } => "outside_parts_ignored", Note,
        "{count} bytes of the answer outside of its parts were ignored";
    Self::Redirected { to, path: None, .. } => "redirected", Operator, "a redirect to `{to}` was not followed";
    Self::Redirected { to, path: Some(path), .. } => "redirected", Operator,
        "a redirect to `{to}` was not followed; the service has the operation at `{path}`, with or without the slash at its end";
    Self::Refused { why: Some(why), remedy } => "refused", Operator, "{why}; to call it all the same, {remedy}";
    Self::Refused { why: None, remedy } => "refused", Operator, "{remedy}";
    Self::Replayed => "replayed", Caller, "this is the first result of its idempotency key";
    Self::ResultKeptLocally => "result_kept_locally", Note,
        "the store of results cannot be used now, so the whole result is kept by one process alone: its handle works there until that process ends";
    Self::ResultNotKept => "result_not_kept", Note,
        "the whole result is not kept: there is no room for it";
    Self::Retried { code, status, wait } => "retried", Note,
        "{failure}; a further attempt followed after {wait} ms",
        failure = failure_text(*code, *status), wait = wait.as_millis();
    Self::RowsCounted { count } => "rows_counted", Caller, "the database read or changed {count} rows";
    Self::SentAgain => "sent_again", Caller,
        "the service had closed the connection; the request was sent again over a new one";
    Self::SessionValueAbsent { argument, source } => "session_value_absent", Note,
        "`{argument}` is omitted: the session has no `{source}`";
    Self::SessionValueWithheld { name } => "session_value_withheld", Operator,
        "`{name}` of the session is a credential of another toolset and no input; `session_parameters: {{allow: [{name}]}}` gives it to this one";
    Self::SessionValueWon { argument } => "session_value_won", Note,
        "`{argument}` was taken from the session, not from the model";
    Self::SignInRequired { parameter } => "sign_in_required", Operator,
        "the user has to sign in: a new token belongs into `{parameter}`";
    Self::StatementSent { text, .. } => "statement_sent", Operator, "sent to the database: `{text}`";
    Self::TextForJson { expected } => "text_for_json", Note,
        "expected `{expected}`, got text: the page of a login, maybe, or of another server",
        expected = expected.join("` or `");
    Self::ToolFolded { asked, meant } => "tool_folded", Note,
        "the name `{asked}` was taken as `{meant}`", asked = shortened_text(asked, LONGEST_NAME);
    Self::Unauthorized { why } => "unauthorized", Operator, "a call would not be sent: {why}";
    Self::Unanswered { server, why } => "unanswered", Operator, "no answer from `{server}`: {why}";
    Self::UndeclaredSent { argument } => "undeclared_sent", Note, "`{argument}` is sent undeclared";
    Self::UnseenRemoved { count } => "unseen_removed", Note,
        "{count} characters nobody sees were taken out of the answer";
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read_row(|_, _, sentence| f.write_fmt(sentence))
    }
}

/// The most letters of a name that a note repeats.
const LONGEST_NAME: usize = 100;

pub(super) fn failure_text(code: FaultCode, status: Option<u16>) -> String {
    match (code, status) {
        (_, Some(status)) => format!("the service answered {status}"),
        (FaultCode::TimedOut, None) => "the service did not answer in time".to_owned(),
        _ => "the connection to the service failed".to_owned(),
    }
}
