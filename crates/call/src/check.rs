//! Checks filled inputs against the description: reports unknown and missing arguments and every violation of a schema
//! together. Converts a value of another type if nothing is lost. Values come from `inputs`, sentences from `wording` and
//! `violation`.

mod budget;
mod compile;
mod convert;
mod equal;
mod evaluator;
mod format;
mod instance;
mod members;
mod memo;
mod node;
mod pattern;
mod program;
mod run;
mod settle;
mod violation;

use std::{borrow::Cow, sync::OnceLock};

use callgate_openapi::{Input, InputLocation, NestedInput, Operation, Source};
use callgate_tool::{ArgumentName, Arguments, Event, Fault, Journal, Next, Problem, Value};

use self::{
    budget::Spent,
    compile::Fragment,
    convert::{holds_fraction, make_whole},
    instance::Instance,
    members::Members,
    program::{Program, Scope},
    run::{Overlap, Run},
    settle::Settling,
    violation::{CheckedArgument, Privacy},
};
pub(crate) use budget::Budget;
pub(crate) use convert::resolved;
pub use evaluator::{Evaluated, Evaluator, Verdict};
pub(crate) use pattern::Pattern;
pub(crate) use settle::Nulls;

use crate::{
    inputs::{Filling, Fillings, Origin, Subject, has_body, holds, take_away},
    wording,
};

/// The schemas of an operation's inputs compiled so far, in the order of the inputs.
#[derive(Debug)]
pub(crate) struct Checks {
    program: Program,
    fragments: Box<[OnceLock<Option<Fragment>>]>,
}

/// The checks of an operation with the schema of all its arguments, from which they are compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checking<'a> {
    /// The compiled schemas.
    pub(crate) checks: &'a Checks,
    /// The schema of all arguments.
    pub(crate) schema: &'a Value,
    /// The inputs, which are members of the schema.
    pub(crate) inputs: &'a [Input],
    /// The alternative of the body that its value must meet.
    pub(crate) alternative: Option<usize>,
    /// The meaning of a `null` that the schema of a body's member does not allow.
    pub(crate) nulls: Nulls,
}

impl Checks {
    /// The checks of an operation's inputs, which are members of `schema`, and of the alternatives of its body.
    pub(crate) fn new(schema: &Value, operation: &Operation) -> Self {
        let media = operation.body.iter().flat_map(|body| &body.media);
        let n_alternatives = media.filter_map(|media| media.alternative).max().map_or(0, |n| n + 1);
        let n_fragments = operation.inputs.len() + n_alternatives;
        let fragments = std::iter::repeat_with(OnceLock::new).take(n_fragments).collect();
        Self { program: Program::new(schema), fragments }
    }
}

impl<'a> Checking<'a> {
    /// True if the input at a position accepts `null`.
    pub(crate) fn is_nullable(self, at: usize) -> bool {
        if self.inputs.get(at).is_some_and(|input| self.is_removable(input)) {
            return true;
        }
        self.fragment(at).is_some_and(|fragment| {
            let mut run = Run::new(self.scope(), Budget::of(Budget::CALL), Overlap::Accepted);
            run.valid(&fragment.node, Instance::Value(&Value::Null)).unwrap_or(false)
        })
    }

    /// True if a value strictly meets the schema of the input at a position, as far as the budget of a call shows.
    pub(crate) fn is_valid(self, at: usize, value: &Value) -> bool {
        self.fragment(at).is_none_or(|fragment| {
            let mut run = Run::new(self.scope(), Budget::of(Budget::CALL), Overlap::Refused);
            run.valid(&fragment.node, Instance::Value(value)).unwrap_or(false)
        })
    }

    /// True for an optional member of a merge patch.
    fn is_removable(self, input: &Input) -> bool {
        let is_member = input.place() == InputLocation::Body && !input.name.is_empty();
        self.nulls == Nulls::Remove && is_member && !input.required
    }

    fn scope(self) -> Scope<'a> {
        Scope::new(&self.checks.program, self.schema)
    }

    /// The schema of the input at a position, compiled on first use.
    fn fragment(self, at: usize) -> Option<&'a Fragment> {
        let input = self.inputs.get(at)?;
        let name = input.argument.as_str();
        let Some(alternative) = self.alternative_of(input) else {
            let compile = || self.scope().compile(&format!("/properties/{name}"));
            return self.checks.fragments.get(at)?.get_or_init(compile).as_ref();
        };
        let compile = || self.scope().compile(&format!("/properties/{name}/anyOf/{alternative}"));
        self.checks.fragments.get(self.inputs.len() + alternative)?.get_or_init(compile).as_ref()
    }

    fn schema_of(self, input: &Input) -> Option<&'a Value> {
        let whole = self.schema.get("properties")?.get(input.argument.as_str())?;
        match self.alternative_of(input) {
            Some(alternative) => whole.get("anyOf")?.as_array()?.get(alternative),
            None => Some(whole),
        }
    }

    fn alternative_of(self, input: &Input) -> Option<usize> {
        self.alternative.filter(|_| input.place() == InputLocation::Body)
    }
}

