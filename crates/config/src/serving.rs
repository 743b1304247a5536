//! The sidecar's listeners, its callers and its limits, as values. Nothing is opened or fetched here: the gateway binds
//! addresses, and tokens are read when a configuration is built for a process that serves.

mod access;
mod address;
mod limits;
mod listener;

use std::path::Path;

use callgate_settings::{Kind, SettingCode, forms, member_pointer};
use callgate_transport::{NotAProxy, Proxy};
use url::Host;

pub use access::{
    AccessConfig, AltName, Approvable, Approves, IssuerConfig, PrincipalConfig, Rights, Scopes,
    Token,
};
pub use address::{Address, NotAnAddress};
pub use limits::ServingLimits;
pub use listener::{ListenerConfig, ListenerTls};

pub(crate) use access::Access;
pub(crate) use listener::Listeners;

/// The sidecar's listeners, its callers, and its limits.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServingConfig {
    /// The listeners for calls.
    pub listen: Vec<ListenerConfig>,
    /// The listeners for the operator.
    pub admin: Vec<ListenerConfig>,
    /// The accepted callers; `None` for everybody who reaches a listener on this machine.
    pub access: Option<AccessConfig>,
    /// True if the last calls are kept with their arguments and results.
    pub call_values: bool,
    /// The choice about pages for a browser; where every address is of this machine alone unless given.
    pub console: Option<bool>,
    /// Host names that requests may use for the sidecar, beside those of this machine.
    pub hosts: Vec<String>,
    /// The forward proxy of every connection; the environment's proxy is ignored. Read at the start of a process.
    pub proxy: Option<Proxy>,
    /// The limits on connections and requests.
    pub limits: ServingLimits,
}

impl ServingConfig {
    /// The configuration with every file resolved against `base`.
    pub(crate) fn with_resolved_files(&self, base: &Path) -> Self {
        let mut config = self.clone();
        for listener in config.listen.iter_mut().chain(&mut config.admin) {
            if let Some(tls) = &mut listener.tls {
                tls.certificate = base.join(&tls.certificate);
                tls.client_ca = tls.client_ca.iter().map(|file| base.join(file)).collect();
            }
        }
        config
    }
}

forms! {
    struct ProxyAddress => Proxy, Kind::Address, |reader, mapping, key| {
        let proxy = reader.string(mapping, key)?.parse().map_err(|error: NotAProxy| {
            let help = "for example `http://proxy.example:3128`";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), error.to_string(), help);
        });
        proxy.ok()
    };
    struct Hosts => Vec<String>, Kind::List(&Kind::Text), |reader, mapping, key| {
        Some(reader.parsed_strings(mapping, key, "for example `callgate.internal`", |text| {
            let wrong = |_| "expected the name of a host, without scheme and port".to_owned();
            Host::parse(text).map(|host| host.to_string()).map_err(wrong)
        }))
    };
}

#[cfg(test)]
mod tests;
