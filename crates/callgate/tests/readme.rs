//! The Rust examples of the README and the manual are those the crate ships, and they run.

#![cfg(test)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    thread,
};

/// A page shows the example, and the example prints each of these.
#[track_caller]
fn check(name: &str, code: &str, expected: &[&str]) {
    let output = program(name, code).env("TOKEN", "canary").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}: {printed}");
    for expected in expected {
        assert!(printed.contains(expected), "{name}: {printed}");
    }
    assert!(!printed.contains("canary"), "{name}: {printed}");
}

/// The built example, which a page shows.
#[track_caller]
fn program(name: &str, code: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("manual");
    let pages = [root.join("README.md"), manual.join("library.md"), manual.join("extending.md")];
    let pages = pages.map(|page| fs::read_to_string(page).unwrap()).join("\n");
    let (_docs, code) = code.split_once("\n\n").unwrap();
    assert!(pages.contains(&format!("\n{code}```")), "no page shows `{name}` as it is");

    let tests = std::env::current_exe().unwrap();
    let mut program = Command::new(tests.ancestors().nth(2).unwrap().join("examples").join(name));
    program.current_dir(root);
    program
}

/// An example that runs until the test ends.
struct Running(Child);

impl Running {
    /// Starts the example, and returns it with the lines that it prints.
    fn start(program: &mut Command) -> (Self, BufReader<ChildStdout>) {
        let mut child = program.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        (Self(child), lines)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn the_examples_of_the_readme_print_their_output() {
    check("call", include_str!("../examples/call.rs"), &["GET https://", r#""status":200"#]);
    let url = "https://api.example.com/v1/pets/7";
    check("embed", include_str!("../examples/embed.rs"), &[url, "Bearer ****"]);
    let tools = ["a door for calls", r#""time":"12:00""#, r#""at":"zone""#];
    check("own_tools", include_str!("../examples/own_tools.rs"), &tools);
    let middleware = ["this agent only reads", "erase: refused", "an unknown tool: unknown_tool"];
    check("own_middleware", include_str!("../examples/own_middleware.rs"), &middleware);
    check("own_store", include_str!("../examples/own_store.rs"), &[r#""status":200"#]);
    let ways = ["a call ended: answered", "Monday", "a call ended: pending", "Bearer ****", url];
    check("short_way", include_str!("../examples/short_way.rs"), &ways);
}

#[test]
fn the_streaming_example_prints_a_value_before_the_service_sends_the_next() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let mut program = program("streaming", include_str!("../examples/streaming.rs"));
    let (_running, mut lines) = Running::start(program.env("NEWS", origin));

    let (mut connection, _) = listener.accept().unwrap();
    assert_eq!(head(&connection).lines().next(), Some("GET /news HTTP/1.1"));
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    connection.write_all(answer.as_bytes()).unwrap();
    for n in 1..3 {
        write!(connection, "data: {{\"n\":{n}}}\n\n").unwrap();
        assert_eq!(line(&mut lines), format!("{{\"data\":{{\"n\":{n}}}}}"));
    }
    drop(connection);
    assert!(line(&mut lines).contains(r#""status":200"#));
}

#[test]
fn the_axum_example_answers_the_calls_of_a_users_message() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let mut program = program("axum_service", include_str!("../examples/axum_service.rs"));
    let (_running, mut lines) = Running::start(program.env("PETS", origin));
    let url = line(&mut lines);
    let address = url.strip_prefix("http://").unwrap();

    let tools = ask(address, "GET /tools", "", "");
    assert!(tools.contains(r#""name":"getPet""#), "{tools}");

    let message = r#"{"role":"assistant","tool_calls":[{"id":"call_1","type":"function",
        "function":{"name":"getPet","arguments":"{\"petId\":7}"}}]}"#;
    let refused = ask(address, "POST /calls", "", message);
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    let refused = ask(address, "POST /calls", "x-user: ada\r\n", "{}");
    assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");

    let service = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let head = head(&connection);
        let body = r#"{"id":7,"name":"Rex"}"#;
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        write!(connection, "{answer}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        head
    });
    let answer = ask(address, "POST /calls", "x-user: ada\r\n", message);
    assert!(answer.contains(r#""tool_call_id":"call_1""#) && answer.contains("Rex"), "{answer}");
    assert!(service.join().unwrap().starts_with("GET /pets/7 "));
}

/// The lines of a request before its body.
fn head(connection: &TcpStream) -> String {
    let lines = BufReader::new(connection).lines().map(Result::unwrap);
    lines.take_while(|line| !line.is_empty()).map(|line| line + "\n").collect()
}

/// The next line that a program prints.
fn line(lines: &mut impl BufRead) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

/// The response to a request with this body of JSON.
fn ask(address: &str, line: &str, headers: &str, body: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        connection,
        "{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn every_example_is_in_the_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = fs::read_dir(root.join("examples")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let rows = include_str!("readme.rs");
    let missing: Vec<_> =
        names.filter(|name| !rows.contains(&format!("examples/{name}"))).collect();
    assert_eq!(missing, [""; 0]);
}
