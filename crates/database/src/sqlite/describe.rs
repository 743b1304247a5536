//! Statements of others, as the engine describes them when they are prepared.

use rusqlite::Connection;

use super::declared_type;
use crate::{
    catalog::ColumnKind,
    description::{DescribedColumn, StatementDescription},
};

pub(super) fn statement_description(
    connection: &Connection,
    text: &str,
) -> rusqlite::Result<StatementDescription> {
    let statement = connection.prepare(text)?;
    let columns = statement.columns();
    let columns = columns.map(|column| DescribedColumn {
        name: column.name().to_owned(),
        kind: column.decl_type().map_or(ColumnKind::Any, |declared| {
            declared_type::kind(declared, declared_type::Strictness::Flexible)
        }),
    });
    Ok(StatementDescription {
        columns: columns.collect(),
        // No value has a type, but each has its place.
        values: vec![String::new(); statement.parameter_count()],
        is_read: Some(statement.readonly()),
    })
}
