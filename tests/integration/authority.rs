//! An authority for tests, with a folder in which everything lies that an operator would have, and TLS servers that
//! demand a certificate of it.

use crate::prelude::*;
use std::net::Ipv4Addr;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::{RootCertStore, pki_types::CertificateDer, server::WebPkiClientVerifier};
use tempfile::TempDir;

/// An authority whose certificate is `ca.pem` in its folder.
pub(crate) struct Authority {
    pub(crate) folder: TempDir,
    pub(crate) der: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "callgate test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        let der = certificate.der().clone();
        Self { folder, der, issuer: Issuer::new(params, key) }
    }

    /// Issues a certificate that holds until a year, and writes it and its key into the folder.
    pub(crate) fn issue(&self, name: &str, until: i32) -> (CertificateDer<'static>, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let path = |suffix| self.folder.path().join(format!("{name}.{suffix}"));
        fs::write(path("pem"), certificate.pem()).unwrap();
        fs::write(path("key"), key.serialize_pem()).unwrap();
        (certificate.der().clone(), key)
    }

    /// A server on loopback that demands a certificate of this authority; answers its port.
    pub(crate) async fn serve<A>(&self, answer: fn(TlsAcceptor, TcpStream) -> A) -> u16
    where
        A: Future<Output = ()> + Send + 'static,
    {
        let (certificate, key) = self.issue("server", 3000);
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_client_cert_verifier(verifier.build().unwrap());
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let acceptor =
            TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate], key).unwrap()));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(acceptor.clone(), stream));
            }
        });
        port
    }
}
