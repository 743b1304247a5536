//! FILE is an address or standard input: what is asked there, what is kept of it, and what is said of what is none.

use crate::prelude::*;

use callgate_testkit::serve;

const PETS: &str = r#"{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "servers": [{"url": "/v1"}],
    "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "ok"}}}}}}"#;

/// A server of descriptions and other texts; it stops when it is dropped.
struct Site {
    origin: String,
    asked: Arc<Mutex<Vec<String>>>,
    server: Option<Blocking<String>>,
    home: TempDir,
}

impl Site {
    fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let app = Router::new().fallback(move |request: Request| {
            let (path, known) =
                (request.uri().path().to_owned(), request.headers().get("if-none-match").cloned());
            let answer = answer(&path, known.is_some_and(|tag| tag == "\"1\""));
            noted.lock().unwrap().push(format!("{path} {}", answer.status().as_u16()));
            async move { answer }
        });
        let server = Blocking::start(serve(app));
        let (origin, home) = (server.service.clone(), tempfile::tempdir().unwrap());
        Self { origin, asked, server: Some(server), home }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// Runs the command with a home of its own.
    fn callgate(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.command(arguments))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        command_at_home(self.home.path(), arguments)
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn stop(&mut self) {
        self.server.take().unwrap().stop();
        // Until nobody listens any more.
        while TcpStream::connect(self.origin.trim_start_matches("http://")).is_ok() {
            thread::yield_now();
        }
    }
}

fn answer(path: &str, is_known: bool) -> Response {
    let answer = Response::builder();
    let (status, body): (u16, &[u8]) = match path {
        "/openapi.json" if is_known => (304, b""),
        "/openapi.json" => (200, PETS.as_bytes()),
        "/v1/pets" => (200, b"[\"Rex\"]"),
        "/docs" => (200, b"<!doctype html><html><body>canary</body></html>"),
        "/postman" => (200, br#"{"info": {"_postman_id": "1"}, "item": []}"#),
        "/zip" => (200, b"PK\x03\x04\x00\x00"),
        "/moved" => (301, b""),
        "/closed" => (401, b""),
        _ => (404, b""),
    };
    let answer = answer.status(status).header("content-type", "application/json");
    let answer = answer.header("etag", "\"1\"").header("location", "/openapi.json?key=canary");
    answer.body(body.to_vec().into()).unwrap()
}

#[test]
fn an_api_is_called_by_the_address_of_its_description() {
    let site = Site::start();
    let url = site.url("/openapi.json");
    site.callgate(&["call", &url, "listPets"]).exits(0).prints("\"Rex\"");
    assert_eq!(site.asked(), ["/openapi.json 200", "/v1/pets 200"]);
    for arguments in [&["tools", &url][..], &["check", &url], &["diff", &url, &url]] {
        site.callgate(arguments).exits(0);
    }
    assert_eq!(site.asked(), ["/openapi.json 304"; 4]);
    site.callgate(&["mcp", &url, "--print-config", "claude"]).exits(0).prints(&url);
}

#[test]
fn the_last_description_is_used_while_its_address_does_not_answer() {
    let mut site = Site::start();
    let url = site.url("/openapi.json");
    site.callgate(&["tools", &url]).exits(0);
    site.stop();
    let ended = site.callgate(&["tools", &url]).exits(0).prints("listPets");
    let ended = ended.says("warning[stale-description]").says("the last one stays in use");
    ended.says("efused");
    let other = site.url("/other.json");
    site.callgate(&["tools", &other]).exits(2).says("error[unreadable-file]");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let kept = site.home.path().join(".cache/callgate");
        for file in fs::read_dir(&kept).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{mode:o}");
        }
        assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o077, 0);
    }
}

#[test]
fn a_document_that_is_not_a_description_is_one_error_with_its_address() {
    let site = Site::start();
    for (path, expected, help) in [
        ("/docs", "got a page of HTML", "`/openapi.json`"),
        ("/postman", "got a Postman collection", "postman-to-openapi"),
        ("/zip", "got a zip archive", "unpack it"),
        ("/moved", "it redirects, which is not followed, to: `http://127.0.0.1", "address"),
        ("/closed", "no credential is sent for a description", "address"),
        ("/none", "expected the status 200, got: 404", "address"),
    ] {
        let url = site.url(path);
        for command in [&["tools", &url][..], &["call", &url, "x"], &["mcp", &url]] {
            let ended = site.callgate(command).exits(2).says(expected).says(help);
            assert_eq!(ended.err.matches("error").count(), 1, "{ended:#?}");
            assert!(!ended.err.contains("canary"), "{ended:#?}");
        }
    }
    site.callgate(&["check", &site.url("/docs")]).exits(1).prints("got a page of HTML");
}

#[test]
fn an_unsafe_address_is_reported_with_a_correction() {
    let site = Site::start();
    let check = |given: &str, expected: &str| {
        let ended = site.callgate(&["tools", given]).exits(2).says(expected);
        assert!(!ended.err.contains("canary"), "{ended:#?}");
    };
    check("http://api.example.com/a.json", "try `https://api.example.com/a.json`");
    check("https://me:canary@api.example.com/a", "without a user");
    check("file:///pets.yaml", "name `/pets.yaml`");
}

#[test]
fn standard_input_is_a_description_or_a_configuration() {
    let site = Site::start();
    let given = |text: &str, arguments: &[&str]| {
        let mut command = site.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    };
    let server = site.url("/v1");
    given(PETS, &["call", "-", "listPets", "--server", &server]).exits(0).prints("Rex");
    let broken = PETS.replace("\"responses\"", "\"parameters\": 7, \"responses\"");
    given(&broken, &["check", "-"]).prints("--> -:2").prints("\"parameters\": 7");
    given("toolsets: {a: {openpi: x}}", &["tools", "-"]).exits(2).says("did you mean `openapi`?");
    write(&site.home, "pets.json", PETS);
    given("toolsets: {a: {openapi: pets.json}}", &["tools", "-"]).exits(0).prints("a-listPets");
    given("", &["tools", "-"]).exits(2).says("an empty text");
    let error = given(PETS, &["mcp", "-", "--print-config", "claude"]).exits(2);
    error.says("which the host speaks on");
}
