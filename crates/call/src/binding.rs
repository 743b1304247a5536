//! Keeps values of the session inside an argument from the model: it walks the value along the graph of session inputs, and
//! sets, replaces or removes values. `inputs` already filled inputs that a fixed row of steps reaches; this module leaves
//! them alone. It looks values up and never checks them.

mod choice;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_openapi::{Bindings, NestedInput, SchemaNode, Step, ValueSource};
use callgate_tool::{Event, Fault, Journal, Next, Object, Problem, Session, Value};

use crate::{
    binding::choice::best_matching_nodes,
    check::{Budget, Pattern},
    inputs::{Fillings, Origin, Subject},
    wording,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) bindings: &'a [Bindings],
    /// The alternative of the body that its value must meet.
    pub(crate) alternative: Option<usize>,
    pub(crate) names: &'a Names,
    pub(crate) session: &'a Session,
}

/// The name patterns of an operation, by their text. One that cannot be run matches every name: the session may then give too
/// much, but the model never gives a value that it must not.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<Arc<str>, Pattern>);

impl Names {
    pub(crate) fn compile_name_patterns(bindings: &[Bindings]) -> Self {
        let nodes = bindings.iter().flat_map(|bindings| &bindings.nodes);
        let patterns = nodes.flat_map(|node| {
            let named = node.patterns.iter().map(|(pattern, _)| pattern);
            named.chain(&node.declared_patterns)
        });
        Self(patterns.map(|pattern| (Arc::clone(pattern), Pattern::new(pattern))).collect())
    }

    /// True if a pattern matches a name, or if matching takes too long.
    pub(crate) fn matches_or_is_too_slow(&self, pattern: &str, name: &str) -> bool {
        let matches =
            |pattern: &Pattern| pattern.matches_or_too_large(name, &mut Budget::new(Budget::CALL));
        self.0.get(pattern).is_none_or(|pattern| matches(pattern).unwrap_or(true))
    }
}

/// Binds the session inputs inside all values, except those that the session gave as a whole.
pub(crate) fn bind_session_inputs(
    binding: Binding<'_>,
    fillings: &mut Fillings<'_>,
    journal: &mut Journal,
) -> Result<(), Box<Fault>> {
    let mut missing = MissingValues::default();
    for one in binding.bindings {
        if one.alternative.is_some() && one.alternative != binding.alternative {
            continue;
        }
        let inputs = binding.subject.inputs;
        let Some(at) = inputs.iter().position(|input| input.argument == one.argument) else {
            continue;
        };
        let Some(slot) = fillings.get_mut(at) else { continue };
        let Some(filling) = slot.as_mut().filter(|filling| filling.origin != Origin::Session)
        else {
            continue;
        };
        let mut binder = Binder {
            binding,
            bindings: one,
            nested: binding.subject.nested,
            steps: Vec::new(),
            n_left: MOST_STEPS,
            missing: &mut missing,
            journal,
        };
        let value = filling.value.to_mut();
        let action = binder.value_action(&[0], Some(value));
        match action {
            Action::Removed => *slot = None,
            Action::Set(new) => {
                *value = new;
                filling.origin = Origin::Session;
            }
            Action::Given => {}
            Action::Kept => binder.bind_content(value, &[0]),
        }
    }
    missing.into_result()
}

struct Binder<'a, 'm> {
    binding: Binding<'a>,
    bindings: &'a Bindings,
    nested: &'a [NestedInput],
    steps: Vec<Step>,
    n_left: usize,
    missing: &'m mut MissingValues,
    journal: &'m mut Journal,
}

enum Action {
    /// The session has already set the value.
    Given,
    /// The value stays; its content is examined next.
    Kept,
    Removed,
    Set(Value),
}

