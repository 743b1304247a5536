//! Compares one keyword of two schemas: finds values that it newly refuses, as far as the keyword shows this without
//! the schemas below it.

use std::collections::BTreeSet;

use callgate_tool::Value;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verdict {
    /// The keyword accepts as much as before, or more.
    Fine,
    Narrowed,
    Unknown,
}

/// Returns true if a keyword refuses nothing.
pub(super) fn is_annotation(key: &str) -> bool {
    key.starts_with("x-") || ANNOTATIONS.contains(&key)
}

pub(super) fn keyword_verdict(key: &str, old: Option<&Value>, new: Option<&Value>) -> Verdict {
    if old == new {
        return Verdict::Fine;
    }
    match key {
        "allOf" | "anyOf" | "oneOf" => branches_verdict(key, old, new),
        "const" | "enum" | "type" => values_verdict(key, old, new),
        "exclusiveMaximum" | "maxItems" | "maxLength" | "maxProperties" | "maximum" => {
            bound_verdict(old, new, |old, new| new < old)
        }
        "exclusiveMinimum" | "minItems" | "minLength" | "minProperties" | "minimum" => {
            bound_verdict(old, new, |old, new| new > old)
        }
        "uniqueItems" => Verdict::from_narrowed(new.and_then(Value::as_bool) == Some(true)),
        _ if old.is_none() && NARROWING.contains(&key) => Verdict::Narrowed,
        _ if new.is_none() && NARROWING.contains(&key) => Verdict::Fine,
        _ => Verdict::Unknown,
    }
}

pub(super) fn newly_required<'a>(
    old: Option<&'a Value>,
    new: Option<&'a Value>,
) -> impl Iterator<Item = &'a str> {
    let names = |value: Option<&'a Value>| {
        value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    };
    let old_names: BTreeSet<_> = names(old).collect();
    names(new).filter(move |name| !old_names.contains(name))
}

impl Verdict {
    fn from_narrowed(is_narrowed: bool) -> Self {
        if is_narrowed { Self::Narrowed } else { Self::Fine }
    }
}

/// Compares limits as doubles: no one relies on smaller differences.
fn bound_verdict(
    old: Option<&Value>,
    new: Option<&Value>,
    is_less: fn(f64, f64) -> bool,
) -> Verdict {
    match (old.map(Value::as_f64), new.map(Value::as_f64)) {
        (_, None) => Verdict::Fine,
        (None, _) => Verdict::Narrowed,
        (Some(Some(old)), Some(Some(new))) => Verdict::from_narrowed(is_less(old, new)),
        _ => Verdict::Unknown,
    }
}

/// Compares types and single values: each accepted one must still be accepted.
fn values_verdict(key: &str, old: Option<&Value>, new: Option<&Value>) -> Verdict {
    let Some(new) = new else { return Verdict::Fine };
    let Some(old) = old else { return Verdict::Narrowed };
    let (old, new) = (listed_values(key, old), listed_values(key, new));
    let is_number = |value: &&Value| value.as_str() == Some("number");
    let is_taken = |value: &&Value| {
        let is_integer = key == "type" && value.as_str() == Some("integer");
        new.contains(value) || (is_integer && new.iter().any(is_number))
    };
    Verdict::from_narrowed(!old.iter().all(is_taken))
}

fn listed_values<'a>(key: &str, value: &'a Value) -> Vec<&'a Value> {
    match value {
        Value::Array(values) if key != "const" => values.iter().collect(),
        value => vec![value],
    }
}

/// Compares compositions whose lengths differ.
fn branches_verdict(key: &str, old: Option<&Value>, new: Option<&Value>) -> Verdict {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned();
    let Some(new) = list(new) else { return Verdict::Fine };
    let Some(old) = list(old) else { return Verdict::Narrowed };
    let holds = |all: &[Value], some: &[Value]| some.iter().all(|one| all.contains(one));
    match key {
        "allOf" if holds(&old, &new) => Verdict::Fine,
        "allOf" if holds(&new, &old) => Verdict::Narrowed,
        "anyOf" if holds(&new, &old) => Verdict::Fine,
        "anyOf" if holds(&old, &new) => Verdict::Narrowed,
        _ => Verdict::Unknown,
    }
}

const ANNOTATIONS: [&str; 14] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "contentMediaType",
    "contentSchema",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "readOnly",
    "title",
];

/// The keywords that only refuse values: without one, its values are accepted.
const NARROWING: [&str; 9] = [
    "contains",
    "contentEncoding",
    "dependentRequired",
    "dependentSchemas",
    "format",
    "multipleOf",
    "not",
    "pattern",
    "propertyNames",
];
