//! Converts arguments that a model wrote for a provider's form of a schema back: members get their own names, `null` for an
//! optional member means absent if the form requires every member, and objects written as JSON texts become objects.
//! Everything else stays as it was written.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, BTreeSet},
};

use callgate_tool::{Object, Value};

use super::{definitions::Definitions, kinds::Kinds, parts::schema_kinds};
use crate::strict::read_json;

pub(super) type OwnNames = BTreeMap<String, String>;

pub(super) struct Restoring<'s> {
    pub(super) definitions: &'s Definitions<'s>,
    /// The original names of members, by the provider's names. They take a search of the whole schema, so they are computed
    /// only once an argument has an undeclared member.
    pub(super) names: LazyCell<OwnNames, Box<dyn FnOnce() -> OwnNames + 's>>,
    /// True if members have other names in the provider's form.
    pub(super) has_names: bool,
    /// True if only top-level arguments have other names.
    pub(super) is_shallow: bool,
    /// True if `null` means absent for optional members.
    pub(super) drops_null: bool,
    /// True if maps are written as JSON texts.
    pub(super) reads_texts: bool,
}

#[derive(Debug, Default)]
struct Shapes<'s> {
    properties: BTreeMap<&'s str, Vec<&'s Value>>,
    required: BTreeSet<&'s str>,
    rest: Vec<&'s Value>,
    items: Vec<&'s Value>,
}

impl<'s> Restoring<'s> {
    pub(super) fn restored_object(
        &self,
        members: Object,
        schemas: &[&'s Value],
        depth: usize,
    ) -> Object {
        let shapes = self.combined_shapes(schemas);
        let mut restored = Object::with_capacity(members.len());
        for (name, value) in members {
            let is_theirs = self.has_names
                && !shapes.declares_member(&name)
                && (depth == 0 || !self.is_shallow);
            let own = is_theirs.then(|| self.names.get(&name)).flatten();
            let own = own.filter(|own| shapes.declares_member(own)).cloned();
            let name = own.unwrap_or(name);
            if self.drops_null && value.is_null() && self.null_means_absent(&name, &shapes) {
                continue;
            }
            let below = shapes.properties.get(name.as_str()).unwrap_or(&shapes.rest);
            let value = self.restored_value(value, below, depth + 1);
            restored.insert(name, value);
        }
        restored
    }

    /// True for a declared member whose `null` can only mean that it is absent: no alternative requires it, or none allows
    /// `null` for it.
    fn null_means_absent(&self, name: &str, shapes: &Shapes<'s>) -> bool {
        let Some(schemas) = shapes.properties.get(name) else { return false };
        let takes_null = |schema: &&'s Value| {
            schema_kinds(schema, self.definitions, ALTERNATIVES).overlaps(Kinds::NULL)
        };
        !shapes.required.contains(name) || !schemas.iter().any(takes_null)
    }

    fn restored_value(&self, value: Value, schemas: &[&'s Value], depth: usize) -> Value {
        if schemas.is_empty() || depth > DEEPEST {
            return value;
        }
        match value {
            Value::Array(items) => {
                let shapes = self.combined_shapes(schemas);
                let each = items
                    .into_iter()
                    .map(|item| self.restored_value(item, &shapes.items, depth + 1));
                Value::Array(each.collect())
            }
            Value::Object(members) => Value::Object(self.restored_object(members, schemas, depth)),
            Value::String(text) if self.reads_texts => self.object_from_json_text(text, schemas),
            other => other,
        }
    }

    fn object_from_json_text(&self, text: String, schemas: &[&'s Value]) -> Value {
        let kinds =
            schemas.iter().map(|schema| schema_kinds(schema, self.definitions, ALTERNATIVES));
        let kinds = kinds.fold(Kinds::NONE, |all, one| all | one);
        if !kinds.overlaps(Kinds::OBJECT) || kinds.overlaps(Kinds::STRING) {
            return Value::String(text);
        }
        match read_json(&text) {
            Ok(read @ Value::Object(_)) => read,
            _ => Value::String(text),
        }
    }

    /// All rules of the schemas on one value, whichever alternative applies.
    fn combined_shapes(&self, schemas: &[&'s Value]) -> Shapes<'s> {
        let mut shapes = Shapes::default();
        let mut open: Vec<&Value> = schemas.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(schema) = open.pop() {
            let Some(members) = schema.as_object().filter(|_| seen.len() < MOST) else { continue };
            if !seen.insert(std::ptr::from_ref(members).addr()) {
                continue;
            }
            for (keyword, value) in members {
                self.add_keyword(keyword, value, &mut shapes, &mut open);
            }
        }
        shapes
    }

    fn add_keyword(
        &self,
        keyword: &str,
        value: &'s Value,
        shapes: &mut Shapes<'s>,
        open: &mut Vec<&'s Value>,
    ) {
        match (keyword, value) {
            ("$ref", Value::String(name)) => open.extend(self.definitions.referenced_schema(name)),
            ("allOf" | "anyOf" | "oneOf", Value::Array(each)) => open.extend(each),
            ("then" | "else", schema) => open.push(schema),
            ("additionalProperties", schema) => shapes.rest.push(schema),
            ("items", schema) => shapes.items.push(schema),
            ("prefixItems", Value::Array(each)) => shapes.items.extend(each),
            ("properties", Value::Object(each)) => {
                for (name, schema) in each {
                    shapes.properties.entry(name).or_default().push(schema);
                }
            }
            ("required", Value::Array(names)) => {
                shapes.required.extend(names.iter().filter_map(Value::as_str));
            }
            _ => {}
        }
    }
}

impl Shapes<'_> {
    fn declares_member(&self, name: &str) -> bool {
        self.properties.contains_key(name) || self.required.contains(name)
    }
}

/// The deepest values that are converted; texts cannot be nested deeper.
const DEEPEST: usize = 128;
/// The most levels of nested alternatives that are searched for texts.
const ALTERNATIVES: usize = 3;
/// The most schemas that are examined for one value.
const MOST: usize = 512;
