//! Reads JSON that a model or an operator wrote: what readers understand in different ways is refused, so that what was
//! checked is what is sent. Numbers keep their digits. What the values mean is not its business.

use std::{borrow::Cow, collections::BTreeSet, error, fmt};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A text that is not JSON, or JSON that says a thing twice.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct JsonError(String);

/// Reads one JSON value. A key that occurs twice in an object (RFC 8259 §4: readers differ in what they make of it) and
/// a lone surrogate are refused.
///
/// ```
/// let read = callgate_dialect::read_json(r#"{"id": 9007199254740993}"#)?;
/// assert_eq!(read["id"].to_string(), "9007199254740993");
/// assert!(callgate_dialect::read_json(r#"{"id": 1, "\u0069d": 2}"#).is_err());
/// # Ok::<(), callgate_dialect::JsonError>(())
/// ```
///
/// # Errors
/// [`JsonError`] with line and column.
pub fn read_json(text: &str) -> Result<Value, JsonError> {
    let told = |error: serde_json::Error| JsonError(error.to_string());
    serde_json::from_str::<Unambiguous>(text).map_err(told)?;
    serde_json::from_str(text).map_err(told)
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for JsonError {}

/// A value in which no object has a key twice. `serde_json` bounds the depth.
struct Unambiguous;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!(
                    "expected each key once, got twice: `{name}`"
                )));
            }
            names.insert(name);
            members.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let read = read_json(text);
        assert_eq!(
            read.map_or_else(|error| error.to_string(), |value| value.to_string()),
            expected
        );
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused_at_any_depth() {
        let twice =
            |at: &str| format!("expected each key once, got twice: `id` at line 1 column {at}");
        check(r#"{"id":1,"id":1}"#, &twice("12"));
        check(r#"{"id":1,"\u0069d":2}"#, &twice("17"));
        check(r#"[{"a":{"id":1,"id":2}}]"#, &twice("18"));
        check(r#"{"id":1,"a":{"id":2},"__proto__":[]}"#, r#"{"id":1,"a":{"id":2},"__proto__":[]}"#);
    }

    #[test]
    fn digits_and_characters_are_kept() {
        for text in
            ["9007199254740993", "0.10000000000000000001", "1e+400", "-0.0", "\"e\u{301}．\""]
        {
            check(text, text);
        }
        check(r#"{"a":[1.50,18446744073709551616]}"#, r#"{"a":[1.50,18446744073709551616]}"#);
    }

    #[test]
    fn a_lone_surrogate_is_refused() {
        check(r#""\ud83d\ude00""#, "\"😀\"");
        for text in [r#""\ud800""#, r#""\udc00""#, r#"{"\ud800":1}"#] {
            let error = read_json(text).unwrap_err().to_string();
            assert!(error.contains("surrogate") || error.contains("unexpected end"), "{error}");
        }
    }
}
