//! The sidecar's listeners, its callers and its limits, as values. Nothing is opened or fetched here: the gateway binds
//! addresses, and tokens are read when a configuration is built for a process that serves.

mod access;
mod address;
mod limits;
mod listener;

use std::path::Path;

use callgate_transport::{NotAProxy, Proxy};

pub use access::{AccessConfig, AltName, IssuerConfig, PrincipalConfig, Rights, Scopes, Token};
pub use address::{Address, NotAnAddress};
pub use limits::ServingLimits;
pub use listener::{ListenerConfig, ListenerTls};

use crate::{
    code::ConfigCode,
    reader::{Mapping, Reader, at},
};

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
    /// Host names that requests may use for the sidecar, beside those of this machine.
    pub hosts: Vec<String>,
    /// The forward proxy of every connection; the environment's proxy is ignored. Read at the start of a process.
    pub proxy: Option<Proxy>,
    /// The limits on connections and requests.
    pub limits: ServingLimits,
}

impl ServingConfig {
    /// The configuration with every file resolved against `base`.
    pub(crate) fn found(&self, base: &Path) -> Self {
        let mut found = self.clone();
        for listener in found.listen.iter_mut().chain(&mut found.admin) {
            if let Some(tls) = &mut listener.tls {
                tls.certificate = base.join(&tls.certificate);
                tls.client_ca = tls.client_ca.iter().map(|file| base.join(file)).collect();
            }
        }
        found
    }
}

/// Reads all keys of the section.
pub(crate) fn read(reader: &mut Reader, root: Mapping<'_>, toolsets: &[&str]) -> ServingConfig {
    ServingConfig {
        listen: listener::read(reader, root, "listen"),
        admin: listener::read(reader, root, "admin"),
        access: access::read(reader, root, toolsets),
        hosts: hosts(reader, root),
        proxy: proxy(reader, root),
        limits: reader.get::<ServingLimits>(root, "limits").unwrap_or_default(),
    }
}

fn proxy(reader: &mut Reader, root: Mapping<'_>) -> Option<Proxy> {
    let text = reader.string(root, "proxy")?;
    let proxy = text.parse().map_err(|error: NotAProxy| {
        let help = "for example `http://proxy.example:3128`";
        reader.complain(ConfigCode::WrongValue, at(root, "proxy"), error.to_string(), help);
    });
    proxy.ok()
}

fn hosts(reader: &mut Reader, root: Mapping<'_>) -> Vec<String> {
    let pointer = at(root, "hosts");
    let mut hosts = Vec::new();
    for (index, text) in reader.strings(root, "hosts").into_iter().enumerate() {
        match url::Host::parse(text) {
            Ok(host) => hosts.push(host.to_string()),
            Err(_) => reader.complain(
                ConfigCode::WrongValue,
                format!("{pointer}/{index}"),
                "expected the name of a host, without scheme and port",
                "for example `callgate.internal`",
            ),
        }
    }
    hosts
}

/// `true` or `false`; the default is `false`.
fn flag(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> bool {
    let Some(node) = mapping.object.get(key) else { return false };
    let flag = node.as_bool();
    if flag.is_none() {
        reader.expected(&at(mapping, key), "`true` or `false`", node, "write it without quotes");
    }
    flag.unwrap_or_default()
}

#[cfg(test)]
mod tests;
