//! The definitions of one schema by name, and the schemas that only refer to one.

use std::collections::BTreeMap;

use callgate_tool::{Object, Schema, Value};

#[derive(Debug)]
pub(super) struct Definitions<'s> {
    root: &'s Value,
    by_name: BTreeMap<&'s str, &'s Value>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'s> {
    pub(super) name: &'s str,
    pub(super) description: Option<&'s str>,
}

impl<'s> Definitions<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let own = schema.without_definitions().get("$defs").and_then(Value::as_object);
        let own = own.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema));
        let shared = schema.definitions().iter();
        let shared = shared.map(|definition| (&*definition.name, &*definition.schema));
        Self { root: schema.without_definitions(), by_name: shared.chain(own).collect() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'s Value> {
        self.by_name.get(name).copied()
    }

    pub(super) fn referenced_schema(&self, reference: &str) -> Option<&'s Value> {
        match reference.strip_prefix(PREFIX) {
            Some(name) => self.get(name),
            None => self.root.pointer(reference.strip_prefix('#')?),
        }
    }

    pub(super) fn schemas(&self) -> impl Iterator<Item = &'s Value> {
        self.by_name.values().copied()
    }

    /// The reference that a schema consists of, if it has no other rules on values.
    pub(super) fn bare_reference(&self, schema: &'s Value) -> Option<Reference<'s>> {
        let mut members = schema.as_object()?;
        let description = keyword_text(members, "description");
        while let Some(Value::Array(schemas)) = members.get("allOf") {
            let [Value::Object(only)] = schemas.as_slice() else { return None };
            let is_bare = members.keys().all(|key| key == "allOf" || is_annotation(key));
            members = Some(only).filter(|_| is_bare)?;
        }
        let name = keyword_text(members, "$ref")?.strip_prefix(PREFIX)?;
        let is_bare = members.keys().all(|key| key == "$ref" || is_annotation(key));
        let is_known = is_bare && self.by_name.contains_key(name);
        let description = description.or_else(|| keyword_text(members, "description"));
        is_known.then_some(Reference { name, description })
    }
}

pub(super) fn keyword_text<'s>(members: &'s Object, keyword: &str) -> Option<&'s str> {
    members.get(keyword).and_then(Value::as_str)
}

pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

const ANNOTATIONS: [&str; 14] = [
    "$anchor",
    "$comment",
    "$defs",
    "$schema",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "externalDocs",
    "readOnly",
    "title",
    "writeOnly",
    "xml",
];

pub(super) const PREFIX: &str = "#/$defs/";
