//! Faults of a stream: an event of another form, or the error of a provider in place of the rest.

use std::fmt::Display;

use callgate_tool::Value;

/// The fault of a stream.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StreamFault {
    /// The fault in words, which may be the provider's.
    pub(crate) message: String,
    /// The provider's error: an object with its kind as `code`, `status` or `type`.
    pub(crate) error: Option<Value>,
}

pub(super) fn unreadable(error: impl Display) -> StreamFault {
    StreamFault { message: format!("an event of the model has another form: {error}"), error: None }
}

/// The fault that a provider says.
pub(super) fn failed(error: Value) -> StreamFault {
    let said = error.get("message").unwrap_or(&error).as_str().unwrap_or_default();
    StreamFault { message: format!("the model failed: {said}"), error: Some(error) }
}
