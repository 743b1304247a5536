//! The `callgate` command from outside: what it prints, where, and how it ends. Runs the built binary from the
//! repository's root.

#![cfg(test)]

mod address;
mod answers;
#[cfg(unix)]
mod approvals;
mod audit;
mod body_media;
mod call;
#[cfg(all(unix, feature = "agents"))]
mod chat;
mod check;
mod completions;
mod connection;
#[cfg(feature = "postgres")]
mod database_rights;
#[cfg(feature = "sqlite")]
mod databases;
mod default_credentials;
mod diff;
mod doctor;
#[cfg(all(unix, feature = "documents"))]
mod documents;
mod draft;
#[cfg(unix)]
mod effects;
mod explain;
mod findings;
mod foreign;
mod foreign_files;
mod given;
mod hostile;
mod import;
mod import_code;
mod init;
mod kinds;
mod log;
mod logins;
mod man;
#[cfg(unix)]
mod manual;
mod one_truth;
mod output;
mod overlay;
mod pages;
mod prelude;
#[cfg(feature = "mcp")]
mod print_config;
#[cfg(feature = "monty")]
mod programs;
mod readme;
mod reasons;
mod record;
mod requests;
mod running;
mod sarif;
mod secrets;
mod selection;
mod serve;
mod server;
#[cfg(unix)]
mod sidecar;
#[cfg(target_os = "linux")]
mod sidecar_audit;
#[cfg(unix)]
mod sidecar_silence;
mod silence;
mod test;
mod tools;

use crate::prelude::*;
use std::process::Output;

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Runs the command with these arguments.
fn callgate(arguments: &[&str]) -> Ended {
    Ended::of(&mut command_in(&root(), arguments))
}

/// The command with these arguments in a folder.
fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.current_dir(folder).args(arguments);
    command
}

/// Writes a file below a folder. Returns its path as an argument, which stays until the process ends.
fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> &'static str {
    write_file(folder.path(), name, content).to_str().unwrap().to_owned().leak()
}

/// A folder with one file, and the path of the file as an argument.
fn folder_with(name: &str, content: impl AsRef<[u8]>) -> (TempDir, &'static str) {
    let folder = tempfile::tempdir().unwrap();
    let file = write(&folder, name, content);
    (folder, file)
}

/// The files below a folder, at any depth.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The command in a folder that is its home.
fn command_at_home(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = command_in(folder, arguments);
    command.env("HOME", folder).env_remove("XDG_CACHE_HOME");
    command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
    command
}

/// Runs the command in a folder with a home of its own.
fn run_at_home(folder: &TempDir, arguments: &[&str]) -> Ended {
    let home = folder.path().join("home");
    Ended::of(command_in(folder.path(), arguments).env("XDG_CONFIG_HOME", home))
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    fn prints(self, part: &str) -> Self {
        assert!(self.out.contains(part), "no `{part}` in {self:#?}");
        self
    }

    #[track_caller]
    fn says(self, part: &str) -> Self {
        assert!(self.err.contains(part), "no `{part}` in {self:#?}");
        self
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}
