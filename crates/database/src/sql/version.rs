//! The next version of a row: a value that is other than the one before, whatever the clock says. Only some types have one.

use crate::{
    catalog::{Column, ColumnKind},
    engine::Engine,
};

/// True if [`next_version`] has a value for the column.
pub(crate) fn has_next(engine: Engine, column: &Column) -> bool {
    !column.is_generated && next_version(engine, column, "").is_some()
}

/// The expression of the next version after the one that is named. A number counts up; a time is now, or the least step after the one
/// before if that is later.
pub(super) fn next_version(engine: Engine, column: &Column, name: &str) -> Option<String> {
    match (&column.kind, engine) {
        (ColumnKind::Integer { .. } | ColumnKind::Numeric { .. }, _) => Some(format!("{name} + 1")),
        (ColumnKind::Timestamp { .. }, Engine::Postgres) => {
            let sql_type = &column.sql_type;
            let usual = if is_plain(sql_type) { 6 } else { 0 };
            let step = step(digits(sql_type).unwrap_or(usual));
            Some(format!(
                "greatest(clock_timestamp()::{sql_type}, {name} + interval '{step} microseconds')"
            ))
        }
        (ColumnKind::Timestamp { .. }, Engine::Mysql) => {
            let digits = digits(&column.sql_type).unwrap_or(0);
            let step = step(digits);
            Some(format!("GREATEST(NOW({digits}), {name} + INTERVAL {step} MICROSECOND)"))
        }
        (ColumnKind::Uuid, Engine::Postgres) => Some("gen_random_uuid()".to_owned()),
        (ColumnKind::Uuid, Engine::Mysql) => Some("UUID()".to_owned()),
        _ => None,
    }
}

/// True unless the type is a domain, which may keep fewer digits than it says.
fn is_plain(sql_type: &str) -> bool {
    sql_type.starts_with("timestamp")
}

/// The digits of a second that a type keeps, if it says so: `timestamp(3) with time zone`.
fn digits(sql_type: &str) -> Option<u32> {
    let (_, rest) = sql_type.split_once('(')?;
    let (digits, _) = rest.split_once(')')?;
    digits.parse().ok().filter(|digits| *digits <= 6)
}

/// The microseconds of the last of so many digits.
fn step(digits: u32) -> u32 {
    10_u32.pow(6_u32.saturating_sub(digits))
}
