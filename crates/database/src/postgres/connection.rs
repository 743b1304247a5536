//! One connection: how it is opened, what holds for all its transactions, and the statements that it has prepared. What holds
//! is sent with the start of the connection and read back, since a pooler in front of a server may drop it.

use std::{
    collections::{BTreeMap, VecDeque},
    future::poll_fn,
    sync::Arc,
    time::Duration,
};

use callgate_transport::{Network, TlsSettings};
use futures_util::future::try_join_all;
use tokio::{net::UnixStream, task::JoinHandle};
use tokio_postgres::{
    CancelToken, Client, Config, NoTls, Statement,
    config::{ChannelBinding, SslMode},
    types::Type,
};

use super::{
    address::{Address, Encryption, Target},
    stream::{Secured, Tls},
    value,
};
use crate::{
    endpoint::Connecting,
    error::{Error, ErrorKind},
    meter::{Meter, Metered},
};

/// The way to connect to a server.
#[derive(Debug)]
pub(super) struct Dialling {
    address: Address,
    network: Network,
    tls: TlsSettings,
    /// The settings of every connection, as the server takes them with its start.
    options: String,
    allowance: u64,
}

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

impl Dialling {
    pub(super) fn new(connecting: &Connecting) -> Result<Self, Error> {
        let limits = &connecting.limits;
        let time = limits.timeout.max(LEAST_TIME).as_millis();
        let times = [
            ("statement_timeout", time),
            ("idle_in_transaction_session_timeout", time.saturating_add(IDLE_MILLISECONDS)),
            ("lock_timeout", limits.lock_time.as_millis().max(1)),
        ];
        let settings = SETTINGS.map(|(name, value)| (name, value.replace(' ', "\\ ")));
        let times = times.map(|(name, time)| (name, time.to_string()));
        let settings = settings.iter().chain(&times);
        let options = settings.map(|(name, value)| format!(" -c {name}={value}")).collect();
        Ok(Self {
            address: Address::read(&connecting.url)?,
            network: connecting.network.clone(),
            tls: connecting.tls.clone(),
            options,
            allowance: (limits.result_bytes as u64)
                .saturating_mul(64)
                .saturating_add(LEAST_ALLOWANCE),
        })
    }

    /// Opens a connection. The caller sets the time limit.
    pub(super) async fn open(&self) -> Result<Connection, Error> {
        let meter = Arc::new(Meter::default());
        meter.allow(SIGN_IN_BYTES);
        let stream = self.stream(&meter).await?;
        let config = self.config();
        let (client, driver) = match self.tls() {
            None => {
                let (client, connection) =
                    config.connect_raw(stream, NoTls).await.map_err(unopened)?;
                (client, tokio::spawn(drive(connection)))
            }
            Some(tls) => {
                let (client, connection) =
                    config.connect_raw(stream, tls).await.map_err(unopened)?;
                (client, tokio::spawn(drive(connection)))
            }
        };
        let mut connection = Connection::over(client, driver, meter).await?;
        connection.allowance = self.allowance;
        Ok(connection)
    }

    /// Asks the server to end what another connection runs.
    pub(super) async fn cancel(&self, token: &CancelToken) -> Result<(), Error> {
        let meter = Arc::new(Meter::default());
        meter.allow(SIGN_IN_BYTES);
        let stream = self.stream(&meter).await?;
        let cancelled = match self.tls() {
            None => token.cancel_query_raw(stream, NoTls).await,
            Some(tls) => token.cancel_query_raw(stream, tls).await,
        };
        cancelled.map_err(unopened)
    }

    async fn stream(&self, meter: &Arc<Meter>) -> Result<Metered, Error> {
        let meter = Arc::clone(meter);
        match &self.address.target {
            Target::Socket(path) => {
                let stream = UnixStream::connect(path).await;
                let stream = stream.map_err(|source| unreachable_now().with_source(source))?;
                Ok(Metered::new(stream, meter))
            }
            Target::Tcp { host, port } => {
                let stream = self.network.dial(host, *port, None).await;
                let stream = stream.map_err(|source| unreachable_now().with_source(source))?;
                Ok(Metered::new(stream, meter))
            }
        }
    }

    fn tls(&self) -> Option<Tls> {
        match (&self.address.target, self.address.encryption) {
            (Target::Tcp { host, .. }, Encryption::Verified) => Some(Tls {
                network: self.network.clone(),
                settings: self.tls.clone(),
                host: host.clone(),
            }),
            _ => None,
        }
    }

    fn config(&self) -> Config {
        let address = &self.address;
        let mut config = Config::new();
        config.user(&address.user).dbname(&address.database);
        config.options(&self.options).application_name("callgate");
        if let Some(password) = &address.password {
            config.password(password.expose());
        }
        config.ssl_mode(match address.encryption {
            Encryption::None => SslMode::Disable,
            Encryption::Verified => SslMode::Require,
        });
        if address.needs_binding {
            config.channel_binding(ChannelBinding::Require);
        }
        config
    }
}

