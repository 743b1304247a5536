//! Keeps values of the session inside an argument from the model: it walks the value along the graph of session inputs, and
//! sets, replaces or removes values. `inputs` already filled inputs that a fixed row of steps reaches; this module leaves
//! them alone. It looks values up and never checks them.

mod choice;
mod names;

use std::collections::BTreeSet;

use callgate_openapi::{Bindings, NestedInput, Source, Spot, Step};
use callgate_tool::{Event, Fault, Journal, Next, Object, Problem, Session, Value};

use crate::{
    bound::choice::chosen,
    inputs::{Fillings, Origin, Subject},
    wording,
};
pub(crate) use names::Names;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) bindings: &'a [Bindings],
    /// The alternative of the body that its value must meet.
    pub(crate) alternative: Option<usize>,
    pub(crate) names: &'a Names,
    pub(crate) session: &'a Session,
}

/// Binds the session inputs inside all values, except those that the session gave as a whole.
pub(crate) fn bind(
    binding: Binding<'_>,
    fillings: &mut Fillings<'_>,
    journal: &mut Journal,
) -> Result<(), Box<Fault>> {
    let mut missing = Missing::default();
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
        let mut walk = Walk {
            binding,
            bindings: one,
            nested: binding.subject.nested,
            steps: Vec::new(),
            n_left: MOST_STEPS,
            missing: &mut missing,
            journal,
        };
        let value = filling.value.to_mut();
        let fate = walk.fate(&[0], Some(value));
        match fate {
            Fate::Removed => *slot = None,
            Fate::Set(new) => {
                *value = new;
                filling.origin = Origin::Session;
            }
            Fate::Given => {}
            Fate::Kept => walk.below(value, &[0]),
        }
    }
    missing.into_fault()
}

struct Walk<'a, 'm> {
    binding: Binding<'a>,
    bindings: &'a Bindings,
    nested: &'a [NestedInput],
    steps: Vec<Step>,
    n_left: usize,
    missing: &'m mut Missing,
    journal: &'m mut Journal,
}

enum Fate {
    /// The session has already set the value.
    Given,
    /// The value stays; its content is examined next.
    Kept,
    Removed,
    Set(Value),
}

