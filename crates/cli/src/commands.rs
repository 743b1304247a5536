//! One module for each command.

pub(crate) mod approvals;
pub(crate) mod approve;
pub(crate) mod audit;
pub(crate) mod call;
#[cfg(feature = "agents")]
pub(crate) mod chat;
pub(crate) mod check;
#[cfg(all(feature = "monty", unix))]
pub(crate) mod code_worker;
pub(crate) mod complete;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod draft;
pub(crate) mod explain;
#[cfg(all(feature = "pdf", unix))]
pub(crate) mod extract;
pub(crate) mod health;
#[cfg(feature = "ces")]
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod login;
mod losses;
pub(crate) mod man;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod test;
pub(crate) mod tools;
#[cfg(feature = "agents")]
mod turns;
pub(crate) mod unknown_tool;
