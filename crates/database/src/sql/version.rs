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
    match &column.kind {
        ColumnKind::Integer { .. } | ColumnKind::Numeric { .. } => Some(format!("{name} + 1")),
        _ => engine.sql().next_version(column, name),
    }
}
