//! Tests the TLS of listeners: our certificates, which are reread when they change, and callers' certificates.

use super::*;
use std::fs;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};
use reqwest::{Identity, tls::Certificate};

struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// A certificate and its key.
    fn issue(&self, name: SanType) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![name];
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    fn trusted(&self) -> Certificate {
        Certificate::from_pem(self.pem.as_bytes()).unwrap()
    }
}

fn localhost() -> SanType {
    SanType::DnsName("localhost".try_into().unwrap())
}

fn put(folder: &Path, (certificate, key): (String, String)) {
    fs::write(folder.join("server.pem"), certificate).unwrap();
    fs::write(folder.join("server.key"), key).unwrap();
}

const TLS: &str =
    "listen: {address: '127.0.0.1:0', tls: {certificate: server.pem, key: 'file:server.key'";

async fn status(
    sidecar: &Sidecar,
    trusted: &Certificate,
    identity: Option<&(String, String)>,
) -> Option<u16> {
    let mut client = Client::builder().no_proxy().tls_certs_only([trusted.clone()]);
    if let Some((certificate, key)) = identity {
        client =
            client.identity(Identity::from_pem(format!("{certificate}{key}").as_bytes()).unwrap());
    }
    let address = sidecar.calls[0].replace("127.0.0.1", "localhost");
    let answer = client.build().unwrap().get(format!("{address}/v1/tools")).send().await.ok()?;
    assert_eq!(answer.version(), reqwest::Version::HTTP_2);
    Some(answer.status().as_u16())
}

#[tokio::test]
async fn a_changed_certificate_is_reloaded_and_served() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Authority::new(), Authority::new());
    put(folder.path(), one.issue(localhost()));
    let text = format!("{TLS}}}}}\n{}", nothing());
    let sidecar = Sidecar::try_start(&text, folder.path()).await.unwrap();
    assert!(sidecar.calls[0].starts_with("https://"));
    assert_eq!(status(&sidecar, &one.trusted(), None).await, Some(200));
    assert_eq!(status(&sidecar, &other.trusted(), None).await, None);
    // An unreadable file leaves the earlier settings.
    fs::write(folder.path().join("server.pem"), "half a certificate").unwrap();
    assert_eq!(status(&sidecar, &one.trusted(), None).await, Some(200));
    put(folder.path(), other.issue(localhost()));
    let renewed = async { while status(&sidecar, &other.trusted(), None).await.is_none() {} };
    tokio::time::timeout(Duration::from_secs(20), renewed).await.unwrap();
    assert_eq!(status(&sidecar, &one.trusted(), None).await, None);
}

#[tokio::test]
async fn a_client_certificate_of_a_listed_authority_authenticates_its_principal() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, callers, strangers) = (Authority::new(), Authority::new(), Authority::new());
    put(folder.path(), ours.issue(localhost()));
    fs::write(folder.path().join("callers.pem"), &callers.pem).unwrap();
    let access = "access: {principals: {agent: {client_certificate: {san: 'spiffe://a/agent'}}}}";
    let text = format!("{TLS}, client_ca: [callers.pem]}}}}\n{access}\n{}", nothing());
    let sidecar = Sidecar::try_start(&text, folder.path()).await.unwrap();
    let named = |name: &str| SanType::URI(name.try_into().unwrap());
    let trusted = ours.trusted();
    let agent = callers.issue(named("spiffe://a/agent"));
    assert_eq!(status(&sidecar, &trusted, Some(&agent)).await, Some(200));
    let other = callers.issue(named("spiffe://a/other"));
    assert_eq!(status(&sidecar, &trusted, Some(&other)).await, Some(401));
    assert_eq!(status(&sidecar, &trusted, None).await, Some(401));
    let stranger = strangers.issue(named("spiffe://a/agent"));
    assert_eq!(status(&sidecar, &trusted, Some(&stranger)).await, None);
}

#[tokio::test]
async fn a_missing_certificate_file_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let failure = Sidecar::try_start(&format!("{TLS}}}}}\n{}", nothing()), folder.path()).await;
    assert!(failure.err().unwrap().to_string().contains("server.pem"));
}
