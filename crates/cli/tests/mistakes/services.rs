//! The services that mistakes are made with: one that answers as its path says, one that nobody reaches, one that speaks no
//! HTTP, and one with a certificate that nobody trusts.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use axum::{Router, body::Body, extract::Request, response::Response};
use callgate_testkit::{Blocking, Raw, closed_origin, serve};

/// Services, each at an address that rows name: `{plain}`, `{closed}`, `{garbled}`, `{interrupted}`, `{tls}`, `{tls-by-name}`;
/// and certificates: `{certificate}` of the one with TLS, `{other certificate}`.
pub(crate) struct Services {
    addresses: Vec<(&'static str, String)>,
    /// Of the service with TLS, and of nobody.
    certificates: [String; 2],
    tls: Child,
    _folder: tempfile::TempDir,
    _servers: Blocking<[String; 4]>,
}

impl Services {
    pub(crate) fn start() -> Self {
        // In the middle of its answer the one goes away. The other answers as a mail server does.
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: 1000000\r\n\r\n";
        let interrupted = format!("{head}{}", "x".repeat(1000));
        let servers = Blocking::start(async move {
            let plain = serve(Router::new().fallback(answer)).await;
            let garbled = Raw::once("220 mail.example ESMTP\r\n").await.origin;
            let interrupted = Raw::once(interrupted).await.origin;
            let origins = [plain, closed_origin(), garbled, interrupted];
            origins.map(|origin| origin.replace("http://", ""))
        });
        let [plain, closed, garbled, interrupted] = servers.service.clone();
        let folder = tempfile::tempdir().unwrap();
        let (tls, address, certificate) = tls(folder.path());
        let (_, port) = address.split_once(':').unwrap();
        let local = format!("localhost:{port}");
        let addresses = vec![
            ("{plain}", plain),
            ("{closed}", closed),
            ("{garbled}", garbled),
            ("{interrupted}", interrupted),
            ("{tls-by-name}", local),
            ("{tls}", address),
        ];
        let other =
            rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap().cert.pem();
        Self {
            addresses,
            certificates: [certificate, other],
            tls,
            _folder: folder,
            _servers: servers,
        }
    }

    /// A text of a row with addresses in place of their names.
    pub(crate) fn filled(&self, text: &str) -> String {
        let [own, other] = &self.certificates;
        let text = text.replace("{certificate}", own.trim_end());
        let text = text.replace("{other certificate}", other.trim_end());
        self.addresses.iter().fold(text, |text, (name, address)| text.replace(name, address))
    }

    /// A text of the command with names in place of addresses.
    pub(crate) fn named(&self, text: &str) -> String {
        self.addresses
            .iter()
            .fold(text.to_owned(), |text, (name, address)| text.replace(address, name))
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        self.tls.kill().unwrap();
        self.tls.wait().unwrap();
    }
}

/// A sidecar whose certificate is its own.
fn tls(folder: &Path) -> (Child, String, String) {
    let names = vec!["127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    fs::write(folder.join("spec.json"), r#"{"openapi": "3.1.0", "paths": {}}"#).unwrap();
    let text = "toolsets: {a: {openapi: spec.json, server: 'https://a.example', auth: none}}\n\
                listen: [{address: '127.0.0.1:0', tls: {certificate: cert.pem, key: 'file:key.pem'}}]\n";
    fs::write(folder.join("callgate.yaml"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    let mut child =
        command.arg("serve").current_dir(folder).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = told.find_map(|line| {
        let line = line.unwrap();
        line.strip_prefix("listening on https://").map(str::to_owned)
    });
    // What it says later goes nowhere, and must not stop it.
    thread::spawn(move || told.for_each(drop));
    (child, line.unwrap(), made.cert.pem())
}

/// What a path stands for.
async fn answer(request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let mut parts = path.trim_start_matches('/').split('/');
    let kind = parts.next().unwrap_or_default();
    let answer = Response::builder();
    let (status, media_type, body) = match kind {
        "status" => {
            let status = parts.next().and_then(|status| status.parse().ok()).unwrap();
            (status, "application/json", r#"{"message": "no such pet"}"#.to_owned())
        }
        "redirect" => (302, "text/plain", String::new()),
        "long" => (200, "application/json", format!("[{}0]", "0,".repeat(100_000))),
        "html" => (200, "text/html", "<!doctype html><html><body>Sign in</body></html>".to_owned()),
        "cut" => (200, "application/json", r#"{"name": "Re"#.to_owned()),
        "binary" => (200, "application/octet-stream", "\u{1}\u{2}".to_owned()),
        "postman" => {
            (200, "application/json", r#"{"info": {"_postman_id": "1"}, "item": []}"#.to_owned())
        }
        "empty" => (200, "application/json", String::new()),
        "token" => {
            let token =
                r#"{"access_token": "canary-token", "token_type": "Bearer", "expires_in": 3600}"#;
            (200, "application/json", token.to_owned())
        }
        "issuer" if path.ends_with("openid-configuration") => {
            let host = request.headers().get("host").unwrap().to_str().unwrap().to_owned();
            let text = format!(
                r#"{{"issuer": "http://{host}/issuer", "jwks_uri": "http://{host}/issuer/keys"}}"#
            );
            (200, "application/json", text)
        }
        "issuer" => (200, "application/json", KEYS.to_owned()),
        "collector" => (200, "application/json", "{}".to_owned()),
        "hang" => std::future::pending().await,
        _ => (404, "text/plain", "no such page".to_owned()),
    };
    let answer = answer.status(status).header("content-type", media_type);
    answer.header("location", "/elsewhere").body(Body::from(body)).unwrap()
}

/// A public key of an issuer.
const KEYS: &str =
    r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
