//! JSON values as callgate passes them around: arguments, schemas, session values, answers. Numbers keep their digits,
//! objects keep their order. `read` turns text into values, `write` turns values into text.

mod build;
mod convert;
mod deserializer;
mod foreign;
mod mask;
mod object;
mod read;
mod serial;
mod whole;
mod write;

use std::{borrow::Cow, ops};

pub use self::build::ToValue;
pub use self::deserializer::{InvalidValue, from_value};
pub use self::foreign::ForeignNumber;
pub use self::object::{Entry, IntoIter, Object};
pub use self::write::write_string;
use crate::{Number, spelling::name_from_pointer_segment};

/// A JSON value.
///
/// ```
/// use callgate_tool::{Value, json};
///
/// let pet = Value::parse(r#"{"name": "Rex", "price": 1.10}"#)?;
/// assert_eq!(pet["name"], "Rex");
/// assert_eq!(pet["price"].to_string(), "1.10");
/// assert_eq!(pet.to_string(), r#"{"name":"Rex","price":1.10}"#);
/// assert_eq!(json!({"list": [pet["name"], 7]})["list"][1], 7);
/// # Ok::<(), callgate_tool::InvalidJson>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the kinds of JSON values do not change")]
pub enum Value {
    /// A list.
    Array(Vec<Self>),
    /// `true` or `false`.
    Bool(bool),
    /// JSON's `null`.
    #[default]
    Null,
    /// A number, with its digits as written.
    Number(Number),
    /// Named values, in order.
    Object(Object),
    /// A text.
    String(String),
}

impl Value {
    /// The items, when this is a list.
    pub fn as_array(&self) -> Option<&Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The items to change, when this is a list.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// `array`, `boolean`, `null`, `number`, `object` or `string`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Array(_) => "array",
            Self::Bool(_) => "boolean",
            Self::Null => "null",
            Self::Number(_) => "number",
            Self::Object(_) => "object",
            Self::String(_) => "string",
        }
    }

    /// The truth value, when this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, when this is one.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The named values, when this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The named values to change, when this is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The text, when this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// A text without its quotation marks, and any other value as JSON.
    #[doc(hidden)]
    pub fn text_or_json(&self) -> String {
        self.as_str().map_or_else(|| self.to_string(), str::to_owned)
    }

    /// The number, if it is written as a whole number and fits `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number, if it is written as a whole number and fits `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The nearest floating-point number, if this is a number and such a number exists.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// True for a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// True for `true` and `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// True for a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// True for an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// True for a text.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// True for a number that is written as a whole number and fits `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// True for a number that is written as a whole number and fits `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// The member with this name, or the item at this index.
    pub fn get<P: Index>(&self, index: P) -> Option<&Self> {
        index.index_into(self)
    }

    /// The member with this name, or the item at this index, to change.
    pub fn get_mut<P: Index>(&mut self, index: P) -> Option<&mut Self> {
        index.index_into_mut(self)
    }

    /// The value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        pointer_tokens(pointer)?.try_fold(self, |value, token| match value {
            Self::Array(items) => items.get(array_index(&token)?),
            Self::Object(members) => members.get(&token),
            _ => None,
        })
    }

    /// The value at a JSON pointer (RFC 6901), to change.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        pointer_tokens(pointer)?.try_fold(self, |value, token| match value {
            Self::Array(items) => items.get_mut(array_index(&token)?),
            Self::Object(members) => members.get_mut(&token),
            _ => None,
        })
    }

    /// Takes the value out and leaves `null` in its place.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

/// The tokens of a JSON pointer; `None` if the text is not a JSON pointer.
fn pointer_tokens(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let below = if pointer.is_empty() { None } else { Some(pointer.strip_prefix('/')?) };
    Some(below.into_iter().flat_map(|below| below.split('/')).map(name_from_pointer_segment))
}

/// RFC 6901 §4: an index has no sign and no leading zero.
fn array_index(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| is_plain)
}

/// A name or an index by which [`Value::get`] finds a value in another.
///
/// ```
/// use callgate_tool::{Index, Value, json};
///
/// /// The last item of a list.
/// struct Last;
///
/// impl Index for Last {
///     fn index_into(self, value: &Value) -> Option<&Value> {
///         value.as_array()?.last()
///     }
///
///     fn index_into_mut(self, value: &mut Value) -> Option<&mut Value> {
///         value.as_array_mut()?.last_mut()
///     }
/// }
///
/// assert_eq!(json!([1, 2])[Last], 2);
/// ```
pub trait Index {
    /// The value at this place in `value`.
    fn index_into(self, value: &Value) -> Option<&Value>;
    /// The value at this place in `value`, to change.
    fn index_into_mut(self, value: &mut Value) -> Option<&mut Value>;
}

impl Index for &str {
    fn index_into(self, value: &Value) -> Option<&Value> {
        value.as_object()?.get(self)
    }

    fn index_into_mut(self, value: &mut Value) -> Option<&mut Value> {
        value.as_object_mut()?.get_mut(self)
    }
}

impl<P: Index + Copy> Index for &P {
    fn index_into(self, value: &Value) -> Option<&Value> {
        (*self).index_into(value)
    }

    fn index_into_mut(self, value: &mut Value) -> Option<&mut Value> {
        (*self).index_into_mut(value)
    }
}

impl Index for &String {
    fn index_into(self, value: &Value) -> Option<&Value> {
        self.as_str().index_into(value)
    }

    fn index_into_mut(self, value: &mut Value) -> Option<&mut Value> {
        self.as_str().index_into_mut(value)
    }
}

impl Index for usize {
    fn index_into(self, value: &Value) -> Option<&Value> {
        value.as_array()?.get(self)
    }

    fn index_into_mut(self, value: &mut Value) -> Option<&mut Value> {
        value.as_array_mut()?.get_mut(self)
    }
}

static NULL: Value = Value::Null;

/// The member with this name or the item at this index; `null` if there is none.
impl<P: Index> ops::Index<P> for Value {
    type Output = Self;

    fn index(&self, index: P) -> &Self {
        self.get(index).unwrap_or(&NULL)
    }
}

/// The member with this name, added if missing; a value that is not an object becomes one.
impl ops::IndexMut<&str> for Value {
    fn index_mut(&mut self, name: &str) -> &mut Self {
        if !self.is_object() {
            *self = Self::Object(Object::new());
        }
        match self {
            Self::Object(members) => members.entry(name).or_insert(Self::Null),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
