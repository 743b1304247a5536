//! The reason why an executor cannot be built. Calls have no errors: each ending of a call is an outcome.

use std::{borrow::Cow, error, fmt};

use callgate_tool::{InvalidName, ToolName};

/// The error of an executor that cannot be built.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_tool::json;
///
/// let schema = json!({"type": "object"});
/// let error = Executor::builder()
///     .function("clock", "get_time", schema.clone(), |_| async { json!("12:00") })
///     .function("clock", "get_time", schema, |_| async { json!("13:00") })
///     .build()
///     .unwrap_err();
/// assert!(error.to_string().starts_with("two tools are named `clock-get_time`"));
/// ```
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

/// The class of an [`Error`].
///
/// ```
/// use callgate_executor::{ErrorKind, Function};
/// use callgate_tool::json;
///
/// let schema = json!({"type": "array"});
/// let error = Function::new("clock", "get_time", schema, |_| async { json!("12:00") }).unwrap_err();
/// match error.kind() {
///     ErrorKind::DuplicateTool | ErrorKind::IllegalName => println!("choose another name"),
///     kind => assert_eq!(kind, ErrorKind::InvalidSchema),
/// }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Two tools have the same name.
    DuplicateTool,
    /// A model cannot call a tool with this name.
    IllegalName,
    /// The schema of a function's arguments is not an object schema.
    InvalidSchema,
}

impl Error {
    /// The class of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", &self.kind).field("message", &self.message).finish()
    }
}

impl error::Error for Error {}

pub(crate) fn duplicate_tool(name: &ToolName, first: &str, second: &str) -> Error {
    let message = format!("two tools are named `{name}`: {first} and {second}");
    Error { kind: ErrorKind::DuplicateTool, message: message.into() }
}

pub(crate) fn illegal_name(source: &InvalidName) -> Error {
    Error { kind: ErrorKind::IllegalName, message: source.to_string().into() }
}

pub(crate) fn not_of_objects(name: &ToolName) -> Error {
    let message =
        format!("expected a schema with `\"type\": \"object\"` for the arguments of `{name}`");
    Error { kind: ErrorKind::InvalidSchema, message: message.into() }
}
