//! Reads the catalog and the rights of the login: what is asked at load, outside calls.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{
    client::PreparedStatement,
    connection::CATALOG_BYTES,
    failure::{self, CommandError, unavailable},
    limits::Limits,
    pool::{Loan, Pool},
};
use crate::{error::Error, shares::OPERATOR, transaction::Rows};

/// A connection that reads.
pub(super) struct CatalogReader {
    loan: Loan,
}

impl CatalogReader {
    /// A connection for a load.
    pub(super) async fn open(pool: &Pool) -> Result<Self, Error> {
        Self::open_for(OPERATOR, pool).await
    }

    pub(super) async fn open_for(principal: &str, pool: &Pool) -> Result<Self, Error> {
        let mut loan = pool.borrow_for_catalog(principal).await?;
        // A call before may have left its own limits: rows of the catalog beyond them would not come.
        if loan.is_reused {
            let connection = loan.connection().map_err(|_| unavailable())?;
            connection.meter.reset_allowance(CATALOG_BYTES);
            let set =
                timeout(READ_TIME, connection.set_limits(Limits::of_catalog(READ_TIME))).await;
            set.map_err(|_| unavailable())?.map_err(|_| unavailable())?;
        }
        Ok(Self { loan })
    }

    /// A connection that nobody else uses afterwards.
    pub(super) async fn open_exclusive(pool: &Pool) -> Result<Self, Error> {
        let mut reader = Self::open(pool).await?;
        reader.loan.is_for_one = true;
        Ok(reader)
    }

    pub(super) fn is_mariadb(&mut self) -> Result<bool, Error> {
        Ok(self.loan.connection().map_err(|_| unavailable())?.is_mariadb)
    }

    /// The rows of a query, whose values are texts.
    pub(super) async fn read_rows(&mut self, text: &str, values: &[&str]) -> Result<Rows, Error> {
        let mut rows = self.read_pipelined_rows(&[(&Arc::from(text), values)]).await?;
        rows.pop().ok_or_else(unavailable)
    }

    /// The rows of queries that are sent together, of which there are few.
    pub(super) async fn read_pipelined_rows(
        &mut self,
        asked: &[(&Arc<str>, &[&str])],
    ) -> Result<Vec<Rows>, Error> {
        let connection = self.loan.connection().map_err(|_| unavailable())?;
        connection.meter.reset_allowance(CATALOG_BYTES);
        match timeout(READ_TIME, connection.run_pipelined(asked)).await {
            Ok(Ok(replies)) => Ok(replies.into_iter().map(|reply| reply.rows).collect()),
            Ok(Err(error)) => Err(failure::catalog_reading_error(&error)),
            Err(_) => Err(unavailable()),
        }
    }

    /// Prepares a statement without running it.
    pub(super) async fn prepare(
        &mut self,
        text: &Arc<str>,
    ) -> Result<Arc<PreparedStatement>, Error> {
        let connection = self.loan.connection().map_err(|_| unavailable())?;
        connection.meter.reset_allowance(CATALOG_BYTES);
        let prepared = timeout(READ_TIME, connection.prepare_missing(&[text])).await;
        let prepared = prepared.map_err(|_| unavailable())?;
        prepared.map_err(|error| failure::of_preparing(&error, text))?;
        connection.prepared_statement(text).ok_or_else(unavailable)
    }

    /// Prepares statements that are sent together, without running them: `None` for one that the login may not run.
    pub(super) async fn prepare_each(
        &mut self,
        texts: &[Arc<str>],
    ) -> Result<Vec<Option<Arc<PreparedStatement>>>, Error> {
        let connection = self.loan.connection().map_err(|_| unavailable())?;
        connection.meter.reset_allowance(CATALOG_BYTES);
        let asked: Vec<_> = texts.iter().collect();
        match timeout(READ_TIME, connection.prepare_missing(&asked)).await {
            Ok(Ok(()) | Err(CommandError::Constraint { .. } | CommandError::Server(_))) => {
                Ok(texts.iter().map(|text| connection.prepared_statement(text)).collect())
            }
            Ok(Err(CommandError::Lost)) | Err(_) => Err(unavailable()),
        }
    }

    /// Gives the connection back.
    pub(super) fn give_back_connection(self) {
        self.loan.give_back();
    }
}

/// The time limit of one query of the catalog.
const READ_TIME: Duration = Duration::from_secs(30);
