//! The chosen fields of an action, applied to the tool of a database: a model gives the input fields and reads the output fields,
//! and no others.

use callgate_kind::Operation;
use callgate_tool::{Object, Value};

use crate::{declaration::SET, settings::ActionSettings};

/// The declaration of a database's tool with the chosen input fields; the error is what is wrong with them.
pub(super) fn schema_with_chosen_inputs(
    schema: &Value,
    operation: Operation,
    action: &ActionSettings,
) -> Result<Value, String> {
    let mut schema = schema.clone();
    let Some(fields) = &action.input_fields else { return Ok(schema) };
    let object = match operation {
        Operation::Create => Some(&mut schema),
        Operation::Update => schema.pointer_mut(&format!("/properties/{SET}")),
        Operation::Delete | Operation::Get | Operation::List => None,
    };
    let Some(object) = object.and_then(Value::as_object_mut) else { return Ok(schema) };
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = object.get("properties").and_then(Value::as_object);
    let is_known = |field: &String| {
        properties.is_some_and(|columns| {
            columns.keys().any(|name| is_same_name_ignoring_case(name, field))
        })
    };
    if let Some(field) = fields.iter().find(|field| !is_known(field)) {
        return Err(format!(
            "expected input fields that are columns of the entity, got: `{field}`"
        ));
    }
    let lacking = required
        .iter()
        .filter_map(Value::as_str)
        .find(|name| !contains_ignoring_case(fields, name));
    if let Some(name) = lacking {
        return Err(format!(
            "expected every column that a new row needs as an input field, lacks: `{name}`"
        ));
    }
    let kept = properties.map(|properties| only_fields(properties, fields)).unwrap_or_default();
    object.insert("properties", Value::Object(kept));
    Ok(schema)
}

/// The rows of a result with the chosen output fields.
pub(super) fn narrow_rows_to_fields(result: &mut Object, fields: &[String]) {
    let narrow = |row: &mut Value| {
        if let Some(members) = row.as_object_mut() {
            *members = only_fields(members, fields);
        }
    };
    if let Some(row) = result.get_mut("row") {
        narrow(row);
    }
    let rows = result.get_mut("rows").and_then(Value::as_array_mut);
    rows.into_iter().flatten().for_each(narrow);
}

fn only_fields(members: &Object, fields: &[String]) -> Object {
    let members = members.iter().filter(|(name, _)| contains_ignoring_case(fields, name));
    members.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

fn contains_ignoring_case(fields: &[String], name: &str) -> bool {
    fields.iter().any(|field| is_same_name_ignoring_case(name, field))
}

/// Connections write names of columns in other cases than the database.
fn is_same_name_ignoring_case(name: &str, field: &str) -> bool {
    name.eq_ignore_ascii_case(field)
}
