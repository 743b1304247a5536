//! A PostgreSQL server that the variable `CALLGATE_POSTGRES` names by the address of its superuser, because `cargo test` must
//! pass without one; `tests/interop/databases` starts it. Each test has a database of its own.

use std::{
    env,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::corpus::say;

/// A server that tests may use.
#[derive(Clone, Debug)]
pub struct PostgresServer {
    /// The address of the superuser, without the database.
    address: String,
}

/// A database of one test.
#[derive(Clone, Debug)]
pub struct PostgresDatabase {
    /// The name, with which the names of the test's roles begin.
    pub name: String,
    server: PostgresServer,
}

impl PostgresServer {
    /// The server of this machine; `None`, and a line that says so, where the tests are run without one.
    pub fn of_machine() -> Option<Self> {
        let Some(address) = env::var_os(VARIABLE) else {
            say(&format!("postgres absent: {VARIABLE} names no address"));
            return None;
        };
        let address = address.into_string().unwrap();
        Some(Self { address: address.rsplit_once('/').unwrap().0.to_owned() })
    }

    /// The port of the server on this machine.
    pub fn port(&self) -> u16 {
        self.address.rsplit_once(':').unwrap().1.parse().unwrap()
    }

    /// The certificate of the authority that the server's own is from.
    pub fn authority(&self) -> Vec<u8> {
        std::fs::read(env::var_os("CALLGATE_POSTGRES_CA").unwrap()).unwrap()
    }

    /// The folder of the server's Unix socket.
    pub fn socket(&self) -> PathBuf {
        env::var_os("CALLGATE_POSTGRES_SOCKET").unwrap().into()
    }

    /// The ports of poolers in front of the server, which pool by transactions.
    pub fn poolers(&self) -> Vec<u16> {
        let ports = env::var_os("CALLGATE_POSTGRES_POOLERS").unwrap().into_string().unwrap();
        ports.split(' ').map(|port| port.parse().unwrap()).collect()
    }

    /// A new database, with what a script makes in it.
    pub fn database(&self, name: &str, script: &str) -> PostgresDatabase {
        let of_server = PostgresDatabase { name: "postgres".to_owned(), server: self.clone() };
        of_server.run(&format!("create database {name}"));
        let database = PostgresDatabase { name: name.to_owned(), server: self.clone() };
        database.run(script);
        database
    }
}

impl PostgresDatabase {
    /// Makes a login with the password `secret`, and without the right to make temporary tables. Returns its name.
    pub fn login(&self, name: &str) -> String {
        let name = format!("{}_{name}", self.name);
        let database = &self.name;
        self.run(&format!(
            "create role {name} login password 'secret'; revoke temp on database {database} from public"
        ));
        name
    }

    /// The address of a login.
    pub fn url(&self, login: &str) -> String {
        format!("postgres://{login}:secret@127.0.0.1:{}/{}", self.server.port(), self.name)
    }

    /// Runs a script as the superuser, and returns what it shows: columns parted by `|`.
    #[track_caller]
    pub fn run(&self, script: &str) -> String {
        let mut command = Command::new("psql");
        command.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only"]);
        command.args(["--set=ON_ERROR_STOP=1", "--dbname"]);
        command.arg(format!("{}/{}", self.server.address, self.name));
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{problem}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }
}

const VARIABLE: &str = "CALLGATE_POSTGRES";
