//! Checks filled inputs against the description: reports unknown and missing arguments and every violation of a schema
//! together. Converts a value of another type if nothing is lost. Values come from `inputs`, sentences from `wording`.

mod alternative;
mod budget;
mod compile;
mod convert;
mod equal;
mod evaluator;
mod findings;
mod format;
mod instance;
mod members;
mod memo;
mod node;
mod pattern;
mod program;
mod run;
mod settle;
mod unknown_argument;
mod violation;

use std::{borrow::Cow, sync::OnceLock};

use callgate_openapi::{Input, InputLocation, Operation, Step, ValueSource};
use callgate_tool::{Arguments, Event, Fault, Journal, Problem, Value};

use self::{
    budget::{Paid, Spent},
    compile::Fragment,
    convert::{drop_integer_fractions, has_non_integer_number},
    findings::{Findings, add_missing_inputs},
    format::has_formats,
    instance::Instance,
    members::MemberSearch,
    node::Rule,
    program::{Formats, Program, Scope},
    run::{Breach, Overlap, Run, Violation},
    settle::Settler,
    unknown_argument::unknown_argument_problems,
    violation::{CheckedArgument, Privacy, dotted_path},
};
pub(crate) use budget::Budget;
pub(crate) use convert::resolved_schema;
pub use evaluator::{Evaluated, Evaluator, Verdict};
pub(crate) use pattern::Pattern;
pub(crate) use settle::Nulls;

use crate::{
    inputs::{Filling, Fillings, Origin, Subject, has_value_at, remove_value_at},
    wording,
};

/// The schemas of an operation's inputs compiled so far, in the order of the inputs.
#[derive(Debug)]
pub(crate) struct Checks {
    program: Program,
    fragments: Box<[OnceLock<Option<Fragment>>]>,
    /// True if a schema asks for a format that is compared.
    has_formats: bool,
}

/// The checks of an operation with the schema of all its arguments, from which they are compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checking<'a> {
    pub(crate) checks: &'a Checks,
    pub(crate) schema: &'a Value,
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
        Self { program: Program::new(schema), fragments, has_formats: has_formats(schema) }
    }
}

impl<'a> Checking<'a> {
    /// True if a `null` for the input at a position is given to the check.
    pub(crate) fn is_nullable(self, at: usize) -> bool {
        let is_kept = |input| self.is_removable_by_null(input) || self.leaves_null_to_schema(input);
        if self.inputs.get(at).is_some_and(is_kept) {
            return true;
        }
        self.input_fragment(at).is_some_and(|fragment| {
            let mut run = Run::new(self.scope(), Budget::new(Budget::CALL), Overlap::Accepted);
            run.is_valid(&fragment.node, Instance::Value(&Value::Null)).unwrap_or(false)
        })
    }

    /// True if a value strictly meets the schema of the input at a position, as far as the budget of a call shows.
    pub(crate) fn is_valid(self, at: usize, value: &Value) -> bool {
        self.input_fragment(at).is_none_or(|fragment| {
            let mut run = Run::new(self.scope(), Budget::new(Budget::CALL), Overlap::Refused);
            run.is_valid(&fragment.node, Instance::Value(value)).unwrap_or(false)
        })
    }

    /// True for an optional member of a merge patch.
    fn is_removable_by_null(self, input: &Input) -> bool {
        let is_member = input.place() == InputLocation::Body && !input.name.is_empty();
        self.nulls == Nulls::Remove && is_member && !input.required
    }

    /// True for a member in which a `null` is not left out, but refused by its schema.
    fn leaves_null_to_schema(self, input: &Input) -> bool {
        self.nulls == Nulls::Refuse && input.place() == InputLocation::Body
    }

    /// The scope of the checks that decide: what a value's format is, they leave to the service.
    fn scope(self) -> Scope<'a> {
        Scope::new(&self.checks.program, self.schema).with_formats(Formats::Described)
    }

    fn input_fragment(self, at: usize) -> Option<&'a Fragment> {
        let input = self.inputs.get(at)?;
        let name = input.argument.as_str();
        let Some(alternative) = self.body_alternative(input) else {
            let compile = || self.scope().compile(&format!("/properties/{name}"));
            return self.checks.fragments.get(at)?.get_or_init(compile).as_ref();
        };
        let compile = || self.scope().compile(&format!("/properties/{name}/anyOf/{alternative}"));
        self.checks.fragments.get(self.inputs.len() + alternative)?.get_or_init(compile).as_ref()
    }

    fn input_schema(self, input: &Input) -> Option<&'a Value> {
        let whole = self.schema.get("properties")?.get(input.argument.as_str())?;
        match self.body_alternative(input) {
            Some(alternative) => whole.get("anyOf")?.as_array()?.get(alternative),
            None => Some(whole),
        }
    }

    fn body_alternative(self, input: &Input) -> Option<usize> {
        self.alternative.filter(|_| input.place() == InputLocation::Body)
    }
}

