//! One connection: what holds for all its transactions, and the statements that it has prepared. What holds was sent with the start
//! of the connection and is read back, since a pooler in front of a server may drop it. `dial` opens connections.

use std::{
    collections::{BTreeMap, VecDeque},
    future::poll_fn,
    sync::Arc,
};

use futures_util::future::try_join_all;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Statement, types::Type};

use super::{failure, stream::SecuredStream, value};
use crate::{
    error::{Error, ErrorKind},
    meter::{Meter, MeteredStream},
    transaction::Failure,
};

/// An open connection. It is closed when it is dropped.
pub(super) struct Connection {
    pub(super) client: Client,
    driver: JoinHandle<()>,
    pub(super) meter: Arc<Meter>,
    pub(super) ends: Ends,
    /// The bytes that the replies of one transaction may have.
    pub(super) allowance: u64,
    /// The way to set what holds in one transaction.
    pub(super) may_set: MaySet,
    statements: BTreeMap<Arc<str>, Statement>,
    /// The texts of `statements`, the oldest first.
    order: VecDeque<Arc<str>>,
}

/// The way that a login has to set what holds in one transaction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum MaySet {
    /// Calls of `set_config`.
    Calls,
    /// `SET LOCAL`.
    Statements,
}

/// The statements that begin and end transactions.
pub(super) struct Ends {
    pub(super) read: Statement,
    pub(super) write: Statement,
    pub(super) commit: Statement,
    pub(super) rollback: Statement,
}

/// Moves the bytes of a connection. The library's own loop writes the server's notices to the log; this one drops them.
pub(super) async fn drive_without_notices(
    mut connection: tokio_postgres::Connection<MeteredStream, impl Driven>,
) {
    while let Some(Ok(_)) = poll_fn(|context| connection.poll_message(context)).await {}
}

/// The streams that the library can drive: connections with and without TLS.
pub(super) trait Driven: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin {}

impl Driven for SecuredStream {}
impl Driven for tokio_postgres::tls::NoTlsStream {}

impl Connection {
    pub(super) async fn with_client(
        client: Client,
        driver: JoinHandle<()>,
        meter: Arc<Meter>,
        search_path: &str,
    ) -> Result<Self, Error> {
        meter.reset_allowance(CATALOG_BYTES);
        let texts = [
            "begin isolation level read committed read only",
            "begin isolation level read committed read write",
            "commit",
            "rollback",
            SET_UP,
        ];
        let prepared = try_join_all(texts.map(|text| client.prepare_typed(text, &[]))).await;
        let prepared = <[Statement; 5]>::try_from(prepared.map_err(opening_error)?);
        let Ok([read, write, commit, rollback, set_up]) = prepared else {
            return Err(unreachable_now());
        };
        let rows = client.query(&set_up, &[]).await.map_err(opening_error)?;
        let setup_values = rows.first().and_then(|row| value::texts(row).ok()).unwrap_or_default();
        let mut setup_values = setup_values.into_iter().map(Option::unwrap_or_default);
        let may_set = match setup_values.next().as_deref() {
            Some("true") => MaySet::Calls,
            _ => MaySet::Statements,
        };
        let version: u32 =
            setup_values.next().and_then(|text| text.parse().ok()).unwrap_or_default();
        if version < OLDEST {
            return Err(Error::new(ErrorKind::Denied, "the server is older than PostgreSQL 13"));
        }
        let values = SETTINGS.iter().map(|(_, value)| *value).chain([search_path]);
        if !setup_values.eq(values.map(str::to_owned)) {
            return Err(Error::new(ErrorKind::Denied, IGNORES_SETTINGS));
        }
        let ends = Ends { read, write, commit, rollback };
        let (statements, order) = (BTreeMap::new(), VecDeque::new());
        let allowance = LEAST_ALLOWANCE;
        Ok(Self { client, driver, meter, ends, allowance, may_set, statements, order })
    }

    /// A statement that was prepared before.
    pub(super) fn prepared_statement(&self, text: &str) -> Option<Statement> {
        self.statements.get(text).cloned()
    }

