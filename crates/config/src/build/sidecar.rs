//! The findings that concern only a sidecar: settings with which it does not start, and secrets and logins that this machine
//! lacks. `callgate serve` refuses or reports them; `check` and `doctor` make the findings of the same functions.

use std::{net::IpAddr, path::Path};

use callgate_kind::message_with_root_cause;
use callgate_secret::{SecretReference, SecretScheme, SecretStore as _};
use callgate_settings::{Finding, Reader, Severity};

use super::{built::Built, stores::Stores, webhook};
use crate::{
    code::ConfigCode,
    config::Config,
    environment::{Environment, Sidecar},
    error::Error,
    serving::{Address, ListenerConfig},
};

/// Reports the settings with which a sidecar does not start.
pub(super) fn report_unservable_settings(
    reader: &mut Reader,
    config: &Config,
    environment: &Environment,
) {
    if environment.sidecar == Sidecar::None {
        return;
    }
    if config.telemetry.otlp.is_some() && !cfg!(feature = "otel") {
        reader.report_absent_feature("otel", "telemetry", "/telemetry");
    }
    // A process that serves may have other addresses from its command line.
    if environment.sidecar == Sidecar::Examined && config.serving.access.is_none() {
        let listen = config.serving.listen.iter().map(|one| ("/listen", one));
        let admin = config.serving.admin.iter().map(|one| ("/admin", one));
        for (pointer, listener) in
            listen.chain(admin).filter(|(_, one)| one.is_remotely_reachable())
        {
            let shown = listener.address.to_string();
            let message = open_listener_message(&shown);
            reader.report_fault(ConfigCode::OpenListener, pointer, message, OPEN_LISTENER);
        }
    }
}

/// The sentence about a listener that other machines can reach, where no setting says who may call.
fn open_listener_message(address: &str) -> String {
    format!("`{address}` can be reached from other machines, and nothing says who may call")
}

const OPEN_LISTENER: &str =
    "listen on 127.0.0.1, or write into the configuration: access: {bearer: env:CALLGATE_TOKEN}";

impl Built {
    /// The fault of an address that other machines can reach, where no setting says who may call.
    #[doc(hidden)]
    pub fn open_listener_error(&self, address: &str) -> Error {
        let code = ConfigCode::OpenListener.as_str();
        Error::for_file(&self.origin, code, open_listener_message(address), OPEN_LISTENER)
    }
}

impl ListenerConfig {
    /// True if other machines can certainly reach the address: one of this machine's networks, written as a number.
    fn is_remotely_reachable(&self) -> bool {
        match &self.address {
            Address::Tcp { host, .. } => {
                host.parse::<IpAddr>().is_ok_and(|ip| !ip.to_canonical().is_loopback())
            }
            Address::Systemd(_) | Address::Unix(_) => false,
        }
    }
}

/// The secrets of this machine that are missing, with the findings about them. Other stores are read when a call needs
/// them.
pub(super) async fn missing_local_secrets(
    config: &Config,
    secrets: &[SecretReference],
    stores: &Stores,
) -> Vec<(SecretReference, Finding)> {
    let mut missing: Vec<(SecretReference, Finding)> = Vec::new();
    for reference in
        secrets.iter().filter(|secret_reference| SecretScheme::is_local(secret_reference.scheme()))
    {
        if missing.iter().any(|(entry, _)| entry == reference) {
            continue;
        }
        if let Err(error) = stores.get(reference).await {
            let mut signing = config.webhook.iter().flat_map(|webhook| &webhook.secrets);
            let help = if signing.any(|signing_reference| signing_reference == reference) {
                format!("without it the sidecar does not start: {}", webhook::HELP)
            } else {
                MISSING_SECRET.to_owned()
            };
            let (file, code) = (&config.origin.file, ConfigCode::MissingSecret);
            let finding = machine_note(file, code, message_with_root_cause(&error), &help);
            missing.push((reference.clone(), finding));
        }
    }
    missing
}

/// The finding about a login that is missing or unusable.
pub(super) fn missing_login_finding(file: &Path, message: &str) -> Finding {
    machine_note(file, ConfigCode::MissingLogin, message.to_owned(), MISSING_LOGIN)
}

/// A note about this machine: it makes the configuration of no other machine wrong.
fn machine_note(file: &Path, code: ConfigCode, message: String, help: &str) -> Finding {
    Finding::new(file, Severity::Note, code.as_str(), message).with_help(help)
}

const MISSING_SECRET: &str = "put the secret there, or correct the reference";
const MISSING_LOGIN: &str = "the tools of the toolset answer after the login";
