//! The keys `listen` and `admin`: addresses, each with its TLS if there is any.

use std::path::PathBuf;

use callgate_secret::SecretReference;
use callgate_tree::Node;

use super::Address;
use crate::{
    code::ConfigCode,
    keys::{LISTENER, LISTENER_TLS},
    reader::{Mapping, Reader, at, secret::secret},
};

/// One address to listen on.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ListenerConfig {
    /// The address.
    pub address: Address,
    /// The TLS settings; `None` for connections without TLS.
    pub tls: Option<ListenerTls>,
}

/// The TLS of a listener. Files are relative to the configuration's.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ListenerTls {
    /// The file of the certificate with its chain.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: SecretReference,
    /// The files of the authorities of callers' certificates; empty if no certificate is requested.
    pub client_ca: Vec<PathBuf>,
}

impl ListenerConfig {
    /// A listener without TLS.
    pub fn new(address: Address) -> Self {
        Self { address, tls: None }
    }
}

/// Reads one listener or a list of them.
pub(super) fn read(reader: &mut Reader, root: Mapping<'_>, key: &str) -> Vec<ListenerConfig> {
    let Some(node) = root.object.get(key) else { return Vec::new() };
    let pointer = at(root, key);
    let Some(items) = node.as_array() else {
        return one(reader, node, &pointer).into_iter().collect();
    };
    if items.is_empty() {
        let help = "leave the key out for the default";
        reader.complain(
            ConfigCode::WrongValue,
            &pointer,
            "expected one address at least, got none",
            help,
        );
    }
    let items = items.iter().enumerate();
    items.filter_map(|(index, node)| one(reader, node, &format!("{pointer}/{index}"))).collect()
}

fn one(reader: &mut Reader, node: &Node, pointer: &str) -> Option<ListenerConfig> {
    if let Some(text) = node.as_str() {
        return address(reader, text, pointer).map(ListenerConfig::new);
    }
    let mapping = reader.mapping(node, pointer, &LISTENER)?;
    let text = reader.required_string(mapping, "address");
    let tls = match mapping.object.get("tls") {
        Some(node) => Some(tls(reader, node, &at(mapping, "tls"))?),
        None => None,
    };
    let address = address(reader, text?, &at(mapping, "address"))?;
    Some(ListenerConfig { address, tls })
}

fn address(reader: &mut Reader, text: &str, pointer: &str) -> Option<Address> {
    let address = text.parse().map_err(|error: super::NotAnAddress| {
        let help = "for example `127.0.0.1:8410` or `unix:/run/callgate.sock`";
        reader.complain(ConfigCode::WrongValue, pointer, error.to_string(), help);
    });
    address.ok()
}

fn tls(reader: &mut Reader, node: &Node, pointer: &str) -> Option<ListenerTls> {
    let mapping = reader.mapping(node, pointer, &LISTENER_TLS)?;
    let certificate = reader.required_string(mapping, "certificate").map(PathBuf::from);
    let key = secret(reader, mapping, "key");
    let client_ca = reader.strings(mapping, "client_ca").into_iter().map(PathBuf::from).collect();
    Some(ListenerTls { certificate: certificate?, key: key?, client_ca })
}
