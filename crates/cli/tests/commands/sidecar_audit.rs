//! The audit file of `callgate serve` on a disk that is full in the middle of a line, and after kill -9.

use crate::prelude::*;

use rustix::process::{Resource, Rlimit, prlimit};

use crate::running::read;

/// One that may make its files so long, in units of 512 bytes, and is told so rather than ended.
fn start(folder: &Path, most: &str) -> Sidecar {
    let mut command = Command::new("sh");
    let script = format!(r#"trap "" XFSZ; ulimit -S -f {most}; exec "$@""#);
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_callgate"), "serve"]);
    Sidecar::of(command.args(["--listen", "127.0.0.1:0"]).current_dir(folder))
}

/// Sends a call and does not wait for its answer.
fn send(sidecar: &Sidecar, key: &str) -> TcpStream {
    let call =
        format!(r#""tool": "pets-getPet", "args": {{"petId": 7}}, "idempotencyKey": "{key}""#);
    sidecar.send("POST /v1/calls", "", &format!(r#"{{"calls": [{{{call}}}]}}"#))
}

/// The error of a call, and whether it reached the service.
fn fails(sidecar: &Sidecar, key: &str) -> (String, String) {
    let answer = read(&mut send(sidecar, key));
    let answer = Value::parse(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let error = &answer["results"][0]["error"];
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    (text("code"), text("reached"))
}

/// Lets it make its files so long from now on.
fn may_write(sidecar: &Sidecar, most: u64) {
    let limit = Rlimit { current: Some(most), maximum: None };
    prlimit(Some(Pid::from_child(&sidecar.process)), Resource::Fsize, limit).unwrap();
}

fn configure(folder: &Path, toolset: &str) {
    let spec = root().join("fixtures/pets/spec.yaml");
    let audit = "{file: audit.jsonl, mode: required, key: 'literal:0123456789abcdef'}";
    let toolset = format!("openapi: {}, {toolset}", spec.display());
    let text = format!("audit: {audit}\ntoolsets: {{pets: {{{toolset}}}}}\n");
    fs::write(folder.join("callgate.yaml"), text).unwrap();
}

fn verify(folder: &Path) -> Ended {
    let line = ["audit", "verify", "audit.jsonl", "--key", "literal:0123456789abcdef"];
    Ended::of(&mut command_in(folder, &line))
}

/// Threat 52 of `SECURITY.md`.
#[test]
fn after_a_partial_audit_line_on_a_full_disk_the_chain_continues() {
    let cases = root().join("fixtures/pets/cases");
    let auth = "auth: {api_key: {in: header, name: X-Api-Key, value: 'literal:demo-key'}}";
    let replayed = format!("upstream: {{replay: {}}}, {auth}", cases.display());
    for is_killed in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        configure(folder.path(), &replayed);
        let file = folder.path().join("audit.jsonl");
        let mut sidecar = start(folder.path(), "6");
        let refused = |sidecar: &Sidecar, key: &str| fails(sidecar, key).0 == "audit_failed";
        assert!((0..20).any(|at| refused(&sidecar, &at.to_string())), "it never was full");
        let full = fs::read(&file).unwrap();
        assert!(full.len() == 6 * 512 && !full.ends_with(b"\n"), "{} bytes", full.len());
        verify(folder.path()).exits(1).prints("is torn").prints("no line before it was altered");
        // A few bytes are no room for a line.
        may_write(&sidecar, 6 * 512 + 10);
        assert_eq!(fails(&sidecar, "more"), ("audit_failed".to_owned(), "no".to_owned()));
        assert_eq!(fs::read(&file).unwrap().len(), 6 * 512 + 10);
        verify(folder.path()).exits(1).prints("is torn");
        if is_killed {
            drop(sidecar);
            sidecar = start(folder.path(), "unlimited");
        } else {
            may_write(&sidecar, 1 << 20);
        }
        assert_eq!(fails(&sidecar, "more").0, "", "killed: {is_killed}");
        verify(folder.path()).exits(0).says("1 torn");
    }
}

/// Threat 50 of `SECURITY.md`.
#[test]
fn a_call_that_ran_at_a_kill_is_listed_and_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    configure(folder.path(), &format!("server: 'http://{address}', auth: none"));
    let sidecar = start(folder.path(), "unlimited");
    let asked = send(&sidecar, "order-17");
    let called = silent.accept().unwrap();
    drop(sidecar);
    let mut sidecar = start(folder.path(), "unlimited");
    let line = sidecar.until("may have been executed");
    assert!(line.contains("pets-getPet") && line.contains(&format!("GET {address}")), "{line}");
    let expected = ("outcome_unknown".to_owned(), "maybe".to_owned());
    for _ in 0..2 {
        assert_eq!(fails(&sidecar, "order-17"), expected);
    }
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_err(), "it was sent again");
    verify(folder.path()).exits(0);
    drop((asked, called));
}
