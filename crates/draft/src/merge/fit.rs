//! Makes a draft fit a description: in the words of its version, and with names of components that mean nothing else there.

use std::collections::BTreeSet;

use callgate_tool::{Object, Value};

use super::{add_member, members_of};
use crate::{guess::below, name::unique_name};

/// The draft with components that have the description's names where they are the same, and other names where they are not.
pub(super) fn fit_draft(drafted: &Value, existing: &Value) -> Value {
    let mut fitted = drafted.clone();
    for kind in ["schemas", "securitySchemes"] {
        rename_components(&mut fitted, existing, kind);
    }
    if is_version_30(existing) { convert_to_version_30(fitted) } else { fitted }
}

/// True for OpenAPI 3.0, in which a type has one name.
pub(super) fn is_version_30(description: &Value) -> bool {
    description
        .get("openapi")
        .and_then(Value::as_str)
        .is_some_and(|version| version.starts_with("3.0"))
}

fn rename_components(fitted: &mut Value, existing: &Value, kind: &str) {
    let pointer = format!("/components/{kind}");
    let there = existing.pointer(&pointer);
    let mut names: BTreeSet<String> = members_of(there).map(|member| member.0.clone()).collect();
    let drafted: Vec<String> =
        members_of(fitted.pointer(&pointer)).map(|member| member.0.clone()).collect();
    for name in drafted {
        let component = fitted.pointer(&below(&pointer, &name)).cloned().unwrap_or_default();
        let same =
            members_of(there).find(|other| *other.1 == component).map(|other| other.0.clone());
        let other = same.unwrap_or_else(|| unique_name(name.clone(), &mut names));
        if other != name {
            rename_component(fitted, kind, &name, &other);
        }
    }
}

fn rename_component(value: &mut Value, kind: &str, old: &str, new: &str) {
    if let Some(Value::Object(components)) = value.pointer_mut(&format!("/components/{kind}")) {
        *components = std::mem::take(components)
            .into_iter()
            .map(|(name, component)| (if name == old { new.to_owned() } else { name }, component))
            .collect();
    }
    let reference = format!("#/components/{kind}/{old}");
    replace_equal_texts(value, &reference, &format!("#/components/{kind}/{new}"));
    if kind == "securitySchemes" {
        rename_required_scheme(value, old, new);
    }
}

fn replace_equal_texts(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::Array(items) => {
            for item in items {
                replace_equal_texts(item, old, new);
            }
        }
        Value::Object(members) => {
            members.values_mut().for_each(|member| replace_equal_texts(member, old, new));
        }
        Value::String(text) if text == old => new.clone_into(text),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces the name of a scheme where operations require it.
fn rename_required_scheme(value: &mut Value, old: &str, new: &str) {
    let paths = value.get_mut("paths").and_then(Value::as_object_mut).into_iter();
    let items = paths.flat_map(Object::values_mut).filter_map(Value::as_object_mut);
    let operations = items.flat_map(Object::values_mut);
    let lists = operations.filter_map(|operation| operation.get_mut("security")?.as_array_mut());
    for requirement in lists.flatten().filter_map(Value::as_object_mut) {
        let scopes = requirement.remove(old);
        requirement.insert_if_some(new, scopes);
    }
}

/// Schemas in the words of OpenAPI 3.0: `nullable`, and no type where there are several.
fn convert_to_version_30(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(convert_to_version_30).collect(),
        Value::Object(members) => {
            let members: Object = members
                .into_iter()
                .map(|(name, member)| (name, convert_to_version_30(member)))
                .collect();
            with_nullable_type(Value::Object(members))
        }
        value => value,
    }
}

fn with_nullable_type(mut schema: Value) -> Value {
    let Some(Value::Array(types)) = schema.get("type").cloned() else { return schema };
    let others: Vec<&Value> = types.iter().filter(|name| **name != *"null").collect();
    if let Value::Object(members) = &mut schema {
        members.remove("type");
    }
    if let [name] = others.as_slice() {
        add_member(&mut schema, "type", (*name).clone());
        add_member(&mut schema, "nullable", Value::Bool(true));
    }
    schema
}
