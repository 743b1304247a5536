//! Allows `null` in addition to the values of a schema, in the provider's form.

use callgate_tool::{Object, Value, json};

use super::{description::with_leading_description, grammar::NullForm};

pub(super) fn nullable_schema(mut built: Value, form: NullForm) -> Value {
    if form == NullForm::Flag {
        match built.get_mut("anyOf").and_then(Value::as_array_mut) {
            Some(branches) => branches.iter_mut().for_each(set_nullable_flag),
            None => set_nullable_flag(&mut built),
        }
        return built;
    }
    let takes_any = built.as_object().is_none_or(Object::is_empty);
    if takes_any || has_null_type(&built) || built.get("type").is_some_and(Value::is_array) {
        return built;
    }
    if let Some(branches) = built.get_mut("anyOf").and_then(Value::as_array_mut) {
        let null = (!branches.iter().any(has_null_type)).then(|| json!({"type": "null"}));
        branches.extend(null);
        return built;
    }
    match built.get_mut("type") {
        Some(kind @ Value::String(_)) if form == NullForm::List => {
            *kind = json!([kind, "null"]);
            if let Some(listed) = built.get_mut("enum").and_then(Value::as_array_mut) {
                listed.push(Value::Null);
            }
            built
        }
        _ => any_of_with_null(built),
    }
}

/// Adds `null` as a branch, with the description outside.
fn any_of_with_null(mut built: Value) -> Value {
    let description = built.as_object_mut().and_then(|members| members.remove("description"));
    let built = json!({"anyOf": [built, {"type": "null"}]});
    match description {
        Some(Value::String(description)) => with_leading_description(built, description),
        _ => built,
    }
}

fn has_null_type(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn set_nullable_flag(schema: &mut Value) {
    if let Value::Object(members) = schema {
        members.insert("nullable", Value::Bool(true));
    }
}
