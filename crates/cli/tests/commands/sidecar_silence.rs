//! The silence of a sidecar: tokens of its callers, of services and of sessions are in nothing it writes or answers.

use crate::prelude::*;

use base64::prelude::{BASE64_STANDARD, Engine};
use rustix::process::{Signal, kill_process};

#[test]
fn no_secret_is_in_the_output_and_answers_of_a_sidecar() {
    // The service says back what it was sent, and refuses it.
    let service = Blocking::start(Service::start(|request| {
        (401, format!("{:?}", request.headers.get("authorization")))
    }));
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "spec.yaml", DESCRIPTION);
    let config = CONFIG.replace("UPSTREAM", &service.service.origin);
    write(&folder, "callgate.yaml", config);
    let line = ["serve", "--listen", "127.0.0.1:0", "callgate.yaml"];
    let mut command = command_in(folder.path(), &line);
    let command = command.env("CANARY_ACCESS", ACCESS).env("CANARY_SERVICE", SERVICE_KEY);
    let sidecar = Sidecar::of(command);
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
        let headers = format!("{header}\r\n");
        let headers = if header.is_empty() { "" } else { &headers };
        let answered = sidecar.answer(&format!("{method} {path}"), headers, body);
        assert!(answered.starts_with("HTTP/1.1 "), "{method} {path}: {answered}");
        seen.push_str(&answered);
    }
    assert!(seen.contains(r#""status":401"#) && seen.contains("Bearer ****"), "{seen}");
    kill_process(Pid::from_child(&sidecar.process), Signal::TERM).unwrap();
    let (code, written) = sidecar.ended();
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
