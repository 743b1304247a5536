//! `callgate serve` from outside: its log, its numbers, its health, and a reload.

use crate::prelude::*;

/// The body of an answer.
fn ask(sidecar: &Sidecar, line: &str, body: &str) -> String {
    sidecar.answer(line, "", body).split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// The right of a caller with a token to see the tools.
fn lets_in(sidecar: &Sidecar, token: &str) -> bool {
    let answer = sidecar.answer("GET /v1/tools", &format!("Authorization: Bearer {token}\r\n"), "");
    let status = answer.split(' ').nth(1).unwrap();
    assert!(["200", "401"].contains(&status), "{answer}");
    status == "200"
}

fn call(sidecar: &Sidecar, tool: &str) {
    let call = format!(r#"{{"calls": [{{"id": "1", "tool": "{tool}", "args": {{"petId": 7}}}}]}}"#);
    ask(sidecar, "POST /v1/calls", &call);
}

/// A folder with the files that the configuration names.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pets = root().join("fixtures/pets");
    fs::copy(pets.join("spec.yaml"), folder.path().join("pets.yaml")).unwrap();
    std::os::unix::fs::symlink(pets.join("cases"), folder.path().join("cases")).unwrap();
    folder
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
    let folder = folder();
    write(&folder, "callgate.yaml", CONFIGURATION);
    let mut sidecar = Sidecar::start(folder.path(), &[]);
    assert_eq!(ask(&sidecar, "GET /healthz", ""), r#"{"status":"ok"}"#);
    assert!(ask(&sidecar, "GET /readyz", "").contains(r#""status":"ready""#));
    call(&sidecar, "pets-getPet");
    ask(&sidecar, "PUT /v1/sessions/s", r#"{"parameters": {"a": 1}}"#);
    for number in 0..300 {
        call(&sidecar, &format!("canary-{number}"));
    }
    let text = ask(&sidecar, "GET /metrics", "");
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
    write(&folder, "callgate.yaml", "{broken: [");
    let line = sidecar.until("the last good configuration stays");
    let record = Value::parse(&line).unwrap();
    assert_eq!(record["level"].as_str(), Some("WARN"));
    assert_eq!(record["fields"]["cause"].as_str(), Some("file"));
    assert!(ask(&sidecar, "GET /metrics", "").contains("\ncallgate_configuration_current 0\n"));
    let more = CONFIGURATION.replace("openapi", "tools: {exclude: [getPet]}\n    openapi");
    write(&folder, "callgate.yaml", more);
    sidecar.until("changed for agents: pets-getPet: removed");
}

#[test]
fn sessions_in_a_file_are_counted_as_those_in_memory() {
    let folder = folder();
    let text = format!("state: {{file: state.db}}{CONFIGURATION}");
    write(&folder, "callgate.yaml", text);
    let sidecar = Sidecar::start(folder.path(), &[]);
    for name in ["s", "t", "s"] {
        ask(&sidecar, &format!("PUT /v1/sessions/{name}"), r#"{"parameters": {"a": 1}}"#);
    }
    let text = ask(&sidecar, "GET /metrics", "");
    assert_eq!(samples(&text).get("callgate_sessions"), Some(&2.0), "{text}");
}

#[test]
fn a_signal_reloads_a_configuration_that_is_not_watched() {
    let folder = folder();
    let unwatched = format!("reload: {{watch: false}}{CONFIGURATION}");
    write(&folder, "callgate.yaml", &unwatched);
    let mut sidecar = Sidecar::start(folder.path(), &[]);
    let fewer = unwatched.replace("openapi", "tools: {exclude: [getPet]}\n    openapi");
    write(&folder, "callgate.yaml", fewer);
    let process = sidecar.process.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &process]).status().unwrap().success());
    let record = Value::parse(&sidecar.until("\"reloaded\"")).unwrap();
    assert_eq!(record["fields"]["cause"].as_str(), Some("signal"));
    sidecar.until("changed for agents: pets-getPet: removed");
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
        let folder = folder();
        let mount = folder.path().join("mount");
        fs::create_dir(&mount).unwrap();
        mounted(&mount, 1);
        std::os::unix::fs::symlink("..data/token", mount.join("token")).unwrap();
        write(&folder, "callgate.yaml", format!("{reference}{CONFIGURATION}"));
        let mut sidecar = Sidecar::start(folder.path(), &[]);
        assert!(lets_in(&sidecar, "token-of-version-1"), "{reference}");
        mounted(&mount, 2);
        sidecar.until("\"reloaded\"");
        assert!(lets_in(&sidecar, "token-of-version-2"), "{reference}");
        assert!(!lets_in(&sidecar, "token-of-version-1"), "{reference}");
    }
}
