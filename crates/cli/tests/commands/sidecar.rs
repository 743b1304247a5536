//! `callgate serve` from outside: its log, its numbers, its health, and a reload.

use crate::prelude::*;
use std::io::Write;

/// A running sidecar; it is ended when it is dropped.
struct Sidecar {
    child: Child,
    log: BufReader<ChildStderr>,
    address: String,
}

impl Sidecar {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_callgate"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let said = until(&mut log, "http://");
        let address = said.split("http://").nth(1).unwrap();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
        let address = address.split(|c: char| !is_part(c)).next().unwrap().to_owned();
        Self { child, log, address }
    }

    /// The body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let length = body.len();
        let rest =
            format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
        self.answer(&format!("{method} {path}"), &rest).split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Whether somebody who shows a token may see the tools.
    fn lets_in(&self, token: &str) -> bool {
        let shown = format!("Authorization: Bearer {token}\r\n\r\n");
        let answer = self.answer("GET /v1/tools", &shown);
        assert!(
            ["200", "401"].iter().any(|status| answer.split(' ').nth(1) == Some(status)),
            "{answer}"
        );
        answer.starts_with("HTTP/1.1 200")
    }

    fn answer(&self, line: &str, rest: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        let request = format!("{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{rest}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Calls a tool.
    fn call(&self, tool: &str) {
        let call =
            format!(r#"{{"calls": [{{"id": "1", "tool": "{tool}", "args": {{"petId": 7}}}}]}}"#);
        self.ask("POST", "/v1/calls", &call);
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The first line that holds a text.
fn until(log: &mut impl BufRead, text: &str) -> String {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "nothing says `{text}`");
    }
    line
}

/// The samples of an exposition by their names with labels.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{line}")))
    };
    lines.map(sample).collect()
}

const CONFIGURATION: &str = "
log: {format: json}
toolsets:
  pets:
    openapi: pets.yaml
    upstream: {replay: cases}
    auth: {api_key: {in: header, name: X-Api-Key, value: 'literal:demo-key'}}
";

#[test]
fn a_sidecar_logs_events_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let pets = crate::root().join("fixtures/pets");
    fs::write(folder.path().join("callgate.yaml"), CONFIGURATION).unwrap();
    fs::copy(pets.join("spec.yaml"), folder.path().join("pets.yaml")).unwrap();
    std::os::unix::fs::symlink(pets.join("cases"), folder.path().join("cases")).unwrap();
    let mut sidecar = Sidecar::start(folder.path());
    assert_eq!(sidecar.ask("GET", "/healthz", ""), r#"{"status":"ok"}"#);
    assert!(sidecar.ask("GET", "/readyz", "").contains(r#""status":"ready""#));
    sidecar.call("pets-getPet");
    sidecar.ask("PUT", "/v1/sessions/s", r#"{"parameters": {"a": 1}}"#);
    for number in 0..300 {
        sidecar.call(&format!("canary-{number}"));
    }
    let text = sidecar.ask("GET", "/metrics", "");
    let samples = samples(&text);
    let sample = |name: &str| samples.get(name).copied();
    let answered = r#"callgate_calls_total{toolset="pets",outcome="answered",reached="yes"}"#;
    assert_eq!(sample(answered), Some(1.0), "{text}");
    let unknown = r#"callgate_calls_total{toolset="",outcome="unknown_tool",reached="no"}"#;
    assert_eq!(sample(unknown), Some(300.0), "{text}");
    assert_eq!(sample(r#"callgate_calls_in_flight{toolset="pets"}"#), Some(0.0), "{text}");
    let seconds = r#"callgate_call_duration_seconds_count{toolset="pets"}"#;
    assert_eq!(sample(seconds), Some(1.0), "{text}");
    assert_eq!(sample("callgate_configuration_current"), Some(1.0), "{text}");
    assert_eq!(sample("callgate_sessions"), Some(1.0), "{text}");
    assert!(samples.len() < 100 && !text.contains("canary"), "{text}");
    fs::write(folder.path().join("callgate.yaml"), "{broken: [").unwrap();
    let line = until(&mut sidecar.log, "the last good configuration stays");
    let record = Value::parse(&line).unwrap();
    assert_eq!(record["level"].as_str(), Some("WARN"));
    assert_eq!(record["fields"]["cause"].as_str(), Some("file"));
    assert!(sidecar.ask("GET", "/metrics", "").contains("\ncallgate_configuration_current 0\n"));
    let more = CONFIGURATION.replace("openapi", "tools: {exclude: [getPet]}\n    openapi");
    fs::write(folder.path().join("callgate.yaml"), more).unwrap();
    until(&mut sidecar.log, "changed for agents: pets-getPet: removed");
}

#[test]
fn a_signal_reloads_a_configuration_that_is_not_watched() {
    let folder = tempfile::tempdir().unwrap();
    let pets = crate::root().join("fixtures/pets");
    fs::copy(pets.join("spec.yaml"), folder.path().join("pets.yaml")).unwrap();
    std::os::unix::fs::symlink(pets.join("cases"), folder.path().join("cases")).unwrap();
    let unwatched = format!("reload: {{watch: false}}{CONFIGURATION}");
    fs::write(folder.path().join("callgate.yaml"), &unwatched).unwrap();
    let mut sidecar = Sidecar::start(folder.path());
    let fewer = unwatched.replace("openapi", "tools: {exclude: [getPet]}\n    openapi");
    fs::write(folder.path().join("callgate.yaml"), fewer).unwrap();
    let process = sidecar.child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &process]).status().unwrap().success());
    let record = Value::parse(&until(&mut sidecar.log, "\"reloaded\"")).unwrap();
    assert_eq!(record["fields"]["cause"].as_str(), Some("signal"));
    until(&mut sidecar.log, "changed for agents: pets-getPet: removed");
}

#[test]
fn a_rotated_token_file_replaces_the_old_token() {
    // As Kubernetes does: the link to all of a version is swapped.
    let mounted = |mount: &Path, number: usize| {
        let version = format!("..{number}");
        fs::create_dir(mount.join(&version)).unwrap();
        let token = format!("token-of-version-{number}\n");
        fs::write(mount.join(&version).join("token"), token).unwrap();
        std::os::unix::fs::symlink(&version, mount.join("..data_tmp")).unwrap();
        fs::rename(mount.join("..data_tmp"), mount.join("..data")).unwrap();
    };
    let references = [
        "access: {bearer: 'file:mount/token'}",
        "secrets: {directory: mount}\naccess: {bearer: 'directory:token'}",
    ];
    for reference in references {
        let folder = tempfile::tempdir().unwrap();
        let pets = crate::root().join("fixtures/pets");
        fs::copy(pets.join("spec.yaml"), folder.path().join("pets.yaml")).unwrap();
        std::os::unix::fs::symlink(pets.join("cases"), folder.path().join("cases")).unwrap();
        let mount = folder.path().join("mount");
        fs::create_dir(&mount).unwrap();
        mounted(&mount, 1);
        std::os::unix::fs::symlink("..data/token", mount.join("token")).unwrap();
        fs::write(folder.path().join("callgate.yaml"), format!("{reference}{CONFIGURATION}"))
            .unwrap();
        let mut sidecar = Sidecar::start(folder.path());
        assert!(sidecar.lets_in("token-of-version-1"), "{reference}");
        mounted(&mount, 2);
        until(&mut sidecar.log, "\"reloaded\"");
        assert!(sidecar.lets_in("token-of-version-2"), "{reference}");
        assert!(!sidecar.lets_in("token-of-version-1"), "{reference}");
    }
}
