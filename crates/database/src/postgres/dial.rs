//! Opens connections and cancels what they run, by an address that is read again when the server refuses the login.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use callgate_secret::Secret;
use callgate_transport::{Network, TlsSettings};
use tokio::net::UnixStream;
use tokio_postgres::{
    CancelToken, Config, NoTls,
    config::{ChannelBinding, SslMode},
};

use super::{
    address::{Address, Encryption, ServerTarget},
    connection::{
        Connection, LEAST_ALLOWANCE, SEARCH_PATH, SETTINGS, drive_without_notices, opening_error,
        unreachable_now,
    },
    stream::Tls,
};
use crate::{
    endpoint::Connecting,
    error::{Error, ErrorKind},
    meter::{Meter, MeteredStream},
    renewal::Renewal,
};

/// The way to connect to a server.
#[derive(Debug)]
pub(super) struct Dialling {
    /// The address as it was read last, with the secret that it was read from.
    address: Mutex<(Arc<Address>, Secret)>,
    renewal: Option<Renewal>,
    network: Network,
    tls: TlsSettings,
    /// The settings of every connection, as the server takes them with its start.
    options: String,
    /// The schemas that names are looked up in, if a model writes the statements.
    search_path: OnceLock<String>,
    allowance: u64,
}

impl Dialling {
    pub(super) fn new(connecting: &Connecting, renewal: Option<Renewal>) -> Result<Self, Error> {
        let limits = &connecting.limits;
        let time = limits.timeout.max(LEAST_TIME).as_millis();
        let times = [
            ("statement_timeout", time),
            ("idle_in_transaction_session_timeout", time.saturating_add(IDLE_MILLISECONDS)),
            ("lock_timeout", limits.lock_time.as_millis().max(1)),
        ];
        let times = times.map(|(name, time)| (name, time.to_string()));
        let settings = SETTINGS.map(|(name, value)| (name, value.to_owned()));
        let options = settings
            .iter()
            .chain(&times)
            .map(|(name, value)| startup_option(name, value))
            .collect();
        Ok(Self {
            address: Mutex::new((
                Arc::new(Address::read(&connecting.url)?),
                connecting.url.clone(),
            )),
            renewal,
            network: connecting.network.clone(),
            tls: connecting.tls.clone(),
            options,
            search_path: OnceLock::new(),
            allowance: (limits.result_bytes as u64)
                .saturating_mul(64)
                .saturating_add(LEAST_ALLOWANCE),
        })
    }

    /// Connections from now on look up names in these schemas, after the database's own.
    pub(super) fn set_search_path<'a>(&self, schemas: impl Iterator<Item = &'a str>) {
        let schemas = schemas.map(|name| format!("\"{}\",", name.replace('"', "\"\"")));
        let schemas: String = schemas.collect();
        self.search_path.get_or_init(|| format!("pg_catalog,{schemas}pg_temp"));
    }

    fn search_path(&self) -> &str {
        self.search_path.get().map_or(SEARCH_PATH, String::as_str)
    }

    /// Opens a connection. The caller sets the time limit. If the server refuses the login, the address is read again.
    pub(super) async fn open(&self) -> Result<Connection, Error> {
        let (address, url) = self.address();
        match Box::pin(self.open_at(&address)).await {
            Err(error) if error.kind() == ErrorKind::Denied => match self.renew_address(&url).await
            {
                Some(address) => Box::pin(self.open_at(&address)).await,
                None => Err(error),
            },
            opened => opened,
        }
    }

    /// The address as it is now; `None` if it is the rejected one still.
    async fn renew_address(&self, rejected: &Secret) -> Option<Arc<Address>> {
        let (address, url) = self.address();
        // Another connection has read it meanwhile.
        if !url.is_same_value(rejected) {
            return Some(address);
        }
        let url = self.renewal.as_ref()?.renew_url(rejected).await?;
        let address = Arc::new(Address::read(&url).ok()?);
        *self.locked_address() = (Arc::clone(&address), url);
        Some(address)
    }

    fn address(&self) -> (Arc<Address>, Secret) {
        self.locked_address().clone()
    }

    fn locked_address(&self) -> MutexGuard<'_, (Arc<Address>, Secret)> {
        self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn open_at(&self, address: &Address) -> Result<Connection, Error> {
        let meter = Arc::new(Meter::default());
        meter.reset_allowance(SIGN_IN_BYTES);
        let stream = self.stream(address, &meter).await?;
        let config = self.config(address);
        let (client, driver) = match self.tls(address) {
            None => {
                let (client, connection) =
                    config.connect_raw(stream, NoTls).await.map_err(opening_error)?;
                (client, tokio::spawn(drive_without_notices(connection)))
            }
            Some(tls) => {
                let (client, connection) =
                    config.connect_raw(stream, tls).await.map_err(opening_error)?;
                (client, tokio::spawn(drive_without_notices(connection)))
            }
        };
        let mut connection =
            Connection::with_client(client, driver, meter, self.search_path()).await?;
        connection.allowance = self.allowance;
        Ok(connection)
    }

    /// Asks the server to end what another connection runs.
    pub(super) async fn cancel(&self, token: &CancelToken) -> Result<(), Error> {
        let meter = Arc::new(Meter::default());
        meter.reset_allowance(SIGN_IN_BYTES);
        let (address, _) = self.address();
        let stream = self.stream(&address, &meter).await?;
        let cancelled = match self.tls(&address) {
            None => token.cancel_query_raw(stream, NoTls).await,
            Some(tls) => token.cancel_query_raw(stream, tls).await,
        };
        cancelled.map_err(opening_error)
    }

    async fn stream(&self, address: &Address, meter: &Arc<Meter>) -> Result<MeteredStream, Error> {
        let meter = Arc::clone(meter);
        match &address.target {
            ServerTarget::Socket(path) => {
                let stream = UnixStream::connect(path).await;
                let stream = stream.map_err(|source| unreachable_now().with_source(source))?;
                Ok(MeteredStream::new(stream, meter))
            }
            ServerTarget::Tcp { host, port } => {
                let stream = self.network.dial(host, *port, None).await;
                let stream = stream.map_err(|source| unreachable_now().with_source(source))?;
                Ok(MeteredStream::new(stream, meter))
            }
        }
    }

    fn tls(&self, address: &Address) -> Option<Tls> {
        match (&address.target, address.encryption) {
            (ServerTarget::Tcp { host, .. }, Encryption::Verified) => Some(Tls {
                network: self.network.clone(),
                settings: self.tls.clone(),
                host: host.clone(),
            }),
            _ => None,
        }
    }

    fn config(&self, address: &Address) -> Config {
        let mut config = Config::new();
        config.user(&address.user).dbname(&address.database);
        let search_path = startup_option("search_path", self.search_path());
        config.options(format!("{}{search_path}", self.options)).application_name("callgate");
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

/// A setting as the start of a connection has it: blanks part settings there.
fn startup_option(name: &str, value: &str) -> String {
    format!(" -c {name}={}", value.replace('\\', "\\\\").replace(' ', "\\ "))
}

/// The time after a statement's own in which the server gives up a transaction whose connection is silent.
const IDLE_MILLISECONDS: u128 = 5_000;

/// A sign-in and its settings take a few kilobytes.
const SIGN_IN_BYTES: u64 = 1 << 20;

/// The least time limit of statements outside calls: those that read the catalog.
const LEAST_TIME: Duration = Duration::from_secs(10);
