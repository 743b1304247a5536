//! Cuts circles of definitions that consist of nothing but references to each other (`A: {allOf: [A]}`): they mean
//! nothing, and a validator that follows them never ends. Circles through properties and items stay.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use serde_json::{Map, Value};

use crate::{code::Code, findings::Findings};

/// Replaces the reference that closes such a circle by the schema that allows everything.
pub(super) fn cut_circles(definitions: &mut Map<String, Value>, findings: &mut Findings) {
    let names: Vec<String> = definitions.keys().cloned().collect();
    let mut walk = Walk { definitions, findings, states: HashMap::new() };
    for name in names {
        walk.from(name);
    }
}

/// Whether a definition was walked through.
#[derive(Clone, Copy)]
enum State {
    Done,
    /// The walk is in it.
    Open,
}

/// A walk over definitions. It keeps its way in a list and not on the stack: chains of references may be long.
struct Walk<'a> {
    definitions: &'a mut Map<String, Value>,
    findings: &'a mut Findings,
    states: HashMap<String, State>,
}

impl Walk<'_> {
    fn from(&mut self, name: String) {
        if self.states.contains_key(&name) {
            return;
        }
        let mut way = vec![self.enter(name)];
        while let Some((name, open)) = way.last_mut() {
            let Some(reference) = open.pop_first() else {
                self.states.insert(name.clone(), State::Done);
                way.pop();
                continue;
            };
            let Some(target) = reference.strip_prefix("#/$defs/") else { continue };
            match self.states.get(target) {
                None => way.push(self.enter(target.to_owned())),
                Some(State::Done) => {}
                Some(State::Open) => self.cut(name, &reference, target),
            }
        }
    }

    /// Begins with a definition: its name, and the references of it that are to be followed.
    fn enter(&mut self, name: String) -> (String, BTreeSet<String>) {
        self.states.insert(name.clone(), State::Open);
        let mut open = BTreeSet::new();
        if let Some(definition) = self.definitions.get_mut(&name) {
            in_place(definition, &mut |reference| {
                open.insert(reference.clone());
            });
        }
        (name, open)
    }

    fn cut(&mut self, name: &str, reference: &str, target: &str) {
        let message = format!("expected a schema that says something of its own, got: `{target}`");
        let help = "remove the schema from its own `allOf`, `anyOf`, `oneOf` or `$ref`";
        self.findings.warning(Code::CyclicReference, "", message, help);
        if let Some(value) = self.definitions.get_mut(name) {
            drop_reference(value, reference);
        }
    }
}

/// The references that apply to the same value as `schema`.
fn in_place(schema: &mut Value, found: &mut dyn FnMut(&mut String)) {
    let Value::Object(members) = schema else { return };
    if let Some(Value::String(reference)) = members.get_mut("$ref") {
        found(reference);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = members.get_mut(keyword) {
            for branch in branches {
                in_place(branch, found);
            }
        }
    }
    for keyword in ["else", "if", "not", "then"] {
        if let Some(schema) = members.get_mut(keyword) {
            in_place(schema, found);
        }
    }
}

fn drop_reference(schema: &mut Value, dropped: &str) {
    let Value::Object(members) = schema else { return };
    if members.get("$ref").and_then(Value::as_str) == Some(dropped) {
        members.shift_remove("$ref");
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = members.get_mut(keyword) {
            for branch in branches {
                drop_reference(branch, dropped);
            }
        }
    }
    for keyword in ["else", "if", "not", "then"] {
        if let Some(schema) = members.get_mut(keyword) {
            drop_reference(schema, dropped);
        }
    }
}
