//! `callgate serve` as a process, and callers of its turns.

use crate::prelude::*;
use std::process::Child;

/// A running sidecar; it is killed when it is dropped.
pub(crate) struct Sidecar {
    process: Child,
    address: String,
    log: Arc<Log>,
}

/// The lines that a sidecar has logged.
#[derive(Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    more: Condvar,
}

/// A turn of a caller who has sent it and reads its events.
pub(crate) struct Events(BufReader<TcpStream>);

impl Sidecar {
    pub(crate) fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(folder);
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut told = String::new();
        let address = loop {
            let line = lines.next().unwrap_or_else(|| panic!("it ended: {told}")).unwrap();
            if let Some((_, rest)) = line.split_once("listening on http://") {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
                break rest.chars().take_while(|c| is_part(*c)).collect();
            }
            told.push_str(&line);
        };
        // What it logs later is read, so that it never waits.
        let log = Arc::<Log>::default();
        let own = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                own.lines.lock().unwrap().push(line);
                own.more.notify_all();
            }
        });
        Self { process, address, log }
    }

    /// The first line of the log with a text, as soon as it is there.
    #[track_caller]
    pub(crate) fn logged(&self, text: &str) -> String {
        let find = |lines: &[String]| lines.iter().find(|line| line.contains(text)).cloned();
        let (lines, wait) = (self.log.lines.lock().unwrap(), Duration::from_secs(20));
        let is_absent = |lines: &mut Vec<String>| find(lines).is_none();
        let (lines, _) = self.log.more.wait_timeout_while(lines, wait, is_absent).unwrap();
        find(&lines).unwrap_or_else(|| panic!("no `{text}` in {lines:#?}"))
    }

    /// Ends the process with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Sends a request and does not wait for its response.
    pub(crate) fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // What nobody reads is to stay with the sidecar: the system would take tens of megabytes.
        rustix::net::sockopt::set_socket_recv_buffer_size(&stream, 64 * 1024).unwrap();
        let (address, n_bytes) = (&self.address, body.len());
        let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers: String = headers.collect();
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {n_bytes}\r\n{headers}\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        stream
    }

    /// The status and the body of the response to a request.
    pub(crate) fn answer(&self, line: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut response = String::new();
        self.send(line, headers, body).read_to_string(&mut response).unwrap();
        let status = response.split(' ').nth(1).unwrap().parse().unwrap();
        (status, response.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// The response to a turn of `keeper`.
    #[track_caller]
    pub(crate) fn turn(&self, input: &str) -> Value {
        let (status, body) = self.answer(KEEPER, &[], &said(input));
        assert_eq!(status, 200, "{body}");
        Value::parse(&body).unwrap()
    }

    /// The response to a turn of `keeper` that waits until the turn before has ended.
    pub(crate) fn turn_after(&self, input: &str) -> Value {
        for _ in 0..10_000 {
            let (status, body) = self.answer(KEEPER, &[], &said(input));
            if status != 409 {
                assert_eq!(status, 200, "{body}");
                return Value::parse(&body).unwrap();
            }
            std::thread::yield_now();
        }
        panic!("the turn before does not end")
    }

    /// A turn of `keeper` whose events are read as they come.
    pub(crate) fn events(&self, input: &str) -> Events {
        self.events_of(KEEPER, input)
    }

    /// A turn of an agent whose events are read as they come.
    pub(crate) fn events_of(&self, line: &str, input: &str) -> Events {
        let stream = self.send(line, &[("Accept", "text/event-stream")], &said(input));
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        Events(reader)
    }
}

impl Events {
    /// The name and the data of the next event; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, Value::parse(data).unwrap()));
            }
        }
    }

    /// All further events.
    pub(crate) fn rest(mut self) -> Vec<(String, Value)> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// The reason of the end of a turn.
pub(crate) fn reason(turn: &Value) -> &str {
    turn["end"]["reason"].as_str().unwrap()
}

/// The body of a turn with words of the user.
pub(crate) fn said(input: &str) -> String {
    json!({"session": {"id": "s-1"}, "input": input}).to_string()
}

pub(crate) const KEEPER: &str = "POST /v1/agents/keeper/turns";
