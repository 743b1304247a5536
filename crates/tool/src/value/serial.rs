//! Values through serde. `serde_json` writes and reads every number with its exact digits; other formats only have numbers
//! of 64 bits, which are taken as they are.

use std::cell::Cell;
use std::fmt;
use std::io;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Object, Value};
use crate::Number;

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Array(items) => serializer.collect_seq(items),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Null => serializer.serialize_unit(),
            Self::Number(number) => number.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

/// Writes a 64-bit number if it has exactly these digits, otherwise the digits as raw JSON text.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = self.digits();
        if &*digits != "-0" {
            if let Some(whole) = self.as_i64() {
                return serializer.serialize_i64(whole);
            }
            if let Some(whole) = self.as_u64() {
                return serializer.serialize_u64(whole);
            }
        }
        if let Some(nearest) = self.as_f64().filter(|nearest| is_written_as(*nearest, &digits)) {
            return serializer.serialize_f64(nearest);
        }
        RawValue::from_string(digits.to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// True when `serde_json` writes `value` with exactly these digits.
fn is_written_as(value: f64, digits: &str) -> bool {
    let mut rest = Expected(digits.as_bytes());
    serde_json::to_writer(&mut rest, &value).is_ok() && rest.0.is_empty()
}

/// The bytes that a writer must produce from here on.
struct Expected<'d>(&'d [u8]);

impl io::Write for Expected<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, Whole)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(members),
            other => Err(D::Error::invalid_type(unexpected(&other), &"an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(number),
            other => Err(D::Error::invalid_type(unexpected(&other), &"a number")),
        }
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Array(_) => Unexpected::Seq,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Null => Unexpected::Unit,
        Value::Number(_) => Unexpected::Other("number"),
        Value::Object(_) => Unexpected::Map,
        Value::String(text) => Unexpected::Str(text),
    }
}

/// The name by which `serde_json` is asked for the raw text of a value. Readers of other formats, and a `serde_json` that
/// uses another name, return the value itself.
pub(super) const RAW: &str = "$serde_json::private::RawValue";

/// The name of the only member by which `serde_json`, built to keep the digits of numbers, passes on a number if it does
/// not pass on raw text.
const NUMBER: &str = "$serde_json::private::Number";

thread_local! {
    /// A value on its way from a deserializer of [`Value`] to the visitor that asked for it whole: a visitor only takes what
    /// serde knows, and a value that is taken apart and put together again would be copied.
    pub(super) static HANDED: Cell<Option<Value>> = const { Cell::new(None) };
}

struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::invalid_value(Unexpected::Float(value), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    /// Bytes stand for a value that is handed over.
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Value, E> {
        HANDED.take().ok_or_else(|| E::invalid_type(Unexpected::Bytes(bytes), &self))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == RAW && object.is_empty() {
                let text: String = members.next_value()?;
                return Value::parse(&text).map_err(|fault| A::Error::custom(fault.reason()));
            }
            let value = members.next_value::<Value>()?;
            if let (NUMBER, true, Value::String(digits)) = (&*name, object.is_empty(), &value)
                && let Some(number) = Number::from_digits(digits)
            {
                return Ok(Value::Number(number));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
