//! The keys `listen` and `admin`: addresses, each with its TLS if there is any.

use std::path::PathBuf;

use callgate_secret::SecretReference;
use callgate_settings::{Form, Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer};
use callgate_tree::Node;

use super::Address;

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

keys! {
    pub(crate) struct ListenerKeys in "a listener" {
        /// `HOST:PORT`, `unix:PATH`, `systemd` or `systemd:NAME`.
        address: Address, required;
        /// The certificate that is shown to callers.
        tls: CallersTls;
    }
}

keys! {
    pub(crate) struct ListenerTlsKeys in "`tls` of a listener" {
        /// A file with the certificate and its chain, as PEM.
        certificate: PathBuf, required;
        /// Files with the authorities of callers' certificates, as PEM.
        client_ca: Vec<PathBuf>;
        /// The private key of the certificate, as PEM.
        key: SecretReference, required;
    }
}

/// An address, or an address with its TLS.
const LISTENER: Kind = Kind::AnyOf(&[Kind::Text, ListenerKeys::KIND]);

forms! {
    struct Listeners => Vec<ListenerConfig>, Kind::AnyOf(&[Kind::Text, ListenerKeys::KIND, Kind::List(&LISTENER)]),
        read_listeners;
    Address => Self, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        read_listener_address(reader, text, &member_pointer(mapping, key))
    };
    struct CallersTls => ListenerTls, ListenerTlsKeys::KIND, |reader, mapping, key| {
        let ListenerTlsKeys { certificate, client_ca, key } = reader.get::<ListenerTlsKeys>(mapping, key)?;
        let client_ca = client_ca.unwrap_or_default();
        Some(ListenerTls { certificate: certificate?, key: key?, client_ca })
    };
}

fn read_listeners(
    reader: &mut Reader,
    root: Mapping<'_>,
    key: &str,
) -> Option<Vec<ListenerConfig>> {
    let (node, pointer) = (root.object.get(key)?, member_pointer(root, key));
    let Some(items) = node.as_array() else {
        return read_listener(reader, node, &pointer).map(|listener| vec![listener]);
    };
    if items.is_empty() {
        let message = "expected one address at least, got none";
        let help = "leave the key out for the default";
        reader.report_fault(SettingCode::WrongValue, &pointer, message, help);
    }
    let items = items.iter().enumerate();
    let read = |(index, node)| read_listener(reader, node, &format!("{pointer}/{index}"));
    Some(items.filter_map(read).collect())
}

fn read_listener(reader: &mut Reader, node: &Node, pointer: &str) -> Option<ListenerConfig> {
    if let Some(text) = node.as_str() {
        return read_listener_address(reader, text, pointer).map(ListenerConfig::new);
    }
    if node.as_object().is_none() {
        reader.report_wrong_type_with_value(pointer, "an address or a mapping", node, EXAMPLES);
        return None;
    }
    let ListenerKeys { address, tls } = reader.section::<ListenerKeys>(node, pointer)?;
    Some(ListenerConfig { address: address?, tls })
}

fn read_listener_address(reader: &mut Reader, text: &str, pointer: &str) -> Option<Address> {
    let address = text.parse().map_err(|error: super::NotAnAddress| {
        reader.report_fault(SettingCode::WrongValue, pointer, error.to_string(), EXAMPLES);
    });
    address.ok()
}

const EXAMPLES: &str = "for example `127.0.0.1:8410` or `unix:/run/callgate.sock`";
