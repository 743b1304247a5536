//! The driver of `SQLite`: connections to one file, its catalog, the rights that statements have, and transactions. Each use
//! of a connection runs on a thread that may block; the statements come from elsewhere.

mod address;
mod authorizer;
mod call;
mod catalog;
mod connection;
mod declared_type;
mod describe;
mod failure;
mod functions;
mod login;
mod pool;
mod query_text;
mod rights;
mod rows;
mod run;
mod snapshot;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use tokio::time::Instant;

use self::{
    connection::Session,
    pool::{Pool, Usage},
};
use crate::{
    catalog::Table,
    description::StatementDescription,
    endpoint::Connecting,
    error::Error,
    login::{LoginFinding, Needs},
    settings::TableName,
    shares::OPERATOR,
    transaction::{Access, Failure, StepResult, Transaction},
};

/// A pool of connections to a file of `SQLite`.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pool: Arc<Pool>,
}

impl Sqlite {
    pub(crate) async fn connect(settings: &Connecting) -> Result<Self, Error> {
        let file = address::file(settings.url.expose(), &settings.base)?;
        let pool = Arc::new(Pool::new(file, settings));
        let checked = pool.use_connection(Access::Read, pool.operator_usage(), |session| {
            session.schema_version()
        });
        checked.await.map_err(|failure| failure::catalog_reading_error(&failure))?;
        Ok(Self { pool })
    }

    pub(crate) async fn read_tables(
        &self,
        names: &[TableName],
    ) -> Result<BTreeMap<TableName, Table>, Error> {
        let names = names.to_vec();
        let pool = Arc::clone(&self.pool);
        let work =
            self.pool.use_connection(Access::Read, self.pool.operator_usage(), move |session| {
                let digest = session.schema_digest()?;
                let tables = session
                    .read_catalog_uncached(|connection| catalog::read_tables(connection, &names))?;
                pool.snapshot().add_tables(&tables, digest);
                Ok(tables)
            });
        work.await.map_err(|failure| failure::catalog_reading_error(&failure))
    }

    pub(crate) async fn list_tables(&self) -> Result<Vec<TableName>, Error> {
        let work = self.pool.use_connection(Access::Read, self.pool.operator_usage(), |session| {
            session.read_catalog_uncached(catalog::list_tables)
        });
        work.await.map_err(|failure| failure::catalog_reading_error(&failure))
    }

    pub(crate) async fn check_login(&self, needs: &Needs) -> Result<Vec<LoginFinding>, Error> {
        let needs = needs.clone();
        let pool = Arc::clone(&self.pool);
        let access = if self.pool.is_read_only() { Access::Read } else { Access::Write };
        let work = self.pool.use_connection(access, self.pool.operator_usage(), move |session| {
            let rights = session.rights_for(&needs)?;
            let mut findings = login::of_views(&rights, &needs);
            pool.snapshot().set_rights(rights);
            let of_file = |connection: &_| login::file_findings(connection, pool.file(), access);
            findings.extend(session.run_as_driver(of_file)?);
            Ok(findings)
        });
        work.await.map_err(|failure| failure::catalog_reading_error(&failure))
    }

    pub(crate) async fn describe(&self, text: &str) -> Result<StatementDescription, Error> {
        self.describe_for(OPERATOR, text).await
    }

    pub(crate) async fn describe_for(
        &self,
        principal: &str,
        text: &str,
    ) -> Result<StatementDescription, Error> {
        let text: Arc<str> = text.into();
        let pool = Arc::clone(&self.pool);
        let access = if self.pool.is_read_only() { Access::Read } else { Access::Write };
        let preparation = self.pool.preparation_usage(principal);
        let work = self.pool.use_connection(access, preparation, move |session| {
            describe_statement(session, &pool, text)
        });
        work.await.map_err(|failure| failure::of_statement(&failure))
    }

    /// The first part of a model's text that the engine must not get, in words.
    pub(crate) fn refused_part(&self, sql: &str) -> Option<String> {
        query_text::refused_part(sql, &self.pool.snapshot().combined_rights())
    }

    pub(crate) async fn run(
        &self,
        transaction: Transaction,
        deadline: Instant,
    ) -> Result<Vec<StepResult>, Failure> {
        if transaction.access == Access::Write && self.pool.is_read_only() {
            return Err(Failure::Denied);
        }
        let pool = Arc::clone(&self.pool);
        let (access, principal) = (transaction.access, Arc::clone(&transaction.principal));
        let rows_read = self.pool.limits().rows_read;
        let steps = rows_read.map(|rows| STEPS_OF_ROW.saturating_mul(rows as u64));
        let usage = Usage { principal: &principal, deadline, steps };
        let work = self
            .pool
            .use_connection(access, usage, move |session| run::run(session, &pool, &transaction));
        work.await
    }
}

/// The steps of the engine that stand for a row: a condition on a column takes about eight.
const STEPS_OF_ROW: u64 = 16;

/// Prepares a statement. What one of the operator touches, calls may touch from then on; one of a model touches what it may.
fn describe_statement(
    session: &mut Session,
    pool: &Pool,
    text: Arc<str>,
) -> Result<StatementDescription, Failure> {
    if pool.snapshot().is_for_query() {
        let rights = pool.snapshot().combined_rights();
        return session.run_within_rights(&rights, &text, |connection| {
            describe::statement_description(connection, &text)
                .map_err(|error| failure::from_error(&error))
        });
    }
    let (described, touched) = session
        .run_recording_rights(|connection| describe::statement_description(connection, &text))?;
    // `VACUUM INTO` changes no row, and is asked about when it runs.
    if described.is_read == Some(false) && !touched.allows_changes() {
        return Err(Failure::Denied);
    }
    pool.snapshot().add_statement(text, described.clone(), &touched);
    Ok(described)
}
