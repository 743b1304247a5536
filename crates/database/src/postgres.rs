//! The driver of PostgreSQL: connections, the catalog, the rights of the login, and transactions. The statements of tools are
//! made elsewhere; here are only those that read the catalog.

mod address;
mod catalog;
mod connection;
mod describe;
mod dial;
mod failure;
mod login;
mod pool;
mod reader;
mod run;
mod stream;
#[cfg(test)]
mod tests;
mod value;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use tokio::time::{Instant, timeout_at};

use self::{
    dial::Dialling,
    pool::{Loan, Pool},
    run::Ending,
};
use crate::{
    catalog::Table,
    description::StatementDescription,
    endpoint::Connecting,
    error::Error,
    login::{LoginFinding, Needs, OwnLogin},
    renewal::Renewal,
    settings::TableName,
    shares::OPERATOR,
    transaction::{Access, Failure, StepResult, Transaction},
};

/// A pool of connections to PostgreSQL.
#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    is_read_only: bool,
    /// True if a model writes statements. A connection serves one of them: it may have left locks behind.
    is_for_query: AtomicBool,
}

impl Postgres {
    /// Opens the first connection, which shows that the address and the login are right.
    #[cfg(test)]
    pub(crate) async fn connect(connecting: &Connecting) -> Result<Self, Error> {
        Self::connect_with(connecting, None).await
    }

    /// Opens the first connection, which shows that the address and the login are right.
    pub(crate) async fn connect_with(
        connecting: &Connecting,
        renewal: Option<&Renewal>,
    ) -> Result<Self, Error> {
        let dialling = Dialling::new(connecting, renewal.cloned())?;
        let pool = Pool::new(dialling, connecting.limits.connections);
        pool.reader(OPERATOR).await?.give_back();
        let is_read_only = connecting.is_read_only;
        Ok(Self { pool, is_read_only, is_for_query: AtomicBool::new(false) })
    }

    /// A driver over the connections of this one.
    pub(crate) fn sharing(&self) -> Self {
        let is_for_query = AtomicBool::new(false);
        Self { pool: self.pool.clone(), is_read_only: self.is_read_only, is_for_query }
    }

    pub(crate) async fn tables(
        &self,
        names: &[TableName],
    ) -> Result<BTreeMap<TableName, Table>, Error> {
        catalog::tables(&self.pool, names).await
    }

    pub(crate) async fn all_tables(&self) -> Result<Vec<TableName>, Error> {
        catalog::all_tables(&self.pool).await
    }

    pub(crate) async fn login(&self, needs: &Needs) -> Result<Vec<LoginFinding>, Error> {
        self.is_for_query.store(needs.is_for_query, Ordering::Relaxed);
        let findings = login::findings(&self.pool, needs).await?;
        if needs.is_for_query {
            let schemas = needs.tables.keys();
            // In the order of their names.
            let mut schemas: Vec<&str> =
                schemas.map(|table| table.schema.as_deref().unwrap_or("public")).collect();
            schemas.dedup();
            self.pool.dialling().look_up_in(schemas.into_iter());
            self.pool.close_idle();
        }
        Ok(findings)
    }

    pub(crate) async fn own_login(&self, needs: &Needs) -> Result<OwnLogin, Error> {
        login::own_login(&self.pool, needs).await
    }

    pub(crate) async fn describe(&self, text: &str) -> Result<StatementDescription, Error> {
        self.describe_for(OPERATOR, text).await
    }

    pub(crate) async fn describe_for(
        &self,
        principal: &str,
        text: &str,
    ) -> Result<StatementDescription, Error> {
        describe::describe(&self.pool, principal, text).await
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
        let mut loan = self.pool.loan(&transaction.principal, deadline).await?;
        loan.is_for_one = is_for_query;
        let is_reused = loan.is_reused;
        match attempt(loan, &transaction, deadline).await {
            // The server closed the connection, or forgot what it had prepared.
            Err(_) if is_reused => {
                let mut loan = self.pool.new_loan(&transaction.principal, deadline).await?;
                loan.is_for_one = is_for_query;
                attempt(loan, &transaction, deadline).await.unwrap_or_else(Err)
            }
            other => other.unwrap_or_else(Err),
        }
    }
}

/// One attempt; the outer failure says that nothing was run.
async fn attempt(
    mut loan: Loan,
    transaction: &Transaction,
    deadline: Instant,
) -> Result<Result<Vec<StepResult>, Failure>, Failure> {
    let connection = loan.connection()?;
    connection.meter.allow(connection.allowance);
    let is_committing = AtomicBool::new(false);
    let ran = run::run(connection, transaction, deadline, &is_committing);
    match timeout_at(deadline, ran).await {
        Ok(Ending::Ended(came)) => {
            // Nobody gets a connection whose statement ran out of time, or whose server said what is no answer.
            loan.is_for_one |= matches!(came, Err(Failure::TimedOut { .. } | Failure::Lost { .. }));
            loan.give_back();
            Ok(came)
        }
        Ok(Ending::Broken(came)) => Ok(came),
        Ok(Ending::NotBegun(failure)) => Err(failure),
        // The loan is dropped, which cancels what runs.
        Err(_) => {
            Ok(Err(Failure::TimedOut { is_rolled_back: !is_committing.load(Ordering::Relaxed) }))
        }
    }
}
