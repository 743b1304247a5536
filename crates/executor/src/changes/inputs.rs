//! Compares the arguments of two declarations of one tool: added, removed, newly required and narrowed ones.

use callgate_tool::{Object, Schema, Value};

use super::{
    ChangeKind, InputChange,
    schema_comparison::{Narrowing, Side},
};

pub(super) fn compare_inputs(old: &Schema, new: &Schema, changes: &mut Vec<ChangeKind>) {
    let before = changes.len();
    let mut add = |at: &str, change| {
        changes.push(ChangeKind::Input { at: at.to_owned(), change });
    };
    let empty = Object::new();
    let (old_properties, given) = (schema_properties(old, &empty), schema_properties(new, &empty));
    let mut narrowing = Narrowing::empty_comparison(Side::new(old), Side::new(new));
    for (name, schema) in given {
        let is_required = requires_input(new, name);
        match old_properties.get(name) {
            None if is_required => add(name, InputChange::AddedRequired),
            None => add(name, InputChange::Added),
            Some(old_schema) => {
                if is_required && !requires_input(old, name) {
                    add(name, InputChange::Required);
                }
                narrowing.compare_input(name, old_schema, schema);
            }
        }
    }
    for name in old_properties.keys().filter(|name| !given.contains_key(name)) {
        add(name, InputChange::Removed);
    }
    for (at, change) in narrowing.changes {
        add(&at, change);
    }
    if let Some(new_changes) = changes.get_mut(before..) {
        new_changes.sort_by(|a, b| change_place(a).cmp(change_place(b)));
    }
}

fn change_place(change: &ChangeKind) -> &str {
    match change {
        ChangeKind::Input { at, .. } => at,
        _ => "",
    }
}

fn schema_properties<'a>(schema: &'a Schema, empty: &'a Object) -> &'a Object {
    schema.without_definitions().get("properties").and_then(Value::as_object).unwrap_or(empty)
}

fn requires_input(schema: &Schema, name: &str) -> bool {
    let required = schema.without_definitions().get("required").and_then(Value::as_array);
    required.is_some_and(|required| {
        required.iter().any(|required_name| required_name.as_str() == Some(name))
    })
}
