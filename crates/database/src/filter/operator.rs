//! The operators of conditions, and those that the values of a column have.

use callgate_kind::{MOST_VALUES, Operator};
use callgate_tool::{Problem, Value};

use super::{Pattern, Test};
use crate::{
    catalog::{Column, ColumnKind},
    column::{self, problem},
    engine::Engine,
};

use Operator::{Contains, Eq, Gt, Gte, In, IsNull, Like, Lt, Lte, Neq, StartsWith};

/// The operators of a kind, in the order in which messages list them.
pub(super) fn for_kind(kind: &ColumnKind) -> &'static [Operator] {
    match kind {
        ColumnKind::Array(_) | ColumnKind::Json | ColumnKind::Literal => &[IsNull],
        ColumnKind::Boolean
        | ColumnKind::Bytes
        | ColumnKind::Enumeration(_)
        | ColumnKind::Flag { .. }
        | ColumnKind::Uuid => &[Eq, Neq, In, IsNull],
        ColumnKind::Date
        | ColumnKind::Float
        | ColumnKind::Integer { .. }
        | ColumnKind::Numeric { .. }
        | ColumnKind::Time { .. }
        | ColumnKind::Timestamp { .. } => &[Eq, Neq, Lt, Lte, Gt, Gte, In, IsNull],
        ColumnKind::Any | ColumnKind::Other => &[],
        ColumnKind::Text { .. } => {
            &[Eq, Neq, Lt, Lte, Gt, Gte, In, IsNull, StartsWith, Contains, Like]
        }
    }
}

/// The test with this value.
pub(super) fn read_test(
    operator: Operator,
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Result<Test, Problem> {
    let text = || bound_text(column, value, engine);
    match operator {
        Gt | Gte | Lt | Lte => read_order_test(operator, column, value, engine),
        Contains => Pattern::with_substring(value).map(Test::Like),
        Eq if value.is_null() => Ok(Test::IsNull),
        Eq => text().map(Test::Equal),
        In => read_list_values(column, value, engine).map(Test::In),
        IsNull => match value.as_bool() {
            Some(true) => Ok(Test::IsNull),
            Some(false) => Ok(Test::IsNotNull),
            None => Err(problem("`true` or `false`", value)),
        },
        Like => Pattern::from_starred_text(value).map(Test::Like),
        Neq if value.is_null() => Ok(Test::IsNotNull),
        Neq => text().map(Test::NotEqual),
        StartsWith => Pattern::with_prefix(value).map(Test::Like),
    }
}

/// A test of the order. An average has more digits than its column: it stands between two values of the column, and the one nearer to zero
/// is compared in its place.
fn read_order_test(
    operator: Operator,
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Result<Test, Problem> {
    let is_upper_bound = matches!(operator, Lt | Lte);
    // `lte` and `gt` of a day could mean its beginning or its end.
    if matches!(operator, Gte | Lt)
        && let Some(text) = column::beginning_of_day(column, value, engine)
    {
        return Ok(if is_upper_bound { Test::Less(text) } else { Test::AtLeast(text) });
    }
    if let Some((kept, is_negative)) = column::truncated_number_and_sign(column, value, engine) {
        let text = bound_text(column, &kept, engine)
            .map_err(|refused| problem(refused.expected, value))?;
        return Ok(match (is_upper_bound, is_negative) {
            (true, true) => Test::Less(text),
            (true, false) => Test::AtMost(text),
            (false, true) => Test::AtLeast(text),
            (false, false) => Test::More(text),
        });
    }
    let text = required_text(column::bound_order_text(column, value, engine)?, value)?;
    Ok(match operator {
        Gt => Test::More(text),
        Gte => Test::AtLeast(text),
        Lt => Test::Less(text),
        _ => Test::AtMost(text),
    })
}

fn bound_text(column: &Column, value: &Value, engine: Engine) -> Result<String, Problem> {
    required_text(column::bound_stored_text(column, value, engine)?, value)
}

fn required_text(text: Option<String>, value: &Value) -> Result<String, Problem> {
    text.ok_or_else(|| problem("a value other than null; use `is_null` for null", value))
}

fn read_list_values(
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Result<Vec<String>, Problem> {
    let has_room = |items: &&Vec<Value>| (1..=MOST_VALUES).contains(&items.len());
    let items = value
        .as_array()
        .filter(has_room)
        .ok_or_else(|| problem(format!("a list of 1 to {MOST_VALUES} values"), value))?;
    let text = |(index, item)| {
        bound_text(column, item, engine).map_err(|mut problem| {
            problem.at = format!("[{index}]{}", problem.at);
            problem
        })
    };
    items.iter().enumerate().map(text).collect()
}
