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
    let mut conditions = equality_conditions(binding, target.rows);
    conditions.extend(equality_conditions(binding, target.key));
    conditions.extend(of_filter(binding, target.filter));
    conditions
}

/// The conditions that columns have exactly these values.
pub(super) fn equality_conditions(
    binding: &mut Binding<'_>,
    pairs: &[(String, String)],
) -> Vec<String> {
    let condition = |(name, value): &(String, String)| match binding.column(name) {
        Some(column) => exact_equality_condition(binding, column, value),
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
    match test {
        Test::AtLeast(value) => order_comparison(binding, column, ">=", value),
        Test::AtMost(value) => order_comparison(binding, column, "<=", value),
        Test::Equal(value) => {
            let is_text = exact_equality_condition(binding, column, value);
            match shown_bytes_condition(binding, column, std::slice::from_ref(value)) {
                Some(is_bytes) => format!("({is_text} OR {is_bytes})"),
                None => is_text,
            }
        }
        Test::In(values) if values.is_empty() => NEVER.to_owned(),
        Test::In(values) => {
            let exact = expression::exact_column(binding.scope(), column);
            let texts: Vec<_> =
                values.iter().map(|value| exact_value(binding, column, value)).collect();
            let are_texts = format!("{exact} IN ({})", texts.join(", "));
            match shown_bytes_condition(binding, column, values) {
                Some(are_bytes) => format!("({are_texts} OR {are_bytes})"),
                None => are_texts,
            }
        }
        Test::IsNotNull => format!("{} IS NOT NULL", binding.scope().qualified_name(column)),
        Test::IsNull => format!("{} IS NULL", binding.scope().qualified_name(column)),
        Test::Less(value) => order_comparison(binding, column, "<", value),
        Test::Like(pattern) => exact_like_condition(binding, column, pattern),
        Test::More(value) => order_comparison(binding, column, ">", value),
        Test::NotEqual(value) => {
            let exact = expression::exact_column(binding.scope(), column);
            let is_other = format!("{exact} <> {}", exact_value(binding, column, value));
            match shown_bytes_condition(binding, column, std::slice::from_ref(value)) {
                Some(is_bytes) => format!("({is_other} AND NOT {is_bytes})"),
                None => is_other,
            }
        }
    }
}

/// The condition that a column has bytes which lists show as one of these texts; `None` if they show none so.
fn shown_bytes_condition(
    binding: &mut Binding<'_>,
    column: &Column,
    texts: &[String],
) -> Option<String> {
    let sql = binding.engine.sql();
    let digits = texts.iter().filter_map(|text| sql.digits_of_shown_bytes(column, text));
    let digits: Vec<&str> = digits.collect();
    if digits.is_empty() {
        return None;
    }
    let of_bytes = Column { kind: ColumnKind::Bytes, ..column.clone() };
    let mut values = Vec::new();
    for digits in digits {
        let placeholder = binding.bind(Some(digits));
        values.push(sql.typed_value(&of_bytes, &placeholder));
    }
    let name = binding.scope().qualified_name(column);
    Some(format!("{name} IN ({})", values.join(", ")))
}

/// The condition that a column has exactly this value, whatever its collation is.
pub(super) fn exact_equality_condition(
    binding: &mut Binding<'_>,
    column: &Column,
    value: &str,
) -> String {
    let exact = expression::exact_column(binding.scope(), column);
    let name = binding.scope().qualified_name(column);
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
    let value = binding.engine.sql().ordered_value(column, &placeholder);
    expression::order_comparison(binding.scope(), column, operator, &value)
}

/// A comparison with a pattern, in which letter case and accents matter.
fn exact_like_condition(binding: &mut Binding<'_>, column: &Column, pattern: &Pattern) -> String {
    if !matches!(column.kind, ColumnKind::Text { .. }) {
        return NEVER.to_owned();
    }
    let (sql, scope) = (binding.engine.sql(), binding.scope());
    let placeholder = binding.bind(Some(&escaped_pattern(pattern, sql.pattern_signs())));
    sql.like(&scope.qualified_name(column), &expression::exact_column(scope, column), &placeholder)
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
