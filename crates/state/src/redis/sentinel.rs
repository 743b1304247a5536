//! The primary of a set that Redis Sentinel watches. After a failure the sentinels are asked again: another server may have
//! been promoted.

use std::{sync::Arc, time::Duration};

use callgate_secret::single_flight::{Lasting, Life, Pace, SingleFlight};
use futures_util::future::select_ok;
use redis::{Cmd, Value};
use tokio::time::timeout;

use super::{
    RedisAddress,
    failure::{self, Failure},
    server::{Care, Dialling, PAUSE, Server},
};

pub(super) struct Sentinel {
    pub(super) primary: String,
    pub(super) sentinels: Vec<RedisAddress>,
    /// The way to connect to sentinels, which have passwords of their own.
    pub(super) to_sentinels: Dialling,
    pub(super) dialling: Arc<Dialling>,
    primary_server: SingleFlight<Arc<Server>, Failure>,
}

impl Sentinel {
    pub(super) fn new(
        primary: String,
        sentinels: Vec<RedisAddress>,
        to_sentinels: Dialling,
        dialling: Arc<Dialling>,
    ) -> Self {
        let pace = Pace { pause: PAUSE, stale: Duration::ZERO, lasting: Lasting::Withdraws };
        Self { primary, sentinels, to_sentinels, dialling, primary_server: SingleFlight::new(pace) }
    }

    pub(super) async fn primary_server(&self) -> Result<Arc<Server>, Failure> {
        let find = async |_| {
            let address = self.primary_address().await?;
            tracing::debug!(server = %address, "the sentinels name the state server");
            let server = Server::new(address, Arc::clone(&self.dialling));
            Ok((Arc::new(server), Life::without_end()))
        };
        self.primary_server.get(&(), find).await
    }

    pub(super) async fn send_command(&self, command: &Cmd, care: Care) -> Result<Value, Failure> {
        let server = self.primary_server().await?;
        let asked = server.send_command_once(command, care).await;
        if let Err(failure) = asked.as_ref().map(drop)
            && failure.is_server_unusable()
        {
            let failure = Failure::Away(failure.cause_text());
            self.primary_server
                .replace_by_failure_if(failure, |entry| Arc::ptr_eq(&entry.value, &server));
        }
        asked
    }

    /// The address that the first sentinel to answer names.
    async fn primary_address(&self) -> Result<RedisAddress, Failure> {
        let asked = self.sentinels.iter().map(|sentinel| Box::pin(self.ask_for_primary(sentinel)));
        let asked = timeout(self.dialling.time, select_ok(asked)).await;
        let asked = asked.map_err(|_| Failure::Away("no sentinel answers in time".to_owned()))?;
        asked.map(|(address, _)| address)
    }

    async fn ask_for_primary(&self, sentinel: &RedisAddress) -> Result<RedisAddress, Failure> {
        let connection = self.to_sentinels.log_in(sentinel).await?;
        let mut command = redis::cmd("SENTINEL");
        command.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.primary);
        let unknown = || Failure::Away(format!("no sentinel knows `{}`", self.primary));
        let named = match connection.send_command_in_time(&command).await? {
            Value::Nil => return Err(unknown()),
            named => failure::reply_elements(named)?,
        };
        let mut texts = Vec::new();
        for part in named {
            let part = failure::reply_bytes(part)?.unwrap_or_default();
            texts.push(String::from_utf8(part).map_err(|_| Failure::Unexpected)?);
        }
        let [host, port] = <[String; 2]>::try_from(texts).map_err(|_| Failure::Unexpected)?;
        RedisAddress::from_host_and_port(&host, &port).ok_or(Failure::Unexpected)
    }
}
