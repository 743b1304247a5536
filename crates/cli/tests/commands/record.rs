//! `callgate test --record`: cases are made of what a real service answers, without credentials, and pass from then on without a
//! service and without a secret.

use crate::prelude::*;

const SECRET: &str = "canary-of-a-secret";
const USER: &str = "canary/of a user";

/// A fixture whose service is a real one, on loopback.
struct Recorded {
    folder: TempDir,
    server: Option<Server>,
}

impl Recorded {
    /// A fixture with these settings beside the description.
    fn new(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::with(Router::new().fallback(answer));
        let toolset = format!(
            "openapi: spec.yaml\nserver: {}\negress: {{ allow: [127.0.0.0/8] }}\n{settings}",
            server.url("")
        );
        fs::write(folder.path().join("spec.yaml"), SPEC).unwrap();
        fs::write(folder.path().join("toolset.yaml"), toolset).unwrap();
        Self { folder, server: Some(server) }
    }

    /// Adds a case; its folder.
    fn case(&self, name: &str, call: &str) -> PathBuf {
        let case = self.folder.path().join("cases").join(name);
        write_file(&case, "call.json", call);
        case
    }

    fn test(&self, flags: &[&str]) -> Ended {
        self.ran(flags, |command| {
            command.env("THE_SECRET", SECRET);
        })
    }

    /// Runs the cases where the service is gone, and whoever runs them has no secret.
    fn replayed(&mut self, flags: &[&str]) -> Ended {
        drop(self.server.take());
        self.ran(flags, |command| {
            command.env_remove("THE_SECRET");
        })
    }

    fn ran(&self, flags: &[&str], prepared: impl FnOnce(&mut Command)) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
        command.arg("test").arg(self.folder.path()).args(flags);
        prepared(&mut command);
        let ended = Ended::of(&mut command);
        assert!(!format!("{ended:?}").contains("canary"), "{ended:#?}");
        ended
    }
}

/// Says what it was asked, credentials and all; `/bytes` answers bytes, `/missing` nothing, `/token` a token.
async fn answer(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
    let said = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    match parts.uri.path() {
        "/bytes" => {
            ([("content-type", "image/png")], &b"\x89PNG\r\n\0\xff\n\n"[..]).into_response()
        }
        "/token" => (
            [("content-type", "application/json")],
            r#"{"access_token": "canary-of-a-token", "token_type": "Bearer", "expires_in": 600}"#,
        )
            .into_response(),
        "/missing" => (StatusCode::NOT_FOUND, "no such thing").into_response(),
        _ => {
            let seen = callgate_tool::json!({
                "authorization": (said("authorization").unwrap_or_default()),
                "key": (said("x-key").unwrap_or_default()),
                "query": (parts.uri.query().unwrap_or_default()),
                "body": body,
            });
            let headers = [
                ("content-type", "application/json".to_owned()),
                ("x-seen", said("authorization").unwrap_or_default().to_owned()),
                ("set-cookie", "sid=canary-cookie".to_owned()),
            ];
            (headers, seen.to_string()).into_response()
        }
    }
}

const SPEC: &str = "openapi: 3.0.3
info: { title: Things, version: '1' }
paths:
  /echo:
    post:
      operationId: echo
      parameters: [{ name: n, in: query, schema: { type: integer } }]
      requestBody: { content: { application/json: { schema: { type: object, properties: {
        text: { type: string }, user: { type: string, x-agent-input-parameter: user } } } } } }
      responses: { 200: { description: ok } }
  /bytes: { get: { operationId: bytes, responses: { 200: { description: ok } } } }
  /missing: { get: { operationId: missing, responses: { 200: { description: ok } } } }
";

const ECHO: &str = r#"{"tool": "echo", "arguments": {"n": 7, "body": {"text": "hello"}}}"#;

fn text(case: &Path, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(case.join(name)).unwrap()).into_owned()
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

const WHOLE: [&str; 4] = ["call.json", "request.http", "response.http", "result.json"];

