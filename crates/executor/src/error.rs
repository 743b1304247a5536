//! The reason why an executor cannot be built. Calls have no errors: each ending of a call is an outcome.

use callgate_tool::{InvalidName, ToolName};

callgate_secret::error! {
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
    pub struct Error {}

    pub(crate) fn new;
    pub(crate) fn with_source;
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
    /// A backend and its declaration contradict each other.
    InvalidDeclaration,
    /// The schema of a tool's arguments is not an object schema, or that of its results is no schema.
    InvalidSchema,
}

callgate_secret::errors! {
    fn duplicate_tool(name: &ToolName, first: &str, second: &str) = DuplicateTool:
        "two tools are named `{name}`: {first} and {second}";
    fn no_schema(name: &ToolName) = InvalidSchema:
        "expected a schema (an object, `true` or `false`) for the results of `{name}`";
    fn other_effect(name: &ToolName, declared: &str, own: &str) = InvalidDeclaration:
        "`{name}` declares the effect `{declared}` to models, and has the effect `{own}`: return one of them from both";
    fn other_name(name: &ToolName, declared: &ToolName) = InvalidDeclaration:
        "`{name}` declares the name `{declared}` to models: return one of them from both";
    fn not_of_objects(name: &ToolName) = InvalidSchema:
        "expected a schema with `\"type\": \"object\"` for the arguments of `{name}`";
}

pub(crate) fn illegal_name(source: &InvalidName) -> Error {
    Error::new(ErrorKind::IllegalName, source.to_string())
}
