//! Tests of sidecars that reach their Redis server by TLS, each side with a certificate.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use super::*;

/// An authority in a folder: `ca.pem`, and certificates by their names.
struct Authority<'a> {
    folder: &'a Path,
    issuer: Issuer<'static, KeyPair>,
}

impl<'a> Authority<'a> {
    fn new(folder: &'a Path, file: &str) -> Self {
        let (key, mut params) = (KeyPair::generate().unwrap(), CertificateParams::default());
        // One with the name of its issuer would count as signed by itself.
        params.distinguished_name.push(DnType::CommonName, file);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        std::fs::write(folder.join(file), certificate.pem()).unwrap();
        Self { folder, issuer: Issuer::new(params, key) }
    }

    fn issue(&self, name: &str) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        std::fs::write(self.folder.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(self.folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}

#[tokio::test]
async fn a_server_with_tls_is_used_with_the_right_certificates_and_with_no_others() {
    let Some(program) = RedisProgram::of_machine() else { return };
    let (shop, folder) = (Shop::open().await, folder());
    let authority = Authority::new(folder.path(), "ca.pem");
    authority.issue("server");
    authority.issue("client");
    Authority::new(folder.path(), "other-ca.pem").issue("stranger");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let port = callgate_testkit::free_port();
    let options = [
        ("--tls-port", port.to_string()),
        ("--tls-cert-file", file("server.pem")),
        ("--tls-key-file", file("server.key")),
        ("--tls-ca-cert-file", file("ca.pem")),
        ("--tls-auth-clients", "yes".to_owned()),
    ];
    let options: Vec<_> = options.iter().flat_map(|(name, value)| [*name, value]).collect();
    let _server = program.start(&options);
    let sidecar = async |tls: &str| {
        let redis = format!("url: 'rediss://127.0.0.1:{port}', tls: {{{tls}}}");
        let state = format!("{{redis: {{{redis}}}, key: 'file:key'}}");
        shop.sidecar_with(&state, folder.path()).await.unwrap()
    };
    let of = |name: &str| format!("client_certificate: {name}.pem, client_key: 'file:{name}.key'");
    let right = format!("ca: [ca.pem], {}", of("client"));
    let (first, second) = (sidecar(&right).await, sidecar(&right).await);
    let session = json!({"parameters": {"owner": "kim"}});
    send(&first, "PUT", "/v1/sessions/s-1", &session).await;
    let pets = call(&second, json!({"tool": "pets-list", "args": {}})).await;
    assert_eq!(pets["response"], r#"[("owner", "kim")]"#);
    for (row, tls) in [
        ("another authority", format!("ca: [other-ca.pem], {}", of("client"))),
        ("the authorities of the machine", of("client")),
        ("no certificate", "ca: [ca.pem]".to_owned()),
        ("another authority's certificate", format!("ca: [ca.pem], {}", of("stranger"))),
    ] {
        let status = sidecar(&tls).await.status("/v1/sessions/s-1", &[]).await;
        assert_eq!(status, 503, "{row}");
    }
}