pub(crate) fn check_fillings(
    subject: Subject<'_>,
    checking: Checking<'_>,
    arguments: &Arguments,
    fillings: &mut Fillings<'_>,
    journal: &mut Journal,
) -> Result<(), Box<Fault>> {
    let mut findings = Findings::default();
    findings.problems.extend(unknown_argument_problems(subject, checking.schema, arguments));
    add_missing_inputs(subject, checking, fillings, &mut findings);
    let mut one = InputChecker { subject, checking, budget: Budget::new(Budget::CALL), journal };
    for (at, (input, slot)) in subject.inputs.iter().zip(fillings).enumerate() {
        let Some(fragment) = checking.input_fragment(at) else { continue };
        match one.check_input(input, fragment, arguments, slot) {
            Ok(mut problems) => {
                if problems.is_empty() {
                    let (argument, filling) = (input.argument.as_str(), slot.as_ref());
                    let (schema, root) = (checking.input_schema(input), checking.schema);
                    problems = MemberSearch::undeclared_member_problems(
                        argument,
                        filling,
                        schema,
                        root,
                        one.journal,
                    );
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
                    wording::check_too_expensive(at)
                });
                break;
            }
        }
    }
    findings.into_result()
}

/// The path of a text in its argument, and the format that it does not have; `None` if it fits no alternative.
type Misfit = (String, Option<&'static str>);

struct InputChecker<'a, 'j> {
    subject: Subject<'a>,
    checking: Checking<'a>,
    budget: Budget,
    journal: &'j mut Journal,
}

impl InputChecker<'_, '_> {
    fn check_input(
        &mut self,
        input: &Input,
        fragment: &Fragment,
        arguments: &Arguments,
        slot: &mut Option<Filling<'_>>,
    ) -> Paid<Vec<Problem>> {
        let Some(filling) = slot.as_mut() else { return Ok(Vec::new()) };
        if filling.value.is_null() && self.checking.is_removable_by_null(input) {
            return Ok(Vec::new());
        }
        if input.allows_empty && filling.value.as_str() == Some("") {
            return Ok(Vec::new());
        }
        let mut run = Run::new(self.checking.scope(), self.budget, Overlap::Accepted);
        let is_valid = run.is_valid(&fragment.node, Instance::Value(&filling.value));
        self.budget = run.budget;
        let name = input.argument.as_str();
        let is_default = filling.origin == Origin::Default;
        let misfits =
            if is_valid? { Some(self.format_misfits(fragment, &filling.value)) } else { None };
        if let Some(misfits) = misfits.filter(|misfits| !is_default || misfits.is_empty()) {
            self.note_format_misfits(misfits, name);
            self.drop_filling_fractions(input, filling);
            return Ok(Vec::new());
        }
        let privacy = match filling.origin {
            Origin::Configured | Origin::Mixed | Origin::Session => Privacy::Private,
            Origin::Default | Origin::Model => Privacy::Public,
        };
        let place = CheckedArgument { argument: name, privacy };
        // A default is sent unchanged or not at all.
        if is_default {
            self.journal.note(Event::DefaultUnfit { argument: name.to_owned() });
            *slot = None;
            let missing =
                input.required.then(|| wording::missing_argument(name.to_owned(), "a value"));
            return Ok(missing.into_iter().collect());
        }
        let mut problems = self.convert_and_check(input, fragment, filling, place)?;
        let given = arguments.get(name);
        while remove_unfit_defaults(self.subject, &mut *filling, given, &problems, self.journal) {
            problems = self.convert_and_check(input, fragment, filling, place)?;
        }
        Ok(problems)
    }

    fn convert_and_check(
        &mut self,
        input: &Input,
        fragment: &Fragment,
        filling: &mut Filling<'_>,
        place: CheckedArgument<'_>,
    ) -> Paid<Vec<Problem>> {
        let mut value = filling.value.clone().into_owned();
        let scope = self.checking.scope();
        let budget = &mut self.budget;
        let is_body = input.place() == InputLocation::Body;
        let nulls = if is_body { self.checking.nulls } else { Nulls::Omit };
        let mut settling = Settler { scope, node: &fragment.node, place, nulls, budget };
        let problems = settling.repair_and_check(&mut value, self.journal)?;
        if problems.is_empty() {
            let misfits = self.format_misfits(fragment, &value);
            self.note_format_misfits(misfits, place.argument);
            filling.value = Cow::Owned(value);
            self.drop_filling_fractions(input, filling);
        }
        Ok(problems)
    }

    /// The texts that do not have the declared format, each with its path and the format. None of a value whose check takes
    /// more than a budget: a note must not refuse a call.
    fn format_misfits(&self, fragment: &Fragment, value: &Value) -> Vec<Misfit> {
        if !self.checking.checks.has_formats {
            return Vec::new();
        }
        let scope = self.checking.scope().with_formats(Formats::Asserted);
        let mut run = Run::new(scope, Budget::new(Budget::CALL), Overlap::Accepted);
        let (node, at) = (&fragment.node, Instance::Value(value));
        let broken = match run.is_valid(node, at) {
            Ok(false) => run.violations(node, at, &[]).unwrap_or_default(),
            Ok(true) | Err(_) => Vec::new(),
        };
        let misfit = |broken: &Violation<'_, '_>| match broken.breach {
            Breach::Rule(Rule::Format(format)) => {
                (dotted_path("", &broken.path), Some(format.name()))
            }
            _ => (dotted_path("", &broken.path), None),
        };
        broken.iter().map(misfit).collect()
    }

    /// Records the texts of an argument that do not have the declared format. They are sent as they stand.
    fn note_format_misfits(&mut self, misfits: Vec<Misfit>, argument: &str) {
        for (path, format) in misfits {
            self.journal
                .note(Event::FormatIgnored { argument: format!("{argument}{path}"), format });
        }
    }

    fn drop_filling_fractions(&self, input: &Input, filling: &mut Filling<'_>) {
        if !has_non_integer_number(&filling.value) {
            return;
        }
        let Some(schema) = self.checking.input_schema(input) else { return };
        let mut value = filling.value.clone().into_owned();
        if drop_integer_fractions(&mut value, schema, self.checking.schema) {
            filling.value = Cow::Owned(value);
        }
    }
}

/// Removes the defaults inside a value that break the description's own rules, and returns whether there were any. Values
/// of the model or the session stay.
fn remove_unfit_defaults(
    subject: Subject<'_>,
    filling: &mut Filling<'_>,
    given: Option<&Value>,
    problems: &[Problem],
    journal: &mut Journal,
) -> bool {
    let mut n_taken = 0;
    for problem in problems {
        let (at, indexes) = split_indexes(&problem.at);
        let filled = subject.nested.iter().filter(|nested| {
            let is_default = nested.default.is_some() && nested.source == ValueSource::Model;
            is_default && is_path_within(&at, &nested.to_string())
        });
        for nested in filled {
            let is_given = given.is_some_and(|given| has_value_at(given, &nested.steps));
            let is_filled = is_default_at_problem(&filling.value, &nested.steps, &indexes);
            if !is_given && is_filled {
                journal.note(Event::DefaultUnfit { argument: nested.to_string() });
                remove_value_at(filling.value.to_mut(), &nested.steps);
                n_taken += 1;
            }
        }
    }
    n_taken > 0
}

/// True if a value stands where a problem is: what is absent there, such as in an object that is a text yet, broke no rule.
fn is_default_at_problem(value: &Value, steps: &[Step], indexes: &[usize]) -> bool {
    let mut indexes = indexes.iter();
    let place = steps.iter().try_fold(value, |place, step| match step {
        Step::Property(name) => place.get(&**name),
        Step::Items => place.as_array()?.get(*indexes.next()?),
    });
    place.is_some()
}

/// Drops indexes, which it returns too: `labels[2].text` becomes `labels[].text` and `[2]`.
fn split_indexes(at: &str) -> (String, Vec<usize>) {
    let (mut out, mut indexes) = (String::with_capacity(at.len()), Vec::new());
    for (n, piece) in at.split('[').enumerate() {
        let index = piece
            .split_once(']')
            .filter(|(digits, _)| n > 0 && digits.bytes().all(|digit| digit.is_ascii_digit()));
        match index {
            Some((index, rest)) => {
                out.extend(["[]", rest]);
                indexes.extend(index.parse::<usize>().ok());
            }
            None if n > 0 => out.extend(["[", piece]),
            None => out.push_str(piece),
        }
    }
    (out, indexes)
}

/// Returns true if a path equals `place` or leads below it.
fn is_path_within(at: &str, place: &str) -> bool {
    let rest = at.strip_prefix(place);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