impl<'a> Binder<'a, '_> {
    /// Examines the content of a value that stays. Its depth was limited when it was read.
    fn bind_content(&mut self, value: &mut Value, nodes: &[usize]) {
        match value {
            Value::Array(items) => self.bind_items(items, nodes),
            Value::Object(members) => self.bind_members(members, nodes),
            _ => {}
        }
    }

    fn bind_items(&mut self, items: &mut [Value], nodes: &[usize]) {
        let all = self.reachable_nodes(nodes);
        for (index, item) in items.iter_mut().enumerate() {
            let of_item = |node: &SchemaNode| match node.leading.get(index) {
                Some(leading) => *leading,
                None => node.items,
            };
            let below: Vec<usize> = all.iter().filter_map(|node| of_item(node)).collect();
            if below.is_empty() {
                continue;
            }
            self.steps.push(Step::Items);
            match self.value_action(&below, Some(item)) {
                // An item cannot be removed without moving the others.
                Action::Removed => self.report_missing_value(&below),
                Action::Set(new) => *item = new,
                Action::Given => {}
                Action::Kept => self.bind_content(item, &below),
            }
            self.steps.pop();
        }
    }

    fn bind_members(&mut self, members: &mut Object, nodes: &[usize]) {
        let all = self.reachable_nodes(nodes);
        let names: Vec<String> = members.keys().cloned().collect();
        for name in names {
            let below = self.member_nodes(&all, &name);
            let Some(member) = members.get_mut(&name).filter(|_| !below.is_empty()) else {
                continue;
            };
            self.steps.push(Step::Property(name.as_str().into()));
            match self.value_action(&below, Some(member)) {
                Action::Removed => {
                    members.remove(&name);
                }
                Action::Set(new) => *member = new,
                Action::Given => {}
                Action::Kept => self.bind_content(member, &below),
            }
            self.steps.pop();
        }
        self.fill_absent_members(members, nodes);
    }

    fn fill_absent_members(&mut self, members: &mut Object, nodes: &[usize]) {
        let possible = self.possible_nodes(nodes, members);
        let names = possible.iter().flat_map(|node| node.properties.iter().map(|(name, _)| name));
        let names: BTreeSet<_> = names.filter(|name| !members.contains_key(name)).collect();
        for name in names {
            let below: Vec<usize> = self.member_nodes(&possible, name);
            self.steps.push(Step::Property(name.clone()));
            if let Action::Set(new) = self.value_action(&below, None) {
                members.insert(name.to_string(), new);
            }
            self.steps.pop();
        }
    }

    /// The treatment of the value at these nodes, or of its absence.
    fn value_action(&mut self, nodes: &[usize], value: Option<&Value>) -> Action {
        let all = self.reachable_nodes(nodes);
        let Some(node) = node_with_winning_source(&all) else { return Action::Kept };
        let session_value = node.source.value(self.binding.session);
        let is_root = self.steps.is_empty();
        if is_root && self.is_own_source_not_model() {
            return Action::Kept;
        }
        if self.is_filled_already() {
            return if session_value.is_some() { Action::Given } else { Action::Kept };
        }
        let is_given = value.is_some();
        if node.read_only {
            return if is_given && !node.visible { Action::Removed } else { Action::Kept };
        }
        if is_given {
            self.note_ignored_value(node, session_value.is_some());
        }
        match session_value {
            Some(session_value) => Action::Set(session_value.into_owned()),
            None if node.visible => Action::Kept,
            None => node.default.clone().map_or(Action::Removed, Action::Set),
        }
    }

    fn note_ignored_value(&mut self, node: &SchemaNode, is_found: bool) {
        let argument = self.location_text();
        if !node.visible {
            self.journal.note(Event::HiddenIgnored { argument });
        } else if is_found {
            self.journal.note(Event::SessionValueWon { argument });
        }
    }

    fn is_own_source_not_model(&self) -> bool {
        let mut inputs = self.binding.subject.inputs.iter();
        let own = inputs.find(|input| input.argument == self.bindings.argument);
        own.is_some_and(|input| input.source != ValueSource::Model)
    }

    /// Returns true if a fixed row of steps leads here, so that `inputs` has filled the value.
    fn is_filled_already(&self) -> bool {
        let is_member = matches!(self.steps.last(), Some(Step::Property(_)));
        is_member
            && self.nested.iter().any(|nested| {
                nested.source != ValueSource::Model
                    && nested.argument == self.bindings.argument
                    && *nested.steps == *self.steps
            })
    }

    fn report_missing_value(&mut self, nodes: &[usize]) {
        let all = self.reachable_nodes(nodes);
        if let Some(node) = node_with_winning_source(&all) {
            self.missing.add(
                wording::missing_from_session(self.location_text(), &node.source),
                &node.source,
            );
        }
    }

    fn location_text(&self) -> String {
        let mut at = self.bindings.argument.to_string();
        for step in &self.steps {
            match step {
                Step::Items => at.push_str("[]"),
                Step::Property(name) => at.extend([".", name]),
            }
        }
        at
    }

    /// The nodes that a value at these nodes may meet, with these nodes first.
    fn reachable_nodes(&mut self, nodes: &[usize]) -> Vec<&'a SchemaNode> {
        self.connected_nodes(nodes, |node| {
            let branches = node.alternatives.iter().flatten();
            branches.filter_map(|branch| branch.node).collect()
        })
    }

    /// The nodes that a value with these members may meet: only branches that fit it count.
    fn possible_nodes(&mut self, nodes: &[usize], members: &Object) -> Vec<&'a SchemaNode> {
        self.connected_nodes(nodes, |node| {
            node.alternatives.iter().flat_map(|group| best_matching_nodes(group, members)).collect()
        })
    }

    fn connected_nodes(
        &mut self,
        nodes: &[usize],
        branches: impl Fn(&'a SchemaNode) -> Vec<usize>,
    ) -> Vec<&'a SchemaNode> {
        let mut visited_nodes = BTreeSet::new();
        let mut open: Vec<usize> = nodes.iter().rev().copied().collect();
        let mut all = Vec::new();
        while let Some(at) = open.pop() {
            let Some(node) = self.bindings.nodes.get(at).filter(|_| visited_nodes.insert(at))
            else {
                continue;
            };
            let Some(left) = self.n_left.checked_sub(1) else {
                self.missing.is_cut = true;
                return all;
            };
            self.n_left = left;
            all.push(node);
            open.extend(node.same.iter().copied().chain(branches(node)));
        }
        all
    }

    fn member_nodes(&mut self, all: &[&'a SchemaNode], name: &str) -> Vec<usize> {
        let mut member_nodes = Vec::new();
        for node in all {
            let own = node.properties.iter().filter(|(own, _)| **own == *name);
            member_nodes.extend(own.map(|(_, at)| *at));
            let fits = |pattern: &str| self.binding.names.matches_or_is_too_slow(pattern, name);
            let patterns = node.patterns.iter().filter(|(pattern, _)| fits(pattern));
            member_nodes.extend(patterns.map(|(_, at)| *at));
            let is_other = !node.declared.iter().any(|own| **own == *name)
                && !node.declared_patterns.iter().any(|pattern| fits(pattern));
            member_nodes.extend(node.others.filter(|_| is_other));
        }
        member_nodes
    }
}

