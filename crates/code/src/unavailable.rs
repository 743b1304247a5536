//! The reasons why a machine, a build or a program runs no code, each with its remedy.

use std::{error, fmt};

/// The reason why no code runs here.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Unavailable {
    /// The engine is not in this build.
    Engine,
    /// The name of the toolset and the tool's are no name together.
    Name,
    /// Python cannot import this package of the settings, for this reason.
    Package(String, String),
    /// The sandbox of the engine `python` cannot be started, or does not hold.
    Sandbox {
        /// The reason.
        why: String,
        /// The step that mends it.
        remedy: &'static str,
    },
    /// The machine lacks this program of the engine `python`.
    Program(String),
    /// No program is named that runs code: [`set_worker_program`](crate::set_worker_program).
    Worker,
}

impl Unavailable {
    /// The step that mends it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Engine => "choose `python`, or use a build with the feature `monty`",
            Self::Name => "choose another name or `prefix`",
            Self::Package(..) => {
                "install it for the interpreter, as by `apt install python3-pandas`, or take it out of `packages`"
            }
            Self::Sandbox { remedy, .. } => remedy,
            Self::Program(_) => {
                "install it, as by `apt install bubblewrap python3`, or choose `monty`"
            }
            Self::Worker => {
                "name a program that answers the argument `code-worker`, such as `callgate`: `callgate_code::set_worker_program`"
            }
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine => f.write_str("it is not in this build"),
            Self::Name => f.write_str("the name of the toolset makes no name of a tool"),
            Self::Package(name, why) => write!(f, "Python cannot import `{name}`: {why}"),
            Self::Sandbox { why, .. } => f.write_str(why),
            Self::Program(program) => write!(f, "the machine has no `{program}`"),
            Self::Worker => f.write_str("no program is named that runs code"),
        }
    }
}

impl error::Error for Unavailable {}
