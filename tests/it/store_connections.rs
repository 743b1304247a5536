//! Connections to a store of secrets: secured by what the configuration says of that store, over real TLS with a vault
//! that demands a certificate.

use std::{fs, net::Ipv4Addr, path::Path, sync::Arc};

use callgate::{Event, Executor, FaultCode, Outcome, Session, ToolCall, config::load};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::server::Server;

/// A folder with an authority's certificate, and a client's of that authority with its key.
struct Authority {
    folder: TempDir,
    der: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        let der = certificate.der().clone();
        let authority = Self { folder, der, issuer: Issuer::new(params, key) };
        let (client, key) = authority.issue();
        fs::write(authority.folder.path().join("client.pem"), client.pem()).unwrap();
        fs::write(authority.folder.path().join("client.key"), key.serialize_pem()).unwrap();
        authority
    }

    fn issue(&self) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A vault that demands a certificate of this authority; answers its address.
    async fn vault(&self) -> String {
        let (certificate, key) = self.issue();
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_client_cert_verifier(verifier.build().unwrap());
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let chain = vec![certificate.der().clone()];
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(acceptor.clone(), stream));
            }
        });
        format!("https://localhost:{port}")
    }
}

/// One answer a connection: the mount `secret/`, or the secret in it.
async fn answer(acceptor: TlsAcceptor, stream: TcpStream) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let (status, body) = match head.split(' ').nth(1).unwrap() {
        path if path.starts_with("/v1/sys/internal/ui/mounts/") => (
            "200 OK",
            r#"{"data": {"path": "secret/", "type": "kv", "options": {"version": "2"}}}"#,
        ),
        "/v1/secret/data/pets" => ("200 OK", r#"{"data": {"data": {"key": "from-the-vault"}}}"#),
        _ => ("404 Not Found", "{}"),
    };
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

fn executor(folder: &Path, (vault, tls): (&str, &str), (root, service): (&str, &str)) -> Executor {
    let description = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths: { /echo: { post: { operationId: echo, responses: { 200: { description: ok } } } } }\n";
    fs::write(folder.join("spec.yaml"), description).unwrap();
    let text = format!(
        "{root}\nsecrets: {{ vault: {{ address: '{vault}', token: 'literal:t', {tls} }} }}\n\
         toolsets:\n  a: {{ openapi: spec.yaml, prefix: '', server: '{service}', auth: {{ bearer: {{ token: 'vault:secret/pets#key' }} }} }}\n"
    );
    fs::write(folder.join("callgate.yaml"), text).unwrap();
    load(&folder.join("callgate.yaml")).unwrap_or_else(|error| panic!("{error}")).executor
}

/// The outcome of a call, and why there was no credential.
async fn called(executor: &Executor) -> (Outcome, String) {
    let call = ToolCall::new("1", "echo", serde_json::Map::default());
    let result = executor.call(&call, &Session::default()).await;
    let whys = result.journal.events().iter().filter_map(|event| match event {
        Event::CredentialAbsent { why } => Some(why.as_str()),
        _ => None,
    });
    (result.outcome.clone(), whys.collect())
}

const IDENTITY: &str = "client_certificate: client.pem, client_key: 'file:client.key'";

#[tokio::test]
async fn a_stores_own_certificates_secure_its_connections() {
    let authority = Authority::new();
    let (vault, service) = (authority.vault().await, Server::start().await);
    let tls = format!("tls: {{ ca: [ca.pem], {IDENTITY} }}");
    let executor = executor(authority.folder.path(), (&vault, &tls), ("", &service.url("")));
    let (outcome, why) = called(&executor).await;
    assert!(
        matches!(&outcome, Outcome::Answered(answer) if answer.status == 200),
        "{outcome:?} {why}"
    );
}

#[tokio::test]
async fn without_them_nothing_is_sent_and_the_operator_is_told_why() {
    let authority = Authority::new();
    let (vault, service) = (authority.vault().await, Server::start().await);
    let root = format!("tls: {{ ca: [ca.pem], {IDENTITY} }}");
    for (root, tls, words) in [
        ("", format!("tls: {{ {IDENTITY} }}"), "nobody who is trusted vouches"),
        ("", "tls: { ca: [ca.pem] }".to_owned(), "asks for a client certificate"),
        // What secures toolsets is shown to no store.
        (&root, String::new(), "nobody who is trusted vouches"),
    ] {
        let executor = executor(authority.folder.path(), (&vault, &tls), (root, &service.url("")));
        let (outcome, why) = called(&executor).await;
        let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
        assert_eq!(fault.code, FaultCode::AuthFailed);
        assert!(why.contains(words), "{tls}: {why}");
        assert!(!fault.message.contains("localhost"), "{fault:?}");
    }
}