#[test]
fn a_recorded_secret_in_a_header_is_in_no_file_and_not_needed_for_replay() {
    let mut fixture = Recorded::new("prefix: ''\nauth: { bearer: { token: env:THE_SECRET } }\n");
    let case = fixture.case("echoed", ECHO);
    fixture
        .test(&["--record"])
        .exits(0)
        .prints("recorded ")
        .prints("echoed: 200 OK\n")
        .prints("1 recorded\n");
    assert_eq!(files(&case), WHOLE);
    let (request, response) = (text(&case, "request.http"), text(&case, "response.http"));
    assert!(request.contains("\nauthorization: ****\n"), "{request}");
    assert!(response.contains("\"authorization\":\"Bearer ****\""), "{response}");
    assert!(response.contains("x-seen: Bearer ****\n"), "{response}");
    assert!(response.contains("set-cookie: ****\n") && !response.contains("date:"), "{response}");
    for name in WHOLE {
        assert!(!text(&case, name).contains("canary"), "{name}: {}", text(&case, name));
    }
    fixture.test(&[]).exits(0).prints("2 passed, 0 failed\n");
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_secret_in_the_query_is_in_no_file() {
    let key = "auth: { api_key: { in: query, name: key, value: env:THE_SECRET } }\n";
    let mut fixture =
        Recorded::new(&format!("prefix: ''\nheaders: {{ X-Key: env:THE_SECRET }}\n{key}"));
    let case = fixture.case("echoed", ECHO);
    fixture.test(&["--record"]).exits(0).prints("1 recorded");
    let (request, response) = (text(&case, "request.http"), text(&case, "response.http"));
    assert!(request.contains("/echo?n=7&key=**** "), "{request}");
    assert!(request.contains("x-key: ****\n"), "{request}");
    assert!(response.contains("n=7&key=****") && !response.contains("canary"), "{response}");
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_sessions_credential_is_masked_in_the_body_too() {
    let mut fixture =
        Recorded::new("prefix: ''\nauth: { bearer: { token: $session.params.user } }\n");
    let case = fixture.case("echoed", ECHO);
    let user = USER.replace(['/', ' '], "-");
    let session = format!(r#"{{"id": "s", "parameters": {{"user": "{user}"}}}}"#);
    fs::write(case.join("session.json"), session).unwrap();
    fixture.test(&["--record"]).exits(0).prints("1 recorded");
    let (request, response) = (text(&case, "request.http"), text(&case, "response.http"));
    assert!(request.contains("\"user\":\"****\"") && !request.contains("canary"), "{request}");
    assert!(response.contains("****") && !response.contains("canary"), "{response}");
    assert!(!text(&case, "result.json").contains("canary"));
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_recorded_session_credential_is_not_needed_for_replay() {
    let mut fixture =
        Recorded::new("prefix: ''\nauth: { bearer: { token: $session.credentials.me } }\n");
    let case = fixture.case("echoed", ECHO);
    fs::write(case.join("session.json"), r#"{"credentials": {"me": "env:THE_SECRET"}}"#).unwrap();
    fixture.test(&["--record"]).exits(0).prints("1 recorded");
    assert!(text(&case, "response.http").contains("Bearer ****"));
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_recording_fetches_its_token_once() {
    let mut fixture = Recorded::new("");
    let settings = format!(
        "prefix: ''\nauth: {{ oauth2_client_credentials: {{ token_url: {}, client_id: me, client_secret: env:THE_SECRET }} }}\n",
        fixture.server.as_ref().unwrap().url("/token")
    );
    let toolset = fixture.folder.path().join("toolset.yaml");
    fs::write(&toolset, fs::read_to_string(&toolset).unwrap() + &settings).unwrap();
    let case = fixture.case("echoed", ECHO);
    fixture.test(&["--record"]).exits(0).prints("1 recorded");
    assert!(text(&case, "response.http").contains("\"authorization\":\"Bearer ****\""));
    assert!(text(&case, "request.http").starts_with("POST http://127.0.0.1"));
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_recorded_signed_request_is_replayed_without_the_keys() {
    let mut fixture = Recorded::new(
        "prefix: ''\nauth: { aws_sigv4: { region: r, service: s, access_key_id: env:THE_SECRET, secret_access_key: env:THE_SECRET } }\n",
    );
    let case = fixture.case("echoed", ECHO);
    fixture.test(&["--record"]).exits(0).prints("1 recorded");
    let request = text(&case, "request.http");
    assert!(request.contains("\nauthorization: ****\n"), "{request}");
    assert!(request.contains("\nx-amz-date: ****\n"), "{request}");
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn an_answer_of_bytes_is_recorded_byte_for_byte() {
    let mut fixture = Recorded::new("prefix: ''\nupstream: replay\n");
    let case = fixture.case("bytes", r#"{"tool": "bytes", "arguments": {}}"#);
    fixture.test(&["--record"]).exits(0).prints("bytes: 200 OK\n");
    let response = fs::read(case.join("response.http")).unwrap();
    assert!(response.ends_with(b"\n\n\x89PNG\r\n\0\xff\n\n\n"), "{}", response.escape_ascii());
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_refused_case_is_recorded_with_its_status() {
    let mut fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("missing", r#"{"tool": "missing", "arguments": {}}"#);
    fixture.test(&["--record"]).exits(0).prints("missing: 404 Not Found\n");
    assert!(text(&case, "result.json").contains("no such thing"));
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_case_that_sends_nothing_is_recorded_without_a_service() {
    let mut fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("wrong", r#"{"tool": "echo", "arguments": {"n": "seven"}}"#);
    fixture.test(&["--record"]).exits(0).prints("wrong: nothing is sent: invalid_arguments\n");
    assert_eq!(files(&case), ["call.json", "result.json"]);
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
    let case = fixture.case("misspelt", r#"{"tool": "ecko", "arguments": {}}"#);
    let told = "spec.yaml` lists the tools";
    fixture.test(&["--record"]).exits(1).prints("misspelt: nothing is recorded").prints(told);
    assert_eq!(files(&case), ["call.json"]);
}

#[test]
fn a_case_without_an_answer_is_not_recorded_and_the_others_are() {
    let mut fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("echoed", ECHO);
    drop(fixture.server.take());
    let ended =
        fixture.test(&["--record"]).exits(1).prints("FAILED ").prints("nothing is recorded");
    ended.prints("error[unreachable]").prints("1 passed, 1 failed\n");
    assert_eq!(files(&case), ["call.json"]);
    let fixture = Recorded::new("prefix: ''\nauth: { bearer: { token: env:NOT_THERE } }\n");
    let case = fixture.case("echoed", ECHO);
    fixture.test(&["--record"]).exits(1).prints("`NOT_THERE`").prints("1 passed, 1 failed\n");
    assert_eq!(files(&case), ["call.json"]);
}

#[test]
fn a_recording_is_overwritten_only_with_force() {
    let mut fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("echoed", ECHO);
    fixture.test(&["--record"]).exits(0);
    let recorded = text(&case, "response.http");
    let old = recorded.replace("hello", "goodbye");
    fs::write(case.join("response.http"), &old).unwrap();
    fixture.test(&["--record"]).exits(1).prints("`result.json` differs");
    assert_eq!(text(&case, "response.http"), old);
    fixture.test(&["--record", "--force"]).exits(0).prints("1 recorded");
    assert_eq!(text(&case, "response.http"), recorded);
    fixture.replayed(&[]).exits(0).prints("2 passed, 0 failed\n");
}

#[test]
fn a_request_that_is_not_the_expected_one_is_not_sent() {
    let fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("echoed", ECHO);
    fs::write(case.join("request.http"), "GET https://elsewhere.example/ HTTP/1.1\n").unwrap();
    let ended = fixture.test(&["--record"]).exits(1);
    ended.prints("`request.http` differs").prints("nothing was sent");
    assert_eq!(files(&case), ["call.json", "request.http"]);
    fixture.test(&["--record", "--force"]).exits(0).prints("1 recorded");
}

#[test]
fn a_failed_write_of_a_recording_changes_no_file() {
    let fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("echoed", ECHO);
    fs::create_dir(case.join("response.http")).unwrap();
    let ended = fixture.test(&["--record", "--force"]).exits(2);
    ended.says("error: cannot write").says("response.http");
    assert_eq!(files(&case), ["call.json", "response.http"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_reported_before_anything_is_sent() {
    use std::os::unix::{fs::PermissionsExt as _, process::CommandExt as _};

    let fixture = Recorded::new("prefix: ''\n");
    let case = fixture.case("echoed", ECHO);
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(fixture.folder.path(), mode(0o755)).unwrap();
    fs::set_permissions(&case, mode(0o555)).unwrap();
    let is_root = fs::write(case.join("tried"), "").is_ok();
    let nobody = |command: &mut Command| {
        if is_root {
            command.uid(65_534).gid(65_534);
        }
    };
    if is_root {
        fs::remove_file(case.join("tried")).unwrap();
        let mut tried = Command::new(env!("CARGO_BIN_EXE_callgate"));
        nobody(tried.arg("--version"));
        if tried.output().is_err() {
            // Nobody else may run what lies below a folder of this user's.
            return;
        }
    }
    fixture
        .ran(&["--record"], nobody)
        .exits(2)
        .says("error: cannot write")
        .says("can be written to");
    assert_eq!(files(&case), ["call.json"]);
    fs::set_permissions(&case, mode(0o755)).unwrap();
}

#[test]
fn cases_are_chosen_by_their_names() {
    let fixture = Recorded::new("prefix: ''\n");
    for name in ["an-echo", "another-echo", "bytes"] {
        fixture.case(name, ECHO);
    }
    let ended = fixture.test(&["--record", "--case", "echo"]).exits(0);
    ended.prints("0 passed, 0 failed, 2 recorded\n");
    fixture.test(&["--case", "an-", "--case", "another"]).exits(0).prints("2 passed, 0 failed\n");
    fixture.test(&["--case", "nothing"]).exits(2).says("no case has `nothing` in its name");
    let ended = fixture.test(&[]).exits(1).prints("bytes: it is new: `--record`");
    ended.prints("3 passed, 1 failed\n");
}

#[test]
fn a_case_that_cannot_be_read_fails_and_the_others_are_run() {
    let fixture = Recorded::new("prefix: ''\n");
    let broken = fixture.case("a-broken-one", "{");
    fs::write(broken.join("result.json"), "{}").unwrap();
    fixture.case("an-echo", r#"{"tool": "echo", "arguments": {"n": "seven"}}"#);
    fixture.test(&["--record", "--case", "echo"]).exits(0);
    let ended = fixture.test(&[]).exits(1).prints("a-broken-one").prints("call.json");
    ended.prints("2 passed, 1 failed\n");
}
