//! Equal schemas of objects become one component.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::{Object, Value, json};

use crate::{
    guess::{Guess, below},
    name::{pascal_name, singular, unique_name},
};

/// Moves schemas of objects that stand at several places to the components, and what guesses say of them with them.
pub(crate) fn share_schemas(
    paths: &mut Value,
    subjects: &BTreeMap<String, String>,
    guesses: &mut [Guess],
) -> Object {
    let mut counts = BTreeMap::new();
    replace_schemas_below(paths, "", "", &mut |schema, _, _| {
        if has_two_properties(schema) {
            *counts.entry(schema.to_string()).or_insert(0_usize) += 1;
        }
        None
    });
    counts.retain(|_, count| *count > 1);
    let mut sharing = Sharing { counts, subjects, ..Sharing::with_subjects(subjects) };
    replace_schemas_below(paths, "", "", &mut |schema, pointer, name| {
        sharing.replace_with_reference(schema, pointer, name)
    });
    for guess in guesses {
        sharing.correct_pointer(guess);
    }
    let mut seen = BTreeSet::new();
    sharing.moves.retain(|moved| seen.insert(moved.0.clone()));
    sharing.components
}

/// An object with at least two members that are written out.
fn has_two_properties(schema: &Value) -> bool {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| properties.len() >= 2)
}

struct Sharing<'s> {
    /// Schemas that stand at several places.
    counts: BTreeMap<String, usize>,
    subjects: &'s BTreeMap<String, String>,
    /// The name of the component of each.
    names: BTreeMap<String, String>,
    used: BTreeSet<String>,
    components: Object,
    /// Pointers of schemas that were moved, and where they are now.
    moves: Vec<(String, String)>,
}

impl<'s> Sharing<'s> {
    fn with_subjects(subjects: &'s BTreeMap<String, String>) -> Self {
        Self {
            counts: BTreeMap::new(),
            subjects,
            names: BTreeMap::new(),
            used: BTreeSet::new(),
            components: Object::new(),
            moves: Vec::new(),
        }
    }

    /// A reference in place of a schema that stands at several places.
    fn replace_with_reference(
        &mut self,
        schema: &Value,
        pointer: &str,
        name: &str,
    ) -> Option<Value> {
        let text = schema.to_string();
        self.counts.get(&text)?;
        if !self.names.contains_key(&text) {
            let name =
                if name.is_empty() { self.operation_subject(pointer) } else { singular(name) };
            let name = unique_name(pascal_name(&name), &mut self.used);
            self.names.insert(text.clone(), name.clone());
            let mut component = schema.clone();
            // What is in it may be shared, too; its pointers are those of this place.
            replace_inner_schemas(&mut component, pointer, &mut |schema, pointer, name| {
                self.replace_with_reference(schema, pointer, name)
            });
            self.components.insert(name, component);
        }
        let name = self.names.get(&text)?;
        self.moves.push((pointer.to_owned(), format!("/components/schemas/{name}")));
        Some(json!({"$ref": format!("#/components/schemas/{name}")}))
    }

    /// The subject of the operation in which a pointer is.
    fn operation_subject(&self, pointer: &str) -> String {
        let operation: String =
            pointer.split('/').skip(1).take(2).map(|segment| format!("/{segment}")).collect();
        self.subjects.get(&operation).cloned().unwrap_or_else(|| "Item".to_owned())
    }

    fn correct_pointer(&self, guess: &mut Guess) {
        let below_paths = guess.pointer.strip_prefix("/paths").unwrap_or(&guess.pointer);
        let within = |moved: &&(String, String)| {
            below_paths
                .strip_prefix(moved.0.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if let Some((old, new)) = self.moves.iter().filter(within).max_by_key(|moved| moved.0.len())
        {
            guess.pointer = format!("{new}{}", below_paths.get(old.len()..).unwrap_or_default());
        }
    }
}

type Replace<'f> = dyn FnMut(&Value, &str, &str) -> Option<Value> + 'f;

/// Calls a function with each schema below a value, its pointer and the name of its member; what it returns stands there then.
fn replace_schemas_below(value: &mut Value, pointer: &str, name: &str, replace: &mut Replace<'_>) {
    match value {
        Value::Object(members) => {
            for (member, value) in members.iter_mut() {
                let below = below(pointer, member);
                if member == "schema" {
                    replace_or_walk_schema(value, &below, name, replace);
                } else {
                    replace_schemas_below(value, &below, name, replace);
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                replace_schemas_below(item, &below(pointer, &at.to_string()), name, replace);
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}

fn replace_or_walk_schema(
    schema: &mut Value,
    pointer: &str,
    name: &str,
    replace: &mut Replace<'_>,
) {
    match replace(schema, pointer, name) {
        Some(other) => *schema = other,
        None => replace_inner_schemas(schema, pointer, replace),
    }
}

/// Visits the schemas within a schema.
fn replace_inner_schemas(schema: &mut Value, pointer: &str, replace: &mut Replace<'_>) {
    let name = String::new();
    for word in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(word) {
            replace_or_walk_schema(inner, &below(pointer, word), &name, replace);
        }
    }
    let place = below(pointer, "properties");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            let at = below(&place, name);
            if let Some(items) = property.get_mut("items") {
                replace_or_walk_schema(items, &below(&at, "items"), name, replace);
            } else {
                replace_or_walk_schema(property, &at, name, replace);
            }
        }
    }
}
