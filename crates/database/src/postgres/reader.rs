//! Reads the catalog and the rights of the login: what is asked at load, outside calls.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::time::timeout;
use tokio_postgres::{Statement, types::Type};

use super::{
    connection::CATALOG_BYTES,
    pool::{Loan, Pool},
    value::{Bound, texts},
};
use crate::{
    error::{self, Error, ErrorKind},
    shares::OPERATOR,
    transaction::Rows,
};

/// A connection that reads.
pub(super) struct Reader {
    loan: Loan,
}

impl Reader {
    /// A connection for a load.
    pub(super) async fn open(pool: &Pool) -> Result<Self, Error> {
        Self::open_for(OPERATOR, pool).await
    }

    pub(super) async fn open_for(principal: &str, pool: &Pool) -> Result<Self, Error> {
        Ok(Self { loan: pool.reader(principal).await? })
    }

    /// The rows of a query, whose values are texts.
    pub(super) async fn rows(&mut self, text: &str, values: &[&str]) -> Result<Rows, Error> {
        let connection = self.loan.connection().map_err(|_| unavailable())?;
        connection.meter.allow(CATALOG_BYTES);
        let values = values.iter().map(|value| (Bound(Some(value)), Type::TEXT));
        let rows = async {
            let rows = connection.client.query_typed_raw(text, values).await?;
            rows.and_then(async |row| texts(&row)).try_collect().await
        };
        match timeout(READ_TIME, rows).await {
            Ok(read) => read.map_err(|error| unread(&error)),
            Err(_) => Err(unavailable()),
        }
    }

    /// Prepares a statement without running it.
    pub(super) async fn prepare(&mut self, text: &str) -> Result<Statement, Error> {
        let connection = self.loan.connection().map_err(|_| unavailable())?;
        connection.meter.allow(CATALOG_BYTES);
        match timeout(READ_TIME, connection.client.prepare(text)).await {
            Ok(prepared) => prepared.map_err(|error| unprepared(&error)),
            Err(_) => Err(unavailable()),
        }
    }

    /// Gives the connection back.
    pub(super) fn close(self) {
        self.loan.give_back();
    }
}

fn unread(error: &tokio_postgres::Error) -> Error {
    let Some(server) = error.as_db_error() else { return unavailable() };
    let code = server.code().code();
    match (code.get(..2).unwrap_or_default(), code) {
        (_, "42501") => {
            Error::new(ErrorKind::Denied, "the database does not let the login read its catalog")
        }
        // It is busy, full, or ends: another attempt may succeed.
        ("08" | "40" | "53" | "55" | "57" | "58", _) => Error::new(
            ErrorKind::Unavailable,
            format!("the database cannot answer now; SQLSTATE: {code}"),
        ),
        _ => {
            let message: String = server.message().chars().take(MESSAGE_CHARACTERS).collect();
            error::own_statement(&format!("SQLSTATE {code}, {message}"))
        }
    }
}

/// The code says what is wrong; the server's text may quote the statement.
fn unprepared(error: &tokio_postgres::Error) -> Error {
    let Some(server) = error.as_db_error() else { return unavailable() };
    let code = server.code().code();
    let reason = match code {
        "42601" => "the statement is not one statement of SQL",
        "42P01" => "the statement names a table that is not there: write it with its schema",
        "42703" => "the statement names a column that is not there",
        "42883" => {
            "the statement names a function or operator that is not there: write it with its schema"
        }
        "42704" => "the statement names a type that is not there: write it with its schema",
        "42501" => "the login may not use a schema that the statement names",
        "42P18" => "the type of a value of the statement is not clear: cast it",
        _ => "the database does not take the statement",
    };
    Error::new(ErrorKind::Statement, format!("{reason}; SQLSTATE: {code}"))
}

fn unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, "the database did not answer")
}

/// The time limit of one query of the catalog.
const READ_TIME: Duration = Duration::from_secs(30);

/// The characters of the server's message about a statement of our own that are shown.
const MESSAGE_CHARACTERS: usize = 200;
