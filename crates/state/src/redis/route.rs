//! The server that has a tag.

use std::sync::Arc;

use callgate_transport::Network;
use redis::{Cmd, Value};

use super::{
    RedisServers, RedisSettings,
    cluster::Cluster,
    failure::Failure,
    layout::Tag,
    sentinel::Sentinel,
    server::{Care, Connection, Dialling, Server},
};

pub(super) enum Route {
    Cluster(Cluster),
    Sentinel(Sentinel),
    Single(Server),
}

impl Route {
    pub(super) fn new(settings: &RedisSettings, network: &Network) -> Self {
        let dialling = Arc::new(Dialling::new(settings, network));
        match settings.servers.clone() {
            RedisServers::Cluster(nodes) => Self::Cluster(Cluster::new(nodes, dialling)),
            RedisServers::Sentinel { primary, sentinels, password } => {
                let to_sentinels = dialling.dialling_to_sentinels(password);
                Self::Sentinel(Sentinel::new(primary, sentinels, to_sentinels, dialling))
            }
            RedisServers::Single(address) => Self::Single(Server::new(address, dialling)),
        }
    }

    pub(super) async fn connection(&self, tag: Tag) -> Result<Arc<Connection>, Failure> {
        match self {
            Self::Cluster(cluster) => {
                cluster.server_for_tag(tag).await?.open_or_new_connection().await
            }
            Self::Sentinel(sentinel) => {
                sentinel.primary_server().await?.open_or_new_connection().await
            }
            Self::Single(server) => server.open_or_new_connection().await,
        }
    }

    pub(super) async fn send_command(&self, tag: Tag, command: &Cmd) -> Result<Value, Failure> {
        self.send_with_care(tag, command, Care::Usual).await
    }

    pub(super) async fn send_with_care(
        &self,
        tag: Tag,
        command: &Cmd,
        care: Care,
    ) -> Result<Value, Failure> {
        match self {
            Self::Cluster(cluster) => cluster.send_command(tag, command, care).await,
            Self::Sentinel(sentinel) => sentinel.send_command(command, care).await,
            Self::Single(server) => server.send_command_once(command, care).await,
        }
    }
}
