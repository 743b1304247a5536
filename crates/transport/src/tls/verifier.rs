//! Checks the certificate of a service against the certificates that the operator listed, or against the machine's trust. A
//! listed certificate that is the service's own is trusted whether or not it is an authority; its dates and names still
//! count.

use std::sync::Arc;

use rustls::{
    CertificateError, DigitallySignedStruct, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};

use super::{
    certificates::{CaCertificates, Validity, is_self_signed},
    crypto_provider,
};
use crate::error::{self, Error};

/// The machine's own trust. Reading it takes milliseconds.
pub(crate) fn system_verifier() -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let chains = rustls_platform_verifier::Verifier::new(crypto_provider());
    let chains = chains.map_err(|source| error::system_trust_error().with_source(source))?;
    Ok(Arc::new(Verifier { chains: Arc::new(chains), listed: None }))
}

#[derive(Debug)]
pub(super) struct Verifier {
    chains: Arc<dyn ServerCertVerifier>,
    listed: Option<CaCertificates>,
}

impl Verifier {
    pub(super) fn for_certificates(listed: &CaCertificates) -> Result<Self, Error> {
        let roots = listed.root_store().map_err(error::tls_settings_error)?;
        let chains = WebPkiServerVerifier::builder_with_provider(roots, crypto_provider());
        let chains =
            chains.build().map_err(|source| error::system_trust_error().with_source(source))?;
        Ok(Self { chains, listed: Some(listed.clone()) })
    }

    fn is_listed_certificate(&self, certificate: &CertificateDer<'_>) -> bool {
        self.listed.iter().flat_map(CaCertificates::iter).any(|listed| listed == certificate)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if !self.is_listed_certificate(end_entity) {
            let chains = &self.chains;
            let verified = chains.verify_server_cert(
                end_entity,
                intermediates,
                server_name,
                ocsp_response,
                now,
            );
            return verified.map_err(|error| map_self_signed_error(error, end_entity));
        }
        // The rules for chains refuse an authority as a service's certificate, and most self-signed certificates are
        // authorities.
        let validity =
            Validity::from_certificate(end_entity).map_err(|_| CertificateError::BadEncoding)?;
        if now.as_secs() > validity.not_after.as_secs() {
            return Err(CertificateError::Expired.into());
        }
        if now.as_secs() < validity.not_before.as_secs() {
            return Err(CertificateError::NotValidYet.into());
        }
        verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

/// Maps the error for an unknown self-signed certificate. The rules for chains report that an authority may not serve, but
/// the problem is that nobody vouches for it.
fn map_self_signed_error(error: rustls::Error, end_entity: &CertificateDer<'_>) -> rustls::Error {
    match error {
        rustls::Error::InvalidCertificate(CertificateError::Other(_))
            if is_self_signed(end_entity) =>
        {
            CertificateError::UnknownIssuer.into()
        }
        other => other,
    }
}
