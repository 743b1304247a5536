//! Authorities, certificates and TLS servers for the tests of this crate. The server reports to each caller the number of
//! its connection and its client certificate.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use callgate_secret::Secret;
use callgate_testkit::read_head;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, SignatureAlgorithm, date_time_ymd,
};
use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::{CaCertificates, ClientIdentity};

pub(crate) struct Authority {
    pub(crate) certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

pub(crate) struct Issued {
    pub(crate) certificate: Certificate,
    pub(crate) key: KeyPair,
}

pub(crate) type Versions = &'static [&'static rustls::SupportedProtocolVersion];
pub(crate) const TLS_1_2: Versions = &[&rustls::version::TLS12];
pub(crate) const TLS_1_3: Versions = &[&rustls::version::TLS13];

#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    Future,
    Now,
    Past,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    pub(crate) fn issue(&self, name: &str, when: When) -> Issued {
        self.issue_with(name, when, &rcgen::PKCS_ECDSA_P256_SHA256)
    }

    pub(crate) fn issue_with(
        &self,
        name: &str,
        when: When,
        algorithm: &'static SignatureAlgorithm,
    ) -> Issued {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let certificate = params(name, when).signed_by(&key, &self.issuer).unwrap();
        Issued { certificate, key }
    }

    pub(crate) fn ca_certificates(&self) -> CaCertificates {
        CaCertificates::read(self.certificate.pem().as_bytes()).unwrap()
    }

    /// A server that asks for a certificate of this authority.
    pub(crate) fn server_requiring_client(
        &self,
        issued: &Issued,
        versions: Versions,
    ) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let builder = server_config_builder(versions).with_client_cert_verifier(verifier.unwrap());
        builder.with_single_cert(issued.chain(), issued.private_key_der()).unwrap()
    }
}

impl Issued {
    /// A self-signed certificate; `is_ca` makes it an authority too.
    pub(crate) fn self_signed(name: &str, is_ca: IsCa, when: When) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = params(name, when);
        params.is_ca = is_ca;
        Self { certificate: params.self_signed(&key).unwrap(), key }
    }

    pub(crate) fn identity(&self) -> ClientIdentity {
        let key = Secret::new(self.key.serialize_pem());
        ClientIdentity::new(self.certificate.pem().as_bytes(), &key, None).unwrap()
    }

    pub(crate) fn server_config(&self) -> ServerConfig {
        let builder = server_config_builder(rustls::ALL_VERSIONS).with_no_client_auth();
        builder.with_single_cert(self.chain(), self.private_key_der()).unwrap()
    }

    fn chain(&self) -> Vec<CertificateDer<'static>> {
        vec![self.certificate.der().clone()]
    }

    fn private_key_der(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.serialize_der()).into()
    }
}

/// Serves TLS on loopback until the test ends; returns the port. Each response is `<number of the connection> <common name
/// of the client's certificate, or ->`.
pub(crate) async fn serve_tls(config: ServerConfig) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let n_connections = AtomicUsize::new(0);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = n_connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve_connection(acceptor.clone(), stream, number));
        }
    });
    port
}

async fn serve_connection(acceptor: TlsAcceptor, stream: TcpStream, number: usize) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).map(subject_text);
    let body = format!("{number} {}", shown.as_deref().unwrap_or("-"));
    while read_head(&mut stream).await.is_some() {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).await.ok();
    }
}

fn subject_text(certificate: &CertificateDer<'_>) -> String {
    use x509_cert::der::Decode;
    let read = x509_cert::Certificate::from_der(certificate).unwrap();
    read.tbs_certificate().subject().to_string()
}

fn params(name: &str, when: When) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let (from, until) = match when {
        When::Future => (3000, 3001),
        When::Now => (2000, 3000),
        When::Past => (2000, 2001),
    };
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    params
}

fn server_config_builder(
    versions: Versions,
) -> rustls::ConfigBuilder<ServerConfig, rustls::WantsVerifier> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap()
}
