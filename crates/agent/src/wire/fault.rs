//! Faults of a reply: another form, or the error of a provider in place of a message or the rest of a stream.

use callgate_tool::{Value, json};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ReplyFault {
    /// The fault in words, which may be the provider's.
    pub(crate) message: String,
    /// The provider's error: an object with its kind as `code`, `status` or `type`.
    pub(crate) error: Option<Value>,
}

impl From<String> for ReplyFault {
    fn from(message: String) -> Self {
        Self { message, error: None }
    }
}

impl From<&str> for ReplyFault {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// The fault that a provider says.
pub(crate) fn provider_fault(error: Value) -> ReplyFault {
    let said = error.get("message").unwrap_or(&error).as_str().unwrap_or_default();
    ReplyFault { message: format!("the model failed: {said}"), error: Some(error) }
}

/// The fault of a reply that the provider ended because it is no good, for a reason of its own.
pub(crate) fn ended_with(reason: &str) -> ReplyFault {
    let message = format!("the provider ended the reply with `{reason}`");
    ReplyFault { message, error: Some(json!({"status": NO_GOOD})) }
}

/// The kind of these faults: another reply may be better.
pub(crate) const NO_GOOD: &str = "MALFORMED_FUNCTION_CALL";

/// The error in an object: a member of it, or the whole, as vLLM and `SGLang` write one.
pub(crate) fn error_of(holder: &mut Value) -> Option<Value> {
    if holder.get("object").and_then(Value::as_str) == Some("error") {
        return Some(holder.take());
    }
    holder.get_mut("error").filter(|error| !error.is_null()).map(Value::take)
}
