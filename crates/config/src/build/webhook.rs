//! The webhook of approvals: its address, its keys and its connection. The queue of a process lives through its builds.

use std::sync::Arc;

use callgate_policy::{WebhookKey, WebhookTarget};
use callgate_transport::{Client, ClientSettings, Network};

use super::{context::BuildContext, tls};
use crate::{code::ConfigCode, config::Config, environment::Sidecar, reader::Reader};

/// The service that a sidecar tells; `None` without the key, and in a process that does not serve.
pub(super) async fn target(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    network: &Network,
) -> Option<WebhookTarget> {
    let webhook = config.webhook.as_ref()?;
    let BuildContext { base, environment, secrets, .. } = build_context;
    if environment.sidecar != Sidecar::Serving || reader.has_faults() {
        return None;
    }
    let mut keys = Vec::new();
    for reference in &webhook.secrets {
        let key = match secrets.get(reference).await {
            Ok(secret) => WebhookKey::new(&secret).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match key {
            Ok(key) => keys.push(key),
            Err(message) => {
                let code = ConfigCode::MissingSecret;
                reader.complain(code, "/approvals/webhook/secret", message, HELP);
            }
        }
    }
    let transport = if let Some(own) = environment.transport.clone() {
        own
    } else {
        let tls = tls::of_store(reader, &config.tls, base, secrets).await;
        let settings = ClientSettings { tls, ..ClientSettings::default() };
        Arc::new(Client::over(network, settings))
    };
    Some(WebhookTarget { url: webhook.url.clone(), keys, transport })
}

const HELP: &str = "put a secret there that callgate and the service share, for example: echo \"whsec_$(openssl rand -base64 32)\"";
