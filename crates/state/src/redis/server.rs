//! One server: its connection, which all commands share, and a pause after a failure, in which nothing is sent. One command
//! at a time then finds out whether the server is back.

use std::{fmt, sync::Arc, time::Duration};

use callgate_secret::{
    Secret,
    single_flight::{Lasting, Life, Pace, SingleFlight},
};
use callgate_transport::{Network, TlsSettings};
use redis::{
    AsyncConnectionConfig, Cmd, ProtocolVersion, RedisConnectionInfo, Value,
    aio::MultiplexedConnection,
};
use tokio::{task::JoinHandle, time::timeout};

use super::{RedisAddress, RedisSettings, failure::Failure};

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
        let dialled = timeout(TIME, self.network.dial(host, *port, self.tls.as_ref())).await;
        let stream = dialled.map_err(|_| too_slow())?.map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            Failure::Away(format!("{error}{}", cause.unwrap_or_default()))
        })?;
        let (info, config) = (self.info(), AsyncConnectionConfig::new().set_response_timeout(None));
        let opened = MultiplexedConnection::new_with_config(&info, stream, config);
        let opened = timeout(TIME, opened).await.map_err(|_| too_slow())?;
        let (commands, driver) = opened.map_err(|error| Failure::Away(error.to_string()))?;
        let connection = Connection { commands, driver: tokio::spawn(driver) };
        // A stopped server accepts connections, and one that loads its file answers nothing else.
        match timeout(TIME, connection.ask(&redis::cmd("PING"))).await {
            Ok(Ok(_)) => Ok(connection),
            Ok(Err(failure)) => Err(Failure::Away(failure.cause())),
            Err(_) => Err(too_slow()),
        }
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
                let connected = self.dialling.connection(&self.address).await;
                let connected = connected.inspect_err(|failure| self.report(failure))?;
                tracing::info!(server = %self.address, "connected to the state server");
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
        tracing::warn!(server = %self.address, %cause, "the state server is away");
    }
}

fn is_same(known: &Arc<Connection>, used: &Arc<Connection>) -> bool {
    Arc::ptr_eq(known, used)
}

impl Connection {
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

/// The time limit of a connection, of its login and of a reply: a server beside this process that takes longer counts as
/// away.
const TIME: Duration = Duration::from_millis(500);
/// The time after a failure in which nothing is sent.
const PAUSE: Duration = Duration::from_millis(500);
