//! `callgate serve` as a process: what it says at the start, how it is stopped, and what keeps it from starting.

use crate::prelude::*;
use std::io::{self, Write};

use rustix::process::{Signal, kill_process};

use crate::running::read;

fn serve(folder: &TempDir) -> Command {
    command_in(folder.path(), &["serve", "--listen", "127.0.0.1:0"])
}

/// The sidecar of a folder, which has said in six lines what it serves.
fn start(folder: &TempDir) -> Sidecar {
    let mut sidecar = Sidecar::of(&mut serve(folder));
    sidecar.until("manual: ");
    sidecar
}

fn signal(sidecar: &Sidecar, signal: Signal) {
    kill_process(Pid::from_child(&sidecar.process), signal).unwrap();
}

const CALLS: &str = "POST /v1/calls";
const CALL: &str = r#"{"calls": [{"tool": "pets-getPet", "args": {"petId": 7}}]}"#;

#[test]
fn without_a_file_the_demo_is_served_and_described_in_seven_lines() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = start(&folder);
    assert!(sidecar.told[0].contains("the built-in demo"), "{:?}", sidecar.told);
    assert_eq!(sidecar.told[2], "toolsets: 1 (pets)");
    assert!(sidecar.told[3].starts_with("tools: 1") && sidecar.told[3].contains(" tokens "));
    assert_eq!(sidecar.told[4], "credentials: none is missing");
    assert!(sidecar.told[5].starts_with("console: http://127.0.0.1:"));
    assert!(sidecar.told[6].starts_with("manual: "));
    assert!(sidecar.answer(CALLS, "", CALL).contains("\"Rex\""));
    signal(&sidecar, Signal::TERM);
    assert_eq!(sidecar.ended().0, Some(0));
}

#[test]
fn the_file_of_the_folder_is_served_and_missing_credentials_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let spec = root().join("fixtures/pets/spec.yaml");
    let auth = "auth: {api_key: {in: header, name: X-Api-Key, value: 'env:CALLGATE_NO_SUCH_KEY'}}";
    let text = format!("toolsets: {{pets: {{openapi: {}, {auth}}}}}\n", spec.display());
    write(&folder, "callgate.yaml", text);
    let sidecar = start(&folder);
    assert!(sidecar.told[0].ends_with("serves callgate.yaml"), "{:?}", sidecar.told);
    assert_eq!(sidecar.told[4], "credentials missing: env:CALLGATE_NO_SUCH_KEY");
    signal(&sidecar, Signal::INT);
    assert_eq!(sidecar.ended().0, Some(0));
}

