//! The driver of PostgreSQL: connections, the catalog, the rights of the login, and transactions. The statements of tools are
//! made elsewhere; here are only those that read the catalog.

mod address;
mod catalog;
mod connection;
mod describe;
mod dial;
mod failure;
mod listing;
mod login;
mod pool;
mod query_text;
mod reader;
mod run;
mod stream;
#[cfg(test)]
mod tests;
mod value;

use std::{
    collections::BTreeMap,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::time::Instant;

use self::{dial::Dialling, listing::Listing, pool::Pool, reader::CatalogReader};
use crate::{
    catalog::Table,
    description::StatementDescription,
    endpoint::Connecting,
    error::{Error, ErrorKind},
    login::{LoginFinding, Needs, OwnLogin},
    pool::{Origin, PendingTransaction},
    query_text::QueryText,
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
    /// The tables that a model's text reads, if a list keeps it from others. It leaves nothing behind on a connection.
    listing: OnceLock<Listing>,
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
        pool.borrow_for_catalog(OPERATOR).await?.give_back();
        let is_read_only = connecting.is_read_only;
        Ok(Self::with_pool(pool, is_read_only))
    }

    /// A driver over the connections of this one.
    pub(crate) fn with_same_connections(&self) -> Self {
        Self::with_pool(self.pool.clone(), self.is_read_only)
    }

    fn with_pool(pool: Pool, is_read_only: bool) -> Self {
        let is_for_query = AtomicBool::new(false);
        Self { pool, is_read_only, is_for_query, listing: OnceLock::new() }
    }

    pub(crate) async fn read_tables(
        &self,
        names: &[TableName],
    ) -> Result<BTreeMap<TableName, Table>, Error> {
        catalog::read_tables(&self.pool, names).await
    }

    pub(crate) async fn list_tables(&self) -> Result<Vec<TableName>, Error> {
        catalog::list_tables(&self.pool).await
    }

    pub(crate) async fn check_login(&self, needs: &Needs) -> Result<Vec<LoginFinding>, Error> {
        let is_for_query = needs.is_for_query && needs.offered.is_empty();
        self.is_for_query.store(is_for_query, Ordering::Relaxed);
        let findings = login::findings(&self.pool, needs).await?;
        if !needs.offered.is_empty() {
            self.listing.get_or_init(|| Listing::new(&needs.offered));
        }
        if is_for_query {
            let schemas = needs.tables.keys();
            // In the order of their names.
            let mut schemas: Vec<&str> =
                schemas.map(|table| table.schema.as_deref().unwrap_or("public")).collect();
            schemas.dedup();
            self.pool.dialling().set_search_path(schemas.into_iter());
            self.pool.close_idle();
        }
        Ok(findings)
    }

    pub(crate) async fn propose_login(&self, needs: &Needs) -> Result<OwnLogin, Error> {
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

    /// A model's text as the server may get it.
    pub(crate) async fn permitted_query_text(
        &self,
        principal: &str,
        sql: &str,
    ) -> Result<QueryText, Error> {
        let Some(listing) = self.listing.get() else {
            let refused = query_text::tokens_without_catalog_names(sql).err();
            let refused = refused.map(|refused| Error::new(ErrorKind::Statement, refused));
            return refused
                .map_or_else(|| Ok(QueryText { with: String::new(), sql: sql.to_owned() }), Err);
        };
        let mut reader = CatalogReader::open_for(principal, &self.pool).await?;
        let text = listing.permitted_query_text(&mut reader, sql).await;
        reader.give_back_connection();
        text
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
        let (transaction, origin) = (&transaction, Origin::Operator);
        let asked = PendingTransaction { transaction, deadline, origin, is_for_one: is_for_query };
        self.pool.run_with_retry(asked).await
    }
}
