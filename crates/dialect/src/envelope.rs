//! callgate's own envelope: a call as `{"id", "tool", "args"}` and a session as `{"id", "parameters", "payload", "context",
//! "credentials"}`, as in files, batches and requests. Unknown keys are refused, never dropped.

use std::{error, fmt};

use callgate_secret::Secret;
use callgate_tool::{Arguments, Object, Session, ToolCall, Value};

/// The error for an envelope that cannot be read.
///
/// ```
/// use callgate_tool::json;
///
/// let error = callgate_dialect::read_call(json!({"tool": "getPet", "args": [7]})).unwrap_err();
/// assert_eq!(error.to_string(), "`args`: expected an object, got: an array");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EnvelopeError {
    at: String,
    expected: String,
    got: String,
}

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
    let mut members = members("the call", envelope)?;
    let tool = match members.remove("tool") {
        Some(Value::String(tool)) => tool,
        other => return Err(wrong("tool", "a text", other.as_ref())),
    };
    let id = match members.remove("id") {
        None => "1".to_owned(),
        Some(Value::String(id)) => id,
        Some(Value::Number(id)) => id.to_string(),
        other => return Err(wrong("id", "a text", other.as_ref())),
    };
    if members.contains_key("args") && members.contains_key("arguments") {
        return Err(wrong("arguments", "`args` or `arguments`, not both", None));
    }
    let arguments = members.remove("args").or_else(|| members.remove("arguments"));
    let arguments: Arguments = object("args", arguments)?;
    nothing_left(&members, "`id`, `tool`, `args`")?;
    Ok(ToolCall::new(id, tool, arguments))
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
    let mut members = members("the session", envelope)?;
    let session = match members.remove("id") {
        None | Some(Value::Null) => Session::default(),
        Some(Value::String(id)) => Session::new(id),
        other => return Err(wrong("id", "a text", other.as_ref())),
    };
    let parameters = object("parameters", members.remove("parameters"))?;
    let payload = object("payload", members.remove("payload"))?;
    let context = object("context", members.remove("context"))?;
    let credentials = object("credentials", members.remove("credentials"))?;
    nothing_left(&members, "`id`, `parameters`, `payload`, `context`, `credentials`")?;
    let session = session.with_parameters(parameters).with_payload(payload).with_context(context);
    credentials.into_iter().try_fold(session, |session, (name, value)| match value {
        Value::String(text) => Ok(session.with_credential(&name, Secret::new(text))),
        other => Err(wrong(&format!("credentials.{name}"), "a text", Some(&other))),
    })
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: expected {}, got: {}", self.at, self.expected, self.got)
    }
}

impl error::Error for EnvelopeError {}

fn members(what: &str, envelope: Value) -> Result<Object, EnvelopeError> {
    match envelope {
        Value::Object(members) => Ok(members),
        other => Err(wrong(what, "an object", Some(&other))),
    }
}

fn object(at: &str, value: Option<Value>) -> Result<Object, EnvelopeError> {
    match value {
        None | Some(Value::Null) => Ok(Object::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(other) => Err(wrong(at, "an object", Some(&other))),
    }
}

fn nothing_left(members: &Object, known: &str) -> Result<(), EnvelopeError> {
    match members.keys().next() {
        None => Ok(()),
        Some(key) => Err(EnvelopeError {
            at: key.clone(),
            expected: format!("one of the keys {known}"),
            got: format!("`{key}`"),
        }),
    }
}

/// The refusal of a message with calls in another format, or of a list of messages in its own.
pub(crate) fn foreign(expected: &str, got: &str) -> EnvelopeError {
    let (expected, got) = if got == expected {
        (format!("one message of `{expected}`, or its calls"), "a list of messages".to_owned())
    } else {
        (format!("a message of `{expected}`"), format!("a call in the form of `{got}`"))
    };
    EnvelopeError { at: "message".to_owned(), expected, got }
}

pub(crate) fn wrong(at: &str, expected: &str, got: Option<&Value>) -> EnvelopeError {
    let got = match got {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(_)) => "an object",
    };
    EnvelopeError { at: at.to_owned(), expected: expected.to_owned(), got: got.to_owned() }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_call_needs_a_tool_and_nothing_else() {
        let call = read_call(json!({"tool": "listPets"})).unwrap();
        assert_eq!((call.id.as_str(), call.tool.as_str()), ("1", "listPets"));
        assert!(call.arguments.is_empty());
    }

    #[test]
    fn a_wrong_envelope_says_where_and_what() {
        #[track_caller]
        fn check(envelope: Value, expected: &str) {
            assert_eq!(read_call(envelope).unwrap_err().to_string(), expected);
        }
        check(json!([]), "`the call`: expected an object, got: an array");
        check(json!({"args": {}}), "`tool`: expected a text, got: nothing");
        check(json!({"tool": "a", "args": 1}), "`args`: expected an object, got: a number");
        check(
            json!({"tool": "a", "argz": {}}),
            "`argz`: expected one of the keys `id`, `tool`, `args`, got: `argz`",
        );
        check(
            json!({"tool": "a", "args": {}, "arguments": {}}),
            "`arguments`: expected `args` or `arguments`, not both, got: nothing",
        );
    }

    #[test]
    fn a_session_refuses_what_it_does_not_know() {
        let session = read_session(json!({"id": "s", "parameters": {"A": 1}})).unwrap();
        assert_eq!(session.parameter("a"), Some(&json!(1)));
        assert!(read_session(json!({"credential": {}})).is_err());
    }

    #[test]
    fn credentials_of_a_session_are_texts_in_a_place_of_their_own() {
        let envelope = json!({"credentials": {"GitHub": "t0k3n"}, "parameters": {}});
        let session = read_session(envelope).unwrap();
        assert!(session.credential("github").is_some());
        assert_eq!(session.parameter("github"), None);
        let wrong = read_session(json!({"credentials": {"github": 7}})).unwrap_err();
        assert_eq!(wrong.to_string(), "`credentials.github`: expected a text, got: a number");
    }
}
