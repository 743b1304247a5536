//! The key `tls`, for every section that secures connections. No file is opened.

use callgate_tree::Node;

use super::{Mapping, ReadSecret, Reader, at, secret::secret};
use crate::{
    code::ConfigCode,
    keys::TLS,
    tls::{CertificateSource, IdentityConfig, TlsConfig},
};

/// Reads the `tls:` of a toolset, or of the whole configuration.
pub(crate) fn tls(reader: &mut Reader, parent: Mapping<'_>) -> TlsConfig {
    tls_with(reader, parent, secret)
}

/// Reads a `tls:` whose secrets `secret` reads: that function decides which stores are allowed.
pub(crate) fn tls_with(reader: &mut Reader, parent: Mapping<'_>, secret: ReadSecret) -> TlsConfig {
    let Some(node) = parent.object.get("tls") else { return TlsConfig::default() };
    let pointer = at(parent, "tls");
    let Some(mapping) = reader.mapping(node, &pointer, &TLS) else { return TlsConfig::default() };
    TlsConfig { ca: ca(reader, mapping), identity: identity(reader, mapping, secret) }
}

fn ca(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<CertificateSource> {
    let pointer = at(mapping, "ca");
    let texts = reader.strings(mapping, "ca");
    if mapping.object.get("ca").and_then(Node::as_array).is_some_and(<[Node]>::is_empty) {
        let help = "leave `ca` out to trust what the machine trusts";
        reader.complain(
            ConfigCode::WrongValue,
            &pointer,
            "expected one certificate at least, got none",
            help,
        );
    }
    let written = |(index, text): (usize, &str)| CertificateSource {
        pointer: format!("{pointer}/{index}"),
        text: text.to_owned(),
    };
    texts.into_iter().enumerate().map(written).collect()
}

fn identity(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    secret: ReadSecret,
) -> Option<IdentityConfig> {
    let is_named = |key: &str| mapping.object.contains(key);
    let keys = ["client_certificate", "client_key", "client_key_passphrase"];
    if !keys.into_iter().any(is_named) {
        return None;
    }
    let certificate = reader.required_string(mapping, "client_certificate").map(|text| {
        CertificateSource { pointer: at(mapping, "client_certificate"), text: text.to_owned() }
    });
    let key = secret(reader, mapping, "client_key");
    let passphrase = if is_named("client_key_passphrase") {
        Some(secret(reader, mapping, "client_key_passphrase")?)
    } else {
        None
    };
    let pointer = mapping.pointer.to_owned();
    Some(IdentityConfig { certificate: certificate?, key: key?, passphrase, pointer })
}
