//! Cuts circles of definitions that consist only of references to each other (`A: {allOf: [A]}`): they have no meaning,
//! and a validator that follows them never ends. Circles through properties and items remain.

use std::{collections::BTreeSet, sync::Arc};

use callgate_tool::Value;
use hashbrown::HashMap;
use indexmap::IndexMap;

use crate::{
    code::Code,
    findings::Findings,
    schema::{
        condense::strong_components,
        part::{NamedPart, json_length},
        rename::PREFIX,
    },
};

/// Replaces the reference that closes such a circle by the schema that allows everything. The names of the definitions
/// in the circle alone decide which reference that is.
pub(super) fn cut_circles(
    definitions: &mut IndexMap<Arc<str>, NamedPart>,
    findings: &mut Findings,
) {
    let index = |name: &Arc<str>| definitions.get_index_of(name);
    let leads_to: Vec<Vec<usize>> = definitions
        .values()
        .map(|named| named.in_place.iter().filter_map(index).collect())
        .collect();
    let mut circles = strong_components(&leads_to);
    circles.retain(|circle| match circle.as_slice() {
        [only] => leads_to.get(*only).is_some_and(|to| to.contains(only)),
        _ => true,
    });
    for mut circle in circles {
        circle.sort_by_key(|at| definitions.get_index(*at).map(|(name, _)| Arc::clone(name)));
        let states = circle.iter().map(|at| (*at, State::New)).collect();
        let mut walk = CircleSearch { definitions, findings, states };
        for at in circle {
            walk.visit_from(at);
        }
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    Done,
    New,
    Open,
}

/// A walk over definitions. It keeps its path in a list and not on the stack: chains of references may be long.
struct CircleSearch<'a> {
    definitions: &'a mut IndexMap<Arc<str>, NamedPart>,
    findings: &'a mut Findings,
    /// The states of the definitions in the circle; the walk does not leave the circle.
    states: HashMap<usize, State>,
}

/// A definition that the walk is inside, and the number of its followed references.
struct Step {
    at: usize,
    references: Arc<[Arc<str>]>,
    n_followed: usize,
}

impl CircleSearch<'_> {
    fn visit_from(&mut self, at: usize) {
        let mut way: Vec<Step> = self.enter_definition(at).into_iter().collect();
        while let Some(step) = way.last_mut() {
            let Some(target) = step.references.get(step.n_followed).cloned() else {
                let at = step.at;
                self.set_state(at, State::Done);
                way.pop();
                continue;
            };
            step.n_followed += 1;
            let Some(next) = self.definitions.get_index_of(&target) else { continue };
            if self.states.get(&next) == Some(&State::Open) {
                self.cut_circle(step.at, &target);
            } else {
                way.extend(self.enter_definition(next));
            }
        }
    }

    /// Enters a definition that was not walked: its references will be followed.
    fn enter_definition(&mut self, at: usize) -> Option<Step> {
        if self.states.get(&at) != Some(&State::New) {
            return None;
        }
        let (_, named) = self.definitions.get_index(at)?;
        let references = Arc::clone(&named.in_place);
        if references.is_empty() {
            self.set_state(at, State::Done);
            return None;
        }
        self.set_state(at, State::Open);
        Some(Step { at, references, n_followed: 0 })
    }

    fn set_state(&mut self, at: usize, state: State) {
        if let Some(current_state) = self.states.get_mut(&at) {
            *current_state = state;
        }
    }

    fn cut_circle(&mut self, at: usize, target: &str) {
        let message = format!("expected a schema that says something of its own, got: `{target}`");
        let help = "remove the schema from its own `allOf`, `anyOf`, `oneOf` or `$ref`";
        self.findings.warning(Code::CyclicReference, "", message, help);
        if let Some((_, named)) = self.definitions.get_index_mut(at) {
            drop_reference(Arc::make_mut(&mut named.schema), &format!("{PREFIX}{target}"));
            named.n_bytes = json_length(&named.schema);
        }
    }
}

pub(super) fn references_in_place(schema: &Value) -> Arc<[Arc<str>]> {
    let mut definition_names = BTreeSet::new();
    gather_references(schema, &mut definition_names);
    definition_names.into_iter().map(Arc::from).collect()
}

fn gather_references<'a>(schema: &'a Value, definition_names: &mut BTreeSet<&'a str>) {
    let Value::Object(members) = schema else { return };
    let reference = members.get("$ref").and_then(Value::as_str);
    definition_names.extend(reference.and_then(|reference| reference.strip_prefix(PREFIX)));
    for keyword in LISTS {
        if let Some(Value::Array(branches)) = members.get(keyword) {
            for branch in branches {
                gather_references(branch, definition_names);
            }
        }
    }
    for keyword in ONES {
        if let Some(schema) = members.get(keyword) {
            gather_references(schema, definition_names);
        }
    }
}

fn drop_reference(schema: &mut Value, dropped: &str) {
    let Value::Object(members) = schema else { return };
    if members.get("$ref").and_then(Value::as_str) == Some(dropped) {
        members.remove("$ref");
    }
    for keyword in LISTS {
        if let Some(Value::Array(branches)) = members.get_mut(keyword) {
            for branch in branches {
                drop_reference(branch, dropped);
            }
        }
    }
    for keyword in ONES {
        if let Some(schema) = members.get_mut(keyword) {
            drop_reference(schema, dropped);
        }
    }
}

/// The keywords whose schemas apply to the value itself.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const ONES: [&str; 4] = ["else", "if", "not", "then"];
