//! One server: its connection, which all commands share, and a pause after a failure, in which nothing is sent. One command
//! at a time then finds out whether the server is back.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use callgate_secret::{
    Secret,
    single_flight::{Lasting, Life, Pace, SingleFlight},
};
use callgate_transport::{Network, TlsSettings};
use redis::{
    AsyncConnectionConfig, Cmd, ProtocolVersion, RedisConnectionInfo, Value,
    aio::MultiplexedConnection,
};
use tokio::{runtime::Handle, sync::Semaphore, task::JoinHandle, time::timeout};

use super::{
    Durability, RedisAddress, RedisSettings,
    failure::{self, Failure},
    script,
};
use crate::error;

pub(super) struct Dialling {
    network: Network,
    tls: Option<TlsSettings>,
    user: Option<String>,
    password: Option<Secret>,
    database: u32,
    /// The time limit of a connection with its login, and of a reply.
    pub(super) time: Duration,
    durability: Option<Durability>,
}

pub(super) struct Server {
    address: RedisAddress,
    dialling: Arc<Dialling>,
    connection: SingleFlight<Arc<Connection>, Failure>,
    /// Connections of changes that wait for replicas: what follows such a change over its connection waits, too.
    waiting: Waiting,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Care {
    /// The loss of the change would let a call be made twice.
    Kept,
    Usual,
}

/// An open connection. It is closed when the last command that uses it has ended.
pub(super) struct Connection {
    commands: MultiplexedConnection,
    driver: JoinHandle<()>,
    /// The server's policy for a full memory, if it removes records before their end.
    eviction: Option<String>,
    time: Duration,
}

impl Dialling {
    pub(super) fn new(settings: &RedisSettings, network: &Network) -> Self {
        Self {
            network: network.clone(),
            tls: settings.tls.clone(),
            user: settings.user.clone(),
            password: settings.password.clone(),
            database: settings.database,
            time: settings.timeout,
            durability: settings.durability,
        }
    }

    /// The way to connect to the sentinels that watch these servers.
    pub(super) fn dialling_to_sentinels(&self, password: Option<Secret>) -> Self {
        let (network, tls) = (self.network.clone(), self.tls.clone());
        let time = self.time;
        Self { network, tls, user: None, password, database: 0, time, durability: None }
    }

    fn login_info(&self) -> RedisConnectionInfo {
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

    /// A connection with what the server says about itself.
    async fn connect_and_examine(&self, address: &RedisAddress) -> Result<Connection, Failure> {
        // A stopped server accepts connections, too.
        let mut connection = self.log_in(address).await?;
        let policy = connection.eviction_policy().await;
        let policy = policy.map_err(|failure| Failure::Away(failure.cause_text()))?;
        connection.eviction = policy.filter(|policy| policy != "noeviction");
        if let Some(durability) = &self.durability {
            connection.warn_of_stale_replica(durability.replicas).await;
        }
        Ok(connection)
    }

    /// A connection with which nothing was done yet.
    pub(super) async fn log_in(
        &self,
        RedisAddress { host, port }: &RedisAddress,
    ) -> Result<Connection, Failure> {
        let dialled = self.network.dial(host, *port, self.tls.as_ref()).await;
        let stream = dialled.map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            Failure::Away(format!("{error}{}", cause.unwrap_or_default()))
        })?;
        let (info, config) =
            (self.login_info(), AsyncConnectionConfig::new().set_response_timeout(None));
        let opened = MultiplexedConnection::new_with_config(&info, stream, config);
        let (commands, driver) = opened.await.map_err(|error| Failure::Away(error.to_string()))?;
        Ok(Connection { commands, driver: tokio::spawn(driver), eviction: None, time: self.time })
    }
}

impl Server {
    pub(super) fn new(address: RedisAddress, dialling: Arc<Dialling>) -> Self {
        let pace = Pace { pause: PAUSE, stale: Duration::ZERO, lasting: Lasting::Withdraws };
        let (connection, waiting) = (SingleFlight::new(pace), Waiting::default());
        Self { address, dialling, connection, waiting }
    }

