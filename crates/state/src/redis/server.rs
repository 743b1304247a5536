//! One server: its connection, which all commands share, and a pause after a failure, in which nothing is sent. One command
//! at a time then finds out whether the server is back.

use std::{fmt, sync::Arc, time::Duration};

use callgate_secret::{
    Secret,
    single_flight::{Lasting, Life, Pace, SingleFlight},
};
use callgate_session::Error;
use callgate_transport::{Network, TlsSettings};
use redis::{
    AsyncConnectionConfig, Cmd, ProtocolVersion, RedisConnectionInfo, Value,
    aio::MultiplexedConnection,
};
use tokio::{task::JoinHandle, time::timeout};

use super::{
    RedisAddress, RedisSettings,
    failure::{self, Failure},
};
use crate::error;

/// The way to connect to servers.
pub(super) struct Dialling {
    network: Network,
    tls: Option<TlsSettings>,
    user: Option<String>,
    password: Option<Secret>,
    database: u32,
}

pub(super) struct Server {
    address: RedisAddress,
    dialling: Arc<Dialling>,
    connection: SingleFlight<Arc<Connection>, Failure>,
}

/// An open connection. It is closed when the last command that uses it has ended.
pub(super) struct Connection {
    commands: MultiplexedConnection,
    driver: JoinHandle<()>,
    /// The server's policy for a full memory, if it removes records before their end.
    eviction: Option<String>,
}

impl Dialling {
    pub(super) fn new(settings: &RedisSettings, network: &Network) -> Self {
        Self {
            network: network.clone(),
            tls: settings.tls.clone(),
            user: settings.user.clone(),
            password: settings.password.clone(),
            database: settings.database,
        }
    }

    fn info(&self) -> RedisConnectionInfo {
        let info = RedisConnectionInfo::default()
            .set_protocol(ProtocolVersion::RESP2)
            .set_db(self.database.into())
            .set_lib_name("callgate", env!("CARGO_PKG_VERSION"));
        let info = match &self.user {
            Some(user) => info.set_username(user),
            None => info,
        };
        match &self.password {
            Some(password) => info.set_password(password.expose()),
            None => info,
        }
    }

    async fn connection(
        &self,
        RedisAddress { host, port }: &RedisAddress,
    ) -> Result<Connection, Failure> {
        let dialled = self.network.dial(host, *port, self.tls.as_ref()).await;
        let stream = dialled.map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            Failure::Away(format!("{error}{}", cause.unwrap_or_default()))
        })?;
        let (info, config) = (self.info(), AsyncConnectionConfig::new().set_response_timeout(None));
        let opened = MultiplexedConnection::new_with_config(&info, stream, config);
        let (commands, driver) = opened.await.map_err(|error| Failure::Away(error.to_string()))?;
        let mut connection = Connection { commands, driver: tokio::spawn(driver), eviction: None };
        // A stopped server accepts connections, too.
        let policy = connection.policy().await;
        let policy = policy.map_err(|failure| Failure::Away(failure.cause()))?;
        connection.eviction = policy.filter(|policy| policy != "noeviction");
        Ok(connection)
    }
}

impl Server {
    pub(super) fn new(address: RedisAddress, dialling: Arc<Dialling>) -> Self {
        let pace = Pace { pause: PAUSE, stale: Duration::ZERO, lasting: Lasting::Withdraws };
        Self { address, dialling, connection: SingleFlight::new(pace) }
    }

    /// The open connection, or a new one.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, Failure> {
        // What is known to be closed takes no command.
        self.connection.forget_if(|known| known.value.driver.is_finished());
        self.connection
            .get(&(), async |_| {
                let connected = timeout(TIME, self.dialling.connection(&self.address)).await;
                let connected = connected.unwrap_or_else(|_| Err(too_slow()));
                let connected = connected.inspect_err(|failure| self.report(failure))?;
                tracing::debug!(server = %self.address, "connected to the state server");
                if let Some(policy) = &connected.eviction {
                    tracing::warn!(server = %self.address, %policy, "{}", error::EVICTS);
                }
                Ok((Arc::new(connected), Life::for_good()))
            })
            .await
    }

    /// Sends a command once, and waits for its reply.
    pub(super) async fn ask(&self, command: &Cmd) -> Result<Value, Failure> {
        let connection = self.connection().await?;
        let asked = timeout(TIME, connection.ask(command)).await;
        let failure = match asked {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Unanswered("no reply in time".to_owned()),
        };
        if failure.is_of_server() {
            let is_it = |known: &_| is_same(known, &connection);
            if self.connection.fail_if(Failure::Away(failure.cause()), |known| is_it(&known.value))
            {
                self.report(&failure);
            }
        }
        Err(failure)
    }

    fn report(&self, failure: &Failure) {
        let cause = failure.cause();
        tracing::debug!(server = %self.address, %cause, "the state server is away");
    }
}

fn is_same(known: &Arc<Connection>, used: &Arc<Connection>) -> bool {
    Arc::ptr_eq(known, used)
}

impl Connection {
    /// Returns an error if the server may remove what must be kept: a call would be made twice.
    pub(super) fn check_eviction(&self) -> Result<(), Error> {
        self.eviction.as_ref().map_or(Ok(()), |policy| Err(error::evicts(policy)))
    }

    /// The server's policy for a full memory; `None` where the user may not ask for it, as on managed servers.
    async fn policy(&self) -> Result<Option<String>, Failure> {
        let asked = self.ask(redis::cmd("CONFIG").arg("GET").arg("maxmemory-policy")).await;
        let mut pair = match asked {
            Ok(pair) => failure::elements(pair)?,
            Err(Failure::Refused { code, .. }) if FORBIDDEN.contains(&&*code) => {
                tracing::warn!("{}", error::UNKNOWN_POLICY);
                return Ok(None);
            }
            Err(failure) => return Err(failure),
        };
        let policy = pair.pop().map_or(Ok(None), failure::bytes)?;
        Ok(policy.map(|policy| String::from_utf8_lossy(&policy).into_owned()))
    }

    async fn ask(&self, command: &Cmd) -> Result<Value, Failure> {
        let mut commands = self.commands.clone();
        match commands.send_packed_command(command).await {
            Ok(Value::ServerError(error)) => Err(Failure::of_server(&error)),
            Ok(value) => Ok(value),
            Err(error) => Err(Failure::of_sent(&error)),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

fn too_slow() -> Failure {
    Failure::Away("no connection in time".to_owned())
}

/// Replies to a command that the server does not have, or that the user may not give.
const FORBIDDEN: [&str; 2] = ["ERR", "NOPERM"];
/// The time limit of a connection with its login, and of a reply: a server beside this process that takes longer counts as
/// away.
const TIME: Duration = Duration::from_millis(500);
/// The time after a failure in which nothing is sent.
const PAUSE: Duration = Duration::from_millis(500);
