//! The conditions of a statement: the values that rows must have, and the filter of a model.

use super::{TargetRows, binding::Binding, expression};
use crate::{
    catalog::{Column, ColumnKind},
    engine::{Ability, PatternSigns},
    filter::{Condition, Filter, Pattern, Piece, Test},
};

/// A condition that no row meets, in every engine.
pub(super) const NEVER: &str = "1 = 0";

/// The conditions of a target.
pub(super) fn of_target(binding: &mut Binding<'_>, target: &TargetRows<'_>) -> Vec<String> {
    let mut conditions = of_pairs(binding, target.rows);
    conditions.extend(of_pairs(binding, target.key));
    conditions.extend(of_filter(binding, target.filter));
    conditions
}

/// The conditions that columns have exactly these values.
pub(super) fn of_pairs(binding: &mut Binding<'_>, pairs: &[(String, String)]) -> Vec<String> {
    let condition = |(name, value): &(String, String)| match binding.column(name) {
        Some(column) => equal(binding, column, value),
        None => NEVER.to_owned(),
    };
    pairs.iter().map(condition).collect()
}

fn of_filter(binding: &mut Binding<'_>, filter: &Filter) -> Vec<String> {
    let mut conditions = of_conditions(binding, &filter.all);
    if !filter.any.is_empty() {
        let group = |group: &Vec<Condition>| match of_conditions(binding, group).join(" AND ") {
            empty if empty.is_empty() => NEVER.to_owned(),
            group => group,
        };
        let groups: Vec<_> = filter.any.iter().map(group).collect();
        conditions.push(format!("({})", groups.join(" OR ")));
    }
    conditions
}

fn of_conditions(binding: &mut Binding<'_>, conditions: &[Condition]) -> Vec<String> {
    let condition = |condition: &Condition| match binding.column(&condition.column) {
        Some(column) => of_test(binding, column, &condition.test),
        None => NEVER.to_owned(),
    };
    conditions.iter().map(condition).collect()
}

fn of_test(binding: &mut Binding<'_>, column: &Column, test: &Test) -> String {
    let exact = expression::exact_column(binding.scope(), column);
    match test {
        Test::AtLeast(value) => order_comparison(binding, column, ">=", value),
        Test::AtMost(value) => order_comparison(binding, column, "<=", value),
        Test::Equal(value) => equal(binding, column, value),
        Test::In(values) if values.is_empty() => NEVER.to_owned(),
        Test::In(values) => {
            let values: Vec<_> =
                values.iter().map(|value| exact_value(binding, column, value)).collect();
            format!("{exact} IN ({})", values.join(", "))
        }
        Test::IsNotNull => format!("{} IS NOT NULL", binding.scope().name(column)),
        Test::IsNull => format!("{} IS NULL", binding.scope().name(column)),
        Test::Less(value) => order_comparison(binding, column, "<", value),
        Test::Like(pattern) => like(binding, column, pattern),
        Test::More(value) => order_comparison(binding, column, ">", value),
        Test::NotEqual(value) => format!("{exact} <> {}", exact_value(binding, column, value)),
    }
}

/// The condition that a column has exactly this value, whatever its collation is.
pub(super) fn equal(binding: &mut Binding<'_>, column: &Column, value: &str) -> String {
    let exact = expression::exact_column(binding.scope(), column);
    let name = binding.scope().name(column);
    if !binding.engine.has(Ability::IndexesByCollation) || exact == name {
        return format!("{exact} = {}", exact_value(binding, column, value));
    }
    // The first comparison can use an index, the second one is exact.
    let indexed = binding.bind(Some(value));
    format!("{name} = {indexed} AND {exact} = {}", exact_value(binding, column, value))
}

fn exact_value(binding: &mut Binding<'_>, column: &Column, value: &str) -> String {
    let placeholder = binding.bind(Some(value));
    binding.engine.sql().exact_value(column, &placeholder)
}

/// A comparison by the order of the column.
fn order_comparison(
    binding: &mut Binding<'_>,
    column: &Column,
    operator: &str,
    value: &str,
) -> String {
    let placeholder = binding.bind(Some(value));
    let value = binding.engine.sql().typed_value(column, &placeholder);
    format!("{} {operator} {value}", expression::order_expression(binding.scope(), column))
}

/// A comparison with a pattern, in which letter case and accents matter.
fn like(binding: &mut Binding<'_>, column: &Column, pattern: &Pattern) -> String {
    if !matches!(column.kind, ColumnKind::Text { .. }) {
        return NEVER.to_owned();
    }
    let (sql, scope) = (binding.engine.sql(), binding.scope());
    let placeholder = binding.bind(Some(&escaped_pattern(pattern, sql.pattern_signs())));
    sql.like(&scope.name(column), &expression::exact_column(scope, column), &placeholder)
}

fn escaped_pattern(pattern: &Pattern, signs: &PatternSigns) -> String {
    let mut text = String::new();
    for piece in pattern.pieces() {
        match piece {
            Piece::Any => text.push(signs.any),
            Piece::Text(literal) => literal.chars().for_each(|character| {
                let escaped = (signs.literal)(character);
                text.push_str(&escaped.unwrap_or_else(|| character.into()));
            }),
        }
    }
    text
}