    pub(super) async fn open_or_new_connection(&self) -> Result<Arc<Connection>, Failure> {
        if Handle::try_current().is_err() {
            return Err(Failure::Away("the runtime has ended".to_owned()));
        }
        // What is known to be closed takes no command.
        self.connection.forget_if(|entry| entry.value.driver.is_finished());
        self.connection
            .get(&(), async |_| {
                let connected =
                    timeout(self.dialling.time, self.dialling.connect_and_examine(&self.address))
                        .await;
                let connected = connected.unwrap_or_else(|_| Err(connection_timeout_failure()));
                let connected = connected.inspect_err(|failure| self.log_server_away(failure))?;
                tracing::debug!(server = %self.address, "connected to the state server");
                if let Some(policy) = &connected.eviction {
                    tracing::warn!(server = %self.address, %policy, "{}", failure::EVICTS);
                }
                Ok((Arc::new(connected), Life::without_end()))
            })
            .await
    }

    /// Sends a command once, and waits for its reply.
    pub(super) async fn send_command_once(
        &self,
        command: &Cmd,
        care: Care,
    ) -> Result<Value, Failure> {
        let connection = self.open_or_new_connection().await?;
        let durability = match (care, &connection.eviction) {
            (Care::Kept, Some(policy)) => return Err(Failure::Evicts(policy.clone())),
            (Care::Kept, None) => self.dialling.durability,
            (Care::Usual, _) => None,
        };
        let asked = match durability {
            Some(durability) => self.waiting.wait_for_replicas(self, command, durability).await,
            None => connection.send_command_in_time(command).await,
        };
        let failure = match asked {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        if self.is_server_away(&connection, &failure).await {
            let is_it =
                |current_connection: &_| is_same_connection(current_connection, &connection);
            if self.connection.replace_by_failure_if(Failure::Away(failure.cause_text()), |entry| {
                is_it(&entry.value)
            }) {
                self.log_server_away(&failure);
            }
        }
        Err(failure)
    }

    /// True if the server is of no use for others either. A command without a reply may be a large one, and so does not say it:
    /// a small one of our own does.
    async fn is_server_away(&self, connection: &Connection, failure: &Failure) -> bool {
        match failure {
            Failure::Unanswered(_) if !connection.driver.is_finished() => {
                let ping = redis::cmd("PING");
                let answer = timeout(self.dialling.time / 2, connection.send_command(&ping)).await;
                !matches!(answer, Ok(Ok(_)))
            }
            failure => failure.is_server_unusable(),
        }
    }

    fn log_server_away(&self, failure: &Failure) {
        let cause = failure.cause_text();
        tracing::debug!(server = %self.address, %cause, "the state server is away");
    }
}

fn is_same_connection(current_connection: &Arc<Connection>, used: &Arc<Connection>) -> bool {
    Arc::ptr_eq(current_connection, used)
}

impl Connection {
    /// Warns of a replica that may be promoted without a change that others have.
    async fn warn_of_stale_replica(&self, waited_for: u32) {
        let Ok(said) = self.send_command(redis::cmd("INFO").arg("replication")).await else {
            return;
        };
        let said = failure::reply_bytes(said).ok().flatten().unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let n_replicas = said.lines().find_map(|line| line.strip_prefix("connected_slaves:"));
        let n_replicas: u32 = n_replicas.and_then(|number| number.parse().ok()).unwrap_or_default();
        if n_replicas != waited_for {
            tracing::warn!(n_replicas, waited_for, "{}", error::OTHER_REPLICAS);
        }
    }

    pub(super) async fn send_command_in_time(&self, command: &Cmd) -> Result<Value, Failure> {
        let asked = timeout(self.time, self.send_command(command)).await;
        asked.unwrap_or_else(|_| Err(Failure::Unanswered("no reply in time".to_owned())))
    }

