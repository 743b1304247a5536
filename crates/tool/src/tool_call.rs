//! One call of a model, and its envelope `{"id", "tool", "args"}` in files, batches and requests.

use serde::{Deserialize, Deserializer, de::Error};

use crate::{InvalidValue, Object, Value};

/// Arguments as the model gave them; numbers keep their digits.
///
/// ```
/// use callgate_tool::Arguments;
///
/// let built = Arguments::from([("petId", 7.into()), ("status", "sold".into())]);
/// assert_eq!(built["petId"], 7);
///
/// let read = Arguments::parse(r#"{"price": 1.10}"#)?.ok_or("no object")?;
/// assert_eq!(read["price"].to_string(), "1.10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Arguments = Object;

/// One call that a model asks for.
///
/// ```
/// use callgate_tool::{Arguments, ToolCall};
///
/// let arguments = Arguments::from_iter([("id".to_owned(), 7.into())]);
/// let call = ToolCall::new("call-1", "getPet", arguments);
/// assert_eq!(call.arguments["id"], 7);
///
/// let read: ToolCall = serde_json::from_str(r#"{"tool": "getPet", "args": {"id": 7}}"#)?;
/// assert_eq!((read.id.as_str(), read.arguments), ("1", call.arguments));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The caller's own id of the call; the result carries it unchanged.
    #[serde(default = "lone_call_id", deserialize_with = "deserialize_call_id")]
    pub id: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The values that the model filled in.
    #[serde(
        default,
        rename = "args",
        alias = "arguments",
        deserialize_with = "deserialize_arguments"
    )]
    pub arguments: Arguments,
}

impl ToolCall {
    /// A call of `tool` with `arguments`.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: Arguments) -> Self {
        Self { id: id.into(), tool: tool.into(), arguments }
    }
}

/// The id of a call that is alone.
fn lone_call_id() -> String {
    "1".to_owned()
}

/// Reads the id of a call: a text, or a number as its digits.
///
/// # Errors
/// The deserializer's error if the id is neither.
pub fn deserialize_call_id<'de, D: Deserializer<'de>>(id: D) -> Result<String, D::Error> {
    match Value::deserialize(id)? {
        Value::Number(id) => Ok(id.to_string()),
        Value::String(id) => Ok(id),
        other => Err(D::Error::custom(InvalidValue::new("", "a text", Some(&other)))),
    }
}

fn deserialize_arguments<'de, D: Deserializer<'de>>(arguments: D) -> Result<Arguments, D::Error> {
    Ok(Option::deserialize(arguments)?.unwrap_or_default())
}
