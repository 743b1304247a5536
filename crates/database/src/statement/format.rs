//! The form that a schema gives a statement's value, beside the type that the database says: what of the form the type takes.

use std::borrow::Cow;

use callgate_tool::Value;

use super::types;
use crate::{
    catalog::{Column, ColumnKind},
    column,
    engine::Engine,
};

/// The value as its type takes it: a date before a type of moments is the beginning of the day, in UTC. A moment stays what it is.
pub(super) fn date_as_moment<'v>(
    kind: &ColumnKind,
    schema: &Value,
    value: &'v Value,
) -> Cow<'v, Value> {
    match (kind, value.as_str()) {
        (ColumnKind::Timestamp { has_zone }, Some(date))
            if format_of(schema) == Some("date") && !date.contains(['T', 't', ' ']) =>
        {
            let zone = if *has_zone { "Z" } else { "" };
            Cow::Owned(format!("{date}T00:00:00{zone}").into())
        }
        _ => Cow::Borrowed(value),
    }
}

/// A value that its schema allows and that its type refuses, whatever the digits are; `None` if the type takes the schema's values.
pub(super) fn refused_example(input: &Column, schema: &Value, engine: Engine) -> Option<Value> {
    let example = single_form_example(schema)?;
    let value = date_as_moment(&input.kind, schema, &example);
    let is_refused = column::bound_text(input, &value, engine).is_err();
    is_refused.then_some(example)
}

/// A value of the schema, if all of them have one form.
fn single_form_example(schema: &Value) -> Option<Value> {
    let mut types = types(schema).filter(|it| *it != "null");
    let (first, others) = (types.next()?, types.next());
    if others.is_some() || schema.get("enum").is_some() || schema.get("const").is_some() {
        return None;
    }
    Some(match (first, format_of(schema)) {
        ("boolean", _) => true.into(),
        ("integer", _) => {
            let least = schema.get("minimum").filter(|it| it.is_number());
            least.cloned().unwrap_or_else(|| 1.into())
        }
        ("string", Some("date-time")) => "2026-01-31T12:00:00Z".into(),
        ("string", Some("time")) => "12:00:00Z".into(),
        ("string", Some("uuid")) => "123e4567-e89b-12d3-a456-426614174000".into(),
        _ => return None,
    })
}

fn format_of(schema: &Value) -> Option<&str> {
    schema.get("format").and_then(Value::as_str)
}