    /// Keeps a statement. The oldest one goes when there are too many.
    pub(super) fn keep_statement(&mut self, text: &Arc<str>, statement: Statement) -> Statement {
        if self.order.len() >= MOST_STATEMENTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.statements.remove(&oldest);
        }
        self.order.push_back(Arc::clone(text));
        self.statements.insert(Arc::clone(text), statement.clone());
        statement
    }

    /// Prepares a statement with values that are texts.
    pub(super) async fn prepare_with_text_values(
        &self,
        text: &str,
        n_values: usize,
    ) -> Result<Statement, tokio_postgres::Error> {
        self.client.prepare_typed(text, &vec![Type::TEXT; n_values]).await
    }

    /// The failure of a statement before a commit was sent.
    pub(super) fn failure_before_commit(&self, error: &tokio_postgres::Error) -> Failure {
        if self.meter.is_limit_exceeded() {
            Failure::TooLarge
        } else {
            failure::failure_before_commit(error)
        }
    }

    /// True if the connection is known to be closed.
    pub(super) fn is_closed(&self) -> bool {
        self.driver.is_finished()
    }

    /// Ends the transaction, if there is one.
    pub(super) async fn roll_back(&self) -> Result<(), tokio_postgres::Error> {
        self.client.execute(&self.ends.rollback, &[]).await.map(drop)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// A connection that could not be opened. The server's text is left out.
pub(super) fn opening_error(error: tokio_postgres::Error) -> Error {
    let code = error.code().map(|code| code.code().to_owned()).unwrap_or_default();
    match (code.get(..2).unwrap_or_default(), &*code) {
        ("28", _) | (_, "42501") => Error::new(ErrorKind::Denied, "the database refuses the login"),
        (_, "53300") => Error::new(ErrorKind::Busy, "the server has no connection left"),
        (_, "3D000") => Error::new(ErrorKind::Denied, "the server has no database of this name"),
        (_, "08P01" | "22023" | "42704") => Error::new(ErrorKind::Denied, IGNORES_SETTINGS),
        ("", _) => {
            let own = error
                .into_source()
                .and_then(|source| source.downcast::<callgate_transport::Error>().ok());
            match own {
                Some(own) => unreachable_now().with_source(*own),
                None => unreachable_now(),
            }
        }
        _ => unreachable_now(),
    }
}

pub(super) fn unreachable_now() -> Error {
    Error::new(ErrorKind::Unavailable, "no connection to the database")
}

/// The settings of every connection. They precede those of the login and the database.
pub(super) const SETTINGS: [(&str, &str); 11] = [
    // Only a transaction that says otherwise writes.
    ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "read committed"),
    ("row_security", "on"),
    ("standard_conforming_strings", "on"),
    // The server compiles a statement that it expects to be long, which takes longer than all that reads a catalog.
    ("jit", "off"),
    // One way to write each value, by which it is read.
    ("TimeZone", "UTC"),
    ("DateStyle", "ISO, YMD"),
    ("IntervalStyle", "iso_8601"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("lc_monetary", "C"),
];

const SET_UP: &str = "select pg_catalog.has_function_privilege('pg_catalog.set_config(text,text,boolean)', 'execute'), \
    pg_catalog.current_setting('server_version_num'), \
    pg_catalog.current_setting('default_transaction_read_only'), \
    pg_catalog.current_setting('default_transaction_isolation'), \
    pg_catalog.current_setting('row_security'), \
    pg_catalog.current_setting('standard_conforming_strings'), \
    pg_catalog.current_setting('jit'), \
    pg_catalog.current_setting('TimeZone'), \
    pg_catalog.current_setting('DateStyle'), \
    pg_catalog.current_setting('IntervalStyle'), \
    pg_catalog.current_setting('extra_float_digits'), \
    pg_catalog.current_setting('bytea_output'), \
    pg_catalog.current_setting('lc_monetary'), \
    pg_catalog.current_setting('search_path')";

/// Names of tools are qualified, and no temporary table or function stands in for another.
pub(super) const SEARCH_PATH: &str = "pg_catalog,pg_temp";

const IGNORES_SETTINGS: &str = "a pooler such as PgBouncer does not take the settings that a connection starts with: \
    address the server itself";

/// PostgreSQL 13, in the form of `server_version_num`.
const OLDEST: u32 = 130_000;

/// The statements that a connection keeps: conditions in other combinations are other statements.
const MOST_STATEMENTS: usize = 256;

/// Catalogs of databases with thousands of tables take a few megabytes.
pub(super) const CATALOG_BYTES: u64 = 64 << 20;

/// The bytes that a result with its names and the cut ends of its values takes, as a rule.
pub(super) const LEAST_ALLOWANCE: u64 = 4 << 20;