    /// Sends a command, and waits until replicas have what it changed.
    async fn send_and_await_replicas(
        &self,
        command: &Cmd,
        Durability { replicas, timeout: wait }: Durability,
    ) -> Result<Value, Failure> {
        let mut both = redis::pipe();
        both.add_command(command.clone());
        both.cmd("WAIT").arg(replicas).arg(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let mut commands = self.commands.clone();
        let asked = timeout(self.time + wait, commands.send_packed_commands(&both, 0, 2)).await;
        let asked = asked.map_err(|_| Failure::Unanswered("no reply in time".to_owned()))?;
        let replies = asked.map_err(|error| Failure::from_unanswered_error(&error))?;
        let [reply, waited] = <[Value; 2]>::try_from(replies).map_err(|_| Failure::Unexpected)?;
        match (reply, waited) {
            (Value::ServerError(error), _) | (_, Value::ServerError(error)) => {
                Err(Failure::from_server_error(&error))
            }
            (reply, Value::Int(got)) if got >= replicas.into() => Ok(reply),
            // Nothing was changed, so that nothing can be lost.
            (reply @ Value::Int(script::CONFLICT | script::NOTHING), _) => Ok(reply),
            (_, Value::Int(got)) => Err(Failure::NotReplicated { expected: replicas, got }),
            _ => Err(Failure::Unexpected),
        }
    }

    /// The server's policy for a full memory; `None` where the user may not ask for it, as on managed servers.
    async fn eviction_policy(&self) -> Result<Option<String>, Failure> {
        let asked =
            self.send_command(redis::cmd("CONFIG").arg("GET").arg("maxmemory-policy")).await;
        let mut pair = match asked {
            Ok(pair) => failure::reply_elements(pair)?,
            Err(Failure::Refused { code, .. }) if FORBIDDEN.contains(&&*code) => {
                tracing::warn!("{}", error::UNKNOWN_POLICY);
                return Ok(None);
            }
            Err(failure) => return Err(failure),
        };
        let policy = pair.pop().map_or(Ok(None), failure::reply_bytes)?;
        Ok(policy.map(|policy| String::from_utf8_lossy(&policy).into_owned()))
    }

    async fn send_command(&self, command: &Cmd) -> Result<Value, Failure> {
        let mut commands = self.commands.clone();
        match commands.send_packed_command(command).await {
            Ok(Value::ServerError(error)) => Err(Failure::from_server_error(&error)),
            Ok(value) => Ok(value),
            Err(error) => Err(Failure::from_unanswered_error(&error)),
        }
    }
}

/// Connections that one command at a time uses, and that are kept for the next one.
struct Waiting {
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Waiting {
    async fn wait_for_replicas(
        &self,
        server: &Server,
        command: &Cmd,
        durability: Durability,
    ) -> Result<Value, Failure> {
        let time = server.dialling.time;
        let permit = timeout(time, self.permits.acquire()).await;
        let Ok(Ok(_permit)) = permit else {
            return Err(Failure::Refused { code: "BUSY".to_owned(), detail: TOO_MANY.to_owned() });
        };
        let idle = self.lock_idle_connections().pop().filter(|idle| !idle.driver.is_finished());
        let connection = if let Some(idle) = idle {
            idle
        } else {
            let login = timeout(time, server.dialling.log_in(&server.address)).await;
            login.unwrap_or_else(|_| Err(connection_timeout_failure()))?
        };
        let asked = connection.send_and_await_replicas(command, durability).await;
        if !matches!(asked, Err(Failure::Unanswered(_))) {
            self.lock_idle_connections().push(connection);
        }
        asked
    }

    fn lock_idle_connections(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Waiting {
    fn default() -> Self {
        Self { idle: Mutex::default(), permits: Semaphore::new(MOST_WAITING) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

fn connection_timeout_failure() -> Failure {
    Failure::Away("no connection in time".to_owned())
}

/// Replies to a command that the server does not have, or that the user may not give.
const FORBIDDEN: [&str; 2] = ["ERR", "NOPERM"];
/// The most changes that wait for replicas at a time.
const MOST_WAITING: usize = 32;
const TOO_MANY: &str = "too many changes wait for replicas";
/// The time after a failure in which nothing is sent.
pub(super) const PAUSE: Duration = Duration::from_millis(500);
