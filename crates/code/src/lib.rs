//! Programs as a tool: a model writes code, which runs in a sandbox, and whose calls of tools are calls of the executor. Credentials,
//! checks, limits, approvals and the audit stand outside of the sandbox: the code gets functions, and what they answer.
//!
//! The engine `monty` interprets a part of Python in a process of its own, which has no files, no network, no environment, little memory
//! and little time. The engine `python` runs the Python of the machine in a sandbox of Linux ([`python`]). The command starts itself as that process; a program that embeds callgate names one: [`set_worker_program`].

mod arguments;
mod declaration;
mod digits;
mod finding;
mod frame;
mod functions;
mod generate;
mod identity;
mod journal;
mod keys;
mod kind;
mod load;
mod message;
#[cfg(all(feature = "monty", unix))]
mod monty;
mod name;
mod outcome;
mod parameter_words;
mod path;
mod program;
mod programs;
pub mod python;
mod python_files;
mod python_tool;
mod settings;
mod stub;
mod tool;
mod unavailable;
mod worker;

pub use finding::CodeFinding;
pub use kind::CodeKind;
pub use load::{load, load_with_store};
#[cfg(all(feature = "monty", unix))]
pub use monty::run_worker;
pub use settings::{CallRules, CodeLimits, CodeSettings, Engine};
pub use unavailable::Unavailable;
pub use worker::{WORKER_ARGUMENT, set_worker_program};
