//! A Redis server on a free port of this machine, with a folder of its own. Its program is the one that the variable
//! `CALLGATE_REDIS_SERVER` names, because `cargo test` must pass without one; `tests/interop/state` sets it.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::corpus::say;

/// The program `redis-server`.
#[derive(Clone, Debug)]
pub struct RedisProgram(PathBuf);

/// A server, which ends with the value.
#[derive(Debug)]
pub struct RedisServer {
    /// The port on 127.0.0.1.
    pub port: u16,
    program: RedisProgram,
    arguments: Vec<String>,
    folder: TempDir,
    process: Child,
}

impl RedisProgram {
    /// The program of this machine; `None`, and a line that says so, where the tests are run without one.
    pub fn of_machine() -> Option<Self> {
        let named = env::var_os(VARIABLE).map(|path| Self(path.into()));
        if named.is_none() {
            say(&format!("redis absent: {VARIABLE} names no program"));
        }
        named
    }

    /// Starts a server with further arguments, such as `--requirepass secret`.
    pub fn start(&self, arguments: &[&str]) -> RedisServer {
        self.start_at(free_port(), arguments)
    }

    /// Starts a server at a port.
    pub fn start_at(&self, port: u16, arguments: &[&str]) -> RedisServer {
        let folder = tempfile::tempdir().unwrap();
        let arguments: Vec<_> = arguments.iter().map(|&it| it.to_owned()).collect();
        let process = self.run(port, folder.path(), &arguments);
        RedisServer { port, program: self.clone(), arguments, folder, process }
    }

    fn run(&self, port: u16, folder: &Path, arguments: &[String]) -> Child {
        let mut command = Command::new(&self.0);
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.arg("--dir").arg(folder).args(arguments);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut log = BufReader::new(process.stdout.take().unwrap());
        let mut read = String::new();
        while !read.contains("eady to accept connections") {
            assert!(log.read_line(&mut read).unwrap() > 0, "redis-server does not start: {read}");
        }
        // The pipe stays open until the process ends.
        process.stdout = Some(log.into_inner());
        process
    }
}

impl RedisServer {
    /// The folder of the server.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Stops the server's process where it is, and lets it go on.
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Lets a paused server go on.
    pub fn go_on(&self) {
        self.signal("CONT");
    }

    /// Ends the server's process at once.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts a killed server with its folder and its port.
    pub fn restart(&mut self) {
        self.process = self.program.run(self.port, self.folder.path(), &self.arguments);
    }

    /// The server's reply to a command without spaces in its words, as it is sent.
    pub fn ask(&self, command: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(format!("{command}\r\nQUIT\r\n").as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply.trim_end().trim_end_matches("+OK").trim_end().to_owned()
    }

    fn signal(&self, name: &str) {
        let (option, id) = (format!("-{name}"), self.process.id().to_string());
        let sent = Command::new("kill").args([option, id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A port that nothing listens on.
fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

const VARIABLE: &str = "CALLGATE_REDIS_SERVER";
