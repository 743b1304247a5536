//! Converts to and from the values of `serde_json`, which keep numbers in 64 bits unless the whole program enables more.

use super::{Object, Value};
use crate::Number;

/// The error for a number that `serde_json` would change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ForeignNumber(Number);

impl Value {
    /// The value as `serde_json` holds it. Numbers that it cannot hold become the nearest ones it can; the conversion with
    /// [`TryFrom`] refuses them instead.
    pub fn to_serde_json(&self) -> serde_json::Value {
        use serde_json::Value as Theirs;
        match self {
            Self::Array(items) => Theirs::Array(items.iter().map(Self::to_serde_json).collect()),
            Self::Bool(value) => Theirs::Bool(*value),
            Self::Null => Theirs::Null,
            Self::Number(number) => Theirs::Number(nearest_serde_json_number(number)),
            Self::Object(members) => {
                let converted =
                    |(name, value): (&String, &Self)| (name.clone(), value.to_serde_json());
                Theirs::Object(members.iter().map(converted).collect())
            }
            Self::String(text) => Theirs::String(text.clone()),
        }
    }

    fn first_inexact_number(&self) -> Option<&Number> {
        match self {
            Self::Array(items) => items.iter().find_map(Self::first_inexact_number),
            Self::Number(number) => {
                let is_kept = Number::from(nearest_serde_json_number(number)).is_equal_to(number);
                (!is_kept).then_some(number)
            }
            Self::Object(members) => members.values().find_map(Self::first_inexact_number),
            _ => None,
        }
    }
}

fn nearest_serde_json_number(number: &Number) -> serde_json::Number {
    if let Some(whole) = number.as_i64().filter(|_| &*number.digits() != "-0") {
        return whole.into();
    }
    let digits = number.digits();
    let exact = digits.parse::<serde_json::Number>().ok();
    if let Some(exact) = exact.filter(|exact| exact.to_string() == *digits) {
        return exact;
    }
    let nearest = digits.parse::<f64>().unwrap_or_default().clamp(f64::MIN, f64::MAX);
    serde_json::Number::from_f64(nearest).unwrap_or_else(|| 0.into())
}

impl TryFrom<&Value> for serde_json::Value {
    type Error = ForeignNumber;

    /// # Errors
    /// [`ForeignNumber`] if a number would change.
    fn try_from(value: &Value) -> Result<Self, ForeignNumber> {
        match value.first_inexact_number() {
            Some(number) => Err(ForeignNumber(number.clone())),
            None => Ok(value.to_serde_json()),
        }
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value as Theirs;
        match value {
            Theirs::Array(items) => Self::Array(items.into_iter().map(Into::into).collect()),
            Theirs::Bool(value) => Self::Bool(value),
            Theirs::Null => Self::Null,
            Theirs::Number(number) => Self::Number(number.into()),
            Theirs::Object(members) => Self::Object(members.into()),
            Theirs::String(text) => Self::String(text),
        }
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for Object {
    fn from(members: serde_json::Map<String, serde_json::Value>) -> Self {
        members.into_iter().map(|(name, value)| (name, value.into())).collect()
    }
}

impl From<serde_json::Number> for Number {
    fn from(number: serde_json::Number) -> Self {
        // `serde_json` writes numbers as JSON.
        Self::from_digits(&number.to_string()).unwrap_or_else(|| Self::small(0))
    }
}

callgate_secret::text!(error ForeignNumber: Self(got) => "expected a number that 64 bits hold, got: `{got}`");
