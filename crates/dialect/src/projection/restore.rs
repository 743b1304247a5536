//! Brings arguments back that a model wrote for a provider's form of a schema: members get their own names, and where every
//! member must be written, `null` for an optional one means that it is absent. Objects that are written as JSON texts are objects
//! again. Everything else stays as it was written.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, BTreeSet},
};

use callgate_tool::{Object, Value};

use super::{definitions::Definitions, kinds::Kinds, parts::kinds_of};
use crate::strict::read_json;

/// The own names of members, by those they have there.
pub(super) type OwnNames = BTreeMap<String, String>;

/// The steps that are undone.
pub(super) struct Restoring<'s> {
    pub(super) definitions: &'s Definitions<'s>,
    /// The own names of members, by those they have there. All of a schema is looked through for them, so that is done once an
    /// argument has a member that is not declared.
    pub(super) names: LazyCell<OwnNames, Box<dyn FnOnce() -> OwnNames + 's>>,
    /// True where members have other names there at all.
    pub(super) has_names: bool,
    /// True where only arguments themselves have other names.
    pub(super) is_shallow: bool,
    /// True where `null` means absent where a member is optional.
    pub(super) drops_null: bool,
    /// True where maps are written as JSON texts.
    pub(super) reads_texts: bool,
}

/// The schemas that may apply to an object.
#[derive(Debug, Default)]
struct Shapes<'s> {
    properties: BTreeMap<&'s str, Vec<&'s Value>>,
    required: BTreeSet<&'s str>,
    rest: Vec<&'s Value>,
    items: Vec<&'s Value>,
}

impl<'s> Restoring<'s> {
    pub(super) fn object(&self, members: Object, schemas: &[&'s Value], depth: usize) -> Object {
        let shapes = self.shapes(schemas);
        let mut restored = Object::with_capacity(members.len());
        for (name, value) in members {
            let is_theirs =
                self.has_names && !shapes.declare(&name) && (depth == 0 || !self.is_shallow);
            let own = is_theirs.then(|| self.names.get(&name)).flatten();
            let own = own.filter(|own| shapes.declare(own)).cloned();
            let name = own.unwrap_or(name);
            if self.drops_null && value.is_null() && self.is_absent(&name, &shapes) {
                continue;
            }
            let below = shapes.properties.get(name.as_str()).unwrap_or(&shapes.rest);
            let value = self.value(value, below, depth + 1);
            restored.insert(name, value);
        }
        restored
    }

    /// True for a declared member whose `null` can only mean that it is not there: no alternative asks for it, or it is asked
    /// for by one of several, and is never `null`.
    fn is_absent(&self, name: &str, shapes: &Shapes<'s>) -> bool {
        let Some(schemas) = shapes.properties.get(name) else { return false };
        let takes_null = |schema: &&'s Value| {
            kinds_of(schema, self.definitions, ALTERNATIVES).meets(Kinds::NULL)
        };
        !shapes.required.contains(name) || !schemas.iter().any(takes_null)
    }

    fn value(&self, value: Value, schemas: &[&'s Value], depth: usize) -> Value {
        if schemas.is_empty() || depth > DEEPEST {
            return value;
        }
        match value {
            Value::Array(items) => {
                let shapes = self.shapes(schemas);
                let each = items.into_iter().map(|item| self.value(item, &shapes.items, depth + 1));
                Value::Array(each.collect())
            }
            Value::Object(members) => Value::Object(self.object(members, schemas, depth)),
            Value::String(text) if self.reads_texts => self.text(text, schemas),
            other => other,
        }
    }

    /// The object that a text holds where an object is legal and a text is not.
    fn text(&self, text: String, schemas: &[&'s Value]) -> Value {
        let kinds = schemas.iter().map(|schema| kinds_of(schema, self.definitions, ALTERNATIVES));
        let kinds = kinds.fold(Kinds::NONE, |all, one| all | one);
        if !kinds.meets(Kinds::OBJECT) || kinds.meets(Kinds::STRING) {
            return Value::String(text);
        }
        match read_json(&text) {
            Ok(read @ Value::Object(_)) => read,
            _ => Value::String(text),
        }
    }

    /// Everything that schemas may say of one value, whichever alternative holds.
    fn shapes(&self, schemas: &[&'s Value]) -> Shapes<'s> {
        let mut shapes = Shapes::default();
        let mut open: Vec<&Value> = schemas.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(schema) = open.pop() {
            let Some(members) = schema.as_object().filter(|_| seen.len() < MOST) else { continue };
            if !seen.insert(std::ptr::from_ref(members).addr()) {
                continue;
            }
            for (keyword, value) in members {
                self.add(keyword, value, &mut shapes, &mut open);
            }
        }
        shapes
    }

    fn add(
        &self,
        keyword: &str,
        value: &'s Value,
        shapes: &mut Shapes<'s>,
        open: &mut Vec<&'s Value>,
    ) {
        match (keyword, value) {
            ("$ref", Value::String(name)) => open.extend(self.definitions.target(name)),
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
    fn declare(&self, name: &str) -> bool {
        self.properties.contains_key(name) || self.required.contains(name)
    }
}

/// Values are not followed deeper; texts end before.
const DEEPEST: usize = 128;
/// Alternatives in alternatives that are looked through for texts.
const ALTERNATIVES: usize = 3;
/// Not more schemas are held against one value.
const MOST: usize = 512;