#[test]
fn each_line_of_a_sidecar_with_a_log_in_json_is_a_record_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let _silent = silent_service(folder.path(), "log: {format: json}\nidempotency: {ttl: 1h}");
    let config = folder.path().join("callgate.yaml");
    let text = fs::read_to_string(&config).unwrap().replace("auth: none", "");
    fs::write(config, text).unwrap();
    let sidecar = Sidecar::of(&mut serve(&folder));
    assert!(sidecar.answer(CALLS, "", r#"{"calls": [{"tool": "none"}]}"#).contains("unknown_tool"));
    let address = format!("http://{}", sidecar.address);
    signal(&sidecar, Signal::TERM);
    let (code, written) = sidecar.ended();
    assert_eq!(code, Some(0), "{written}");
    let records: Vec<Value> =
        written.lines().map(|line| line.parse().unwrap_or_else(|_| panic!("{line}"))).collect();
    let start = &records[0]["fields"];
    assert_eq!(start["listen"], Value::from(vec![Value::from(address)]), "{written}");
    assert_eq!(start["toolsets"][0].as_str(), Some("pets"), "{written}");
    assert_eq!(start["version"].as_str(), Some(env!("CARGO_PKG_VERSION")), "{written}");
    assert!(start["tools"]["degraded"].to_string().parse::<u64>().unwrap() > 0, "{written}");
    assert_eq!(records[1]["fields"]["code"].as_str(), Some("missing-credential"), "{written}");
    let call = records.iter().find(|record| record["target"].as_str() == Some("callgate::calls"));
    let outcome = call.and_then(|call| call["fields"]["outcome"].as_str());
    assert_eq!(outcome, Some("unknown_tool"), "{written}");
}

/// A service that accepts connections and answers nothing, and a configuration in the folder that has its tools.
fn silent_service(folder: &Path, more: &str) -> TcpListener {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let spec = root().join("fixtures/pets/spec.yaml");
    let toolset = format!("openapi: {}, server: 'http://{address}', auth: none", spec.display());
    let text = format!("toolsets: {{pets: {{{toolset}}}}}\n{more}\n");
    fs::write(folder.join("callgate.yaml"), text).unwrap();
    silent
}

#[test]
fn a_reload_signal_during_the_start_does_not_end_the_sidecar() {
    let folder = tempfile::tempdir().unwrap();
    let slow = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = slow.local_addr().unwrap();
    let toolset = format!("openapi: 'http://{address}/spec.yaml', server: 'http://{address}'");
    let text = format!("toolsets: {{pets: {{{toolset}, auth: none}}}}\n");
    write(&folder, "callgate.yaml", text);
    let mut sidecar = Sidecar::spawned(&mut serve(&folder));
    let pid = Pid::from_child(&sidecar.process);
    let asking = thread::spawn(move || {
        // It asks for its description before it serves anything.
        let (mut stream, _) = slow.accept().unwrap();
        let head = BufReader::new(&stream).lines().map_while(Result::ok);
        assert!(head.take_while(|line| !line.is_empty()).count() > 0);
        kill_process(pid, Signal::HUP).unwrap();
        let spec = fs::read_to_string(root().join("fixtures/pets/spec.yaml")).unwrap();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/yaml\r\nConnection: close";
        write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{spec}", spec.len()).unwrap();
    });
    sidecar.listens();
    asking.join().unwrap();
    signal(&sidecar, Signal::TERM);
    assert_eq!(sidecar.ended().0, Some(0));
}

#[test]
fn a_signal_ends_serve_while_it_waits_for_a_description() {
    let folder = tempfile::tempdir().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let toolset = format!("openapi: 'http://{address}/spec.yaml', server: 'http://{address}'");
    let text = format!("toolsets: {{pets: {{{toolset}, auth: none}}}}\n");
    write(&folder, "callgate.yaml", text);
    let sidecar = Sidecar::spawned(&mut serve(&folder));
    let asked = silent.accept().unwrap();
    signal(&sidecar, Signal::TERM);
    assert_eq!(sidecar.ended(), (Some(0), String::new()), "it never listened");
    drop(asked);
}

#[test]
fn a_second_signal_ends_serve_while_a_call_runs() {
    let folder = tempfile::tempdir().unwrap();
    let silent = silent_service(folder.path(), "");
    let sidecar = start(&folder);
    let _stream = sidecar.send(CALLS, "", CALL);
    let called = silent.accept().unwrap();
    signal(&sidecar, Signal::TERM);
    // It refuses others while the call runs.
    let refused = loop {
        // No call at all, which is a malformed body as long as bodies are read.
        let answer = sidecar.answer(CALLS, "", "{}");
        if answer.starts_with("HTTP/1.1 503") {
            break answer;
        }
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    };
    assert!(refused.contains("problem:draining"), "{refused}");
    signal(&sidecar, Signal::TERM);
    let (code, said) = sidecar.ended();
    assert_eq!(code, Some(2));
    assert!(said.contains("stopped at once"), "{said}");
    drop(called);
}

#[test]
fn a_call_that_outlasts_the_drain_is_answered_and_serve_exits_0() {
    let folder = tempfile::tempdir().unwrap();
    let silent = silent_service(folder.path(), "limits: {drain: 200ms}");
    let sidecar = start(&folder);
    let mut stream = sidecar.send(CALLS, "", CALL);
    let (mut called, _) = silent.accept().unwrap();
    // The request is on its way, and not only its connection.
    called.read_exact(&mut [0]).unwrap();
    signal(&sidecar, Signal::TERM);
    let answer = read(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#""code":"stopped""#), "{answer}");
    assert!(answer.contains(r#""reached":"maybe""#), "{answer}");
    assert_eq!(sidecar.ended().0, Some(0));
    drop(called);
}

#[test]
fn a_faulty_configuration_prevents_the_start() {
    let text = "toolsets: {pets: {openapi: nowhere.yaml}}\nlimits: {drains: 5s}\n";
    let (_folder, file) = folder_with("callgate.yaml", text);
    let ended = callgate(&["serve", file]).exits(2);
    ended.says("did you mean `drain`?");
    let text = "toolsets: {pets: {openapi: a.yaml}}\naccess: {bearer: 'env:CALLGATE_NO_SUCH'}\n";
    fs::write(file, text).unwrap();
    callgate(&["serve", file]).exits(2).says("CALLGATE_NO_SUCH");
    let tab = "a tab in the indentation of YAML at line 2 column";
    for (text, says) in [
        ("", "got an empty text"),
        ("toolsets:\n\tpets: {openapi: a.yaml}\n", tab),
        ("toolsets: {pets: [", "callgate.yaml"),
        ("\0\u{1}", "callgate.yaml"),
        ("swagger: '1.2'\n", "callgate.yaml"),
    ] {
        fs::write(file, text).unwrap();
        callgate(&["serve", file]).exits(2).says(says).says("help: ");
    }
}

#[test]
fn an_unreadable_description_is_reported_at_the_start_and_its_reason_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let spec = root().join("fixtures/pets/spec.yaml");
    let good = format!("good: {{openapi: {}, auth: none}}", spec.display());
    let text = format!("toolsets: {{{good}, lost: {{openapi: nowhere.yaml}}}}\n");
    write(&folder, "callgate.yaml", text);
    let mut sidecar = start(&folder);
    let told = "toolsets: 2 (good, lost); 1 cannot be read, and the log says why";
    assert_eq!(sidecar.told[2], told);
    let line = sidecar.until("a toolset has no tools until its description can be read");
    assert!(line.contains("toolset=lost") && line.contains("nowhere.yaml"), "{line}");
    signal(&sidecar, Signal::TERM);
    assert_eq!(sidecar.ended().0, Some(0));
}

#[test]
fn functions_of_the_client_are_counted_with_their_toolsets() {
    let folder = tempfile::tempdir().unwrap();
    let spec = root().join("fixtures/pets/spec.yaml");
    let app =
        "app: {functions: [{name: open_page, description: Opens a page, input: {type: object}}]}";
    let pets = format!("pets: {{openapi: {}, auth: none}}", spec.display());
    let alone = r#""toolsets":[{"name":"app","status":"ready","required":false}]"#;
    let both =
        r#"{"name":"pets","status":"ready","required":false},{"name":"app","status":"ready","#;
    for (toolsets, told, is_counted, listed) in [
        (app.to_owned(), "toolsets: 1 (app)", true, alone),
        (format!("{app}, {pets}"), "toolsets: 2 (pets, app)", false, both),
    ] {
        write(&folder, "callgate.yaml", format!("toolsets: {{{toolsets}}}\n"));
        let sidecar = start(&folder);
        assert_eq!(sidecar.told[2], told);
        let is_one = sidecar.told[3].starts_with("tools: 1 exposed, 0 degraded, 0 refused; ");
        assert_eq!(is_one, is_counted, "{}", sidecar.told[3]);
        let answer = sidecar.answer("GET /readyz", "", "");
        assert!(answer.contains(listed), "{answer}");
        signal(&sidecar, Signal::TERM);
        assert_eq!(sidecar.ended().0, Some(0));
    }
}

#[test]
fn a_public_or_occupied_address_prevents_the_start() {
    let demo = "config/demo.yaml";
    let open = callgate(&["serve", demo, "--listen", "0.0.0.0:0"]).exits(2);
    open.says("access: {bearer: env:CALLGATE_TOKEN}");
    callgate(&["serve", demo, "--listen", "nowhere"]).exits(2).says("expected `HOST:PORT`");
    let taken = Server::start();
    let address = taken.url("").replace("http://", "");
    callgate(&["serve", demo, "--listen", &address]).exits(2).says(&address);
}

/// Makes a socket, and becomes the sidecar that it is handed over to.
const SERVICE_MANAGER: &str = "
import os, socket, sys
listener = socket.create_server(('127.0.0.1', 0))
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1', LISTEN_FDNAMES='calls')
os.execv(sys.argv[1], sys.argv[1:])
";

#[test]
fn the_socket_of_a_service_manager_is_served() {
    let folder = tempfile::tempdir().unwrap();
    for listen in [&[][..], &["--listen", "systemd:calls"]] {
        let mut command = Command::new("python3");
        command.args(["-c", SERVICE_MANAGER, env!("CARGO_BIN_EXE_callgate"), "serve"]).args(listen);
        // Where there is no Python, nobody hands over.
        if Command::new("python3").arg("--version").output().is_err() {
            return;
        }
        let sidecar = Sidecar::of(command.current_dir(folder.path()));
        assert!(!sidecar.told[1].ends_with(":8410"), "{:?}", sidecar.told);
        assert!(sidecar.answer(CALLS, "", CALL).contains("\"Rex\""));
        signal(&sidecar, Signal::TERM);
        assert_eq!(sidecar.ended().0, Some(0));
    }
}

#[test]
fn a_new_caller_waits_for_the_next_process_of_a_service_manager() {
    let folder = tempfile::tempdir().unwrap();
    let silent = silent_service(folder.path(), "limits: {drain: 2s}");
    let mut command = Command::new("python3");
    command.args(["-c", SERVICE_MANAGER, env!("CARGO_BIN_EXE_callgate"), "serve"]);
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let mut sidecar = Sidecar::of(command.current_dir(folder.path()));
    let _running = sidecar.send(CALLS, "", CALL);
    let called = silent.accept().unwrap();
    signal(&sidecar, Signal::TERM);
    sidecar.until("stopping: ");
    let mut late = sidecar.send(CALLS, "", "{}");
    late.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let read = Read::read(&mut late, &mut [0]);
    assert!(read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock));
    drop(called);
}

#[test]
fn a_missing_inherited_socket_is_reported_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    // The shell's own number is the sidecar's, too.
    let manager = r#"export LISTEN_PID=$$ LISTEN_FDS=2; exec "$@" 3>&- 4>&-"#;
    let mut command = Command::new("sh");
    command.args(["-c", manager, "sh", env!("CARGO_BIN_EXE_callgate"), "serve"]);
    let ended = command.current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    let expected = "`LISTEN_FDS` names the descriptor 3, which is no open socket";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_failed_start_is_one_record_where_the_log_is_json() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let spec = root().join("fixtures/pets/spec.yaml");
    let spec = spec.display();
    let toolset = format!("toolsets: {{pets: {{openapi: {spec}, upstream: replay, auth: none}}}}");
    let (free, refused) = ("127.0.0.1:0", "the configuration cannot be served");
    for (more, listen, filter, expected) in [
        ("", &*listen, "", ["cannot listen on `127.0.0.1:", "end what listens there"]),
        ("", "8410", "", ["`--listen`: expected `HOST:PORT`", "for example `--listen"]),
        ("lissten: x", free, "", [refused, "unknown-key"]),
        ("access: {bearer: 'literal:no'}", free, "", [refused, "token"]),
        ("", free, "callgate=lowd", ["`CALLGATE_LOG`: ", "for example `CALLGATE_LOG=debug`"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("log: {{format: json}}\n{more}\n{toolset}\n");
        write(&folder, "callgate.yaml", text);
        let mut command = command_in(folder.path(), &["serve", "--listen", listen]);
        let ended = Ended::of(command.env("CALLGATE_LOG", filter)).exits(2);
        let records: Vec<_> = ended.err.lines().collect();
        assert_eq!(records.len(), 1, "{ended:#?}");
        let record: Value = records[0].parse().unwrap_or_else(|_| panic!("{ended:#?}"));
        assert_eq!(record["level"].as_str(), Some("ERROR"), "{record}");
        for text in expected {
            assert!(record.to_string().contains(text), "no `{text}` in {record}");
        }
    }
}
