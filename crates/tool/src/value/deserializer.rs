//! Values as types that derive serde's `Deserialize`. What a type asks for is moved out of the value; a `Value`, an `Object`
//! or a `Number` among its members is handed over as it is, with its digits. The first fault says where it is.

use std::{borrow::Cow, error, fmt};

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, Visitor,
};

use super::{Object, Value, whole};
use crate::{Number, nearest};

/// The error for a value that has not the form of a type.
///
/// ```
/// use callgate_tool::{ToolCall, from_value, json};
///
/// let error = from_value::<ToolCall>(json!({"tool": "getPet", "args": [7]})).unwrap_err();
/// assert_eq!(error.to_string(), "`args`: expected an object, got: an array");
/// let error = from_value::<Vec<ToolCall>>(json!([{"tool": "getPet", "argz": {}}])).unwrap_err();
/// let message = "`[0]`: expected the keys `id`, `tool`, `args`, `arguments`, got: `argz`: did you mean `args`?";
/// assert_eq!(error.to_string(), message);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidValue {
    at: String,
    reason: String,
}

/// The value as a type. Members move into it without a copy.
///
/// ```
/// use callgate_tool::{Object, from_value, json};
///
/// #[derive(serde::Deserialize)]
/// struct Order { pet: String, details: Object }
///
/// let order: Order = from_value(json!({"pet": "Rex", "details": {"price": 7}}))?;
/// assert_eq!((&*order.pet, &order.details["price"]), ("Rex", &json!(7)));
/// # Ok::<(), callgate_tool::InvalidValue>(())
/// ```
///
/// # Errors
/// [`InvalidValue`] if the value has not the form of the type.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, InvalidValue> {
    T::deserialize(Typed(value)).map_err(|error| {
        if error.reason != MISSING {
            return error;
        }
        // The type refuses a `null` in place of the missing member in words that say what is expected.
        match T::deserialize(Typed(null_at_path(&error.at))) {
            Err(refusal) if refusal.reason.ends_with(NULL) => {
                let expected = refusal.reason.trim_end_matches(NULL);
                InvalidValue { reason: format!("{expected}, got: nothing"), ..error }
            }
            _ => error,
        }
    })
}

/// A value that holds nothing but a `null` at the end of a path such as `calls[0].tool`.
fn null_at_path(path: &str) -> Value {
    path.rsplit(['.', '[']).fold(Value::Null, |inner, segment| {
        if segment.ends_with(']') {
            Value::Array(vec![inner])
        } else if segment.is_empty() {
            inner
        } else {
            Value::Object(Object::from_iter([(segment.to_owned(), inner)]))
        }
    })
}

impl InvalidValue {
    /// The refusal of a value that may hold a user's data or a credential: only its kind is shown.
    pub fn new(at: &str, expected: impl fmt::Display, got: Option<&Value>) -> Self {
        Self::from_words(at, expected, got.map_or("nothing", kind_with_article))
    }

    /// The refusal of a setting, such as a number or a word of a closed set: a short one is shown as it was written.
    pub fn new_showing_value(at: &str, expected: impl fmt::Display, got: Option<&Value>) -> Self {
        Self::from_words(at, expected, &got.map_or(Cow::Borrowed("nothing"), short_scalar_or_kind))
    }

    /// The refusal of a value that is shown in words.
    pub fn from_words(at: &str, expected: impl fmt::Display, got: &str) -> Self {
        Self { at: at.to_owned(), reason: format!("expected {expected}, got: {got}") }
    }

    /// The error with a name for the value, if the fault is not inside it.
    #[must_use]
    pub fn named_if_at_root(self, name: &str) -> Self {
        if self.at.is_empty() { self.under_segment(name) } else { self }
    }

    /// The error as that of a value that holds this one under `segment`.
    #[must_use]
    pub fn under_segment(self, segment: &str) -> Self {
        let joint = if self.at.is_empty() || self.at.starts_with('[') { "" } else { "." };
        Self { at: format!("{segment}{joint}{}", self.at), ..self }
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.at {
            "" => f.write_str(&self.reason),
            at => write!(f, "`{at}`: {}", self.reason),
        }
    }
}

impl error::Error for InvalidValue {}

