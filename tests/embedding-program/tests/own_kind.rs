//! A command with a kind of toolset of one's own: each way in of the command shows it, as it shows those of callgate.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStderr, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const CONFIGURATION: &str = "
access:
  principals:
    owner: {bearer: 'literal:token-of-the-owner-0123456789', admin: true}
    guest: {bearer: 'literal:token-of-the-guest-0123456789', toolsets: [away]}
idempotency: {ttl: 1h}
toolsets:
  parrot: {echo: {file: text.txt, times: 2}, tools: {edit: {shout: {name: cry}}}}
  away: {echo: {file: absent.txt}}
";

const OWNER: &str = "token-of-the-owner-0123456789";
const GUEST: &str = "token-of-the-guest-0123456789";

/// A folder with a configuration, and the file that it names.
fn folder(configuration: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("callgate.yaml"), configuration).unwrap();
    fs::write(folder.path().join("text.txt"), "hello\n").unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_echo"));
    command.args(arguments).current_dir(folder);
    command
}

/// The code of the command's exit, and all that it writes.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(folder, arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[track_caller]
fn check(arguments: &[&str], code: i32, parts: &[&str]) {
    let folder = folder(
        "toolsets: {parrot: {echo: {file: text.txt, times: 2}, tools: {edit: {shout: {name: cry}}}}}",
    );
    let (ended, text) = run(folder.path(), arguments);
    assert_eq!(ended, code, "{arguments:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{arguments:?}: no `{part}` in {text}");
    }
}

#[test]
fn each_command_knows_an_own_kind() {
    check(&["check", "callgate.yaml", "--deny", "echo-empty"], 0, &[]);
    check(&["doctor"], 0, &["echo", "parrot"]);
    check(&["tools", "callgate.yaml"], 0, &["parrot-say", "parrot-cry"]);
    check(&["call", "callgate.yaml", "parrot-cry"], 0, &["HELLOHELLO"]);
    check(&["call", "callgate.yaml", "parrot-say", "--dry-run"], 0, &["parrot-say"]);
    check(&["schema"], 0, &["The file whose text the tools repeat", "\"times\""]);
    check(&["explain", "echo-empty"], 0, &["Write a text into the file."]);
    check(&["complete", "zsh", "echo", "explain", "echo-"], 0, &["echo-away", "echo-empty"]);
}

