//! Secure connections to real TLS servers: what is trusted, and a message for each failure. Threat 41 of `SECURITY.md`.

use rcgen::{BasicConstraints, IsCa};
use rustls::ServerConfig;

use super::*;
use crate::test_tls::Issued;

async fn answer_of(
    config: ServerConfig,
    host: &str,
    tls: TlsSettings,
) -> Result<Response<Bytes>, Error> {
    let origin = format!("https://{host}:{}", serve_tls(config).await);
    client(tls).send(get(&origin, "/"), &Limits::default()).await
}

/// A client that resolves every name to this machine.
fn client(tls: TlsSettings) -> Client {
    let network = Network::with_resolver(Arc::new(addresses::Here), Listeners::default());
    Client::over_network(&network, ClientSettings { tls, ..ClientSettings::default() })
}

#[track_caller]
fn check_fault(result: Result<Response<Bytes>, Error>, fault: TlsFault) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.tls_fault()), (ErrorKind::Tls, Some(fault)), "{error:?}");
    assert_eq!(error.to_string(), fault.message());
    assert!(!error.is_transient());
}

#[tokio::test]
async fn an_authority_that_is_listed_is_trusted() {
    let authority = Authority::new("ours");
    let service = authority.issue("pets.example", When::Now);
    let tls = TlsSettings::new().trust_only_ca(authority.ca_certificates());
    let response = answer_of(service.server_config(), "pets.example", tls).await.unwrap();
    assert_eq!(response.body(), "0 -");
}

#[tokio::test]
async fn a_listed_set_replaces_the_trust_of_the_machine_and_of_others() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let service = theirs.issue("pets.example", When::Now);
    for tls in [TlsSettings::new().trust_only_ca(ours.ca_certificates()), TlsSettings::new()] {
        let refused = answer_of(service.server_config(), "pets.example", tls).await;
        check_fault(refused, TlsFault::UnknownAuthority);
    }
    let both = TlsSettings::new()
        .trust_only_ca(ours.ca_certificates().with_certificates(&theirs.ca_certificates()));
    assert!(answer_of(service.server_config(), "pets.example", both).await.is_ok());
}

#[tokio::test]
async fn an_authority_of_equal_name_with_another_key_is_not_trusted() {
    let (ours, forged) = (Authority::new("ours"), Authority::new("ours"));
    let service = forged.issue("pets.example", When::Now);
    let tls = TlsSettings::new().trust_only_ca(ours.ca_certificates());
    let refused = answer_of(service.server_config(), "pets.example", tls).await;
    check_fault(refused, TlsFault::UnknownAuthority);
}

#[tokio::test]
async fn the_dates_and_names_of_an_issued_certificate_are_verified() {
    let authority = Authority::new("ours");
    for (name, when, fault) in [
        ("pets.example", When::Past, TlsFault::Expired),
        ("pets.example", When::Future, TlsFault::NotYetValid),
        ("other.example", When::Now, TlsFault::WrongHost),
    ] {
        let tls = TlsSettings::new().trust_only_ca(authority.ca_certificates());
        let refused =
            answer_of(authority.issue(name, when).server_config(), "pets.example", tls).await;
        check_fault(refused, fault);
    }
}

#[tokio::test]
async fn a_listed_self_signed_certificate_is_trusted_for_its_name() {
    for is_ca in [IsCa::NoCa, IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let check = async |when, host, expected| {
            let service = Issued::self_signed("pets.example", is_ca, when);
            let listed = CaCertificates::read(service.certificate.pem().as_bytes()).unwrap();
            let tls = TlsSettings::new().trust_only_ca(listed);
            let answer = answer_of(service.server_config(), host, tls).await;
            match expected {
                None => assert!(answer.is_ok(), "{is_ca:?}: {answer:?}"),
                Some(fault) => check_fault(answer, fault),
            }
            let stranger = Authority::new("ours").ca_certificates();
            let tls = TlsSettings::new().trust_only_ca(stranger);
            let refused = answer_of(service.server_config(), host, tls).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Tls, "{is_ca:?}");
        };
        check(When::Now, "pets.example", None).await;
        check(When::Now, "other.example", Some(TlsFault::WrongHost)).await;
        check(When::Past, "pets.example", Some(TlsFault::Expired)).await;
        check(When::Future, "pets.example", Some(TlsFault::NotYetValid)).await;
    }
}

#[tokio::test]
async fn an_unknown_self_signed_certificate_has_no_trusted_issuer() {
    for is_ca in [IsCa::NoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let service = Issued::self_signed("pets.example", is_ca, When::Now);
        let ours = TlsSettings::new().trust_only_ca(Authority::new("ours").ca_certificates());
        for tls in [ours, TlsSettings::new()] {
            let refused = answer_of(service.server_config(), "pets.example", tls).await;
            check_fault(refused, TlsFault::UnknownAuthority);
        }
    }
}

#[tokio::test]
async fn a_listed_issued_certificate_is_trusted_without_its_authority() {
    let service = Authority::new("theirs").issue("pets.example", When::Now);
    let listed = CaCertificates::read(service.certificate.pem().as_bytes()).unwrap();
    let tls = TlsSettings::new().trust_only_ca(listed);
    assert!(answer_of(service.server_config(), "pets.example", tls).await.is_ok());
}

#[tokio::test]
async fn mutual_tls_succeeds_only_with_a_certificate_of_the_expected_authority() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let service = ours.issue("pets.example", When::Now);
    let trusting = || TlsSettings::new().trust_only_ca(ours.ca_certificates());
    let answer = async |versions, protocol: &str, tls| {
        let mut config = ours.server_requiring_client(&service, versions);
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        answer_of(config, "pets.example", tls).await
    };
    let shown =
        |by: &Authority| trusting().with_identity(by.issue("callgate", When::Now).identity());
    for versions in [TLS_1_2, TLS_1_3] {
        let welcome = answer(versions, "http/1.1", shown(&ours)).await.unwrap();
        assert_eq!(welcome.body(), "0 CN=callgate");
        for protocol in ["http/1.1", "h2"] {
            let strange = answer(versions, protocol, shown(&theirs)).await;
            check_fault(strange, TlsFault::ClientCertificateRefused);
            let none = answer(versions, protocol, trusting()).await;
            check_fault(none, TlsFault::ClientCertificateRequired);
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_and_a_bad_certificate_are_different_faults() {
    let origin = serve_raw(|mut connection| async move {
        connection.write("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        connection.hold().await;
    })
    .await;
    let answer = send(get(&origin.replace("http://", "https://"), "/")).await;
    check_fault(answer, TlsFault::Protocol);
}
