//! The flags of `callgate audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Say whether each line is the one that was written there; name the first that is altered, missing or cut off
    #[command(after_help = "Example:\n  callgate audit verify audit.jsonl --key env:AUDIT_KEY")]
    Verify(VerifyArguments),
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Audit files of one chain, the oldest first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The key of the chain: `env:NAME`, `file:PATH`
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) key: String,
    /// The code of a line that must be there, as an earlier check printed it: finds an end that was cut off
    #[arg(long, value_name = "HASH")]
    pub(crate) head: Option<String>,
    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
