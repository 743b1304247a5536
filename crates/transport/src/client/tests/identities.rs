//! Connections that show one certificate are never used for another, and clients do not share trust.

use super::*;

fn client(network: &Network, tls: TlsSettings) -> Client {
    Client::over_network(network, ClientSettings { tls, ..ClientSettings::default() })
}

async fn answer(client: &Client, origin: &str) -> Result<Bytes, Error> {
    Ok(client.send(get(origin, "/"), &Limits::default()).await?.into_body())
}

#[tokio::test]
async fn a_connection_with_one_client_certificate_is_never_used_for_another() {
    let authority = Authority::new("ours");
    let service = authority.issue("localhost", When::Now);
    for versions in [TLS_1_2, TLS_1_3] {
        let port = serve_tls(authority.server_requiring_client(&service, versions)).await;
        let origin = format!("https://localhost:{port}");
        let network = Network::with_resolver(Arc::new(addresses::Here), Listeners::default());
        let trusting = || TlsSettings::new().trust_only_ca(authority.ca_certificates());
        let shown = |name| trusting().with_identity(authority.issue(name, When::Now).identity());
        let (a, b) = (client(&network, shown("a")), client(&network, shown("b")));
        let none = client(&network, trusting());
        for _ in 0..20 {
            assert_eq!(answer(&a, &origin).await.unwrap(), "0 CN=a");
            assert_eq!(answer(&b, &origin).await.unwrap(), "1 CN=b");
        }
        let refused = answer(&none, &origin).await.unwrap_err();
        assert_eq!(refused.tls_fault(), Some(TlsFault::ClientCertificateRequired), "{refused:?}");
    }
}

#[tokio::test]
async fn clients_with_the_same_settings_share_connections() {
    let authority = Authority::new("ours");
    let service = authority.issue("localhost", When::Now);
    let port = serve_tls(authority.server_requiring_client(&service, TLS_1_3)).await;
    let origin = format!("https://localhost:{port}");
    let network = Network::with_resolver(Arc::new(addresses::Here), Listeners::default());
    let issued = authority.issue("a", When::Now);
    let same = || {
        TlsSettings::new()
            .trust_only_ca(authority.ca_certificates())
            .with_identity(issued.identity())
    };
    for _ in 0..3 {
        assert_eq!(answer(&client(&network, same()), &origin).await.unwrap(), "0 CN=a");
    }
}

#[tokio::test]
async fn pools_of_settings_without_a_client_are_dropped() {
    let authority = Authority::new("ours");
    let service = authority.issue("localhost", When::Now);
    let port = serve_tls(authority.server_requiring_client(&service, TLS_1_3)).await;
    let origin = format!("https://localhost:{port}");
    let network = Network::with_resolver(Arc::new(addresses::Here), Listeners::default());
    let stays = TlsSettings::new().trust_only_ca(authority.ca_certificates());
    let stays = stays.with_identity(authority.issue("stays", When::Now).identity());
    assert_eq!(answer(&client(&network, stays.clone()), &origin).await.unwrap(), "0 CN=stays");
    // As in a reload, the next client exists before the last one goes.
    let mut last = client(&network, stays.clone());
    for number in 1..=20 {
        let tls = TlsSettings::new().trust_only_ca(authority.ca_certificates());
        let tls = tls.with_identity(authority.issue("other", When::Now).identity());
        let other = client(&network, tls);
        assert_eq!(answer(&other, &origin).await.unwrap(), format!("{number} CN=other"));
        last = client(&network, stays.clone());
        assert!(network.n_pools() <= 2, "{}", network.n_pools());
    }
    assert_eq!(answer(&last, &origin).await.unwrap(), "0 CN=stays");
}

#[tokio::test]
async fn the_authority_of_one_client_does_not_serve_another() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let port = serve_tls(ours.issue("localhost", When::Now).server_config()).await;
    let origin = format!("https://localhost:{port}");
    let network = Network::with_resolver(Arc::new(addresses::Here), Listeners::default());
    let trusting =
        |authority: &Authority| TlsSettings::new().trust_only_ca(authority.ca_certificates());
    let (a, b) = (client(&network, trusting(&ours)), client(&network, trusting(&theirs)));
    let machine = client(&network, TlsSettings::new());
    assert_eq!(answer(&a, &origin).await.unwrap(), "0 -");
    for stranger in [b, machine] {
        let refused = answer(&stranger, &origin).await.unwrap_err();
        assert_eq!(refused.tls_fault(), Some(TlsFault::UnknownAuthority), "{refused:?}");
    }
}