impl<'a> Walk<'a, '_> {
    /// Examines the content of a value that stays. Its depth was limited when it was read.
    fn below(&mut self, value: &mut Value, spots: &[usize]) {
        match value {
            Value::Array(items) => self.items(items, spots),
            Value::Object(members) => self.members(members, spots),
            _ => {}
        }
    }

    fn items(&mut self, items: &mut [Value], spots: &[usize]) {
        let all = self.met(spots);
        for (index, item) in items.iter_mut().enumerate() {
            let of_item = |spot: &Spot| match spot.leading.get(index) {
                Some(leading) => *leading,
                None => spot.items,
            };
            let below: Vec<usize> = all.iter().filter_map(|spot| of_item(spot)).collect();
            if below.is_empty() {
                continue;
            }
            self.steps.push(Step::Items);
            match self.fate(&below, Some(item)) {
                // An item cannot be removed without moving the others.
                Fate::Removed => self.report_missing(&below),
                Fate::Set(new) => *item = new,
                Fate::Given => {}
                Fate::Kept => self.below(item, &below),
            }
            self.steps.pop();
        }
    }

    fn members(&mut self, members: &mut Object, spots: &[usize]) {
        let all = self.met(spots);
        let names: Vec<String> = members.keys().cloned().collect();
        for name in names {
            let below = self.spots_of(&all, &name);
            let Some(member) = members.get_mut(&name).filter(|_| !below.is_empty()) else {
                continue;
            };
            self.steps.push(Step::Property(name.as_str().into()));
            match self.fate(&below, Some(member)) {
                Fate::Removed => {
                    members.remove(&name);
                }
                Fate::Set(new) => *member = new,
                Fate::Given => {}
                Fate::Kept => self.below(member, &below),
            }
            self.steps.pop();
        }
        self.absent(members, spots);
    }

    fn absent(&mut self, members: &mut Object, spots: &[usize]) {
        let meant = self.meant(spots, members);
        let names = meant.iter().flat_map(|spot| spot.properties.iter().map(|(name, _)| name));
        let names: BTreeSet<_> = names.filter(|name| !members.contains_key(name)).collect();
        for name in names {
            let below: Vec<usize> = self.spots_of(&meant, name);
            self.steps.push(Step::Property(name.clone()));
            if let Fate::Set(new) = self.fate(&below, None) {
                members.insert(name.to_string(), new);
            }
            self.steps.pop();
        }
    }

    /// The fate of the value at these spots, or of its absence.
    fn fate(&mut self, spots: &[usize], value: Option<&Value>) -> Fate {
        let all = self.met(spots);
        let Some(spot) = source_of(&all) else { return Fate::Kept };
        let found = spot.source.value(self.binding.session);
        let is_root = self.steps.is_empty();
        if is_root && self.own_source_is_settled() {
            return Fate::Kept;
        }
        if self.is_filled_already() {
            return if found.is_some() { Fate::Given } else { Fate::Kept };
        }
        let is_given = value.is_some();
        if spot.read_only {
            return if is_given && !spot.visible { Fate::Removed } else { Fate::Kept };
        }
        if is_given {
            self.note(spot, found.is_some());
        }
        match found {
            Some(found) => Fate::Set(found.into_owned()),
            None if spot.visible => Fate::Kept,
            None => spot.default.clone().map_or(Fate::Removed, Fate::Set),
        }
    }

    fn note(&mut self, spot: &Spot, is_found: bool) {
        let argument = self.at();
        if !spot.visible {
            self.journal.note(Event::HiddenIgnored { argument });
        } else if is_found {
            self.journal.note(Event::SessionValueWon { argument });
        }
    }

    /// Returns true if the argument itself has a source, which already decided its value.
    fn own_source_is_settled(&self) -> bool {
        let mut inputs = self.binding.subject.inputs.iter();
        let own = inputs.find(|input| input.argument == self.bindings.argument);
        own.is_some_and(|input| input.source != Source::Model)
    }

    /// Returns true if a fixed row of steps leads here, so that `inputs` has filled the value.
    fn is_filled_already(&self) -> bool {
        let is_member = matches!(self.steps.last(), Some(Step::Property(_)));
        is_member
            && self.nested.iter().any(|nested| {
                nested.source != Source::Model
                    && nested.argument == self.bindings.argument
                    && *nested.steps == *self.steps
            })
    }

    fn report_missing(&mut self, spots: &[usize]) {
        let all = self.met(spots);
        if let Some(spot) = source_of(&all) {
            self.missing.add(wording::missing_from_session(self.at(), &spot.source), &spot.source);
        }
    }

    fn at(&self) -> String {
        let mut at = self.bindings.argument.to_string();
        for step in &self.steps {
            match step {
                Step::Items => at.push_str("[]"),
                Step::Property(name) => at.extend([".", name]),
            }
        }
        at
    }

    /// The spots that a value at these spots may meet, with these spots first.
    fn met(&mut self, spots: &[usize]) -> Vec<&'a Spot> {
        self.closed(spots, |spot| {
            let branches = spot.alternatives.iter().flatten();
            branches.filter_map(|branch| branch.spot).collect()
        })
    }

    /// The spots that a value with these members may meet: only branches that fit it count.
    fn meant(&mut self, spots: &[usize], members: &Object) -> Vec<&'a Spot> {
        self.closed(spots, |spot| {
            spot.alternatives.iter().flat_map(|group| chosen(group, members)).collect()
        })
    }

    fn closed(
        &mut self,
        spots: &[usize],
        branches: impl Fn(&'a Spot) -> Vec<usize>,
    ) -> Vec<&'a Spot> {
        let mut known = BTreeSet::new();
        let mut open: Vec<usize> = spots.iter().rev().copied().collect();
        let mut all = Vec::new();
        while let Some(at) = open.pop() {
            let Some(spot) = self.bindings.spots.get(at).filter(|_| known.insert(at)) else {
                continue;
            };
            let Some(left) = self.n_left.checked_sub(1) else {
                self.missing.is_cut = true;
                return all;
            };
            self.n_left = left;
            all.push(spot);
            open.extend(spot.same.iter().copied().chain(branches(spot)));
        }
        all
    }

    fn spots_of(&mut self, all: &[&'a Spot], name: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for spot in all {
            let own = spot.properties.iter().filter(|(own, _)| **own == *name);
            found.extend(own.map(|(_, at)| *at));
            let fits = |pattern: &str| self.binding.names.fit(pattern, name);
            let patterns = spot.patterns.iter().filter(|(pattern, _)| fits(pattern));
            found.extend(patterns.map(|(_, at)| *at));
            let is_other = !spot.declared.iter().any(|own| **own == *name)
                && !spot.declared_patterns.iter().any(|pattern| fits(pattern));
            found.extend(spot.others.filter(|_| is_other));
        }
        found
    }
}

/// The spot whose source counts: one from the context, which is never the model's, else the nearest.
fn source_of<'a>(all: &[&'a Spot]) -> Option<&'a Spot> {
    let with_source = || all.iter().copied().filter(|spot| spot.source != Source::Model);
    with_source()
        .find(|spot| matches!(spot.source, Source::Context(_)))
        .or_else(|| with_source().next())
}

#[derive(Debug, Default)]
struct Missing {
    problems: Vec<Problem>,
    is_context: bool,
    /// True if a value was too large to examine completely.
    is_cut: bool,
}

impl Missing {
    fn add(&mut self, problem: Problem, source: &Source) {
        self.is_context |= matches!(source, Source::Context(_));
        if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn into_fault(self) -> Result<(), Box<Fault>> {
        if self.is_cut {
            return Err(wording::invalid_arguments(vec![wording::too_many_values()]));
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

/// The most spots that one argument may meet. Real values meet some hundreds; this many take less than a second.
const MOST_STEPS: usize = 5_000_000;
