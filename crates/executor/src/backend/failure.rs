//! Turns the failure of a credential or an exchange into a fault. Chooses the sentence; the words are in `call`.

use callgate_auth::ErrorKind as CredentialErrorKind;
use callgate_call::wording;
use callgate_openapi::Operation;
use callgate_tool::{Effect, Event, Fault, FaultCode, Journal, Next, Reached, Remedy, Value};
use callgate_transport::{ConnectFailure, Denial, Error, ErrorKind, Limits, MAX_EXPANSION};
use url::Url;

use super::challenge::SentCredential;

pub(super) fn credential_fault(error: &callgate_auth::Error) -> Box<Fault> {
    if error.kind() == CredentialErrorKind::NoHeaderValue {
        return wording::no_header_value(&error.to_string());
    }
    fault_with_next_step(wording::auth_failed(&reason_without_secret_names(error)), error)
}

/// The fault for a refused credential that has no fresh replacement.
pub(super) fn renewal_fault(error: &callgate_auth::Error) -> Box<Fault> {
    fault_with_next_step(wording::auth_not_renewed(&reason_without_secret_names(error)), error)
}

/// The fault for a refused call. `reason` is the service's, if it gives one.
pub(super) fn refusal_fault(
    sent: SentCredential,
    operation: &Operation,
    reason: Option<&str>,
) -> Box<Fault> {
    let reason = reason.unwrap_or("it names no reason");
    match sent {
        SentCredential::Nothing if needs_password(operation.arguments_schema(), DEEPEST) => {
            wording::sign_in_refused()
        }
        SentCredential::Nothing if is_public_with_arguments(operation) => {
            wording::open_call_refused()
        }
        SentCredential::Credential => {
            wording::auth_refused(&format!("{reason}, and there is no fresh one to try"))
        }
        SentCredential::Fresh => {
            wording::auth_refused(&format!("{reason}; a fresh one was tried and refused too"))
        }
        SentCredential::Nothing => wording::auth_wanted(),
        SentCredential::Once => wording::auth_refused(&format!(
            "{reason}; a fresh one was not tried, because a person approved one request"
        )),
    }
}

/// True if the operation says itself that it needs no credential, and takes arguments: then one of them is at fault.
fn is_public_with_arguments(operation: &Operation) -> bool {
    let security = &operation.security;
    let properties = &operation.arguments_schema()["properties"];
    let has_arguments = properties.as_object().is_some_and(|properties| !properties.is_empty());
    security.is_own && security.alternatives.is_empty() && has_arguments
}

/// True if a schema of arguments asks for a password: then the caller signs in, and not the operator.
fn needs_password(schema: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is_asked = |(name, schema): (&String, &Value)| {
        is_password_argument(name, schema) || needs_password(schema, depth)
    };
    match schema {
        Value::Array(schemas) => schemas.iter().any(|schema| needs_password(schema, depth)),
        Value::Object(members) => {
            members.iter().any(|(keyword, value)| match (keyword.as_str(), value) {
                ("format", Value::String(format)) => format == "password",
                ("properties", Value::Object(properties)) => properties.iter().any(is_asked),
                _ => needs_password(value, depth),
            })
        }
        _ => false,
    }
}

fn is_password_argument(name: &str, schema: &Value) -> bool {
    // `pin: true` fastens a message, and signs nobody in.
    if schema.get("type").and_then(Value::as_str) == Some("boolean") {
        return false;
    }
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    let has_word = |word: &&str| letters.contains(*word);
    // A pin with parts is one of a map or a board.
    let has_parts = || ["$ref", "items", "properties"].iter().any(|key| schema.get(*key).is_some());
    ["password", "passwd", "passphrase", "passcode"].iter().any(has_word)
        || (SIGN_IN_VALUES.contains(&letters.as_str()) && !has_parts())
}

/// The names of other values by which callers sign in.
const SIGN_IN_VALUES: [&str; 7] =
    ["clientsecret", "otp", "pin", "pwd", "refreshtoken", "totp", "verificationcode"];
/// The levels of a schema that are searched. Those of sign-ins have fewer than ten.
const DEEPEST: usize = 32;

/// The reason why there is no credential, worded for a model: the names of secrets are for the operator only.
fn reason_without_secret_names(error: &callgate_auth::Error) -> String {
    let reason = match error.kind() {
        CredentialErrorKind::MissingSecret => "the operator's secret is missing or cannot be read",
        CredentialErrorKind::UnusableSecret => "the operator's secret cannot be used",
        CredentialErrorKind::Configuration => {
            "the operator's settings of the credential cannot be used"
        }
        // The values that the session lacks, the needs of the description and the codes of the standards may be named.
        _ => return error.to_string(),
    };
    format!("{reason}; the journal says more")
}

/// The part of a credential's failure that the operator sees and a model does not: the name of the secret, and the
/// message of its store.
pub(super) fn credential_operator_detail(error: &callgate_auth::Error) -> Option<String> {
    Some(message_with_causes(error)).filter(|told| *told != reason_without_secret_names(error))
}

/// The reason why a service sent no response, for the operator.
pub(super) fn no_response_reason(error: &Error, server: &Url) -> String {
    match error.connect_failure() {
        Some(ConnectFailure::NotHttp) if server.scheme() == "http" => {
            let why = ConnectFailure::NotHttp.message();
            format!("{why}; where TLS is expected, the server's URL begins with `https`")
        }
        Some(connect_failure) => connect_failure.message().to_owned(),
        None => message_with_causes(error),
    }
}