impl de::Error for InvalidValue {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { at: String::new(), reason: reason.to_string() }
    }

    fn invalid_type(got: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = expected.to_string();
        match (&*expected, got) {
            ("a boolean", got) => {
                Self::new_showing_value("", expected, Some(&value_from_unexpected(got)))
            }
            ("a string", got) => Self::new("", "a text", Some(&value_from_unexpected(got))),
            ("a sequence", got) => Self::new("", "an array", Some(&value_from_unexpected(got))),
            ("a map", got) => Self::new("", "an object", Some(&value_from_unexpected(got))),
            (_, got) => Self::new("", expected, Some(&value_from_unexpected(got))),
        }
    }

    fn unknown_variant(word: &str, variants: &'static [&'static str]) -> Self {
        Self::new_showing_value("", alternatives_text(variants), Some(&Value::from(word)))
    }

    fn unknown_field(name: &str, fields: &'static [&'static str]) -> Self {
        let meant = nearest(name, fields.iter().copied());
        let meant = meant.map(|meant| format!(": did you mean `{meant}`?")).unwrap_or_default();
        let field_list = fields.join("`, `");
        Self::custom(format_args!("expected the keys `{field_list}`, got: `{name}`{meant}"))
    }

    fn missing_field(name: &'static str) -> Self {
        Self { at: name.to_owned(), reason: MISSING.to_owned() }
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self { at: name.to_owned(), reason: "expected once, got twice under its names".to_owned() }
    }
}

/// The words of a closed set: `a`, `b` or `c`.
fn alternatives_text(choices: &[&str]) -> String {
    match choices {
        [rest @ .., last] if !rest.is_empty() => format!("`{}` or `{last}`", rest.join("`, `")),
        choices => format!("`{}`", choices.concat()),
    }
}

/// Stands for what a visitor refused: scalars as they are, of containers the kind.
fn value_from_unexpected(got: Unexpected<'_>) -> Value {
    match got {
        Unexpected::Bool(value) => value.into(),
        Unexpected::Signed(number) => number.into(),
        Unexpected::Unsigned(number) => number.into(),
        Unexpected::Float(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        Unexpected::Other(_) => 0.into(),
        Unexpected::Str(text) => text.into(),
        Unexpected::Seq => Value::Array(Vec::new()),
        Unexpected::Map => Value::Object(Object::new()),
        _ => Value::Null,
    }
}

fn kind_with_article(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "an array",
        Value::Bool(_) => "a boolean",
        Value::Null => "null",
        Value::Number(_) => "a number",
        Value::Object(_) => "an object",
        Value::String(_) => "a text",
    }
}

/// A short scalar as it was written; the kind of any other value.
fn short_scalar_or_kind(value: &Value) -> Cow<'static, str> {
    let is_short = |text: &str| {
        text.chars().nth(LONGEST_SHOWN).is_none() && !text.chars().any(char::is_control)
    };
    match value {
        Value::Bool(is_set) => is_set.to_string().into(),
        Value::Number(number) if is_short(&number.to_string()) => number.to_string().into(),
        // A text such as `true` keeps its quotes, which tell it from the value `true`.
        Value::String(text)
            if is_short(text) && (text.is_empty() || Value::parse(text).is_ok()) =>
        {
            format!("`{value}`").into()
        }
        Value::String(text) if is_short(text) => format!("`{text}`").into(),
        _ => kind_with_article(value).into(),
    }
}

struct Typed(Value);

impl<'de> Deserializer<'de> for Typed {
    type Error = InvalidValue;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter().enumerate())),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Null => visitor.visit_unit(),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(whole), ..) => visitor.visit_u64(whole),
                (_, Some(whole), _) => visitor.visit_i64(whole),
                (.., Some(nearest)) => visitor.visit_f64(nearest),
                _ => Err(de::Error::invalid_type(Unexpected::Other("number"), &visitor)),
            },
            Value::Object(members) => {
                visitor.visit_map(Members { rest: members.into_iter(), last: None })
            }
            Value::String(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        if name == whole::RAW {
            return whole::visit_whole_value(self.0, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.into_deserializer()),
            other => {
                Err(InvalidValue::new_showing_value("", alternatives_text(variants), Some(&other)))
            }
        }
    }

    /// A type is never read from a list of its members.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _members: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            other => Err(InvalidValue::new("", "an object", Some(&other))),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

struct Items<I>(I);

impl<'de, I: Iterator<Item = (usize, Value)>> SeqAccess<'de> for Items<I> {
    type Error = InvalidValue;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, InvalidValue> {
        let Some((at, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Typed(item))
            .map(Some)
            .map_err(|error| error.under_segment(&format!("[{at}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.size_hint().0)
    }
}

struct Members<I> {
    rest: I,
    last: Option<(String, Value)>,
}

impl<'de, I: Iterator<Item = (String, Value)>> MapAccess<'de> for Members<I> {
    type Error = InvalidValue;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, InvalidValue> {
        self.last = self.rest.next();
        let Some((name, _)) = &self.last else { return Ok(None) };
        seed.deserialize(name.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, InvalidValue> {
        let (name, value) = self.last.take().unwrap_or_default();
        seed.deserialize(Typed(value)).map_err(|error| error.under_segment(&name))
    }
}

/// The reason of a missing member whose kind its type does not tell.
const MISSING: &str = "required, got: nothing";
/// The end of a reason that refuses `null`.
const NULL: &str = ", got: null";
/// The most characters of a setting that are shown; right words and numbers are shorter.
const LONGEST_SHOWN: usize = 40;
