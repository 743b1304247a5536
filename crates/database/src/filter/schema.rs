//! The JSON Schema of `where`. The operators stand in its description once: as schemas of each column they would cost a model more
//! than all else.

use callgate_kind::Operator;
use callgate_tool::{Object, Value, json};

use super::operator;
use crate::{
    catalog::Column,
    column,
    engine::{Ability, Engine},
};

/// The JSON Schema of `where`.
pub(crate) fn schema(columns: &[&Column], engine: Engine) -> Value {
    let mut properties = Object::with_capacity(columns.len());
    for column in columns {
        properties.insert(&*column.name, of_column(column, engine));
    }
    let has_texts =
        columns.iter().any(|column| operator::for_kind(&column.kind).contains(&Operator::Like));
    let texts = if has_texts { TEXTS } else { "" };
    let order = if has_texts { collation_note(engine) } else { "" };
    json!({
        "type": "object",
        "description": format!("{CONDITIONS}{texts}. {ANY}{order}"),
        "properties": properties,
    })
}

fn of_column(column: &Column, engine: Engine) -> Value {
    let mut kind = column::plain_schema(&column.kind, engine);
    if let Some(labels) = kind.remove("enum") {
        let labels: Vec<_> =
            labels.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        kind.insert("description", labels.join(", ").into());
    }
    for limit in ["items", "maxLength", "minimum"] {
        kind.remove(limit);
    }
    let has_values = operator::for_kind(&column.kind).contains(&Operator::Eq);
    let mut types = match kind.get_mut("type").map(Value::take) {
        Some(Value::Array(types)) if has_values => types,
        Some(scalar) if has_values => vec![scalar],
        _ => Vec::new(),
    };
    if column.name == super::json::ANY {
        // The groups of conditions have the name of this column.
        types.push("array".into());
        kind.insert("items", json!({"type": "object"}));
    }
    let object = Value::from("object");
    let types = if types.is_empty() {
        object
    } else {
        types.push(object);
        Value::Array(types)
    };
    kind.insert("type", types);
    Value::Object(kind)
}

const CONDITIONS: &str = "Conditions by column, all must hold: a value, or {eq, neq, lt, lte, gt, gte: value, \
     in: [values], is_null: true}";

const TEXTS: &str = ", for texts also {starts_with, contains: text, like: \"a*\"}, case-sensitive";

const ANY: &str = "any: [conditions, …]: one of these must hold";

/// The order of texts, in which `lt` and `gt` compare, as far as it differs from what a model expects.
fn collation_note(engine: Engine) -> &'static str {
    if engine.has(Ability::Collations) { ". lt and gt follow the column's collation" } else { "" }
}
