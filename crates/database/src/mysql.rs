//! The driver of MariaDB and MySQL: connections, the catalog, the rights of the login, and transactions. It speaks the servers'
//! protocol itself, over the connections of `transport`. The statements of tools are made elsewhere; here are only those that
//! read the catalog.

mod address;
mod catalog;
mod client;
mod connection;
mod conversation;
mod describe;
mod failure;
mod handshake;
mod limits;
mod login;
mod password;
mod payload;
mod pool;
mod query_text;
mod reader;
mod row;
mod run;
#[cfg(test)]
mod tests;
mod wire;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::time::Instant;

pub use self::conversation::mysql_values;
pub(crate) use self::query_text::refused_part;
use self::{connection::Dialling, pool::Pool};
use crate::{
    catalog::Table,
    description::StatementDescription,
    endpoint::Connecting,
    error::Error,
    login::{LoginFinding, Needs},
    pool::{Origin, PendingTransaction},
    settings::TableName,
    shares::OPERATOR,
    transaction::{Access, Failure, StepResult, Transaction},
};

/// A pool of connections to MariaDB or MySQL.
#[derive(Debug)]
pub(crate) struct Mysql {
    pool: Pool,
    /// The database that unqualified names are of.
    database: String,
    is_read_only: bool,
    /// True if a model writes statements. A connection serves one of them: it may have left locks behind.
    is_for_query: AtomicBool,
    /// The statements of the operator.
    described: Mutex<BTreeSet<Arc<str>>>,
}

impl Mysql {
    /// Opens the first connection, which shows that the address and the login are right.
    pub(crate) async fn connect(connecting: &Connecting) -> Result<Self, Error> {
        let dialling = Dialling::new(connecting)?;
        let database = dialling.database().to_owned();
        let pool = Pool::new(dialling, connecting.limits.connections);
        pool.borrow_for_catalog(OPERATOR).await?.give_back();
        let is_read_only = connecting.is_read_only;
        Ok(Self::with_pool(pool, database, is_read_only))
    }

    /// A driver over the same connections, for a load of its own.
    pub(crate) fn with_same_connections(&self) -> Self {
        Self::with_pool(self.pool.clone(), self.database.clone(), self.is_read_only)
    }

    fn with_pool(pool: Pool, database: String, is_read_only: bool) -> Self {
        let is_for_query = AtomicBool::new(false);
        Self { pool, database, is_read_only, is_for_query, described: Mutex::default() }
    }

    pub(crate) async fn read_tables(
        &self,
        names: &[TableName],
    ) -> Result<BTreeMap<TableName, Table>, Error> {
        catalog::read_tables(&self.pool, &self.database, names).await
    }

    pub(crate) async fn list_tables(&self) -> Result<Vec<TableName>, Error> {
        catalog::list_tables(&self.pool).await
    }

    pub(crate) async fn check_login(&self, needs: &Needs) -> Result<Vec<LoginFinding>, Error> {
        self.is_for_query.store(needs.is_for_query, Ordering::Relaxed);
        login::findings(&self.pool, &self.database, needs).await
    }

    pub(crate) async fn describe(&self, text: &str) -> Result<StatementDescription, Error> {
        self.describe_for(OPERATOR, text).await
    }

    pub(crate) async fn describe_for(
        &self,
        principal: &str,
        text: &str,
    ) -> Result<StatementDescription, Error> {
        let text = Arc::from(text);
        let described = describe::describe(&self.pool, principal, &text).await?;
        if !self.is_for_query.load(Ordering::Relaxed) {
            self.described_texts().insert(text);
        }
        Ok(described)
    }

    pub(crate) async fn run(
        &self,
        transaction: Transaction,
        deadline: Instant,
    ) -> Result<Vec<StepResult>, Failure> {
        let is_for_query = self.is_for_query.load(Ordering::Relaxed);
        if (self.is_read_only || is_for_query) && transaction.access == Access::Write {
            return Err(Failure::Denied);
        }
        let is_described = {
            let described = self.described_texts();
            transaction.steps.iter().any(|step| described.contains(&step.text))
        };
        // What a model's text leaves in the session is forgotten, as that of the operator.
        let is_foreign = is_described || is_for_query;
        let origin = if is_foreign { Origin::Operator } else { Origin::Callgate };
        let transaction = &transaction;
        let asked = PendingTransaction { transaction, deadline, origin, is_for_one: false };
        self.pool.run_with_retry(asked).await
    }

    fn described_texts(&self) -> MutexGuard<'_, BTreeSet<Arc<str>>> {
        self.described.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
