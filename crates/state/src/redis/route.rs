//! The server that has a slot.

use std::sync::Arc;

use callgate_transport::Network;
use redis::{Cmd, Value};

use super::{
    RedisSettings,
    failure::Failure,
    layout::Tag,
    server::{Connection, Dialling, Server},
};

/// The servers, and which of them has what.
#[derive(Debug)]
pub(super) enum Route {
    /// One server has everything.
    Single(Server),
}

impl Route {
    pub(super) fn new(settings: &RedisSettings, network: &Network) -> Self {
        let dialling = Arc::new(Dialling::new(settings, network));
        Self::Single(Server::new(settings.address.clone(), dialling))
    }

    /// The connection to the server that has a slot.
    pub(super) async fn connection(&self, _: Tag) -> Result<Arc<Connection>, Failure> {
        match self {
            Self::Single(server) => server.connection().await,
        }
    }

    /// Sends a command to the server that has a slot.
    pub(super) async fn ask(&self, _: Tag, command: &Cmd) -> Result<Value, Failure> {
        match self {
            Self::Single(server) => server.ask(command).await,
        }
    }
}
