//! The TLS of a listener: its certificate and key, and the authorities for callers' certificates. The certificates come as
//! bytes; the caller reads them again when they change.

use std::sync::Arc;

use callgate_secret::Secret;
use rustls::{
    ServerConfig,
    pki_types::CertificateDer,
    server::{WebPkiClientVerifier, danger::ClientCertVerifier},
    sign::SingleCertAndKey,
};
use x509_cert::ext::pkix::{SubjectAltName, name::GeneralName};

use super::{CaCertificates, certificates, crypto_provider, identity::read_certified_key};
use crate::error::{self, Error};

/// The settings of a listener with TLS 1.2 or later and HTTP/2, in the form of the TLS library.
#[derive(Clone, Debug)]
pub struct ServerTls {
    config: Arc<ServerConfig>,
}

impl ServerTls {
    /// Shows a chain of certificates, ours first, which belongs to a private key in PEM. A certificate from an authority in
    /// `client_ca` identifies its caller; callers without one are let in as well, unless the listener's access rules demand
    /// more.
    ///
    /// # Errors
    /// [`ErrorKind::Certificate`](crate::ErrorKind::Certificate) if a certificate or the key cannot be read, or they do not
    /// match.
    pub fn new(
        chain: &[u8],
        key: &Secret,
        client_ca: Option<&CaCertificates>,
    ) -> Result<Self, Error> {
        let chain = certificates::read_certificates(chain)?;
        let shown = Arc::new(read_certified_key(chain, key, None)?);
        let builder = ServerConfig::builder_with_provider(crypto_provider());
        let builder =
            builder.with_safe_default_protocol_versions().map_err(error::tls_settings_error)?;
        let builder = match client_ca {
            Some(authorities) => {
                builder.with_client_cert_verifier(optional_client_verifier(authorities)?)
            }
            None => builder.with_no_client_auth(),
        };
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
        // RFC 7301 §3.2: in the order of our preference.
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config) })
    }

    /// The settings in the form of the TLS library.
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}

fn optional_client_verifier(
    authorities: &CaCertificates,
) -> Result<Arc<dyn ClientCertVerifier>, Error> {
    let roots = authorities.root_store().map_err(error::tls_settings_error)?;
    let builder = WebPkiClientVerifier::builder_with_provider(roots, crypto_provider());
    let verifier = builder.allow_unauthenticated().build();
    verifier.map_err(|source| error::system_trust_error().with_source(source))
}

/// A name that a certificate is issued for (RFC 5280 §4.2.1.6).
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the kinds that name whoever calls")]
pub enum SubjectName {
    /// The name of a host.
    Dns(String),
    /// A mail address.
    Email(String),
    /// A URI.
    Uri(String),
}

/// The names that a certificate is issued for; none if it cannot be read.
pub fn subject_names(certificate: &CertificateDer<'_>) -> Vec<SubjectName> {
    let Ok(read) = certificates::parse_x509(certificate) else { return Vec::new() };
    let Ok(Some((_, SubjectAltName(names)))) = read.tbs_certificate().get_extension() else {
        return Vec::new();
    };
    let name = |name: &GeneralName| match name {
        GeneralName::DnsName(name) => Some(SubjectName::Dns(name.to_string())),
        GeneralName::Rfc822Name(name) => Some(SubjectName::Email(name.to_string())),
        GeneralName::UniformResourceIdentifier(name) => Some(SubjectName::Uri(name.to_string())),
        _ => None,
    };
    names.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SanType, string::Ia5String};

    use super::*;

    fn text(text: &str) -> Ia5String {
        text.try_into().unwrap()
    }

    #[test]
    fn the_names_of_a_certificate_are_read() {
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![
            SanType::URI(text("spiffe://a.example/agent")),
            SanType::DnsName(text("agent.example")),
            SanType::Rfc822Name(text("agent@a.example")),
        ];
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let expected = [
            SubjectName::Uri("spiffe://a.example/agent".to_owned()),
            SubjectName::Dns("agent.example".to_owned()),
            SubjectName::Email("agent@a.example".to_owned()),
        ];
        assert_eq!(subject_names(certificate.der()), expected);
        assert_eq!(subject_names(&CertificateDer::from(vec![1, 2])), []);
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let (one, other) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let certificate = CertificateParams::default().self_signed(&one).unwrap();
        let served = |key: &KeyPair| {
            let key = Secret::new(key.serialize_pem());
            ServerTls::new(certificate.pem().as_bytes(), &key, None)
        };
        assert!(served(&one).is_ok());
        assert!(served(&other).unwrap_err().to_string().contains("do not belong together"));
    }
}
