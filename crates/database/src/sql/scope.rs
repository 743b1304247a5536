//! The table by whose name a statement writes its columns. A bare name in `ORDER BY` means the output column of that name, which
//! is a text here, and only then the column of the table.

use crate::{catalog::Column, engine::Engine};

/// The table that a statement reads or changes, as its engine names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    pub(super) engine: Engine,
    pub(super) table: &'a str,
    /// True for the columns of a table; those of views and of other statements are expressions.
    pub(super) is_stored: bool,
}

impl Scope<'_> {
    /// The column with its table.
    pub(super) fn qualified_name(self, column: &Column) -> String {
        let Self { engine, table, .. } = self;
        [&*engine.quote(table), ".", &*engine.quote(column.sql_name())].concat()
    }
}