#[test]
fn findings_of_an_own_kind_are_at_their_lines() {
    let keys = folder("toolsets:\n  parrot: {echo: {flie: text.txt}}\n");
    let (code, text) = run(keys.path(), &["check", "callgate.yaml"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("callgate.yaml:2:") && text.contains("did you mean `file`?"), "{text}");
    let empty = folder("toolsets:\n  parrot: {echo: {file: text.txt}}\n");
    fs::write(empty.path().join("text.txt"), "").unwrap();
    let (_, text) = run(empty.path(), &["check", "callgate.yaml"]);
    assert!(text.contains("warning[echo-empty]") && text.contains("callgate.yaml:2:"), "{text}");
    let away = folder("toolsets:\n  parrot: {echo: {file: absent.txt}}\n");
    let (code, text) = run(away.path(), &["doctor"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("expected a file with a text, got none"), "{text}");
}

/// A running sidecar.
struct Sidecar {
    process: Child,
    address: String,
    _written: BufReader<ChildStderr>,
    _folder: TempDir,
}

impl Sidecar {
    fn start(configuration: &str) -> Self {
        let folder = folder(configuration);
        let mut command = command(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut written = BufReader::new(process.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(written.read_line(&mut line).unwrap() > 0, "the sidecar listens");
            if let Some((_, address)) = line.split_once("listening on http://") {
                let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ':');
                break address.chars().take_while(|c| is_part(*c)).collect();
            }
        };
        Self { process, address, _written: written, _folder: folder }
    }

    /// The status and the body of an answer.
    fn ask(&self, line: &str, token: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}")))
    }

    /// The result of one call; `more` are further members of the request.
    fn call(&self, token: &str, call: &Value, more: &Value) -> Value {
        let mut request = json!({"calls": [call]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.ask("POST /v1/calls", token, &request.to_string()).1["results"][0].clone()
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// The rules that hold for every kind, as the suite of kinds beside the command has them.
#[test]
fn the_rules_of_all_kinds_hold_for_an_own_kind() {
    let sidecar = Sidecar::start(CONFIGURATION);
    let call =
        |tool: &str, key: &str| json!({"id": "1", "tool": tool, "args": {}, "idempotencyKey": key});
    let none = json!({});
    let refused = sidecar.call(GUEST, &call("parrot-say", "a"), &none);
    assert_eq!(refused["error"]["code"], "unknown_tool", "{refused}");
    let first = sidecar.call(OWNER, &call("parrot-say", "b"), &none);
    assert_eq!(first["response"], json!({"openings": 1, "text": "hellohello"}), "{first}");
    let planned = sidecar.call(OWNER, &call("parrot-say", "c"), &json!({"dryRun": true}));
    assert!(planned.get("request").is_some(), "{planned}");
    let waits = sidecar.call(OWNER, &call("parrot-say", "d"), &json!({"execution": "client"}));
    assert_eq!(waits["pending"]["kind"], "client", "{waits}");
    let away = sidecar.call(OWNER, &call("away-say", "e"), &none);
    assert_eq!(
        (&away["error"]["reached"], &away["error"]["next"]),
        (&json!("no"), &json!("try_later"))
    );

    assert_eq!(sidecar.ask("POST /v1/admin/reload", OWNER, "").0, 200);
    let again = sidecar.call(OWNER, &call("parrot-say", "b"), &none);
    assert_eq!(again["response"], first["response"], "{again}");
    let reused = sidecar.call(OWNER, &call("parrot-cry", "f"), &none);
    assert_eq!(reused["response"], json!({"openings": 2, "text": "HELLOHELLO"}), "{reused}");
}

/// Toolsets of the own kind, each with further keys, beside those of the configuration.
fn with_toolsets(toolsets: &[(&str, &str)]) -> String {
    let lines = toolsets
        .iter()
        .map(|(name, keys)| format!("  {name}: {{echo: {{file: text.txt}}, {keys}}}\n"));
    format!("{CONFIGURATION}{}", lines.collect::<String>())
}

#[test]
fn keys_that_every_kind_takes_are_obeyed_by_an_own_kind() {
    let sidecar = Sidecar::start(&with_toolsets(&[
        ("prefix", "prefix: zz"),
        ("confirm", "confirm: always"),
        ("rate", "limits: {rate: {calls: 1, per: 1h}}"),
        ("described", "tools: {edit: {say: {description: Other words.}}}"),
        ("effect", "confirm: writes, tools: {edit: {say: {effect: write}}}"),
        ("ask", "tools: {edit: {say: {confirm: always}}}"),
        ("exclude", "tools: {exclude: [say]}"),
        ("include", "tools: {include: [say]}"),
        ("reads", "tools: {read_only: true}"),
    ]));
    let read =
        |tool: &str| sidecar.call(OWNER, &json!({"id": "1", "tool": tool, "args": {}}), &json!({}));
    for tool in ["zz-say", "rate-say", "exclude-shout", "include-say", "reads-say"] {
        let result = read(tool);
        assert!(result.get("response").is_some(), "{tool}: {result}");
    }
    let second = read("rate-say");
    assert_eq!(second["error"]["code"], "rate_limited", "{second}");
    for tool in ["confirm-say", "effect-say", "ask-say"] {
        let result = read(tool);
        assert_eq!(result["pending"]["kind"], "approval", "{tool}: {result}");
    }
    let declaration = |tool: &str| sidecar.ask(&format!("GET /v1/tools/{tool}"), OWNER, "");
    for tool in ["prefix-say", "exclude-say", "include-shout"] {
        assert_eq!(declaration(tool).0, 404, "{tool}");
    }
    assert_eq!(declaration("described-say").1["description"], "Other words.");
    assert_eq!(declaration("effect-say").1["effect"], "write");
}

#[test]
fn changes_of_arguments_are_obeyed_by_an_own_kind() {
    let sidecar = Sidecar::start(&with_toolsets(&[
        ("fix", "tools: {edit: {say: {fix: {end: '!'}}}}"),
        ("defaults", "tools: {edit: {say: {defaults: {end: '!'}}}}"),
        ("examples", "tools: {edit: {say: {examples: [{end: '!'}]}}}"),
        ("describe", "tools: {edit: {say: {describe: {end: Other words.}}}}"),
        ("hide", "tools: {edit: {say: {hide: [end]}}}"),
    ]));
    for (tool, text) in [("fix-say", "hello!"), ("defaults-say", "hello!"), ("hide-say", "hello")] {
        let call = json!({"id": "1", "tool": tool, "args": {}});
        let result = sidecar.call(OWNER, &call, &json!({}));
        assert_eq!(result["response"]["text"], text, "{tool}: {result}");
    }
    let schema = |toolset: &str| {
        let (_, tool) = sidecar.ask(&format!("GET /v1/tools/{toolset}-say"), OWNER, "");
        tool["inputSchema"].clone()
    };
    for toolset in ["fix", "hide"] {
        assert_eq!(schema(toolset).pointer("/properties/end"), None, "{toolset}");
    }
    assert_eq!(schema("examples")["examples"], json!([{"end": "!"}]));
    assert_eq!(schema("describe")["properties"]["end"]["description"], "Other words.");
}

/// A key that means nothing to the kind is a finding at its place, as beside every other kind.
#[test]
fn keys_that_an_own_kind_does_not_take_are_refused() {
    for (keys, place) in [
        ("server: 'https://a.example'", "server"),
        ("limits: {operations: 7}", "operations"),
        ("tools: {paths: [/a]}", "paths"),
    ] {
        let folder = folder(&format!("toolsets: {{parrot: {{echo: {{file: text.txt}}, {keys}}}}}"));
        let (code, text) = run(folder.path(), &["check", "callgate.yaml"]);
        let expected = format!("expected no `{place}` beside `echo`, got one");
        assert!(code == 2 && text.contains(&expected), "{keys}: {text}");
    }
}

#[test]
fn the_readiness_says_that_the_source_of_an_own_kind_is_away() {
    let sidecar = Sidecar::start(CONFIGURATION);
    let (status, body) = sidecar.ask("GET /readyz", OWNER, "");
    assert_eq!((status, &body["status"]), (200, &json!("ready")), "{body}");
    let states = body["toolsets"].as_array().unwrap();
    let state = |name: &str| states.iter().find(|state| state["name"] == name).unwrap();
    assert_eq!(state("parrot")["status"], "ready", "{body}");
    assert_eq!(state("away")["status"], "failed", "{body}");
    let required = CONFIGURATION.replace("absent.txt}", "absent.txt}, required: true");
    assert_eq!(Sidecar::start(&required).ask("GET /readyz", OWNER, "").0, 503);
}
