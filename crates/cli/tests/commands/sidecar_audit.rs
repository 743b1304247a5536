//! The audit file of `callgate serve` on a disk that is full in the middle of a line, and after kill -9.

use crate::prelude::*;
use std::{
    io::Write,
    sync::mpsc::{Receiver, channel},
};

use rustix::process::{Resource, Rlimit, prlimit};

use crate::root;

/// A running sidecar; it is killed when it is dropped.
struct Sidecar {
    process: Child,
    address: String,
    /// What it says after that.
    told: Receiver<String>,
}

impl Sidecar {
    /// One that may make its files so long, in units of 512 bytes, and is told so rather than ended.
    fn start(folder: &Path, most: &str) -> Self {
        let mut command = Command::new("sh");
        let script = format!(r#"trap "" XFSZ; ulimit -S -f {most}; exec "$@""#);
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_callgate"), "serve"]);
        command.args(["--listen", "127.0.0.1:0"]).current_dir(folder).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut told = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("listening on ") {
            line.clear();
            assert!(told.read_line(&mut line).unwrap() > 0, "it has ended");
        }
        let (tell, rest) = channel();
        std::thread::spawn(move || {
            for line in told.lines().map_while(Result::ok) {
                tell.send(line).ok();
            }
        });
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        Self { process, address, told: rest }
    }

    /// Sends a call and does not wait for its answer.
    fn send(&self, key: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let arguments = r#""args": {"petId": 7}"#;
        let call = format!(r#""tool": "pets-getPet", {arguments}, "idempotencyKey": "{key}""#);
        let body = format!(r#"{{"calls": [{{{call}}}]}}"#);
        let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close";
        write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream
    }

    /// The result of a call.
    fn call(&self, key: &str) -> Value {
        let mut answer = String::new();
        self.send(key).read_to_string(&mut answer).unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        Value::parse(body).unwrap()["results"][0].clone()
    }

    /// The error of a call, and whether it reached the service.
    fn fails(&self, key: &str) -> (String, String) {
        let result = self.call(key);
        let text = |name: &str| result["error"][name].as_str().unwrap_or_default().to_owned();
        (text("code"), text("reached"))
    }

    /// Lets it make its files so long from now on.
    fn may_write(&self, most: u64) {
        let limit = Rlimit { current: Some(most), maximum: None };
        prlimit(Some(Pid::from_child(&self.process)), Resource::Fsize, limit).unwrap();
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn configure(folder: &Path, toolset: &str) {
    let spec = root().join("fixtures/pets/spec.yaml");
    let audit = "{file: audit.jsonl, mode: required, key: 'literal:0123456789abcdef'}";
    let toolset = format!("openapi: {}, {toolset}", spec.display());
    let text = format!("audit: {audit}\ntoolsets: {{pets: {{{toolset}}}}}\n");
    fs::write(folder.join("callgate.yaml"), text).unwrap();
}

fn verify(folder: &Path) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.args(["audit", "verify", "audit.jsonl", "--key", "literal:0123456789abcdef"]);
    Ended::of(command.current_dir(folder))
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
        let mut sidecar = Sidecar::start(folder.path(), "6");
        let refused = |sidecar: &Sidecar, key: &str| sidecar.fails(key).0 == "audit_failed";
        assert!((0..20).any(|at| refused(&sidecar, &at.to_string())), "it never was full");
        let full = fs::read(&file).unwrap();
        assert!(full.len() == 6 * 512 && !full.ends_with(b"\n"), "{} bytes", full.len());
        verify(folder.path()).exits(1).prints("is torn").prints("no line before it was altered");
        // A few bytes are no room for a line.
        sidecar.may_write(6 * 512 + 10);
        assert_eq!(sidecar.fails("more"), ("audit_failed".to_owned(), "no".to_owned()));
        assert_eq!(fs::read(&file).unwrap().len(), 6 * 512 + 10);
        verify(folder.path()).exits(1).prints("is torn");
        if is_killed {
            drop(sidecar);
            sidecar = Sidecar::start(folder.path(), "unlimited");
        } else {
            sidecar.may_write(1 << 20);
        }
        assert_eq!(sidecar.fails("more").0, "", "killed: {is_killed}");
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
    let sidecar = Sidecar::start(folder.path(), "unlimited");
    let asked = sidecar.send("order-17");
    let called = silent.accept().unwrap();
    drop(sidecar);
    let sidecar = Sidecar::start(folder.path(), "unlimited");
    let mut told = std::iter::from_fn(|| sidecar.told.recv_timeout(Duration::from_secs(20)).ok());
    let line = told.find(|line| line.contains("may have been executed")).unwrap();
    assert!(line.contains("pets-getPet") && line.contains(&format!("GET {address}")), "{line}");
    let expected = ("outcome_unknown".to_owned(), "maybe".to_owned());
    for _ in 0..2 {
        assert_eq!(sidecar.fails("order-17"), expected);
    }
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_err(), "it was sent again");
    verify(folder.path()).exits(0);
    drop((asked, called));
}
