//! The arguments of a call as texts that are bound: each is checked against the type of its column. All problems are reported
//! at once.

use callgate_call::wording::database as wording;
use callgate_tool::{Arguments, Fault, Problem, Value};

use crate::{
    catalog::Column,
    column,
    engine::Engine,
    filter::{self, Filter},
};

/// Arguments, and the problems found so far.
#[derive(Debug)]
pub(super) struct Values<'a> {
    arguments: &'a Arguments,
    engine: Engine,
    problems: Vec<Problem>,
}

/// A problem was reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

impl<'a> Values<'a> {
    pub(super) fn new(arguments: &'a Arguments, engine: Engine) -> Self {
        Self { arguments, engine, problems: Vec::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.arguments.get(name)
    }

    /// The text of a column's argument, which must be there and not be null.
    pub(super) fn required_text(&mut self, column: &Column) -> Option<String> {
        let value = self.get(&column.name).unwrap_or(&Value::Null);
        if value.is_null() {
            self.report_mismatch(&column.name, "a value", "nothing");
            return None;
        }
        let text = column::bound_stored_text(column, value, self.engine);
        self.report_problem(&column.name, text).ok().flatten()
    }

    /// The text of a value for a column, which is `None` for null.
    pub(super) fn text(
        &mut self,
        at: &str,
        column: &Column,
        value: &Value,
    ) -> Result<Option<String>, Reported> {
        self.report_problem(at, column::bound_text(column, value, self.engine))
    }

    fn report_problem<T>(&mut self, at: &str, result: Result<T, Problem>) -> Result<T, Reported> {
        result.map_err(|problem| {
            let below = if problem.at.is_empty() { "" } else { &*problem.at };
            let separator = if below.is_empty() || below.starts_with('[') { "" } else { "." };
            self.problems.push(Problem { at: format!("{at}{separator}{below}"), ..problem });
            Reported
        })
    }

    /// The conditions of an argument; without them everything.
    pub(super) fn filter(&mut self, argument: &str, columns: &[&Column]) -> Filter {
        let Some(value) = self.get(argument) else { return Filter::default() };
        match filter::read(value, columns, self.engine) {
            Ok(filter) => filter,
            Err(problems) => {
                let below = |problem: Problem| {
                    let at = match problem.at.as_str() {
                        "" => argument.to_owned(),
                        at => format!("{argument}.{at}"),
                    };
                    Problem { at, ..problem }
                };
                self.problems.extend(problems.into_iter().map(below));
                Filter::default()
            }
        }
    }

    /// Reports a name that is none of those of the columns.
    pub(super) fn report_unknown_name(&mut self, at: String, name: &str, columns: &[&Column]) {
        let names = columns.iter().map(|column| column.name.as_str());
        self.problems.push(Problem { at, ..filter::unknown_name_problem("name", name, names) });
    }

    pub(super) fn report_mismatch(&mut self, at: &str, expected: &str, got: &str) {
        self.problems.push(Problem {
            at: at.to_owned(),
            expected: expected.to_owned(),
            got: got.to_owned(),
            suggestion: None,
        });
    }

    /// Ends the reading.
    pub(super) fn into_result(self) -> Result<(), Box<Fault>> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(wording::invalid_arguments(self.problems))
        }
    }
}