/// The origin of a server: scheme, host and port.
pub(super) fn server_origin(server: &Url) -> String {
    let host = server.host_str().unwrap_or_default();
    let port = server.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", server.scheme())
}

/// The message of an error, with the messages of those causes that add to it.
pub(super) fn message_with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut told = error.to_string();
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
        // Some errors show their cause themselves.
        let why = cause.to_string();
        if !told.contains(&why) {
            told = format!("{told}: {why}");
        }
    }
    told
}

fn fault_with_next_step(mut fault: Box<Fault>, error: &callgate_auth::Error) -> Box<Fault> {
    match error.kind() {
        CredentialErrorKind::MissingSessionValue | CredentialErrorKind::UnusableSessionValue => {
            fault.code = FaultCode::SignInRequired;
            fault.next = Next::AskUser;
        }
        _ if error.is_transient() => fault.next = Next::TryLater,
        _ => {}
    }
    fault
}

/// The record of a request that was refused for its destination, with the step that allows it for an operator who
/// intends it; `None` if there is no such step.
pub(super) fn destination_refused_event(error: &Error, server: &Url) -> Option<Event> {
    let remedy = denial_remedy(error, server)?;
    Some(Event::Refused { why: Some(destination_description(error, server)), remedy })
}

/// The record for a dry run whose destination a call would not reach, as [`destination_refused_event`].
pub(super) fn dry_run_refusal_event(error: &Error, server: &Url) -> Option<Event> {
    let remedy = denial_remedy(error, server)?;
    let why = format!("a call would not be sent: {}", destination_description(error, server));
    Some(Event::Refused { why: Some(why), remedy })
}

fn destination_description(error: &Error, server: &Url) -> String {
    let named = server_url_without_slash(server);
    match error.denied_address() {
        Some(address) => format!("`{named}` is at {address}"),
        None => format!("the description names `{named}`"),
    }
}

fn denial_remedy(error: &Error, server: &Url) -> Option<Remedy> {
    match (error.denial()?, error.denied_address()) {
        (Denial::Insecure | Denial::Private, _) => {
            Some(Remedy::NameServer { url: server_url_without_slash(server).to_owned() })
        }
        (Denial::LinkLocal, Some(address)) => {
            Some(Remedy::AllowAddress { address: address.to_string() })
        }
        _ => None,
    }
}

fn server_url_without_slash(server: &Url) -> &str {
    server.as_str().trim_end_matches('/')
}

/// The fault for a call that the program stopped. `unanswered` says how far the call came if none of its requests
/// got a response.
pub(crate) fn stop_fault(unanswered: Reached, effect: Effect, journal: &Journal) -> Box<Fault> {
    let statuses = journal.events().iter().filter_map(|event| match event {
        Event::Attempt { status, .. } => Some(*status),
        _ => None,
    });
    let reached = match statuses.max() {
        Some(Some(_)) => Reached::Yes,
        Some(None) => Reached::Maybe,
        None => unanswered,
    };
    wording::stopped_call(reached, effect)
}

pub(super) fn exchange_fault(error: &Error, limits: &Limits, effect: Effect) -> Box<Fault> {
    match error.kind() {
        ErrorKind::Coding => wording::answer::undecodable_content(effect),
        ErrorKind::Expanding => wording::answer::answer_expands_too_much(MAX_EXPANSION, effect),
        ErrorKind::MalformedRecording | ErrorKind::Refused => {
            wording::refused_request(&error.to_string())
        }
        ErrorKind::NothingRecorded => wording::nothing_recorded(),
        ErrorKind::Tls => {
            wording::no_secure_connection(&error.to_string(), error.reached_service(), effect)
        }
        ErrorKind::TimedOut if error.reached_service() == Reached::No => {
            wording::unreachable(Reached::No, effect)
        }
        ErrorKind::TimedOut => wording::timed_out(limits.timeout, effect),
        ErrorKind::TooLarge => wording::answer::too_large_answer(limits.response_bytes, effect),
        _ => wording::unreachable(error.reached_service(), effect),
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_sign_in_is_known_by_a_password_among_its_arguments() {
        let text = json!({"type": "string"});
        let login = json!({"type": "object", "properties": {"user": text, "newPassword": text}});
        for (schema, expected) in [
            (json!({"properties": {"password": text}}), true),
            (json!({"properties": {"pin": {"type": "string", "format": "password"}}}), true),
            (
                json!({"properties": {"body": {"$ref": "#/$defs/Login"}}, "$defs": {"Login": login}}),
                true,
            ),
            (json!({"properties": {"body": {"anyOf": [text, login]}}}), true),
            (json!({"properties": {"user": text, "PIN": text}}), true),
            (json!({"properties": {"body": {"properties": {"refresh_token": text}}}}), true),
            (json!({"properties": {"message": text, "pin": {"type": "boolean"}}}), false),
            (json!({"properties": {"pin": {"properties": {"latitude": text}}}}), false),
            (json!({"properties": {"spin": text, "pinned": text, "page_token": text}}), false),
            (json!({"properties": {"name": {"const": "password"}, "pass": text}}), false),
            (json!({"description": "the password", "properties": {}}), false),
        ] {
            assert_eq!(needs_password(&schema, DEEPEST), expected, "{schema}");
        }
    }
}
