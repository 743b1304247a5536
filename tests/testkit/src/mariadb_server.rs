//! A MariaDB server that the variable `CALLGATE_MARIADB` names by the socket of its superuser and its port, because `cargo test`
//! must pass without one; `tests/interop/databases` starts it. Each test has a database of its own.

use std::{
    env,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::corpus::say;

/// A server that tests may use.
#[derive(Clone, Debug)]
pub struct MariadbServer {
    socket: PathBuf,
    port: u16,
}

/// A database of one test.
#[derive(Clone, Debug)]
pub struct MariadbDatabase {
    /// The name, with which the names of the test's accounts begin.
    pub name: String,
    /// The server that it is on.
    pub server: MariadbServer,
}

impl MariadbServer {
    /// The server of this machine; `None`, and a line that says so, where the tests are run without one.
    pub fn of_machine() -> Option<Self> {
        let Some(address) = env::var_os(VARIABLE) else {
            say(&format!("mariadb absent: {VARIABLE} names no address"));
            return None;
        };
        let address = address.into_string().unwrap();
        let (socket, port) = address.rsplit_once(' ').unwrap();
        Some(Self { socket: socket.into(), port: port.parse().unwrap() })
    }

    /// The port of the server on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The Unix socket of the server.
    pub fn socket(&self) -> PathBuf {
        self.socket.clone()
    }

    /// The certificate of the authority that the server's own is from.
    pub fn authority(&self) -> Vec<u8> {
        std::fs::read(env::var_os("CALLGATE_MARIADB_CA").unwrap()).unwrap()
    }

    /// A new database, with what a script makes in it.
    pub fn database(&self, name: &str, script: &str) -> MariadbDatabase {
        let of_server = MariadbDatabase { name: "mysql".to_owned(), server: self.clone() };
        of_server.run(&format!(
            "create database {name} character set utf8mb4 collate utf8mb4_general_ci"
        ));
        let database = MariadbDatabase { name: name.to_owned(), server: self.clone() };
        database.run(script);
        database
    }
}

impl MariadbDatabase {
    /// Makes a login with the password `secret`. Returns its name.
    pub fn login(&self, name: &str) -> String {
        let name = format!("{}_{name}", self.name);
        self.run(&format!("create user {name} identified by 'secret'"));
        name
    }

    /// The address of a login.
    pub fn url(&self, login: &str) -> String {
        format!("mysql://{login}:secret@127.0.0.1:{}/{}", self.server.port, self.name)
    }

    /// Runs a script as the superuser, and returns what it shows: columns parted by `|`.
    #[track_caller]
    pub fn run(&self, script: &str) -> String {
        let mut command = Command::new("mariadb");
        command.args(["--no-defaults", "--user=root", "--batch", "--raw", "--skip-column-names"]);
        command.args(["--default-character-set=utf8mb4", "--socket"]).arg(&self.server.socket);
        command.arg(&self.name).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{problem}");
        String::from_utf8(output.stdout).unwrap().trim_end().replace('\t', "|")
    }
}

const VARIABLE: &str = "CALLGATE_MARIADB";
