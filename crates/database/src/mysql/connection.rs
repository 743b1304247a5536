//! One connection: how it is opened, what holds for all its transactions, and the statements that it has prepared.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use callgate_transport::{Network, TlsSettings};
use tokio::{net::UnixStream, time::sleep};

use super::{
    address::{Address, ServerTarget},
    client::{Beyond, BoundValue, Client, Control, PreparedStatement, Reply, RowFormat},
    failure::{self, CommandError, unavailable},
    handshake::{Channel, Greeting, Login},
    limits::{Limits, MARIADB_LIMITS, MYSQL_LIMITS},
    wire::Wire,
};
use crate::{
    endpoint::Connecting,
    error::Error,
    meter::{Meter, MeteredStream},
    pool::Dial,
};

/// The way to connect to a server.
#[derive(Debug)]
pub(super) struct Dialling {
    address: Address,
    network: Network,
    tls: TlsSettings,
    allowance: u64,
    settings: Settings,
}

/// The settings of a connection, beyond those that every one has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Settings {
    /// No tool writes, so that nothing can be written outside a transaction either.
    Reads,
    Writes,
}

/// An open connection. It is closed when it is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) meter: Arc<Meter>,
    /// The bytes that the replies of one transaction may have.
    pub(super) allowance: u64,
    pub(super) is_mariadb: bool,
    settings: Settings,
    /// True if something may have changed the session since it was set up.
    pub(super) is_changed: bool,
    /// The server's number of the connection.
    id: u32,
    /// The statement that sets the limits of a transaction.
    setting: Arc<PreparedStatement>,
    limits: InForce,
    statements: BTreeMap<Arc<str>, Arc<PreparedStatement>>,
    /// The texts of `statements`, the oldest first.
    order: VecDeque<Arc<str>>,
}

/// The limits that the session has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum InForce {
    /// They were sent, and the server has not answered yet.
    Sent(Limits),
    Set(Limits),
    /// They must be sent before the next transaction.
    Unknown,
}

/// A connection that has signed in, before its settings.
struct SignedIn {
    client: Client,
    meter: Arc<Meter>,
    greeting: Greeting,
}

impl Dialling {
    pub(super) fn new(connecting: &Connecting) -> Result<Self, Error> {
        let result_bytes = connecting.limits.result_bytes as u64;
        Ok(Self {
            address: Address::read(&connecting.url)?,
            network: connecting.network.clone(),
            tls: connecting.tls.clone(),
            allowance: result_bytes.saturating_mul(64).saturating_add(LEAST_ALLOWANCE),
            settings: if connecting.is_read_only { Settings::Reads } else { Settings::Writes },
        })
    }

    /// The database that unqualified names are of.
    pub(super) fn database(&self) -> &str {
        &self.address.database
    }

    async fn sign_in(&self) -> Result<SignedIn, Error> {
        let meter = Arc::new(Meter::default());
        meter.reset_allowance(SIGN_IN_BYTES);
        let mut wire = Wire::new(self.stream(&meter).await?);
        let greeting = Greeting::receive(&mut wire).await?;
        let channel = match &self.address.target {
            ServerTarget::Plain { .. } => Channel::Open,
            ServerTarget::Socket(_) => Channel::Socket,
            ServerTarget::Verified { host, .. } => {
                greeting.ask_for_tls(&mut wire).await?;
                let sequence = wire.sequence();
                let stream = wire.into_stream_if_drained().ok_or_else(unavailable)?;
                let secured =
                    self.network.secure_with_channel_binding(stream, host, &self.tls).await;
                let (stream, _) = secured.map_err(|source| unavailable().with_source(source))?;
                wire = Wire::with_sequence(stream, sequence);
                Channel::Tls
            }
        };
        let Address { user, password, database, .. } = &self.address;
        let login = Login { user, password: password.as_ref(), database, channel };
        greeting.sign_in(&mut wire, login).await?;
        let client = Client::new(wire, greeting.has_extended_metadata());
        Ok(SignedIn { client, meter, greeting })
    }