/// Moves the bytes of a connection. The library's own loop writes the server's notices to the log; this one drops them.
async fn drive(mut connection: tokio_postgres::Connection<Metered, impl Driven>) {
    while let Some(Ok(_)) = poll_fn(|context| connection.poll_message(context)).await {}
}

/// The streams that the library can drive: connections with and without TLS.
trait Driven: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin {}

impl Driven for Secured {}
impl Driven for tokio_postgres::tls::NoTlsStream {}

impl Connection {
    async fn over(
        client: Client,
        driver: JoinHandle<()>,
        meter: Arc<Meter>,
    ) -> Result<Self, Error> {
        meter.allow(CATALOG_BYTES);
        let texts = [
            "begin isolation level read committed read only",
            "begin isolation level read committed read write",
            "commit",
            "rollback",
            SET_UP,
        ];
        let prepared = try_join_all(texts.map(|text| client.prepare_typed(text, &[]))).await;
        let prepared = <[Statement; 5]>::try_from(prepared.map_err(unopened)?);
        let Ok([read, write, commit, rollback, set_up]) = prepared else {
            return Err(unreachable_now());
        };
        let rows = client.query(&set_up, &[]).await.map_err(unopened)?;
        let found = rows.first().and_then(|row| value::texts(row).ok()).unwrap_or_default();
        let mut found = found.into_iter().map(Option::unwrap_or_default);
        let may_set = match found.next().as_deref() {
            Some("true") => MaySet::Calls,
            _ => MaySet::Statements,
        };
        let version: u32 = found.next().and_then(|text| text.parse().ok()).unwrap_or_default();
        if version < OLDEST {
            return Err(Error::new(ErrorKind::Denied, "the server is older than PostgreSQL 13"));
        }
        if !found.eq(SETTINGS.iter().map(|(_, value)| (*value).to_owned())) {
            return Err(Error::new(ErrorKind::Denied, IGNORES_SETTINGS));
        }
        let ends = Ends { read, write, commit, rollback };
        let (statements, order) = (BTreeMap::new(), VecDeque::new());
        let allowance = LEAST_ALLOWANCE;
        Ok(Self { client, driver, meter, ends, allowance, may_set, statements, order })
    }

    /// A statement that was prepared before.
    pub(super) fn prepared(&self, text: &str) -> Option<Statement> {
        self.statements.get(text).cloned()
    }

    /// Keeps a statement. The oldest one goes when there are too many.
    pub(super) fn keep(&mut self, text: &Arc<str>, statement: Statement) -> Statement {
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
    pub(super) async fn prepare(
        &self,
        text: &str,
        n_values: usize,
    ) -> Result<Statement, tokio_postgres::Error> {
        self.client.prepare_typed(text, &vec![Type::TEXT; n_values]).await
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
fn unopened(error: tokio_postgres::Error) -> Error {
    let code = error.code().map(|code| code.code().to_owned()).unwrap_or_default();
    match (code.get(..2).unwrap_or_default(), &*code) {
        ("28", _) | (_, "42501") => Error::new(ErrorKind::Denied, "the database refuses the login"),
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

fn unreachable_now() -> Error {
    Error::new(ErrorKind::Unavailable, "no connection to the database")
}

/// The settings of every connection. They precede those of the login and the database.
const SETTINGS: [(&str, &str); 11] = [
    // Only a transaction that says otherwise writes.
    ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "read committed"),
    ("row_security", "on"),
    // Names are qualified, and no temporary table or function stands in for another.
    ("search_path", "pg_catalog,pg_temp"),
    ("standard_conforming_strings", "on"),
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
    pg_catalog.current_setting('search_path'), \
    pg_catalog.current_setting('standard_conforming_strings'), \
    pg_catalog.current_setting('TimeZone'), \
    pg_catalog.current_setting('DateStyle'), \
    pg_catalog.current_setting('IntervalStyle'), \
    pg_catalog.current_setting('extra_float_digits'), \
    pg_catalog.current_setting('bytea_output'), \
    pg_catalog.current_setting('lc_monetary')";

const IGNORES_SETTINGS: &str = "a pooler such as PgBouncer does not take the settings that a connection starts with: \
    address the server itself";

/// The time after a statement's own in which the server gives up a transaction whose connection is silent.
const IDLE_MILLISECONDS: u128 = 5_000;

/// PostgreSQL 13, in the form of `server_version_num`.
const OLDEST: u32 = 130_000;

/// The statements that a connection keeps: conditions in other combinations are other statements.
const MOST_STATEMENTS: usize = 256;

/// A sign-in and its settings take a few kilobytes.
const SIGN_IN_BYTES: u64 = 1 << 20;

/// Catalogs of databases with thousands of tables take a few megabytes.
pub(super) const CATALOG_BYTES: u64 = 64 << 20;

/// The bytes that a result with its names and the cut ends of its values takes, as a rule.
const LEAST_ALLOWANCE: u64 = 4 << 20;

/// The least time limit of statements outside calls: those that read the catalog.
const LEAST_TIME: Duration = Duration::from_secs(10);
