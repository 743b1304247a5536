//! Recognizes calls of other formats in a message in which a reader found no calls. Without this, a message for another
//! format would end the conversation: no calls means that the model is done.

use callgate_tool::{Object, Value};

use crate::dialect::Dialect;

impl Dialect {
    /// The name of the format of a call that a message holds: another than this one or, in a list, any. A list holds the parts of
    /// one message, and a call of the expected format further in is one of a list of messages.
    pub(crate) fn foreign_call_format(self, message: &Value) -> Option<&'static str> {
        let expected = Some(self).filter(|_| !message.is_array());
        nested_foreign_format(message, expected, MOST_LEVELS).map(Self::as_str)
    }
}

fn nested_foreign_format(
    value: &Value,
    expected: Option<Dialect>,
    levels: usize,
) -> Option<Dialect> {
    let levels = levels.checked_sub(1)?;
    match value {
        Value::Array(items) => {
            items.iter().find_map(|item| nested_foreign_format(item, expected, levels))
        }
        Value::Object(members) => {
            let mut inner = HOLDERS.iter().filter_map(|name| members.get(name));
            foreign_format_in_object(members, expected)
                .or_else(|| inner.find_map(|value| nested_foreign_format(value, expected, levels)))
        }
        _ => None,
    }
}

/// The first format, other than the expected one, of which an object holds or is a call.
fn foreign_format_in_object(members: &Object, expected: Option<Dialect>) -> Option<Dialect> {
    let mut others = Dialect::ALL.iter().copied().filter(|other| Some(*other) != expected);
    others.find(|other| (other.format().is_call)(members))
}

/// The members that hold the parts of a message, in any format.
const HOLDERS: [&str; 11] = [
    "Items",
    "candidates",
    "choices",
    "content",
    "items",
    "message",
    "output",
    "outputs",
    "parts",
    "queryResult",
    "responseMessages",
];
/// A list of whole responses of Gemini has seven levels.
const MOST_LEVELS: usize = 8;
