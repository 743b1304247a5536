//! A Redis server on a free port of this machine, with a folder of its own. Its program is the one that the variable
//! `CALLGATE_REDIS_SERVER` names, because `cargo test` must pass without one; `tests/interop/state` sets it.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{corpus::say, ports::free_port};

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
        let arguments: Vec<_> = arguments.iter().map(|&it| it.to_owned()).collect();
        // Another test may take the port first.
        for _ in 0..ATTEMPTS {
            let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
            if let Ok(process) = self.run(port, folder.path(), &arguments) {
                return RedisServer { port, program: self.clone(), arguments, folder, process };
            }
        }
        panic!("no port is free");
    }

    /// Starts a cluster of three nodes.
    pub fn start_cluster(&self) -> [RedisServer; 3] {
        let nodes = [(0, 5460), (5461, 10922), (10923, 16383)].map(|(first, last)| {
            let node = self.start(&["--cluster-enabled", "yes"]);
            assert_eq!(node.ask(&format!("CLUSTER ADDSLOTSRANGE {first} {last}")), "+OK");
            node
        });
        let [first, ..] = &nodes;
        for (epoch, node) in nodes.iter().enumerate() {
            // Each has an epoch of its own, as nodes must.
            node.ask(&format!("CLUSTER SET-CONFIG-EPOCH {}", epoch + 1));
            first.ask(&format!("CLUSTER MEET 127.0.0.1 {}", node.port));
        }
        while !nodes.iter().all(|node| {
            let said = node.ask("CLUSTER INFO");
            said.contains("cluster_state:ok") && said.contains("cluster_known_nodes:3")
        }) {
            std::thread::yield_now();
        }
        nodes
    }

    /// Starts a sentinel that watches the set `state` of a primary, and promotes a replica where two sentinels miss it.
    pub fn start_sentinel(&self, primary: &RedisServer) -> RedisServer {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sentinel.conf");
        let port = primary.port;
        let text = format!(
            "sentinel monitor state 127.0.0.1 {port} 2\nsentinel down-after-milliseconds state 500\n\
             sentinel failover-timeout state 2000\n"
        );
        std::fs::write(&file, text).unwrap();
        let arguments = vec![file.display().to_string(), "--sentinel".to_owned()];
        let port = free_port();
        let process = self.run(port, folder.path(), &arguments).unwrap();
        RedisServer { port, program: self.clone(), arguments, folder, process }
    }

    fn run(&self, port: u16, folder: &Path, arguments: &[String]) -> Result<Child, String> {
        let mut command = Command::new(&self.0);
        // The name of a file of settings comes first.
        let is_file = arguments.first().is_some_and(|first| !first.starts_with("--"));
        let (file, arguments) = arguments.split_at(usize::from(is_file));
        command.args(file).args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
        command.arg("--dir").arg(folder).args(arguments);
        if !is_file {
            command.args(["--save", ""]);
        }
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut log = BufReader::new(process.stdout.take().unwrap());
        let mut read = String::new();
        while !READY.iter().any(|ready| read.contains(ready)) {
            if log.read_line(&mut read).unwrap() == 0 {
                process.wait().unwrap();
                return Err(read);
            }
        }
        // The pipe stays open until the process ends.
        process.stdout = Some(log.into_inner());
        Ok(process)
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
        self.process = self.program.run(self.port, self.folder.path(), &self.arguments).unwrap();
    }

    /// The server's reply to a command without spaces in its words, as it is sent.
    pub fn ask(&self, command: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(format!("{command}\r\nQUIT\r\n").as_bytes()).unwrap();
        // A sentinel does not end the connection.
        stream.shutdown(Shutdown::Write).unwrap();
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

/// The ports that are tried.
const ATTEMPTS: usize = 5;
/// What a server and a sentinel write when they can be used.
const READY: [&str; 2] = ["eady to accept connections", "+monitor master"];

const VARIABLE: &str = "CALLGATE_REDIS_SERVER";
