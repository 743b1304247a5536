//! Reads values from text. Of two members with one name the last value wins, at the position of the first.

use std::str::FromStr;

use super::{Object, Value};
use crate::reader::{InvalidJson, JsonReader, JsonToken};

impl Value {
    /// The value of a JSON text; numbers keep their digits.
    ///
    /// # Errors
    /// [`InvalidJson`] if the text is not JSON, has a lone surrogate, or is nested deeper than [`DEPTH`](crate::DEPTH).
    pub fn parse(text: &str) -> Result<Self, InvalidJson> {
        Ok(ValueBuilder::from_text(text)?.value)
    }

    /// The value of a JSON text in which no object repeats a name; `None` if one does, because readers understand repeated
    /// names differently (RFC 8259 §4).
    ///
    /// ```
    /// use callgate_tool::Value;
    ///
    /// assert!(Value::parse_unambiguous(r#"{"id": 1, "n": {"id": 1}}"#)?.is_some());
    /// assert!(Value::parse_unambiguous(r#"{"id": 1, "\u0069d": 2}"#)?.is_none());
    /// # Ok::<(), callgate_tool::InvalidJson>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidJson`] if [`Self::parse`] would not read the text.
    pub fn parse_unambiguous(text: &str) -> Result<Option<Self>, InvalidJson> {
        let reading = ValueBuilder::from_text(text)?;
        Ok(Some(reading.value).filter(|_| !reading.has_lost))
    }

    /// The value of a JSON text in UTF-8.
    ///
    /// # Errors
    /// [`InvalidJson`] if the bytes are not UTF-8, or [`Self::parse`] would not read them.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, InvalidJson> {
        match str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                Err(InvalidJson::not_utf8_after(before))
            }
        }
    }
}

impl Object {
    /// The object of a JSON text; `Ok(None)` for a text that is another value.
    ///
    /// # Errors
    /// [`InvalidJson`] if [`Value::parse`] would not read the text.
    pub fn parse(text: &str) -> Result<Option<Self>, InvalidJson> {
        Ok(if let Value::Object(members) = Value::parse(text)? { Some(members) } else { None })
    }
}

impl FromStr for Value {
    type Err = InvalidJson;

    fn from_str(text: &str) -> Result<Self, InvalidJson> {
        Self::parse(text)
    }
}

/// The values read so far. One stack holds the items of all open lists, another the members of all open objects.
#[derive(Default)]
struct ValueBuilder {
    open: Vec<Open>,
    items: Vec<Value>,
    /// The last member of an open object is `null` until its value is read.
    members: Vec<(String, Value)>,
    value: Value,
    /// True if a later member replaced one with an equal name.
    has_lost: bool,
}

/// An open list or object: the place on its stack where it begins.
enum Open {
    Array { start: usize },
    Object { start: usize },
}

/// Longer lists take the whole stack instead of a copy, if nothing else lies on it.
const COPIED_ITEMS: usize = 1024;

/// Room for the members that most texts have open at a time; growing in steps costs more than unused room.
const ROOM: usize = 12;

impl ValueBuilder {
    fn from_text(text: &str) -> Result<Self, InvalidJson> {
        let mut reader = JsonReader::new(text);
        let mut reading = Self::default();
        while let Some(token) = reader.next_token()? {
            reading.take_token(token);
        }
        Ok(reading)
    }

    fn take_token(&mut self, token: JsonToken<'_>) {
        let value = match token {
            JsonToken::ArrayStart => {
                return self.open.push(Open::Array { start: self.items.len() });
            }
            JsonToken::ObjectStart => {
                if self.members.is_empty() {
                    self.members.reserve(ROOM);
                }
                let start = self.members.len();
                return self.open.push(Open::Object { start });
            }
            JsonToken::Name(name) => return self.members.push((name.to_owned(), Value::Null)),
            JsonToken::ArrayEnd | JsonToken::ObjectEnd => self.close_container(),
            JsonToken::Bool(value) => Value::Bool(value),
            JsonToken::Null => Value::Null,
            JsonToken::Number(digits) => Value::Number(digits.into()),
            JsonToken::String(text) => Value::String(text.to_owned()),
        };
        self.add_value(value);
    }

    fn add_value(&mut self, value: Value) {
        match self.open.last() {
            Some(Open::Array { .. }) => self.items.push(value),
            Some(Open::Object { .. }) => {
                if let Some((_, last)) = self.members.last_mut() {
                    *last = value;
                }
            }
            None => self.value = value,
        }
    }

    fn close_container(&mut self) -> Value {
        match self.open.pop() {
            Some(Open::Array { start: 0 }) if self.items.len() > COPIED_ITEMS => {
                let mut items = std::mem::take(&mut self.items);
                items.shrink_to_fit();
                Value::Array(items)
            }
            Some(Open::Array { start }) => Value::Array(self.items.drain(start..).collect()),
            Some(Open::Object { start }) => {
                let n_read = self.members.len() - start;
                let object = Object::from_read_members(self.members.drain(start..));
                self.has_lost |= object.len() < n_read;
                Value::Object(object)
            }
            None => Value::Null,
        }
    }
}
