//! Reads the conditions that a model writes as JSON.

use callgate_kind::{MOST_CONDITIONS, Operator};
use callgate_tool::{Object, Problem, Value, nearest};

use super::{Condition, Filter, operator};
use crate::{catalog::Column, column, engine::Engine};

/// The filter that a model wrote. The problems' locations begin below `where`: `total.gte`.
///
/// # Errors
/// Every condition that does not fit its column, and every name that is no column.
pub(crate) fn read(
    value: &Value,
    columns: &[&Column],
    engine: Engine,
) -> Result<Filter, Vec<Problem>> {
    let Some(members) = value.as_object() else {
        return Err(vec![column::problem("an object with conditions by column", value)]);
    };
    let mut reading = FilterReader { columns, engine, problems: Vec::new() };
    let filter = reading.read_filter(members);
    if filter.n_conditions() > MOST_CONDITIONS {
        let mut problem = column::problem(format!("at most {MOST_CONDITIONS} conditions"), value);
        problem.got = format!("{} conditions", filter.n_conditions());
        reading.problems.push(problem);
    }
    if reading.problems.is_empty() { Ok(filter) } else { Err(reading.problems) }
}

struct FilterReader<'a> {
    columns: &'a [&'a Column],
    engine: Engine,
    problems: Vec<Problem>,
}

/// The name of the groups of which one must hold. A column of that name is not hidden: its conditions are no list.
pub(super) const ANY: &str = "any";

impl FilterReader<'_> {
    fn read_filter(&mut self, members: &Object) -> Filter {
        let mut filter = Filter::default();
        for (name, value) in members {
            match value {
                Value::Array(groups) if name == ANY => filter.any = self.read_groups(groups, value),
                _ => filter.all.extend(self.read_column_conditions("", name, value)),
            }
        }
        if let [group] = filter.any.as_mut_slice() {
            filter.all.append(group);
            filter.any.clear();
        }
        filter
    }

    fn read_groups(&mut self, groups: &[Value], value: &Value) -> Vec<Vec<Condition>> {
        if groups.is_empty() || groups.len() > MOST_CONDITIONS {
            let expected = format!("a list of 1 to {MOST_CONDITIONS} objects with conditions");
            self.report(ANY, column::problem(expected, value));
            return Vec::new();
        }
        groups.iter().enumerate().map(|(index, group)| self.read_group(index, group)).collect()
    }

    fn read_group(&mut self, index: usize, group: &Value) -> Vec<Condition> {
        let at = format!("{ANY}[{index}]");
        let Some(members) = group.as_object().filter(|members| !members.is_empty()) else {
            self.report(&at, column::problem("an object with conditions by column", group));
            return Vec::new();
        };
        let before = at + ".";
        members
            .iter()
            .flat_map(|(name, value)| self.read_column_conditions(&before, name, value))
            .collect()
    }

    /// The conditions of one column.
    fn read_column_conditions(
        &mut self,
        before: &str,
        name: &str,
        value: &Value,
    ) -> Vec<Condition> {
        let at = format!("{before}{name}");
        let Some(column) = self.columns.iter().find(|column| column.name == name) else {
            self.report(
                &at,
                unknown_name_problem(
                    "column",
                    name,
                    self.columns.iter().map(|allowed_column| &*allowed_column.name),
                ),
            );
            return Vec::new();
        };
        let (column, mut conditions) = (*column, Vec::new());
        let Some(operators) = value.as_object() else {
            conditions.extend(self.read_condition(&at, column, Operator::Eq.as_str(), value));
            return conditions;
        };
        if operators.is_empty() {
            let names = operator::for_kind(&column.kind).iter().map(|operator| operator.as_str());
            self.report(&at, unknown_name_problem("operator", "", names));
        }
        for (operator, value) in operators {
            let at = format!("{at}.{operator}");
            conditions.extend(self.read_condition(&at, column, operator, value));
        }
        conditions
    }

    fn read_condition(
        &mut self,
        at: &str,
        column: &Column,
        operator: &str,
        value: &Value,
    ) -> Option<Condition> {
        let operators = operator::for_kind(&column.kind);
        let matching_operator = operators.iter().find(|candidate| candidate.as_str() == operator);
        let test = match matching_operator {
            Some(matching_operator) => {
                operator::read_test(*matching_operator, column, value, self.engine)
            }
            None if operator == Operator::Eq.as_str() && value.is_null() => {
                operator::read_test(Operator::IsNull, column, &true.into(), self.engine)
            }
            None => Err(unknown_name_problem(
                "operator",
                operator,
                operators.iter().map(|candidate| candidate.as_str()),
            )),
        };
        match test {
            Ok(test) => Some(Condition { column: column.name.clone(), test }),
            Err(problem) => {
                self.report(at, problem);
                None
            }
        }
    }

    fn report(&mut self, at: &str, mut problem: Problem) {
        problem.at = format!("{at}{}", problem.at);
        self.problems.push(problem);
    }
}

/// The problem of a name that is none of those known.
pub(crate) fn unknown_name_problem<'a>(
    what: &str,
    name: &str,
    allowed_names: impl Iterator<Item = &'a str> + Clone,
) -> Problem {
    let names: Vec<_> = allowed_names.clone().map(|name| format!("`{name}`")).collect();
    let expected = match names.as_slice() {
        [] => format!("no condition, since the column has no {what}"),
        [name] => format!("the {what} {name}"),
        names => format!("one of the {what}s {}", names.join(", ")),
    };
    let mut problem = column::problem(expected, &name.into());
    problem.suggestion = nearest(name, allowed_names).map(|near| format!("`{near}`"));
    problem
}
