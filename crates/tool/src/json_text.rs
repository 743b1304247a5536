//! JSON as a service wrote it: checked in one pass on arrival, and read into a [`Value`] on demand, since most responses
//! are only passed on. The module does not interpret the value; the text comes from `call`.

use std::{fmt, sync::OnceLock};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{InvalidJson, JsonReader, Value};

/// A text that is known to be JSON.
///
/// ```
/// use callgate_tool::Json;
///
/// let json = Json::parse("[ 9007199254740993 ]")?;
/// assert_eq!(json.text(), "[ 9007199254740993 ]");
/// assert_eq!(json.value()[0], 9_007_199_254_740_993_u64);
/// assert_eq!(json, Json::from_serializable(&[9_007_199_254_740_993_u64]));
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Clone)]
pub struct Json {
    text: Box<str>,
    value: OnceLock<Value>,
}

impl Json {
    /// Takes `text` as JSON.
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
    /// [`InvalidJson`] if [`Value::parse`] would not read the text.
    pub fn parse(text: &str) -> Result<Self, InvalidJson> {
        JsonReader::new(text).check()?;
        Ok(Self { text: text.into(), value: OnceLock::new() })
    }

    /// The JSON of any serializable value; `null` for a value that cannot be written as JSON.
    pub fn from_serializable<T: Serialize + ?Sized>(value: &T) -> Self {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        Self { text: text.into(), value: OnceLock::new() }
    }

    /// Takes a text that the caller itself wrote as JSON, part by part. Only builds with debug assertions read it again.
    #[doc(hidden)]
    pub fn from_unchecked_text(text: String) -> Self {
        debug_assert!(JsonReader::new(&text).check().is_ok(), "a caller wrote no JSON");
        Self { text: text.into(), value: OnceLock::new() }
    }

    /// The text, as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value; numbers keep their digits.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| parse_or_string(&self.text))
    }

    /// The value, taken out of the text.
    pub fn into_value(self) -> Value {
        self.value.into_inner().unwrap_or_else(|| parse_or_string(&self.text))
    }
}

callgate_secret::text!(Json: Self { text, .. } => "{text}");

/// Writes the text as it is, without making a value of it.
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
        let mut text = String::new();
        value.write_to(&mut text);
        Self { text: text.into(), value: OnceLock::from(value) }
    }
}

/// Two texts are equal if their values are; white space does not count.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.value() == other.value()
    }
}

/// A text that passed the check can always be read; should reading fail, the text becomes a string.
fn parse_or_string(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_text_is_parsed_as_a_value_is() {
        for text in ["", " [1, 2] ", "[1,]", "[9007199254740993,1.10,1e+400]", r#""\ud83d""#, "1 2"]
        {
            let read = Value::parse(text);
            let taken = Json::parse(text);
            assert_eq!(taken.as_ref().map(Json::value), read.as_ref(), "{text}");
            assert_eq!(taken.map(Json::into_value), read, "{text}");
        }
    }

    #[test]
    fn a_text_that_its_maker_wrote_keeps_its_digits() {
        let json = Json::from_unchecked_text(r#"{"price":1.10}"#.to_owned());
        assert_eq!(json.text(), r#"{"price":1.10}"#);
        assert_eq!(json, Json::parse(r#"{ "price": 1.10 }"#).unwrap());
    }

    #[test]
    fn json_texts_that_differ_in_white_space_are_equal() {
        assert_eq!(Json::parse("[ 1 ]"), Json::parse("[1]"));
        assert_ne!(Json::parse("[1]"), Json::parse("[1.0]"));
        assert_eq!(Json::from(crate::json!({"a": 1})).text(), r#"{"a":1}"#);
    }
}
