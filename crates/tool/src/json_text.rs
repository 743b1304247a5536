//! JSON as a service wrote it: checked in one pass when it is taken over, read into a [`Value`] when somebody asks.
//! Most answers are only handed on. It says nothing about what the value means; the text comes from `call`.

use std::{fmt, sync::OnceLock};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{InvalidJson, Reader, Value};

/// A JSON text that is known to be one.
///
/// ```
/// use callgate_tool::Json;
///
/// let json = Json::parse("[ 9007199254740993 ]")?;
/// assert_eq!(json.text(), "[ 9007199254740993 ]");
/// assert_eq!(json.value()[0], 9_007_199_254_740_993_u64);
/// assert_eq!(json, Json::of(&[9_007_199_254_740_993_u64]));
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Clone)]
pub struct Json {
    text: Box<str>,
    value: OnceLock<Value>,
}

impl Json {
    /// The JSON in `text`.
    ///
    /// ```
    /// use callgate_tool::Json;
    ///
    /// let json = Json::parse(r#"{"price": 1.10}"#)?;
    /// assert_eq!(json.text(), r#"{"price": 1.10}"#);
    /// assert_eq!(json.value()["price"].to_string(), "1.10");
    /// # Ok::<(), callgate_tool::InvalidJson>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidJson`] where [`Value::parse`] would not read the text.
    pub fn parse(text: &str) -> Result<Self, InvalidJson> {
        Reader::new(text).check()?;
        Ok(Self { text: text.into(), value: OnceLock::new() })
    }

    /// The JSON of anything that has one; what has none is `null`.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        Self { text: text.into(), value: OnceLock::new() }
    }

    /// The text, as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value; numbers keep their digits.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| read(&self.text))
    }

    /// The value, for whoever keeps it.
    pub fn into_value(self) -> Value {
        self.value.into_inner().unwrap_or_else(|| read(&self.text))
    }
}

/// The text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The text as it is; no value is made of it.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(&self.text) {
            Ok(text) => text.serialize(serializer),
            Err(_) => self.value().serialize(serializer),
        }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Json").field(&self.text).finish()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self { text: value.to_string().into(), value: OnceLock::from(value) }
    }
}

/// Two are equal when their values are; white space does not count.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.value() == other.value()
    }
}

/// A text that passed the check is always read; were one not, it would still be handed on as text.
fn read(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_over_is_what_is_read() {
        for text in ["", " [1, 2] ", "[1,]", "[9007199254740993,1.10,1e+400]", r#""\ud83d""#, "1 2"]
        {
            let read = Value::parse(text);
            let taken = Json::parse(text);
            assert_eq!(taken.as_ref().map(Json::value), read.as_ref(), "{text}");
            assert_eq!(taken.map(Json::into_value), read, "{text}");
        }
    }

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(Json::parse("[ 1 ]"), Json::parse("[1]"));
        assert_ne!(Json::parse("[1]"), Json::parse("[1.0]"));
        assert_eq!(Json::from(crate::json!({"a": 1})).text(), r#"{"a":1}"#);
    }
}
