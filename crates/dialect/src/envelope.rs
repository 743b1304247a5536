//! callgate's own envelope: a call as `{"id", "tool", "args"}` and a session as `{"id", "parameters", "payload", "context",
//! "credentials"}`, as in files, batches and requests. Unknown keys are refused, never dropped.

use std::{collections::BTreeMap, fmt};

use callgate_secret::Secret;
use callgate_tool::{InvalidValue, Object, Session, ToolCall, Value, from_value};
use serde::{Deserialize, de::Error};

/// The error for JSON, an envelope or a message that cannot be read.
///
/// ```
/// use callgate_tool::json;
///
/// let error = callgate_dialect::read_call(json!({"tool": "getPet", "args": [7]})).unwrap_err();
/// assert_eq!(error.to_string(), "`args`: expected an object, got: an array");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EnvelopeError(InvalidValue);

/// Reads one call: `tool` is required, `id` defaults to `1`, and `args` or `arguments` holds the arguments.
///
/// ```
/// let envelope = callgate_tool::json!({"tool": "getPet", "args": {"petId": 7}});
/// let call = callgate_dialect::read_call(envelope)?;
/// assert_eq!(call.tool, "getPet");
/// # Ok::<(), callgate_dialect::EnvelopeError>(())
/// ```
///
/// # Errors
/// [`EnvelopeError`] when a key is missing, unknown or of the wrong type.
pub fn read_call(envelope: Value) -> Result<ToolCall, EnvelopeError> {
    from_value(envelope).map_err(EnvelopeError)
}

/// Reads a session; every key is optional. All values are literal, including credentials: `env:NAME` is a text, not a
/// reference.
///
/// ```
/// let envelope = callgate_tool::json!({"id": "s-1", "credentials": {"github": "env:NAME"}});
/// let session = callgate_dialect::read_session(envelope)?;
/// assert_eq!(session.credential("github").map(|token| token.expose()), Some("env:NAME"));
/// # Ok::<(), callgate_dialect::EnvelopeError>(())
/// ```
///
/// # Errors
/// [`EnvelopeError`] when a key is unknown or of the wrong type.
pub fn read_session(envelope: Value) -> Result<Session, EnvelopeError> {
    let SessionForm { id, parameters, payload, context, credentials } =
        from_value(envelope).map_err(EnvelopeError)?;
    let (parameters, credentials) =
        (parameters.unwrap_or_default(), credentials.unwrap_or_default());
    check_distinct_ignoring_case("parameters", parameters.keys())?;
    check_distinct_ignoring_case("credentials", credentials.keys())?;
    let session = id.map_or_else(Session::default, Session::new).with_parameters(parameters);
    let session = session.with_payload(payload.unwrap_or_default());
    let session = session.with_context(context.unwrap_or_default());
    let with = |session: Session, (name, text): (String, _)| {
        session.with_credential(&name, Secret::new(text))
    };
    Ok(credentials.into_iter().fold(session, with))
}

/// Refuses two names of session values that differ only in case, which does not count: either value could be the one
/// that is meant.
///
/// # Errors
/// [`EnvelopeError`] with the first such name.
pub fn check_distinct_ignoring_case<'n>(
    at: &str,
    names: impl Iterator<Item = &'n String>,
) -> Result<(), EnvelopeError> {
    let mut folded: Vec<String> = names.map(|name| name.to_lowercase()).collect();
    folded.sort_unstable();
    let Some([name, _]) = folded.array_windows().find(|[one, other]| one == other) else {
        return Ok(());
    };
    let reason = format!("expected names that differ beyond their case, got twice: `{name}`");
    Err(EnvelopeError(InvalidValue::custom(reason).under_segment(at)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionForm {
    id: Option<String>,
    parameters: Option<Object>,
    payload: Option<Object>,
    context: Option<Object>,
    credentials: Option<BTreeMap<String, String>>,
}

callgate_secret::text!(error EnvelopeError: Self(fault) => "{fault}");

/// The refusal of a message with calls in another format, or of a list of messages in its own.
pub(crate) fn foreign_format_error(expected: &str, got: &str) -> EnvelopeError {
    let (expected, got) = if got == expected {
        (format!("one message of `{expected}`, or its calls"), "a list of messages".to_owned())
    } else {
        (format!("a message of `{expected}`"), format!("a call in the form of `{got}`"))
    };
    EnvelopeError(InvalidValue::from_words("message", expected, &got))
}

pub(crate) fn wrong_value_error(at: &str, expected: &str, got: Option<&Value>) -> EnvelopeError {
    EnvelopeError(InvalidValue::new(at, expected, got))
}

/// The refusal of a text that is not JSON, or is ambiguous.
pub(crate) fn invalid_json_error(reason: impl fmt::Display) -> EnvelopeError {
    EnvelopeError(InvalidValue::custom(reason))
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_call_envelope_requires_only_a_tool() {
        let call = read_call(json!({"tool": "listPets"})).unwrap();
        assert_eq!((call.id.as_str(), call.tool.as_str()), ("1", "listPets"));
        assert!(call.arguments.is_empty());
    }

    #[test]
    fn a_malformed_call_envelope_is_refused_with_position_and_expectation() {
        #[track_caller]
        fn check(envelope: Value, expected: &str) {
            assert_eq!(read_call(envelope).unwrap_err().to_string(), expected);
        }
        check(json!([]), "expected an object, got: an array");
        check(json!({"args": {}}), "`tool`: expected a text, got: nothing");
        check(json!({"tool": "a", "args": 1}), "`args`: expected an object, got: a number");
        check(
            json!({"tool": "a", "argz": {}}),
            "expected the keys `id`, `tool`, `args`, `arguments`, got: `argz`: did you mean `args`?",
        );
        check(
            json!({"tool": "a", "args": {}, "arguments": {}}),
            "`args`: expected once, got twice under its names",
        );
    }

    #[test]
    fn a_session_with_unknown_members_is_refused() {
        let session = read_session(json!({"id": "s", "parameters": {"A": 1}})).unwrap();
        assert_eq!(session.parameter("a"), Some(&json!(1)));
        assert!(read_session(json!({"credential": {}})).is_err());
    }

    #[test]
    fn names_of_a_session_that_differ_only_in_case_are_refused() {
        for kind in ["parameters", "credentials"] {
            let names = Object::from([("Token", "a".into()), ("token", "b".into())]);
            let envelope = Object::from([(kind, Value::Object(names))]);
            let refused = read_session(envelope.into()).unwrap_err().to_string();
            let expected = "expected names that differ beyond their case, got twice: `token`";
            assert_eq!(refused, format!("`{kind}`: {expected}"));
        }
    }

    #[test]
    fn credentials_of_a_session_are_read_from_their_own_member_as_texts() {
        let envelope = json!({"credentials": {"GitHub": "t0k3n"}, "parameters": {}});
        let session = read_session(envelope).unwrap();
        assert!(session.credential("github").is_some());
        assert_eq!(session.parameter("github"), None);
        let wrong = read_session(json!({"credentials": {"github": 7}})).unwrap_err();
        assert_eq!(wrong.to_string(), "`credentials.github`: expected a text, got: a number");
    }
}
