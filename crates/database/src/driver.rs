//! The drivers of the engines behind one set of requests. Which statements are sent is decided elsewhere.

use std::collections::BTreeMap;

use tokio::time::Instant;

use crate::{
    catalog::Table,
    description::StatementDescription,
    endpoint::Connecting,
    engine::Engine,
    error::{Error, ErrorKind},
    login::{LoginFinding, Needs, OwnLogin},
    query_text::QueryText,
    renewal::Renewal,
    settings::TableName,
    transaction::{Access, Failure, StepResult, Transaction},
};

/// A pool of connections of one login.
#[derive(Debug)]
pub(crate) enum Driver {
    #[cfg(feature = "mysql")]
    Mysql(crate::mysql::Mysql),
    #[cfg(feature = "postgres")]
    Postgres(crate::postgres::Postgres),
    #[cfg(feature = "sqlite")]
    Sqlite(crate::sqlite::Sqlite),
}

macro_rules! each {
    ($self:expr, $driver:ident => $what:expr) => {
        match $self {
            #[cfg(feature = "mysql")]
            Self::Mysql($driver) => $what,
            #[cfg(feature = "postgres")]
            Self::Postgres($driver) => $what,
            #[cfg(feature = "sqlite")]
            Self::Sqlite($driver) => $what,
        }
    };
}

impl Driver {
    /// Opens a pool for an address, and a connection, to know that the database answers.
    pub(crate) async fn connect(settings: &Connecting) -> Result<Self, Error> {
        Self::connect_with(settings, None).await
    }

    /// As [`Driver::connect`]; if the database refuses the login, the address is read again where the driver has passwords.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "SQLite has no passwords")
    )]
    pub(crate) async fn connect_with(
        settings: &Connecting,
        renewal: Option<&Renewal>,
    ) -> Result<Self, Error> {
        let engine = Engine::of_address(settings.url.expose());
        match engine {
            #[cfg(feature = "mysql")]
            Some(Engine::Mysql) => crate::mysql::Mysql::connect(settings).await.map(Self::Mysql),
            #[cfg(feature = "postgres")]
            Some(Engine::Postgres) => {
                let postgres = crate::postgres::Postgres::connect_with(settings, renewal);
                postgres.await.map(Self::Postgres)
            }
            #[cfg(feature = "sqlite")]
            Some(Engine::Sqlite) => {
                crate::sqlite::Sqlite::connect(settings).await.map(Self::Sqlite)
            }
            #[cfg(not(all(feature = "mysql", feature = "postgres", feature = "sqlite")))]
            Some(engine) => Err(absent_driver(engine)),
            None => Err(Error::new(ErrorKind::Address, NOT_AN_ADDRESS)),
        }
    }

    /// A driver over the connections of this one; `None` where new ones cost nothing.
    pub(crate) fn with_same_connections(&self) -> Option<Self> {
        match self {
            #[cfg(feature = "mysql")]
            Self::Mysql(driver) => Some(Self::Mysql(driver.with_same_connections())),
            #[cfg(feature = "postgres")]
            Self::Postgres(driver) => Some(Self::Postgres(driver.with_same_connections())),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => None,
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            #[cfg(feature = "mysql")]
            Self::Mysql(_) => Engine::Mysql,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Engine::Postgres,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => Engine::Sqlite,
        }
    }

    /// The tables and views of these names. A name that is not there is absent.
    pub(crate) async fn read_tables(
        &self,
        names: &[TableName],
    ) -> Result<BTreeMap<TableName, Table>, Error> {
        each!(self, driver => driver.read_tables(names).await)
    }

    /// The names of all tables and views that the login sees, for `init`.
    pub(crate) async fn list_tables(&self) -> Result<Vec<TableName>, Error> {
        each!(self, driver => driver.list_tables().await)
    }

    /// The rights of the login beyond those that the tools need.
    pub(crate) async fn check_login(&self, needs: &Needs) -> Result<Vec<LoginFinding>, Error> {
        each!(self, driver => driver.check_login(needs).await)
    }

    /// A login of its own for tools with these needs.
    pub(crate) async fn propose_login(&self, needs: &Needs) -> Result<OwnLogin, Error> {
        match self {
            #[cfg(feature = "mysql")]
            Self::Mysql(_) => {
                let statements =
                    crate::login::own_login::login_statements(Engine::Mysql, None, needs);
                Ok(OwnLogin { statements, allowed: Vec::new() })
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(driver) => driver.propose_login(needs).await,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => Ok(OwnLogin::default()),
        }
    }

    /// Prepares a statement of the operator without running it.
    pub(crate) async fn describe(&self, text: &str) -> Result<StatementDescription, Error> {
        each!(self, driver => driver.describe(text).await)
    }

    /// Prepares a statement of a principal's call without running it.
    pub(crate) async fn describe_for(
        &self,
        principal: &str,
        text: &str,
    ) -> Result<StatementDescription, Error> {
        each!(self, driver => driver.describe_for(principal, text).await)
    }

    /// A model's text as the database may get it. One that it must not get is an error of the kind `Statement`.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, clippy::unused_async, reason = "only PostgreSQL is asked")
    )]
    pub(crate) async fn permitted_query_text(
        &self,
        principal: &str,
        sql: &str,
    ) -> Result<QueryText, Error> {
        #[cfg(any(feature = "mysql", feature = "sqlite"))]
        let whole_unless = |refused: Option<String>| match refused {
            Some(refused) => Err(Error::new(ErrorKind::Statement, refused)),
            None => Ok(QueryText { with: String::new(), sql: sql.to_owned() }),
        };
        match self {
            #[cfg(feature = "mysql")]
            Self::Mysql(_) => whole_unless(crate::mysql::refused_part(sql)),
            #[cfg(feature = "postgres")]
            Self::Postgres(driver) => driver.permitted_query_text(principal, sql).await,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(driver) => whole_unless(driver.refused_part(sql)),
        }
    }

    /// Runs a transaction until `deadline`. A dropped future cancels it on the server, and its connection is closed.
    pub(crate) async fn run(
        &self,
        transaction: Transaction,
        deadline: Instant,
    ) -> Result<Vec<StepResult>, Failure> {
        let access = transaction.access;
        let ran = each!(self, driver => driver.run(transaction, deadline).await);
        ran.map_err(|failure| match failure {
            // The transaction is one that only reads.
            Failure::ReadOnly if access == Access::Read => Failure::Denied,
            failure => failure,
        })
    }
}

const NOT_AN_ADDRESS: &str = "the address of a database begins with `postgres:`, `postgresql:`, `mysql:`, `mariadb:` or \
    `sqlite:`";

#[cfg(not(all(feature = "mysql", feature = "postgres", feature = "sqlite")))]
fn absent_driver(engine: Engine) -> Error {
    let (name, features) = (engine.facts().product, engine.facts().schemes);
    let feature = features.first().copied().unwrap_or_default();
    let message = format!("{name} is not in this build, which lacks the feature `{feature}`");
    Error::new(ErrorKind::Feature, message)
}