/// The node whose source counts: one from the context, which is never the model's, else the nearest.
fn node_with_winning_source<'a>(all: &[&'a SchemaNode]) -> Option<&'a SchemaNode> {
    let with_source = || all.iter().copied().filter(|node| node.source != ValueSource::Model);
    with_source()
        .find(|node| matches!(node.source, ValueSource::Context(_)))
        .or_else(|| with_source().next())
}

#[derive(Debug, Default)]
struct MissingValues {
    problems: Vec<Problem>,
    is_context: bool,
    /// True if a value was too large to examine completely.
    is_cut: bool,
}

impl MissingValues {
    fn add(&mut self, problem: Problem, source: &ValueSource) {
        self.is_context |= matches!(source, ValueSource::Context(_));
        if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn into_result(self) -> Result<(), Box<Fault>> {
        if self.is_cut {
            return Err(wording::invalid_arguments(vec![wording::too_many_session_values()]));
        }
        if self.problems.is_empty() {
            return Ok(());
        }
        let next = if self.is_context { Next::GiveUp } else { Next::AskUser };
        Err(wording::missing_session_value(self.problems, next))
    }
}

/// The most problems that are reported: a list of a million items is not reported item by item.
const MOST_PROBLEMS: usize = 20;

/// The most nodes that one argument may meet. Real values meet some hundreds; this many take less than a second.
const MOST_STEPS: usize = 5_000_000;
