//! The condition for the rows after a given row, in the order of a reading. Nulls stand where the engine itself sorts them.

use super::{Direction, binding::Binding, condition::NEVER, expression};
use crate::{catalog::Column, engine::Ability};

/// One column of the order, with its value in the last row that was read.
struct Step<'a> {
    column: &'a Column,
    direction: Direction,
    last: Option<&'a str>,
}

/// The condition for the rows after the one with these values; no row meets it if the values are not those of the order.
pub(super) fn rows_after(
    binding: &mut Binding<'_>,
    order: &[(String, Direction)],
    last: &[Option<String>],
) -> String {
    let mut steps = Vec::with_capacity(order.len());
    for ((name, direction), last) in order.iter().zip(last) {
        let Some(column) = binding.column(name) else { return NEVER.to_owned() };
        steps.push(Step { column, direction: *direction, last: last.as_deref() });
    }
    if order.len() != last.len() {
        return NEVER.to_owned();
    }
    if let Some(row) = row_comparison(binding, &steps) {
        return row;
    }
    let bound = first_column_bound(binding, &steps);
    let mut alternatives = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let before = steps.get(..index).unwrap_or_default();
        alternatives.extend(later_rows_condition(binding, before, step));
    }
    if alternatives.is_empty() {
        return NEVER.to_owned();
    }
    let alternatives = format!("({})", alternatives.join(" OR "));
    match bound {
        Some(bound) => format!("{bound} AND {alternatives}"),
        None => alternatives,
    }
}

/// The condition that every alternative has on the first column: an index begins there, and goes on in the order. `None` if rows
/// with null come later, and for one column, whose only alternative it would repeat.
fn first_column_bound(binding: &mut Binding<'_>, steps: &[Step<'_>]) -> Option<String> {
    let [Step { column, direction, last }, _, ..] = steps else { return None };
    let ascends = *direction == Direction::Ascending;
    let has_nulls_first = ascends == binding.engine.has(Ability::NullsFirst);
    let operator = if ascends { ">=" } else { "<=" };
    let last = last.filter(|_| !column.is_nullable || has_nulls_first)?;
    Some(token_value_comparison(binding, column, operator, last))
}

/// One comparison of rows, which an index serves, if all columns go one way, have no nulls, and are compared by
/// operators of the engine's own.
fn row_comparison(binding: &mut Binding<'_>, steps: &[Step<'_>]) -> Option<String> {
    let first = steps.first()?.direction;
    let is_uniform = |step: &Step<'_>| {
        let Column { is_nullable, order_schema, .. } = step.column;
        step.direction == first && !is_nullable && order_schema.is_none()
    };
    let has_index = binding.engine.has(Ability::RowComparisons);
    if !has_index || steps.len() < 2 || !steps.iter().all(is_uniform) {
        return None;
    }
    let last: Option<Vec<_>> = steps.iter().map(|step| step.last).collect();
    let mut values = Vec::new();
    for (step, last) in steps.iter().zip(last?) {
        values.push(bind_token_value(binding, step.column, last));
    }
    let columns: Vec<_> = steps
        .iter()
        .map(|step| expression::order_expression(binding.scope(), step.column))
        .collect();
    let operator = operator(first);
    Some(format!("({}) {operator} ({})", columns.join(", "), values.join(", ")))
}

/// The rows that are equal in the columns before and come later in this one; `None` if there are none.
fn later_rows_condition(
    binding: &mut Binding<'_>,
    before: &[Step<'_>],
    step: &Step<'_>,
) -> Option<String> {
    let ascends = step.direction == Direction::Ascending;
    let has_nulls_first = ascends == binding.engine.has(Ability::NullsFirst);
    if step.last.is_none() && !has_nulls_first {
        return None;
    }
    let mut conditions = Vec::new();
    for step in before {
        conditions.push(match step.last {
            Some(last) => token_value_comparison(binding, step.column, "=", last),
            None => null_test(binding, step.column, "IS NULL"),
        });
    }
    conditions.push(match step.last {
        None => null_test(binding, step.column, "IS NOT NULL"),
        Some(last) if step.column.is_nullable && !has_nulls_first => {
            let later =
                token_value_comparison(binding, step.column, operator(step.direction), last);
            format!("({later} OR {})", null_test(binding, step.column, "IS NULL"))
        }
        Some(last) => token_value_comparison(binding, step.column, operator(step.direction), last),
    });
    Some(format!("({})", conditions.join(" AND ")))
}

/// A comparison by the order of the column with a value of the token.
fn token_value_comparison(
    binding: &mut Binding<'_>,
    column: &Column,
    operator: &str,
    last: &str,
) -> String {
    let value = bind_token_value(binding, column, last);
    expression::order_comparison(binding.scope(), column, operator, &value)
}

/// A value of the token, with the type that it had in its row.
fn bind_token_value(binding: &mut Binding<'_>, column: &Column, last: &str) -> String {
    let (kind, text) = binding.engine.sql().page_token_value(column, last);
    let placeholder = binding.bind(Some(text));
    binding.engine.sql().typed_value(&Column { kind, ..column.clone() }, &placeholder)
}

fn null_test(binding: &Binding<'_>, column: &Column, is: &str) -> String {
    format!("{} {is}", binding.scope().qualified_name(column))
}

fn operator(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => ">",
        Direction::Descending => "<",
    }
}
