//! Statements of others, as the engine describes them when they are prepared.

use std::sync::Arc;

use rusqlite::Connection;

use super::{connection::Session, declared_type, failure, pool::Pool};
use crate::{
    catalog::ColumnKind,
    description::{Described, DescribedColumn},
    transaction::Failure,
};

/// Prepares a statement. What one of the operator touches, calls may touch from then on; one of a model touches what it may.
pub(super) fn describe(
    session: &mut Session,
    pool: &Pool,
    text: Arc<str>,
) -> Result<Described, Failure> {
    if pool.snapshot().is_for_query() {
        let rights = pool.snapshot().rights();
        return session.bound(&rights, &text, |connection| {
            prepared(connection, &text).map_err(|error| failure::of(&error))
        });
    }
    let (described, touched) = session.recorded(|connection| prepared(connection, &text))?;
    // `VACUUM INTO` changes no row, and is asked about when it runs.
    if described.is_read == Some(false) && !touched.has_changes() {
        return Err(Failure::Denied);
    }
    pool.snapshot().add_statement(text, described.clone(), &touched);
    Ok(described)
}

pub(super) fn prepared(connection: &Connection, text: &str) -> rusqlite::Result<Described> {
    let statement = connection.prepare(text)?;
    let columns = statement.columns();
    let columns = columns.map(|column| DescribedColumn {
        name: column.name().to_owned(),
        kind: column.decl_type().map_or(ColumnKind::Other, |declared| {
            declared_type::kind(declared, declared_type::Strictness::Flexible)
        }),
    });
    Ok(Described {
        columns: columns.collect(),
        // No value has a type, but each has its place.
        values: vec![String::new(); statement.parameter_count()],
        is_read: Some(statement.readonly()),
    })
}
