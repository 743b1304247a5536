//! The way to send each toolset's calls and token requests: over the network, over the program's own transport, or from
//! recordings.

use std::{path::Path, sync::Arc};

use callgate_auth::AuthContext;
use callgate_settings::Reader;
use callgate_transport::{Refuse, TlsSettings, Transport};

use super::{
    authenticators::{Making, Way},
    built::Reusable,
    connect::{self, Clients, Connections},
    context::BuildContext,
    recordings,
    tls::{self, ToolsetTls},
};
use crate::{config::Config, toolset::ToolsetConfig, upstream::Upstream};

#[derive(Clone, Debug)]
pub(super) struct Sending {
    /// The transport for calls; `None` if its recordings have a fault.
    pub(super) calls: Option<Arc<dyn Transport>>,
    pub(super) descriptions: Arc<dyn Transport>,
    pub(super) tokens: Arc<dyn Transport>,
    /// The settings of secure connections to what the toolset calls.
    pub(super) secured: TlsSettings,
    /// The connection settings for token requests.
    pub(super) way: Way,
}

impl Sending {
    /// The context for making the authenticators of the toolset.
    pub(super) fn authenticator_making<'a>(&self, build_context: &BuildContext<'a>) -> Making<'a> {
        let environment = build_context.environment;
        let secrets = Arc::clone(&build_context.secrets);
        let context = AuthContext::new(secrets, Arc::clone(&self.tokens))
            .with_grants(environment.grants.clone())
            .with_clock(environment.clock.clone());
        Making {
            context,
            way: self.way.clone(),
            previous: build_context.previous,
            has_stand_ins: environment.has_stand_ins,
        }
    }
}

/// The transports of each toolset, in order, and the connections they use.
pub(super) async fn build_transports(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    previous: Option<&Reusable>,
) -> (Vec<Sending>, Connections) {
    let BuildContext { base, environment, secrets, .. } = build_context;
    let mut connections = Connections {
        secrets: Arc::clone(secrets),
        network: previous.map_or_else(
            || environment.network_avoiding_listeners(config.serving.proxy.clone()),
            |kept| kept.network.clone(),
        ),
        previous_directories: previous.map(|kept| kept.directories.clone()).unwrap_or_default(),
        directories: Vec::new(),
        clock: environment.clock.clone(),
    };
    if let Some(transport) = &environment.transport {
        let sending = config.toolsets.iter().map(|_| sending_over_transport(transport)).collect();
        return (sending, connections);
    }
    let secured = tls::load_toolsets_tls(reader, config, base, &connections.secrets).await;
    let toolsets = config.toolsets.iter().zip(secured);
    let sending = toolsets
        .map(|(toolset, tls)| toolset_sending(reader, toolset, base, &mut connections, tls));
    (sending.collect(), connections)
}

/// The program's own transport for everything.
fn sending_over_transport(transport: &Arc<dyn Transport>) -> Sending {
    let way = Some(connect::Way::Own(Arc::clone(transport)));
    let (calls, descriptions) = (Some(Arc::clone(transport)), Arc::clone(transport));
    let (tokens, secured) = (Arc::clone(transport), TlsSettings::new());
    Sending { calls, descriptions, tokens, secured, way }
}

fn toolset_sending(
    reader: &mut Reader,
    config: &ToolsetConfig,
    base: &Path,
    connections: &mut Connections,
    tls: ToolsetTls,
) -> Sending {
    let recorded = match &config.upstream {
        Upstream::Http => {
            let secured = tls.calls.clone();
            let Clients { calls, descriptions, tokens, way } =
                connections.toolset_clients(config, tls);
            return Sending { calls: Some(calls), descriptions, tokens, secured, way: Some(way) };
        }
        Upstream::Replay(directory) => base.join(directory),
        Upstream::ReplayBeside => {
            let file = config.description.resolved_path(base).unwrap_or_default();
            file.parent().map(|folder| folder.join("cases")).unwrap_or_default()
        }
    };
    let pointer = format!("{}/upstream", config.pointer);
    let calls = recordings::replaying_transport(reader, pointer, &recorded);
    let descriptions = connections.description_client(config, TlsSettings::new());
    let tokens = calls.clone().unwrap_or_else(|| Arc::new(Refuse::new()));
    Sending { calls, descriptions, tokens, secured: TlsSettings::new(), way: None }
}
