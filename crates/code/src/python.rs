//! Runs a program of Python in a sandbox of Linux: files in, the value of its last expression, its output and files out. Gives it no
//! network, no file of this machine but the interpreter and its libraries, no environment, and no other process to talk to. Knows no
//! tools: what a program may call is the business of other engines.
//!
//! ```no_run
//! # async fn example() -> Result<(), callgate_code::python::PythonError> {
//! use callgate_code::python::{PythonProgram, PythonSettings, run};
//!
//! let program = PythonProgram { code: "4 + 4".to_owned(), files: Vec::new() };
//! let outcome = run(&PythonSettings::default(), program).await?;
//! assert_eq!(outcome.result, "8");
//! # Ok(())
//! # }
//! ```

#[cfg(not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod elsewhere;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))),
    expect(dead_code, reason = "elsewhere nothing is started")
)]
mod error;
mod examination;
#[cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]
mod linux;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))),
    expect(dead_code, reason = "elsewhere nothing is started")
)]
mod request;
mod settings;

#[cfg(not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))))]
use self::elsewhere::run_here;
#[cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]
use self::linux::run_here;
pub(crate) use self::request::is_plain_file_name;
pub use self::{
    error::{PythonError, PythonErrorKind},
    examination::{Examination, Wall, examine},
    settings::{PythonLimits, PythonSettings},
};

/// A program and the files that it finds in its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PythonProgram {
    /// The text of the program.
    pub code: String,
    /// The files, each by a plain name.
    pub files: Vec<InputFile>,
}

/// A file for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The name in the program's folder, without a path.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// All that came of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonOutcome {
    /// The value of the last expression, as a notebook shows it: a text as it is, all else by `repr`; empty without a value.
    pub result: String,
    /// The traceback, or the sentence that says which limit ended the program; empty after success.
    pub error: String,
    /// The way in which the program ended.
    pub ending: Ending,
    /// The beginning of what the program printed.
    pub stdout: String,
    /// The beginning of its warnings and messages.
    pub stderr: String,
    /// The files that the program wrote or changed in its folder, by name.
    pub files: Vec<OutputFile>,
    /// The files that were not taken, at most 64, each with its reason.
    pub left_out: Vec<LeftOut>,
    /// True where a text is only a part of what the program gave.
    pub truncated: bool,
}

/// A file from a program: foreign bytes under a plain name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// The name, without a path, and not beginning with a dot.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// The type, judged by the first bytes, and only for texts by the name.
    pub media_type: &'static str,
}

/// A file of a program that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// The reason, for whoever wrote the program.
    pub reason: String,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Ending {
    /// It made more files than it may, 10,000 with folders and links.
    FileLimit,
    /// To its last line, or by `sys.exit`.
    Finished,
    /// By a signal or its own hand, before it gave an answer.
    Killed,
    /// It printed without end.
    OutputLimit,
    /// An exception that the program did not catch.
    Raised,
    /// It took longer than it may.
    TimeLimit,
}

/// Runs a program to its end, or ends it at a limit. Dropping the future ends the program with all its processes.
///
/// Call it on a thread that lives as long as the program, such as a worker of a runtime: the sandbox dies with the thread that
/// started it.
///
/// # Errors
/// A sandbox that this machine does not give, an interpreter that is absent, or files that the limits or plain names refuse. Whatever
/// the program itself does is an outcome.
pub async fn run(
    settings: &PythonSettings,
    program: PythonProgram,
) -> Result<PythonOutcome, PythonError> {
    run_here(settings, request::Request::new(settings, program)?).await
}
