//! The memory of a process that reads an answer of 1 GiB: peak beyond what it takes for a small answer (bar: the bound of
//! the answer and 8 MiB); and of one that reads 1 MiB of the smallest values, as an answer and as arguments (bar: 32 MiB).
//! Each row is a process of its own, whose peak the system tells (`VmHWM`).

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
    process::Command,
    thread,
};

use callgate::{
    Executor, FaultCode, Outcome, Session, ToolCall,
    config::{Config, Description, Environment},
    dialect::read_json,
};
use callgate_tool::Value;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;
const BOUND: u64 = 16 * MIB;

const DESCRIPTION: &str = r#"
openapi: 3.0.3
info: { title: Large, version: "1" }
paths:
  /{size}:
    get:
      operationId: large
      parameters: [{ name: size, in: path, required: true, schema: { type: string } }]
      responses: { 200: { description: ok } }
    post:
      operationId: sent
      parameters: [{ name: size, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { type: array, items: { type: integer } } } } }
      responses: { 200: { description: ok } }
"#;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words {
        ["read", address, size, ..] => read(address.parse().unwrap(), size),
        _ => compare(),
    }
}

fn compare() {
    let address = serve();
    let small = peak(address, "small");
    for size in ["chunked", "announced", "events"] {
        let beyond = peak(address, size).saturating_sub(small);
        println!(
            "1 GiB, {size:>9}: {} KiB beyond a small answer (bar {} KiB: the bound of 16 MiB and 8 MiB)",
            beyond / 1024,
            (BOUND + 8 * MIB) / 1024,
        );
        assert!(beyond <= BOUND + 8 * MIB);
    }
    for (what, size) in
        [("an answer", "ones"), ("an answer with a secret", "echoed"), ("arguments", "sent")]
    {
        let beyond = peak(address, size).saturating_sub(small);
        println!("1 MiB of `[1,1,…]` as {what}: {} KiB (bar 32768 KiB)", beyond / 1024);
        assert!(beyond <= 32 * MIB);
    }
}

/// A list of so many ones that its text has 1 MiB.
fn ones() -> String {
    format!("[{}1]", "1,".repeat(usize::try_from(MIB).unwrap() / 2 - 2))
}

/// The most memory of a process that makes one call, in bytes.
fn peak(address: SocketAddr, size: &str) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["read", &address.to_string(), size]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let kibibytes: u64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    kibibytes * 1024
}

fn read(address: SocketAddr, size: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let auth =
        if size == "echoed" { "{ bearer: { token: 'literal:canary-token' } }" } else { "none" };
    let executor = executor(address, auth);
    let call = if size == "sent" {
        let text = format!(r#"{{"size": "small", "body": {}}}"#, ones());
        let Ok(Value::Object(arguments)) = read_json(&text) else { panic!("no object") };
        ToolCall::new("1", "sent", arguments)
    } else {
        let arguments = [("size".to_owned(), size.into())].into_iter().collect();
        ToolCall::new("1", "large", arguments)
    };
    let outcome = runtime.block_on(executor.call(&call, &Session::default())).outcome;
    match (size, &outcome) {
        ("small" | "events" | "ones" | "echoed" | "sent", Outcome::Answered(_)) => {}
        (_, Outcome::Failed(fault)) if fault.code == FaultCode::ResponseTooLarge => {}
        _ => panic!("{size}: {outcome:?}"),
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("{}", peak.trim().trim_end_matches(" kB"));
}

fn executor(address: SocketAddr, auth: &str) -> Executor {
    let settings =
        format!("server: http://{address}\nlimits: {{ response_bytes: 16MiB }}\nauth: {auth}\n");
    let mut config = Config::from_toolset_text(settings, "").unwrap();
    for toolset in &mut config.toolsets {
        toolset.description = Description::text(DESCRIPTION);
    }
    config.build_blocking(&Environment::new(), None).unwrap().executor
}

/// Answers each connection with so many bytes as its path says.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut head = [0; 2048];
                let n_read = stream.read(&mut head).unwrap();
                // The client leaves at its bound.
                drop(answer(&String::from_utf8_lossy(head.get(..n_read).unwrap()), &mut stream));
            });
        }
    });
    address
}

fn answer(head: &str, stream: &mut (impl Read + Write)) -> std::io::Result<()> {
    let chunk = vec![b'x'; 64 * 1024];
    if head.starts_with("GET /small ") {
        return stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx");
    }
    if head.starts_with("POST ") {
        let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        let n_begun = head.split_once("\r\n\r\n").unwrap().1.len();
        let rest = length.parse::<u64>().unwrap() - u64::try_from(n_begun).unwrap();
        std::io::copy(&mut stream.take(rest), &mut std::io::sink())?;
        return stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx");
    }
    if head.starts_with("GET /ones ") || head.starts_with("GET /echoed ") {
        let head_of_call = head;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
        let mut ones = ones();
        if head_of_call.starts_with("GET /echoed ") {
            ones.replace_range(ones.len() - 3.., ",\"canary-token\"]");
        }
        return stream.write_all(format!("{head}{}\r\n\r\n{ones}", ones.len()).as_bytes());
    }
    if head.starts_with("GET /announced ") {
        stream.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {GIB}\r\n\r\n").as_bytes())?;
        return (0..GIB / 65536).try_for_each(|_| stream.write_all(&chunk));
    }
    let (media_type, chunk) = if head.starts_with("GET /events ") {
        ("text/event-stream", b"data: 0123456789\n\n".repeat(3640))
    } else {
        ("text/plain", chunk)
    };
    stream.write_all(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        .as_bytes(),
    )?;
    (0..GIB / 65536).try_for_each(|_| {
        stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes())?;
        stream.write_all(&chunk)?;
        stream.write_all(b"\r\n")
    })
}