    async fn stream(&self, meter: &Arc<Meter>) -> Result<MeteredStream, Error> {
        let meter = Arc::clone(meter);
        match &self.address.target {
            ServerTarget::Socket(path) => {
                let stream = UnixStream::connect(path).await;
                let stream = stream.map_err(|source| unavailable().with_source(source))?;
                Ok(MeteredStream::new(stream, meter))
            }
            ServerTarget::Plain { host, port } | ServerTarget::Verified { host, port } => {
                let stream = self.network.dial(host, *port, None).await;
                let stream = stream.map_err(|source| unavailable().with_source(source))?;
                Ok(MeteredStream::new(stream, meter))
            }
        }
    }

    /// Ends a connection and what it runs, by its number. The server knows none of this number once it has ended.
    async fn kill(&self, id: u32) -> Result<(), Error> {
        let SignedIn { mut client, .. } = self.sign_in().await?;
        client.write_prepare(&format!("KILL CONNECTION {id}"));
        let lost = |_| unavailable();
        client.send().await.map_err(|_| unavailable())?;
        let statement = client.read_prepared().await.map_err(lost)?;
        client.write_execute(&statement, &[]);
        client.send().await.map_err(|_| unavailable())?;
        match client.read_ok().await {
            Ok(()) | Err(CommandError::Server(UNKNOWN_CONNECTION)) => Ok(()),
            Err(_) => Err(unavailable()),
        }
    }
}

impl Dial for Dialling {
    type Connection = Connection;

    async fn open(&self) -> Result<Connection, Error> {
        let SignedIn { mut client, meter, greeting } = self.sign_in().await?;
        let setting = set_up(&mut client, greeting.is_mariadb, self.settings).await;
        let setting = setting.map_err(|error| failure::of_opening(&error))?;
        Ok(Connection {
            client,
            meter,
            allowance: self.allowance,
            is_mariadb: greeting.is_mariadb,
            settings: self.settings,
            is_changed: false,
            id: greeting.id,
            setting: Arc::new(setting),
            limits: InForce::Unknown,
            statements: BTreeMap::new(),
            order: VecDeque::new(),
        })
    }

    async fn cancel_and_close(&self, connection: Connection) {
        while self.kill(connection.id).await.is_err() {
            sleep(KILL_PAUSE).await;
        }
    }
}

/// Sets what holds for every transaction, and prepares the statement that sets the limits of one.
async fn set_up(
    client: &mut Client,
    is_mariadb: bool,
    settings: Settings,
) -> Result<PreparedStatement, CommandError> {
    client.write_control(Control::SetUp);
    client.write_control(match settings {
        Settings::Reads => Control::IsolateReads,
        Settings::Writes => Control::Isolate,
    });
    client.write_prepare(if is_mariadb { MARIADB_LIMITS } else { MYSQL_LIMITS });
    client.send().await?;
    client.read_ok().await?;
    client.read_ok().await?;
    client.read_prepared().await
}

impl Connection {
    /// Writes the command that sets the limits of a transaction, unless the session has them. The answer is read by
    /// [`Connection::read_limits_answer`].
    pub(super) fn write_limits_if_changed(&mut self, limits: Limits) {
        if self.limits == InForce::Set(limits) {
            return;
        }
        self.limits = InForce::Sent(limits);
        self.client.write_execute(&self.setting, &limits.values(self.is_mariadb));
    }

    /// Reads the answer to the command that sets limits, if it was sent.
    pub(super) async fn read_limits_answer(&mut self) -> Result<(), CommandError> {
        let InForce::Sent(limits) = self.limits else { return Ok(()) };
        self.limits = InForce::Unknown;
        self.client.read_ok().await?;
        self.limits = InForce::Set(limits);
        Ok(())
    }

    /// Sets limits, where nothing else is sent with them.
    pub(super) async fn set_limits(&mut self, limits: Limits) -> Result<(), CommandError> {
        self.write_limits_if_changed(limits);
        self.client.send().await?;
        self.read_limits_answer().await
    }

