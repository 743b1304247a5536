//! Values through serde. `serde_json` writes and reads every number with its exact digits; other formats only have numbers
//! of 64 bits, which are taken as they are.

use std::io;

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
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
    let mut rest = ExpectedBytes(digits.as_bytes());
    serde_json::to_writer(&mut rest, &value).is_ok() && rest.0.is_empty()
}

/// The bytes that a writer must produce from here on.
struct ExpectedBytes<'d>(&'d [u8]);

impl io::Write for ExpectedBytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(members),
            other => Err(D::Error::invalid_type(unexpected_value(&other), &"an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(number),
            other => Err(D::Error::invalid_type(unexpected_value(&other), &"a number")),
        }
    }
}

fn unexpected_value(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Array(_) => Unexpected::Seq,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Null => Unexpected::Unit,
        Value::Number(_) => Unexpected::Other("number"),
        Value::Object(_) => Unexpected::Map,
        Value::String(text) => Unexpected::Str(text),
    }
}
