//! The TLS settings of a connection: the trusted certificates, and our own certificate. The machine's trust holds unless a
//! set of certificates replaces it. The host name is always checked, and no switch trusts every certificate.

mod certificates;
mod client_certificate;
mod end_point;
mod identity;
mod server;
mod verifier;

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore, client::danger::ServerCertVerifier, crypto::CryptoProvider,
};

pub use certificates::CaCertificates;
pub use identity::ClientIdentity;
pub use server::{ServerTls, SubjectName, subject_names};

pub(crate) use client_certificate::run_noting_certificate_ask;
pub(crate) use end_point::channel_binding_digest;
pub(crate) use verifier::system_verifier;

use self::client_certificate::OfferedCertificate;
use crate::error::{self, Error};

/// The settings of secure connections. Equal settings share connections.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TlsSettings {
    ca: Option<CaCertificates>,
    identity: Option<ClientIdentity>,
}

impl TlsSettings {
    /// The machine's own trust, without a certificate of ours.
    pub fn new() -> Self {
        Self::default()
    }

    callgate_tool::setters! {
        /// Trusts only these certificates.
        pub fn trust_only_ca(ca: CaCertificates) = Some(ca);
        /// Shows this certificate to services that ask for one.
        pub fn with_identity(identity: ClientIdentity) = Some(identity);
    }

    pub(crate) fn has_identity(&self) -> bool {
        self.identity.is_some()
    }

    pub(crate) fn needs_system_trust(&self) -> bool {
        self.ca.is_none()
    }

    /// The settings in the form of the TLS library. `system` is the machine's own trust.
    pub(crate) fn client_config(
        &self,
        system: Option<Arc<dyn ServerCertVerifier>>,
    ) -> Result<ClientConfig, Error> {
        let verifier: Arc<dyn ServerCertVerifier> = match (&self.ca, system) {
            (Some(ca), _) => Arc::new(verifier::Verifier::for_certificates(ca)?),
            (None, Some(system)) => system,
            (None, None) => return Err(error::system_trust_error()),
        };
        let builder = ClientConfig::builder_with_provider(crypto_provider());
        let builder =
            builder.with_safe_default_protocol_versions().map_err(error::tls_settings_error)?;
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        let shown = self.identity.as_ref().map(ClientIdentity::certified_key);
        Ok(builder.with_client_cert_resolver(Arc::new(OfferedCertificate(shown))))
    }
}

/// Settings that trust no certificate. Connections without TLS use them, even on a machine that has no certificates.
pub(crate) fn config_trusting_nobody() -> Result<ClientConfig, Error> {
    let builder = ClientConfig::builder_with_provider(crypto_provider());
    let builder =
        builder.with_safe_default_protocol_versions().map_err(error::tls_settings_error)?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn crypto_provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

#[cfg(test)]
mod tests;
