//! The problems of all inputs, and the one fault that they become: the model's, or the session's if a value of it is wrong
//! or missing.

use callgate_openapi::{Input, InputLocation, NestedInput, ValueSource};
use callgate_tool::{Fault, Next, Problem, Value, shows_all_letters};

use super::{Checking, convert::resolved_schema};
use crate::{
    inputs::{Fillings, Origin, Subject, has_body},
    wording,
};

#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) problems: Vec<Problem>,
    session: Option<Next>,
}

impl Findings {
    /// Adds the problems of an input, whose value comes from `origin`.
    pub(super) fn add(
        &mut self,
        problems: Vec<Problem>,
        input: &Input,
        origin: Origin,
        nested: &[NestedInput],
    ) {
        if origin == Origin::Session && !problems.is_empty() {
            self.set_session_next_step(&input.source);
        }
        for problem in problems {
            let hidden = nested
                .iter()
                .find(|nested| !nested.visible && nested.to_string() == problem.at)
                .filter(|_| problem.got == "nothing");
            match hidden {
                Some(nested) => {
                    self.set_session_next_step(&nested.source);
                    self.problems.push(wording::missing_from_session(problem.at, &nested.source));
                }
                None => self.problems.push(with_service_name(problem, input)),
            }
        }
    }

    fn set_session_next_step(&mut self, source: &ValueSource) {
        // No user can give values that only the runtime knows.
        let next = match source {
            ValueSource::Context(_) => Next::GiveUp,
            ValueSource::Model | ValueSource::Parameter(_) | ValueSource::Payload(_) => {
                Next::AskUser
            }
        };
        self.session = Some(if self.session == Some(Next::GiveUp) { Next::GiveUp } else { next });
    }

    pub(super) fn into_result(self) -> Result<(), Box<Fault>> {
        match self.session {
            Some(next) => Err(wording::missing_session_value(self.problems, next)),
            None if self.problems.is_empty() => Ok(()),
            None => Err(wording::invalid_arguments(self.problems)),
        }
    }
}

pub(super) fn add_missing_inputs(
    subject: Subject<'_>,
    checking: Checking<'_>,
    fillings: &Fillings<'_>,
    findings: &mut Findings,
) {
    let has_body = has_body(subject, fillings);
    for (input, filling) in subject.inputs.iter().zip(fillings) {
        let is_due = input.place() != InputLocation::Body || has_body;
        if filling.is_some() || !input.required || !is_due {
            continue;
        }
        let at = input.argument.to_string();
        if input.visible {
            findings
                .problems
                .push(wording::missing_argument(at, &missing_value_description(input, checking)));
        } else {
            findings.set_session_next_step(&input.source);
            findings.problems.push(wording::missing_from_session(at, &input.source));
        }
    }
}

/// The value that is missing, by the service's name where the argument does not show it: `query_b3fdfd` for `名前`. A whole body that
/// can hold no members is named by its type.
fn missing_value_description(input: &Input, checking: Checking<'_>) -> String {
    if input.place() == InputLocation::Body && input.name.is_empty() {
        let schema = checking.input_schema(input);
        let schema = schema.and_then(|schema| resolved_schema(schema, checking.schema));
        let kind = schema.and_then(|schema| schema.get("type")).and_then(Value::as_str);
        return kind.filter(|kind| *kind != "object").unwrap_or(wording::ANY_VALUE).to_owned();
    }
    if is_service_name_visible(input) {
        return wording::ANY_VALUE.to_owned();
    }
    format!("a value for `{}`", input.name)
}

/// The problem of a whole argument, with the service's name where the argument does not show it.
fn with_service_name(problem: Problem, input: &Input) -> Problem {
    if is_service_name_visible(input) || problem.at != input.argument.as_str() {
        return problem;
    }
    Problem { expected: format!("{} for `{}`", problem.expected, input.name), ..problem }
}

fn is_service_name_visible(input: &Input) -> bool {
    input.name.is_empty() || shows_all_letters(input.argument.as_str(), &input.name)
}
