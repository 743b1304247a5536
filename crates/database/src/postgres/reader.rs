//! Reads the catalog and the rights of the login: what is asked at load, outside calls.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::time::timeout;
use tokio_postgres::{Statement, error::ErrorPosition, types::Type};

use super::{
    connection::CATALOG_BYTES,
    failure,
    pool::{Loan, Pool},
    value::{BoundText, texts},
};
use crate::{
    error::{self, Error, ErrorKind},
    shares::OPERATOR,
    transaction::{Failure, Rows},
};

/// A connection that reads.
pub(super) struct CatalogReader {
    loan: Loan,
    /// True if the rights of everybody alone are read.
    is_for_everybody: bool,
}

impl CatalogReader {
    /// A connection for a load.
    pub(super) async fn open(pool: &Pool) -> Result<Self, Error> {
        Self::open_for(OPERATOR, pool).await
    }

    pub(super) async fn open_for(principal: &str, pool: &Pool) -> Result<Self, Error> {
        Ok(Self { loan: pool.borrow_for_catalog(principal).await?, is_for_everybody: false })
    }

    /// From now on, only the rights that everybody has are those of the login.
    pub(super) fn count_rights_of_everybody_alone(&mut self) {
        self.is_for_everybody = true;
    }

    /// The rows of a query, whose values are texts.
    pub(super) async fn read_rows(&mut self, text: &str, values: &[&str]) -> Result<Rows, Error> {
        let of_login = if self.is_for_everybody { "false" } else { OF_LOGIN };
        let text = text.replace(OF_LOGIN, of_login);
        let connection = self.loan.connection().map_err(|_| unavailable_error())?;
        connection.meter.reset_allowance(CATALOG_BYTES);
        let values = values.iter().map(|value| (BoundText(Some(value)), Type::TEXT));
        let rows = async {
            let rows = connection.client.query_typed_raw(&text, values).await?;
            rows.and_then(async |row| texts(&row)).try_collect().await
        };
        match timeout(READ_TIME, rows).await {
            Ok(Err(_)) if connection.meter.is_limit_exceeded() => Err(too_large()),
            Ok(read) => read.map_err(|error| catalog_error(&error)),
            Err(_) => Err(unavailable_error()),
        }
    }

    /// Prepares a statement without running it.
    pub(super) async fn prepare(&mut self, text: &str) -> Result<Statement, Error> {
        let connection = self.loan.connection().map_err(|_| unavailable_error())?;
        connection.meter.reset_allowance(CATALOG_BYTES);
        match timeout(READ_TIME, connection.client.prepare(text)).await {
            Ok(prepared) => prepared.map_err(|error| preparation_error(&error)),
            Err(_) => Err(unavailable_error()),
        }
    }

    /// Gives the connection back.
    pub(super) fn give_back_connection(self) {
        self.loan.give_back();
    }
}

fn catalog_error(error: &tokio_postgres::Error) -> Error {
    let failure = failure::failure_before_commit(error);
    if failure == Failure::Denied {
        let message = "the database does not let the login read its catalog";
        return Error::new(ErrorKind::Denied, message);
    }
    error::transient_error(&failure).unwrap_or_else(|| match error.as_db_error() {
        Some(server) => {
            let message: String = server.message().chars().take(MESSAGE_CHARACTERS).collect();
            error::catalog_statement_error(&format!("SQLSTATE {}, {message}", server.code().code()))
        }
        None => error::catalog_statement_error("its values are not those that it asks for"),
    })
}

/// The code says what is wrong; the server's text may quote the statement.
fn preparation_error(error: &tokio_postgres::Error) -> Error {
    let Some(server) = error.as_db_error() else { return unavailable_error() };
    if let Some(error) = error::transient_error(&failure::failure_before_commit(error)) {
        return error;
    }
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
    let position = match server.position() {
        Some(ErrorPosition::Original(at)) => usize::try_from(*at).ok(),
        Some(ErrorPosition::Internal { .. }) | None => None,
    };
    let message = format!("{reason}; SQLSTATE: {code}");
    Error::new(ErrorKind::Statement, message).with_position(position)
}

fn too_large() -> Error {
    let message = format!("the description of the database takes more than {CATALOG_BYTES} bytes");
    Error::new(ErrorKind::Catalog, message)
}

fn unavailable_error() -> Error {
    Error::new(ErrorKind::Unavailable, "the database did not answer")
}

/// The condition of the roles whose rights are those of the login, as statements write it.
const OF_LOGIN: &str = "pg_has_role(who.oid, 'member')";

/// The time limit of one query of the catalog.
const READ_TIME: Duration = Duration::from_secs(30);

/// The characters of the server's message about a statement of our own that are shown.
const MESSAGE_CHARACTERS: usize = 200;
