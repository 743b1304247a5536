//! `callgate serve` as a process: its address, its answers, what it writes, and its end.

use crate::prelude::*;
use std::{io::Write, sync::mpsc::Receiver};

/// A running sidecar; it is killed when it is dropped.
pub(crate) struct Sidecar {
    pub(crate) process: Child,
    pub(crate) address: String,
    /// The lines that were read of what it writes.
    pub(crate) told: Vec<String>,
    lines: Receiver<String>,
}

impl Sidecar {
    /// Starts it in a folder, on a free port, with these arguments.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::of(command_in(folder, &["serve", "--listen", "127.0.0.1:0"]).args(arguments))
    }

    /// The sidecar that a command starts, as soon as it listens.
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut sidecar = Self::spawned(command);
        sidecar.listens();
        sidecar
    }

    /// One that need not serve anything yet.
    pub(crate) fn spawned(command: &mut Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let written = BufReader::new(process.stderr.take().unwrap());
        let (tell, lines) = channel();
        thread::spawn(move || {
            for line in written.split(b'\n').map_while(Result::ok) {
                tell.send(String::from_utf8(line).unwrap()).ok();
            }
        });
        Self { process, address: String::new(), told: Vec::new(), lines }
    }

    /// Waits until it says where it listens.
    pub(crate) fn listens(&mut self) {
        let line = self.until("listening on ");
        let (_, address) = line.split_once("://").unwrap();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
        self.address = address.chars().take_while(|c| is_part(*c)).collect();
    }

    /// The next line that has a text.
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20));
            let line = line.unwrap_or_else(|_| panic!("nothing says `{text}`: {:?}", self.told));
            self.told.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Sends a request with more headers and does not wait for its answer.
    pub(crate) fn send(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = "HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close";
        let (address, length) = (&self.address, body.len());
        let head = format!("{line} {head}\r\nHost: {address}\r\nContent-Length: {length}\r\n");
        stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes()).unwrap();
        stream
    }

    /// The whole answer to a request with more headers.
    pub(crate) fn answer(&self, line: &str, headers: &str, body: &str) -> String {
        read(&mut self.send(line, headers, body))
    }

    /// The JSON of the answer to a request with more headers.
    pub(crate) fn json(&self, line: &str, headers: &str, body: &str) -> Value {
        let answer = self.answer(line, headers, body);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        Value::parse(body).unwrap_or_else(|_| panic!("{answer}"))
    }

    /// Its exit code, and all that it wrote.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let code = self.process.wait().unwrap().code();
        self.told.extend(self.lines.iter());
        (code, self.told.join("\n"))
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// An answer to its end.
pub(crate) fn read(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}