    /// Sends the limits again before the next transaction: after a failure it is not assumed what the session has.
    pub(super) fn forget_limits(&mut self) {
        self.limits = InForce::Unknown;
    }

    /// A statement that was prepared before.
    pub(super) fn prepared_statement(&self, text: &str) -> Option<Arc<PreparedStatement>> {
        self.statements.get(text).cloned()
    }

    /// Prepares what is not prepared of these statements, in one flight, and keeps it. The oldest ones go when there are too
    /// many.
    pub(super) async fn prepare_missing(
        &mut self,
        texts: &[&Arc<str>],
    ) -> Result<(), CommandError> {
        let mut new: Vec<&Arc<str>> = Vec::new();
        for text in texts {
            if !self.statements.contains_key(*text) && !new.contains(text) {
                new.push(text);
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        for text in &new {
            self.client.write_prepare(text);
        }
        self.client.send().await?;
        let mut first = Ok(());
        for text in new {
            match self.client.read_prepared().await {
                Ok(statement) => self.keep_statement(text, statement),
                Err(CommandError::Lost) => return Err(CommandError::Lost),
                Err(error) => first = first.and(Err(error)),
            }
        }
        first
    }

    fn keep_statement(&mut self, text: &Arc<str>, statement: PreparedStatement) {
        if self.order.len() >= MOST_STATEMENTS
            && let Some(oldest) = self.order.pop_front()
            && let Some(oldest) = self.statements.remove(&oldest)
        {
            self.client.write_close(&oldest);
        }
        self.order.push_back(Arc::clone(text));
        self.statements.insert(Arc::clone(text), Arc::new(statement));
    }

    /// The rows of statements outside a transaction, which are sent together. They are few: nothing is read before all are sent.
    pub(super) async fn run_pipelined(
        &mut self,
        asked: &[(&Arc<str>, &[&str])],
    ) -> Result<Vec<Reply>, CommandError> {
        let texts: Vec<_> = asked.iter().map(|(text, _)| *text).collect();
        self.prepare_missing(&texts).await?;
        for (text, values) in asked {
            let statement = self.prepared_statement(text).ok_or(CommandError::Lost)?;
            let values: Vec<_> = values.iter().map(|value| BoundValue::Text(Some(value))).collect();
            self.client.write_execute(&statement, &values);
        }
        self.client.send().await?;
        let (mut replies, mut failed) = (Vec::with_capacity(asked.len()), None);
        for _ in asked {
            match self.client.read_reply(RowFormat::Binary, usize::MAX, Beyond::Count).await {
                Ok(reply) => replies.push(reply),
                Err(CommandError::Lost) => return Err(CommandError::Lost),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(replies), Err)
    }

    /// Makes the session new: what a statement of the operator left behind is no affair of the next one.
    pub(super) async fn reset(&mut self) -> Result<(), CommandError> {
        self.statements.clear();
        self.order.clear();
        self.client.write_reset();
        self.client.send().await?;
        self.client.read_ok().await?;
        self.limits = InForce::Unknown;
        self.setting = Arc::new(set_up(&mut self.client, self.is_mariadb, self.settings).await?);
        self.is_changed = false;
        Ok(())
    }
}

/// The error number of `KILL` for a connection that is not there.
const UNKNOWN_CONNECTION: u16 = 1094;

/// The time after which `KILL` is tried again.
const KILL_PAUSE: Duration = Duration::from_millis(100);

/// The statements that a connection keeps: conditions in other combinations are other statements.
const MOST_STATEMENTS: usize = 256;

/// A sign-in takes a few kilobytes.
const SIGN_IN_BYTES: u64 = 1 << 20;

/// Catalogs of databases with thousands of tables take a few megabytes.
pub(super) const CATALOG_BYTES: u64 = 64 << 20;

/// The bytes that a result with its names and the cut ends of its values takes, as a rule.
const LEAST_ALLOWANCE: u64 = 4 << 20;
