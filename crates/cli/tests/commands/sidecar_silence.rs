//! The silence of a sidecar: tokens of its callers, of services and of sessions are in nothing it writes or answers.

use crate::prelude::*;
use std::{env, io::Write, thread::JoinHandle};

use axum::{http::HeaderMap, routing::get};
use base64::prelude::{BASE64_STANDARD, Engine};

#[test]
fn no_secret_is_in_the_output_and_answers_of_a_sidecar() {
    let service = service();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("spec.yaml"), DESCRIPTION).unwrap();
    let config = CONFIG.replace("UPSTREAM", &service);
    fs::write(folder.path().join("callgate.yaml"), config).unwrap();
    let mut sidecar = Sidecar::start(folder.path(), &["callgate.yaml"]);
    let mut seen = String::new();
    let token = format!("Authorization: Bearer {ACCESS}");
    for (method, path, header, body) in [
        ("GET", "/v1/tools", token.as_str(), ""),
        ("GET", "/v1/tools/echo", token.as_str(), ""),
        ("GET", "/v1/tools", "Authorization: Bearer canary-wrong-token-5", ""),
        ("POST", "/v1/calls", token.as_str(), CALLS),
        ("POST", "/v1/calls", token.as_str(), &CALLS.replacen('{', r#"{"dryRun":true,"#, 1)),
        ("POST", "/v1/calls", token.as_str(), &CALLS.replace("}]", r#","argz":1}]"#)),
        ("POST", "/v1/calls", token.as_str(), &format!("{{\"session\": \"{SESSION}")),
        ("PUT", "/v1/sessions/s", token.as_str(), STORED),
        ("GET", "/v1/sessions/s", token.as_str(), ""),
        ("GET", "/metrics", token.as_str(), ""),
        ("GET", "/readyz", token.as_str(), ""),
        ("GET", "/healthz", token.as_str(), ""),
        ("GET", "/openapi.json", token.as_str(), ""),
        ("GET", "/v1/admin/changes", token.as_str(), ""),
    ] {
        let answered = sidecar.answer(method, path, header, body);
        assert!(answered.starts_with("HTTP/1.1 "), "{method} {path}: {answered}");
        seen.push_str(&answered);
    }
    assert!(seen.contains(r#""status":401"#) && seen.contains("Bearer ****"), "{seen}");
    let (code, written) = sidecar.end();
    assert_eq!(code, Some(0), "{written}");
    assert!(written.contains("call ended"), "nothing was logged: {written}");
    seen.push_str(&written);
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap().path();
        if !["spec.yaml", "callgate.yaml"].contains(&file.file_name().unwrap().to_str().unwrap()) {
            seen.push_str(&fs::read_to_string(file).unwrap());
        }
    }
    for secret in [ACCESS, SERVICE_KEY, SESSION, "canary-wrong-token-5"] {
        for spelling in [secret.to_owned(), BASE64_STANDARD.encode(secret)] {
            let at = seen.lines().find(|line| line.contains(&spelling));
            assert_eq!(at, None, "{spelling}");
        }
    }
}

/// A running sidecar.
struct Sidecar {
    process: Child,
    address: String,
    written: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Sidecar {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_callgate"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .env("CANARY_ACCESS", ACCESS)
            .env("CANARY_SERVICE", SERVICE_KEY)
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines =
            BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let written = Arc::new(Mutex::new(String::new()));
        let address = lines.find_map(|line| {
            *written.lock().unwrap() += &format!("{line}\n");
            let (_, port) = line.split_once("127.0.0.1:")?;
            let port: String = port.chars().take_while(char::is_ascii_digit).collect();
            Some(format!("127.0.0.1:{port}"))
        });
        let kept = Arc::clone(&written);
        let reader = std::thread::spawn(move || {
            lines.for_each(|line| *kept.lock().unwrap() += &format!("{line}\n"));
        });
        let address = address.unwrap_or_else(|| panic!("{}", written.lock().unwrap()));
        Self { process, address, written, reader: Some(reader) }
    }

    /// The whole answer to a request, as it comes.
    fn answer(&self, method: &str, path: &str, header: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, length) = (&self.address, body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{header}\r\n");
        let content = "Content-Type: application/json\r\nConnection: close\r\n";
        let request = format!("{head}{content}Content-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Tells it to stop; its exit code and all that it wrote.
    fn end(&mut self) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        let status = self.process.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        (status.code(), self.written.lock().unwrap().clone())
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A service that says back what it was sent, refused at that.
fn service() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let echo = async |headers: HeaderMap| {
                let text = format!("{:?}", headers.get("authorization"));
                (StatusCode::UNAUTHORIZED, text)
            };
            let router = Router::new().route("/echo", get(echo));
            axum::serve(listener, router).await.unwrap();
        });
    });
    address
}

const ACCESS: &str = "canary-access-token-1";
const SERVICE_KEY: &str = "canary-service-key-2";
const SESSION: &str = "canary-session-token-3";

const CALLS: &str = r#"{"calls":[{"tool":"echo"},{"tool":"mine-echo","idempotencyKey":"k"}],"session":{"id":"s","credentials":{"mine":"canary-session-token-3"}}}"#;
const STORED: &str = r#"{"parameters":{"a":1},"credentials":{"mine":"canary-session-token-3"}}"#;

const CONFIG: &str = r#"
access: { principals: { agent: { bearer: env:CANARY_ACCESS, admin: true } } }
log: { level: trace, format: json }
toolsets:
  service:
    openapi: spec.yaml
    prefix: ""
    server: UPSTREAM
    auth: { bearer: { token: env:CANARY_SERVICE } }
    egress: { allow: [127.0.0.0/8] }
  mine:
    openapi: spec.yaml
    server: UPSTREAM
    auth: { bearer: { token: $session.credentials.mine } }
    egress: { allow: [127.0.0.0/8] }
"#;

const DESCRIPTION: &str = r#"
openapi: 3.1.0
info: {title: Echo, version: "1"}
paths:
  /echo: {get: {operationId: echo, responses: {"200": {description: what was sent}}}}
"#;
