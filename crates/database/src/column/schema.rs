//! The JSON Schema of a column's values. It is short, as a model reads it with every call; `text` checks the rest.

use callgate_tool::{Object, Value, json};

use crate::{
    catalog::{Column, ColumnKind},
    engine::{Ability, Engine},
};

/// The JSON Schema of one value.
pub(crate) fn schema(column: &Column, engine: Engine) -> Value {
    let mut schema = plain_schema(&column.kind, engine);
    if column.is_nullable {
        allow_null(&mut schema);
    }
    let own = schema.remove("description");
    let sql_type = (column.kind == ColumnKind::Literal).then_some(&*column.sql_type);
    let own = own.as_ref().and_then(Value::as_str).or(sql_type);
    let comment = column.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    let words: Vec<_> = comment.into_iter().chain(own).collect();
    if !words.is_empty() {
        schema.insert("description", words.join("; ").into());
    }
    Value::Object(schema)
}

/// The JSON Schema of a value of a kind, without null and without a comment.
pub(crate) fn plain_schema(kind: &ColumnKind, engine: Engine) -> Object {
    let is_typed = engine.has(Ability::ColumnTypes);
    let schema = match kind {
        ColumnKind::Array(item) => json!({"type": "array", "items": of_item(item, engine)}),
        ColumnKind::Boolean => json!({"type": "boolean"}),
        ColumnKind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        ColumnKind::Date => json!({"type": "string", "format": "date"}),
        ColumnKind::Enumeration(labels) => json!({"type": "string", "enum": labels}),
        ColumnKind::Flag { .. } => json!({"type": ["boolean", "integer"]}),
        ColumnKind::Float | ColumnKind::Numeric { .. } => json!({"type": "number"}),
        ColumnKind::Integer { least: 0, .. } => json!({"type": "integer", "minimum": 0}),
        ColumnKind::Integer { .. } => json!({"type": "integer"}),
        ColumnKind::Any | ColumnKind::Json => json!({}),
        ColumnKind::Text { most: Some(most) } => json!({"type": "string", "maxLength": *most}),
        ColumnKind::Literal | ColumnKind::Other | ColumnKind::Text { most: None } => {
            json!({"type": "string"})
        }
        ColumnKind::Time { has_zone: true } if is_typed => {
            json!({"type": "string", "format": "time"})
        }
        ColumnKind::Time { .. } => json!({"type": "string", "description": "time: 12:00:00"}),
        ColumnKind::Timestamp { has_zone: true } if is_typed => {
            json!({"type": "string", "format": "date-time"})
        }
        ColumnKind::Timestamp { .. } if !is_typed => {
            json!({"type": "string", "description": "date and time as stored: 2026-01-31 12:00:00"})
        }
        ColumnKind::Timestamp { .. } => {
            json!({"type": "string", "description": "without zone: 2026-01-31T12:00:00"})
        }
        ColumnKind::Uuid => json!({"type": "string", "format": "uuid"}),
    };
    if let Value::Object(schema) = schema { schema } else { Object::new() }
}

/// Items of PostgreSQL's arrays can always be null.
fn of_item(kind: &ColumnKind, engine: Engine) -> Value {
    let mut schema = plain_schema(kind, engine);
    allow_null(&mut schema);
    Value::Object(schema)
}

fn allow_null(schema: &mut Object) {
    match schema.get_mut("type") {
        Some(kind @ Value::String(_)) => *kind = Value::Array(vec![kind.take(), "null".into()]),
        Some(Value::Array(kinds)) => kinds.push("null".into()),
        _ => {}
    }
    if let Some(Value::Array(labels)) = schema.get_mut("enum") {
        labels.push(Value::Null);
    }
}