/// Checks and converts `fillings`.
pub(crate) fn check(
    subject: Subject<'_>,
    checking: Checking<'_>,
    arguments: &Arguments,
    fillings: &mut Fillings<'_>,
    journal: &mut Journal,
) -> Result<(), Box<Fault>> {
    let mut findings = Findings::default();
    find_unknown(subject, arguments, &mut findings);
    find_missing(subject, fillings, &mut findings);
    let mut one = One { subject, checking, budget: Budget::of(Budget::CALL), journal };
    for (at, (input, slot)) in subject.inputs.iter().zip(fillings).enumerate() {
        let Some(fragment) = checking.fragment(at) else { continue };
        match one.check(input, fragment, arguments, slot) {
            Ok(mut problems) => {
                if problems.is_empty() {
                    let (argument, filling) = (input.argument.as_str(), slot.as_ref());
                    let (schema, root) = (checking.schema_of(input), checking.schema);
                    problems = Members::problems(argument, filling, schema, root, one.journal);
                }
                let origin = slot.as_ref().map_or(Origin::Default, |filling| filling.origin);
                findings.add(problems, input, origin, subject.nested);
            }
            Err(spent) => {
                let is_deep = spent == Spent::Depth;
                let at = input.argument.to_string();
                findings.problems.push(if is_deep {
                    wording::too_deep(at)
                } else {
                    wording::too_dear(at)
                });
                break;
            }
        }
    }
    findings.into_fault()
}

/// Checks the inputs one after the other, within one budget.
struct One<'a, 'j> {
    subject: Subject<'a>,
    checking: Checking<'a>,
    budget: Budget,
    journal: &'j mut Journal,
}

impl One<'_, '_> {
    /// The problems with an input after possible conversions.
    fn check(
        &mut self,
        input: &Input,
        fragment: &Fragment,
        arguments: &Arguments,
        slot: &mut Option<Filling<'_>>,
    ) -> Result<Vec<Problem>, Spent> {
        let Some(filling) = slot.as_mut() else { return Ok(Vec::new()) };
        if filling.value.is_null() && self.checking.is_removable(input) {
            return Ok(Vec::new());
        }
        let mut run = Run::new(self.checking.scope(), self.budget, Overlap::Accepted);
        let is_valid = run.valid(&fragment.node, Instance::Value(&filling.value));
        self.budget = run.budget();
        let name = input.argument.as_str();
        if is_valid? {
            self.write_whole(input, filling);
            return Ok(Vec::new());
        }
        let privacy = match filling.origin {
            Origin::Mixed | Origin::Session => Privacy::Private,
            Origin::Default | Origin::Model => Privacy::Public,
        };
        let place = CheckedArgument { argument: name, privacy };
        // A default is sent unchanged or not at all.
        if filling.origin == Origin::Default {
            self.journal.note(Event::DefaultUnfit { argument: name.to_owned() });
            *slot = None;
            let missing = input.required.then(|| wording::missing(name.to_owned(), "a value"));
            return Ok(missing.into_iter().collect());
        }
        let mut problems = self.settle(input, fragment, filling, place)?;
        let given = arguments.get(name);
        while take_unfit_defaults(self.subject, &mut *filling, given, &problems, self.journal) {
            problems = self.settle(input, fragment, filling, place)?;
        }
        Ok(problems)
    }

    /// Converts what can be converted and returns the remaining problems.
    fn settle(
        &mut self,
        input: &Input,
        fragment: &Fragment,
        filling: &mut Filling<'_>,
        place: CheckedArgument<'_>,
    ) -> Result<Vec<Problem>, Spent> {
        let mut value = filling.value.clone().into_owned();
        let scope = self.checking.scope();
        let budget = &mut self.budget;
        let is_body = input.place() == InputLocation::Body;
        let nulls = if is_body { self.checking.nulls } else { Nulls::Omit };
        let mut settling = Settling { scope, node: &fragment.node, place, nulls, budget };
        let problems = settling.settle(&mut value, self.journal)?;
        if problems.is_empty() {
            filling.value = Cow::Owned(value);
            self.write_whole(input, filling);
        }
        Ok(problems)
    }

    /// Writes whole numbers without a fraction where the schema asks for integers.
    fn write_whole(&self, input: &Input, filling: &mut Filling<'_>) {
        if !holds_fraction(&filling.value) {
            return;
        }
        let Some(schema) = self.checking.schema_of(input) else { return };
        let mut value = filling.value.clone().into_owned();
        if make_whole(&mut value, schema, self.checking.schema) {
            filling.value = Cow::Owned(value);
        }
    }
}

