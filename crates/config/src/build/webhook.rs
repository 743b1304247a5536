//! The webhook of approvals: its address, its keys and its connection. The queue of a process lives through its builds.

use std::sync::Arc;

use callgate_policy::{WebhookKey, WebhookTarget};
use callgate_secret::{SecretReference, SecretScheme};
use callgate_settings::Reader;
use callgate_transport::{Client, ClientSettings, Network};

use super::{context::BuildContext, tls};
use crate::{code::ConfigCode, config::Config, environment::Sidecar};

/// A service that learns of calls that wait for an approval, and the references to the secrets that sign.
#[derive(Debug)]
pub(super) struct Notified {
    pub(super) target: WebhookTarget,
    pub(super) secrets: Vec<SecretReference>,
}

/// The service that a sidecar tells; `None` without the key, and in a process that neither serves nor examines what would be
/// served. A process that examines reads secrets of this machine alone, and reports missing ones among all others.
pub(super) async fn build_notified_service(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    network: &Network,
) -> Option<Notified> {
    let webhook = config.webhook.as_ref()?;
    let BuildContext { base, environment, secrets, .. } = build_context;
    if environment.sidecar == Sidecar::None || reader.has_faults() {
        return None;
    }
    let is_serving = environment.sidecar == Sidecar::Serving;
    let mut keys = Vec::new();
    for reference in &webhook.secrets {
        if !is_serving && !SecretScheme::is_local(reference.scheme()) {
            continue;
        }
        let key = match secrets.get(reference).await {
            Ok(secret) => WebhookKey::new(&secret).map_err(|error| error.to_string()),
            Err(_) if !is_serving => continue,
            Err(error) => Err(error.to_string()),
        };
        match key {
            Ok(key) => keys.push(key),
            Err(message) => {
                let code = ConfigCode::MissingSecret;
                reader.report_fault(code, "/approvals/webhook/secret", message, HELP);
            }
        }
    }
    let transport = if let Some(own) = environment.transport.clone() {
        own
    } else {
        let tls = tls::load_tls_settings(reader, &config.tls, base, secrets).await;
        let settings = ClientSettings { tls, ..ClientSettings::default() };
        Arc::new(Client::over_network(network, settings))
    };
    let target = WebhookTarget { url: webhook.url.clone(), keys, transport };
    Some(Notified { target, secrets: webhook.secrets.clone() })
}

pub(super) const HELP: &str = "put a secret there that callgate and the service share, for example: echo \"whsec_$(openssl rand -base64 32)\"";
