//! Values of columns: the JSON Schema of one, the check of an argument against the column's type with the text that is bound,
//! and the JSON of a text that the database wrote. `sql` casts the bound texts, and reads columns as texts.

mod array;
mod decimal;
mod json;
mod moment;
mod problem;
mod schema;
mod text;

use callgate_tool::{Problem, Value, write_string};

pub(crate) use self::{
    problem::new as problem,
    schema::{plain_schema, schema},
};
use crate::{
    catalog::{Column, ColumnKind},
    engine::{Ability, Engine, MomentForm},
};

/// The text that is bound for a value, once the value is checked against the column's type; `None` for null.
///
/// # Errors
/// A problem without a location, or with that of an item, if the column cannot hold exactly this value.
pub(crate) fn bound_text(
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Result<Option<String>, Problem> {
    match (value, &column.kind) {
        (Value::Null, _) if column.is_nullable => Ok(None),
        (Value::Null, kind) if *kind != ColumnKind::Json => {
            Err(problem("a value other than null", value))
        }
        _ => text::non_null_bound_text(&column.kind, &column.sql_type, engine, value).map(Some),
    }
}

/// The text that is bound for a value that rows may have. SQLite does not hold them to the length or the digits of their type.
///
/// # Errors
/// As [`text`].
pub(crate) fn bound_stored_text(
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Result<Option<String>, Problem> {
    let kind = match column.kind {
        _ if engine.has(Ability::ColumnTypes) => return bound_text(column, value, engine),
        ColumnKind::Numeric { .. } => ColumnKind::Numeric { precision: None, scale: None },
        ColumnKind::Text { .. } => ColumnKind::Text { most: None },
        _ => return bound_text(column, value, engine),
    };
    bound_text(&Column { kind, ..column.clone() }, value, engine)
}

/// The text that is bound for a value beside which rows stand in an order. SQLite compares numbers with digits after the point as
/// floating-point ones, however many digits they have.
///
/// # Errors
/// As [`text`].
pub(crate) fn bound_order_text(
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Result<Option<String>, Problem> {
    let stored = bound_stored_text(column, value, engine);
    if stored.is_ok() || !keeps_all_fraction_digits(column, engine) {
        return stored;
    }
    let float = Column { kind: ColumnKind::Float, ..column.clone() };
    bound_text(&float, value, engine).or(stored)
}

/// A number without the digits after its point that no value of the column has, and whether it is below zero; `None` for a number
/// without such digits, and where columns keep all of them.
pub(crate) fn truncated_number_and_sign(
    column: &Column,
    value: &Value,
    engine: Engine,
) -> Option<(Value, bool)> {
    if keeps_all_fraction_digits(column, engine) {
        return None;
    }
    text::truncated_number_and_sign(&column.kind, value)
}

/// True for a column of numbers that holds any digits after the point, also one of whole numbers in SQLite.
fn keeps_all_fraction_digits(column: &Column, engine: Engine) -> bool {
    let is_exact = matches!(column.kind, ColumnKind::Integer { .. } | ColumnKind::Numeric { .. });
    is_exact && !engine.has(Ability::ColumnTypes)
}

/// The text that is bound for the beginning of a day, in UTC, beside a column of dates with times; `None` for what is no date.
pub(crate) fn beginning_of_day(column: &Column, value: &Value, engine: Engine) -> Option<String> {
    let ColumnKind::Timestamp { has_zone } = column.kind else { return None };
    let dates = Column { kind: ColumnKind::Date, ..column.clone() };
    let date = bound_text(&dates, value, engine).ok()??;
    // Ends of time are no days.
    if !date.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    Some(match engine.facts().moment_form {
        MomentForm::Given => date,
        MomentForm::Rfc3339 if has_zone => format!("{date}T00:00:00Z"),
        MomentForm::Rfc3339 => format!("{date}T00:00:00"),
        MomentForm::Utc => format!("{date} 00:00:00"),
    })
}

/// The JSON of a text that the database wrote, with all digits. A text that does not read as the kind stays a text.
#[cfg(test)]
pub(crate) fn value(kind: &ColumnKind, text: Option<&str>, engine: Engine) -> Value {
    text.map_or(Value::Null, |text| json::value(kind, text, engine))
}

/// Writes the JSON of a text that a [`Select`](crate::sql::Select) read with the limit `most_bytes`; `None` is null. Of a longer value it
/// writes the text that the limit leaves, and returns true.
pub(crate) fn write_json_within_limit(
    kind: &ColumnKind,
    text: Option<&str>,
    engine: Engine,
    most_bytes: usize,
    out: &mut String,
) -> bool {
    let Some(text) = text else {
        out.push_str("null");
        return false;
    };
    let kept = json::cut_text(kind, text, most_bytes);
    match (kind, kept) {
        (_, None) => json::write(kind, text, engine, out),
        (ColumnKind::Any | ColumnKind::Bytes, Some(kept)) => json::write(kind, kept, engine, out),
        (_, Some(kept)) => write_string(kept, out),
    }
    kept.is_some()
}

#[cfg(test)]
mod tests;
