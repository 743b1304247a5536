//! A value that serde reads whole, whatever its kind: from `serde_json` with its digits, and from another value without a
//! copy.

use std::{cell::Cell, fmt};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::{Object, Value};
use crate::Number;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, Whole)
    }
}

/// Hands a value over to a visitor that asked for it whole, under the name [`RAW`].
pub(super) fn visit_whole_value<'de, V: Visitor<'de>, E: Error>(
    value: Value,
    visitor: V,
) -> Result<V::Value, E> {
    HANDED.set(Some(value));
    let read = visitor.visit_bytes(&[]);
    HANDED.set(None);
    read
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
    static HANDED: Cell<Option<Value>> = const { Cell::new(None) };
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
