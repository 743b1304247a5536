//! Circles of definitions: finds out whether one leads back to another. The references of each are looked up once.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::Value;

use super::definitions::{Definitions, PREFIX};

#[derive(Debug, Default)]
pub(super) struct Circles<'s> {
    direct: BTreeMap<&'s str, BTreeSet<&'s str>>,
}

impl<'s> Circles<'s> {
    /// True if one of the definitions that a schema refers to leads to this one.
    pub(super) fn can_reach_definition(
        &mut self,
        schema: &'s Value,
        to: &str,
        definitions: &Definitions<'s>,
    ) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = referenced_names(schema).into_iter().collect();
        while let Some(name) = open.pop() {
            if name == to {
                return true;
            }
            if seen.insert(name) {
                let definition_references =
                    || definitions.get(name).map(referenced_names).unwrap_or_default();
                open.extend(&*self.direct.entry(name).or_insert_with(definition_references));
            }
        }
        false
    }
}

fn referenced_names(schema: &Value) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        let reference = value.get("$ref").and_then(Value::as_str);
        names.extend(reference.and_then(|reference| reference.strip_prefix(PREFIX)));
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    names
}
