//! Cuts circles of definitions that consist of nothing but references to each other (`A: {allOf: [A]}`): they mean
//! nothing, and a validator that follows them never ends. Circles through properties and items stay.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{code::Code, findings::Findings};

/// Replaces the reference that closes such a circle by the schema that allows everything.
pub(super) fn cut_circles(definitions: &mut Map<String, Value>, findings: &mut Findings) {
    let names: Vec<String> = definitions.keys().cloned().collect();
    let mut done = BTreeSet::new();
    for name in names {
        let mut way = vec![name];
        visit(definitions, &mut way, &mut done, findings);
    }
}

/// Walks from the last of `way`, which is below `DEEPEST` definitions long.
fn visit(
    definitions: &mut Map<String, Value>,
    way: &mut Vec<String>,
    done: &mut BTreeSet<String>,
    findings: &mut Findings,
) {
    let Some(name) = way.last().cloned() else { return };
    if done.contains(&name) {
        return;
    }
    let mut next = BTreeSet::new();
    definitions.get_mut(&name).into_iter().for_each(|value| {
        in_place(value, &mut |reference| {
            next.insert(reference.clone());
        });
    });
    for reference in next {
        let Some(target) = reference.strip_prefix("#/$defs/") else { continue };
        if !way.iter().any(|known| known == target) && way.len() < DEEPEST {
            way.push(target.to_owned());
            visit(definitions, way, done, findings);
            way.pop();
            continue;
        }
        let message = format!("expected a schema that says something of its own, got: `{target}`");
        let help = "remove the schema from its own `allOf`, `anyOf`, `oneOf` or `$ref`";
        findings.warning(Code::CyclicReference, "", message, help);
        if let Some(value) = definitions.get_mut(&name) {
            drop_reference(value, &reference);
        }
    }
    done.insert(name);
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

/// Chains of bare references in real descriptions have fewer than ten links; a thread's stack must hold the walk.
const DEEPEST: usize = 1000;
