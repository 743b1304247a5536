//! Converts invalid parts of a value if nothing is lost, and explains the rest. A conversion may uncover the next
//! violation, so there are several rounds.

use callgate_tool::{Event, Journal, Problem, Value, name_from_pointer_segment, pointer_segment};

use super::{
    budget::{Budget, Paid},
    convert::{converted_value, enum_member_by_text},
    instance::Instance,
    node::{Node, Rule},
    program::Scope,
    run::{Breach, Overlap, Run, Segment, Violation},
    violation::{CheckedArgument, conversion_types, dotted_path, explained_problems},
};

/// The meaning of a `null` that no schema allows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Nulls {
    Omit,
    /// It is refused: what is given is meant.
    Refuse,
    /// The service removes the member: the body is a merge patch (RFC 7396 §1), and the `null` is sent.
    Remove,
}

#[derive(Debug)]
pub(super) struct Settler<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) node: &'a Node,
    pub(super) place: CheckedArgument<'a>,
    pub(super) nulls: Nulls,
    pub(super) budget: &'a mut Budget,
}

/// The faults that may be repaired.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Repairable {
    Nothing,
    Values,
    ValuesAndNulls,
}

enum Examination {
    Fine,
    Repairs(Vec<Repair>),
    Wrong(Vec<Problem>),
}

struct Repair {
    pointer: String,
    at: String,
    /// The new value; `None` removes a `null` member.
    value: Option<Value>,
}

impl Settler<'_> {
    pub(super) fn repair_and_check(
        &mut self,
        value: &mut Value,
        journal: &mut Journal,
    ) -> Paid<Vec<Problem>> {
        let mut omitted = Vec::new();
        let mut removed: Vec<String> = Vec::new();
        for round in 0..=ROUNDS {
            let repairable = match self.nulls {
                _ if round == ROUNDS => Repairable::Nothing,
                Nulls::Refuse => Repairable::Values,
                Nulls::Omit | Nulls::Remove => Repairable::ValuesAndNulls,
            };
            let repairs = match self.propose_repairs(value, repairable)? {
                Examination::Fine => {
                    restore_nulls(value, &removed);
                    return Ok(Vec::new());
                }
                Examination::Repairs(repairs) => repairs,
                Examination::Wrong(mut problems) => {
                    let given = problems.iter_mut().filter(|problem| omitted.contains(&problem.at));
                    given.for_each(|problem| "null".clone_into(&mut problem.got));
                    return Ok(problems);
                }
            };
            let nulls = repairs.iter().filter(|repair| repair.value.is_none());
            omitted.extend(nulls.map(|repair| repair.at.clone()));
            if self.nulls == Nulls::Remove {
                let nulls = repairs.iter().filter(|repair| repair.value.is_none());
                removed.extend(nulls.map(|repair| repair.pointer.clone()));
            }
            for repair in repairs {
                repair.apply(value, self.nulls, &mut *journal);
            }
        }
        Ok(Vec::new())
    }

    fn propose_repairs(&mut self, value: &Value, repairable: Repairable) -> Paid<Examination> {
        let mut run = Run::new(self.scope, *self.budget, Overlap::Accepted);
        let looked = examine_value(&mut run, self.node, value, self.place, repairable);
        *self.budget = run.budget;
        looked
    }
}

fn examine_value<'p, 'v>(
    run: &mut Run<'p, 'v>,
    node: &'p Node,
    value: &'v Value,
    place: CheckedArgument<'_>,
    repairable: Repairable,
) -> Paid<Examination> {
    let violations = run.violations(node, Instance::Value(value), &[])?;
    if violations.is_empty() {
        return Ok(Examination::Fine);
    }
    let mut repairs: Vec<Repair> = Vec::new();
    for violation in violations.iter().filter(|_| repairable != Repairable::Nothing) {
        let may_be =
            |repair: &Repair| repairable == Repairable::ValuesAndNulls || repair.value.is_some();
        let repair = proposed_repair(run, violation, place)?.filter(may_be);
        let is_new = |repair: &Repair| {
            repairs.iter().all(|earlier_repair| earlier_repair.pointer != repair.pointer)
        };
        repairs.extend(repair.filter(is_new));
    }
    if repairs.is_empty() {
        return explained_problems(run, &violations, place).map(Examination::Wrong);
    }
    Ok(Examination::Repairs(repairs))
}

fn proposed_repair<'p, 'v>(
    run: &mut Run<'p, 'v>,
    violation: &Violation<'p, 'v>,
    place: CheckedArgument<'_>,
) -> Paid<Option<Repair>> {
    let due = conversion_types(run, violation)?;
    let Instance::Value(value) = violation.at else { return Ok(None) };
    let at = dotted_path(place.argument, &violation.path);
    let pointer = json_pointer_of_path(&violation.path);
    if due.is_empty() {
        // The type is allowed, but an enumerated value of another type has this text.
        let like = values_listed_by_breach(&violation.breach)
            .and_then(|members| enum_member_by_text(value, members));
        return Ok(like.map(|value| Repair { pointer, at, value: Some(value) }));
    }
    if value.is_null() {
        // Strict mode makes every member required and writes `null` for the optional ones. The next round shows whether
        // this one may be absent. An item is never absent: the others would move.
        let is_member = matches!(violation.path.last(), Some(Segment::Name(_)));
        return Ok(is_member.then_some(Repair { pointer, at, value: None }));
    }
    Ok(converted_value(value, due).map(|value| Repair { pointer, at, value: Some(value) }))
}

fn values_listed_by_breach<'p>(breach: &Breach<'p, '_>) -> Option<&'p [Value]> {
    match breach {
        Breach::Rule(Rule::Const(value)) => Some(std::slice::from_ref(&**value)),
        Breach::Rule(Rule::Enum(options)) => Some(options.values()),
        _ => None,
    }
}

fn json_pointer_of_path(path: &[Segment<'_>]) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Index(at) => pointer.push_str(&format!("/{at}")),
            Segment::Name(name) => {
                pointer.extend(["/", &pointer_segment(name)]);
            }
        }
    }
    pointer
}

impl Repair {
    fn apply(self, whole: &mut Value, nulls: Nulls, journal: &mut Journal) {
        let Self { pointer, at, value } = self;
        let Some(value) = value else {
            if nulls == Nulls::Omit {
                journal.note(Event::NullOmitted { argument: at });
            }
            remove_member_at(whole, &pointer);
            return;
        };
        let Some(old) = whole.pointer_mut(&pointer) else { return };
        let (from, to) = (old.kind(), value.kind());
        journal.note(Event::Converted { argument: at, from, to });
        *old = value;
    }
}

fn remove_member_at(whole: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    if let Some(Value::Object(members)) = whole.pointer_mut(parent) {
        members.remove(&name_from_pointer_segment(last));
    }
}

/// Puts back each `null` that is to be sent.
fn restore_nulls(whole: &mut Value, removed: &[String]) {
    for pointer in removed {
        let Some((parent, last)) = pointer.rsplit_once('/') else { continue };
        if let Some(Value::Object(members)) = whole.pointer_mut(parent) {
            members.insert(name_from_pointer_segment(last), Value::Null);
        }
    }
}

/// The most rounds. A value that is nested deeper than this in JSON text stays text.
const ROUNDS: usize = 6;
