//! Failures that are not the program's doing, each with its remedy.

use std::{error::Error, fmt, io, path::Path};

/// A program that was not run.
#[derive(Debug)]
pub struct PythonError {
    kind: PythonErrorKind,
    message: String,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum PythonErrorKind {
    /// `bwrap` is absent or cannot be started.
    Bubblewrap,
    /// The files of the program are too large, or their names are not plain.
    Files,
    /// A folder of the settings would show more than files.
    Folders,
    /// The interpreter is absent, or lies where programs do not see it.
    Interpreter,
    /// This machine gives no user namespaces to the user of this process.
    Namespaces,
    /// The sandbox was made and the interpreter did not start in it.
    Start,
    /// This operating system or processor has no such sandbox.
    Unsupported,
}

impl PythonError {
    /// The kind of failure.
    pub const fn kind(&self) -> PythonErrorKind {
        self.kind
    }

    /// The step that mends it, for the operator; for files, the program's author.
    pub const fn remedy(&self) -> &'static str {
        match self.kind {
            PythonErrorKind::Bubblewrap => {
                "install bubblewrap 0.8 or newer: `apt install bubblewrap`"
            }
            PythonErrorKind::Files => "give fewer or smaller files, each by a name without a path",
            PythonErrorKind::Folders => {
                "list folders of libraries, two levels or more below the root: `/opt/python`"
            }
            PythonErrorKind::Interpreter => {
                "install Python 3.10 or newer below `/usr`, or name its interpreter and the folder that it lies in"
            }
            PythonErrorKind::Namespaces => {
                "allow user namespaces: `sysctl user.max_user_namespaces=10000`, on Debian also \
                 `kernel.unprivileged_userns_clone=1`, on Ubuntu a profile of AppArmor for `bwrap` with `userns,`; in a container \
                 a seccomp profile that allows `unshare`, `clone` and `mount`; or use another engine"
            }
            PythonErrorKind::Start => {
                "make the interpreter and its libraries readable for every user, and list the folders that it needs"
            }
            PythonErrorKind::Unsupported => "use another engine, or Linux on x86-64 or 64-bit ARM",
        }
    }
}

impl fmt::Display for PythonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for PythonError {}

pub(super) fn files_error(message: String) -> PythonError {
    PythonError { kind: PythonErrorKind::Files, message }
}

pub(super) fn bubblewrap_start_error(path: &Path, error: &io::Error) -> PythonError {
    let message = format!("bubblewrap does not start: `{}`: {error}", path.display());
    PythonError { kind: PythonErrorKind::Bubblewrap, message }
}

pub(super) fn absent_interpreter(path: &Path, error: &io::Error) -> PythonError {
    let message = format!("expected an interpreter of Python: `{}`: {error}", path.display());
    PythonError { kind: PythonErrorKind::Interpreter, message }
}

pub(super) fn hidden_interpreter(path: &Path) -> PythonError {
    let message =
        format!("expected an interpreter in a folder that programs see: `{}`", path.display());
    PythonError { kind: PythonErrorKind::Interpreter, message }
}

pub(super) fn unsafe_folder_error(path: &Path) -> PythonError {
    let message = format!("expected a folder of libraries for programs: `{}`", path.display());
    PythonError { kind: PythonErrorKind::Folders, message }
}

pub(super) fn no_namespaces(said: &str) -> PythonError {
    let message = format!("this machine gives no user namespaces to this process: {said}");
    PythonError { kind: PythonErrorKind::Namespaces, message }
}

pub(super) fn start_error(said: &str) -> PythonError {
    let message = format!("Python does not start in its sandbox: {said}");
    PythonError { kind: PythonErrorKind::Start, message }
}

pub(super) fn unsupported_error(what: &str) -> PythonError {
    let message = format!("expected Linux on x86-64 or 64-bit ARM: `{what}`");
    PythonError { kind: PythonErrorKind::Unsupported, message }
}