/// The problems so far.
#[derive(Debug, Default)]
struct Findings {
    problems: Vec<Problem>,
    session: Option<Next>,
}

impl Findings {
    fn add(
        &mut self,
        problems: Vec<Problem>,
        input: &Input,
        origin: Origin,
        nested: &[NestedInput],
    ) {
        if origin == Origin::Session && !problems.is_empty() {
            self.blame_session(&input.source);
        }
        for problem in problems {
            let hidden = nested
                .iter()
                .find(|nested| !nested.visible && nested.to_string() == problem.at)
                .filter(|_| problem.got == "nothing");
            match hidden {
                Some(nested) => {
                    self.blame_session(&nested.source);
                    self.problems.push(wording::missing_from_session(problem.at, &nested.source));
                }
                None => self.problems.push(problem),
            }
        }
    }

    fn blame_session(&mut self, source: &Source) {
        // No user can give values that only the runtime knows.
        let next = match source {
            Source::Context(_) => Next::GiveUp,
            Source::Model | Source::Parameter(_) | Source::Payload(_) => Next::AskUser,
        };
        self.session = Some(if self.session == Some(Next::GiveUp) { Next::GiveUp } else { next });
    }

    fn into_fault(self) -> Result<(), Box<Fault>> {
        match self.session {
            Some(next) => Err(wording::missing_session_value(self.problems, next)),
            None if self.problems.is_empty() => Ok(()),
            None => Err(wording::invalid_arguments(self.problems)),
        }
    }
}

fn find_unknown(subject: Subject<'_>, arguments: &Arguments, findings: &mut Findings) {
    let known = |name: &str| subject.inputs.iter().any(|input| input.argument.as_str() == name);
    let n_known = subject
        .inputs
        .iter()
        .filter(|input| arguments.contains_key(input.argument.as_str()))
        .count();
    if n_known == arguments.len() {
        return;
    }
    let content_type = subject.body.and_then(|body| body.content_type.as_ref());
    let content_type = content_type.map(ArgumentName::as_str);
    let allowed = subject
        .inputs
        .iter()
        .filter(|input| input.visible)
        .map(|input| input.argument.as_str())
        .chain(content_type);
    for name in arguments.keys().filter(|name| !known(name)) {
        if content_type != Some(name.as_str()) {
            findings.problems.push(wording::unknown_argument(name, allowed.clone()));
        }
    }
}

fn find_missing(subject: Subject<'_>, fillings: &Fillings<'_>, findings: &mut Findings) {
    let has_body = has_body(subject, fillings);
    for (input, filling) in subject.inputs.iter().zip(fillings) {
        let is_due = input.place() != InputLocation::Body || has_body;
        if filling.is_some() || !input.required || !is_due {
            continue;
        }
        let at = input.argument.to_string();
        if input.visible {
            findings.problems.push(wording::missing(at, "a value"));
        } else {
            findings.blame_session(&input.source);
            findings.problems.push(wording::missing_from_session(at, &input.source));
        }
    }
}

/// Removes the defaults inside a value that break the description's own rules, and returns whether there were any. Values
/// of the model or the session stay.
fn take_unfit_defaults(
    subject: Subject<'_>,
    filling: &mut Filling<'_>,
    given: Option<&Value>,
    problems: &[Problem],
    journal: &mut Journal,
) -> bool {
    let mut n_taken = 0;
    for problem in problems {
        let at = without_indexes(&problem.at);
        let filled = subject.nested.iter().filter(|nested| {
            let is_default = nested.default.is_some() && nested.source == Source::Model;
            is_default && lies_in(&at, &nested.to_string())
        });
        for nested in filled {
            let is_given = given.is_some_and(|given| holds(given, &nested.steps));
            if !is_given && holds(&filling.value, &nested.steps) {
                journal.note(Event::DefaultUnfit { argument: nested.to_string() });
                take_away(filling.value.to_mut(), &nested.steps);
                n_taken += 1;
            }
        }
    }
    n_taken > 0
}

/// Drops indexes: `labels[2].text` becomes `labels[].text`.
fn without_indexes(at: &str) -> String {
    let mut out = String::with_capacity(at.len());
    for (n, piece) in at.split('[').enumerate() {
        let index = piece
            .split_once(']')
            .filter(|(digits, _)| n > 0 && digits.bytes().all(|digit| digit.is_ascii_digit()));
        match index {
            Some((_, rest)) => out.extend(["[]", rest]),
            None if n > 0 => out.extend(["[", piece]),
            None => out.push_str(piece),
        }
    }
    out
}

/// Returns true if a path equals `place` or leads below it.
fn lies_in(at: &str, place: &str) -> bool {
    let rest = at.strip_prefix(place);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
