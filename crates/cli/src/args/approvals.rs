//! The flags of `callgate approvals`, `callgate approve` and `callgate health`, and those that name the running sidecar they talk to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::source::parse_server;

#[derive(Args, Debug)]
pub(crate) struct ApprovalsArguments {
    #[command(flatten)]
    pub(crate) sidecar: SidecarArguments,
    /// Only calls in this state
    #[arg(long, value_name = "STATE", value_enum)]
    pub(crate) state: Option<ApprovalState>,
    /// Print the approvals as JSON, with their requests
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ApproveArguments {
    /// The id of the approval, as `callgate approvals` lists it
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) sidecar: SidecarArguments,
    /// Reject the call; of a call of your own, take it back
    #[arg(long)]
    pub(crate) reject: bool,
    /// Approve without a question on the terminal
    #[arg(long, conflicts_with = "reject")]
    pub(crate) yes: bool,
    /// Print the decided approval, or the result of a call of your own, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct HealthArguments {
    #[command(flatten)]
    pub(crate) sidecar: SidecarArguments,
    /// Ask if it is ready for calls, which it is not while it stops
    #[arg(long)]
    pub(crate) ready: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ApprovalState {
    /// Approved, and not made yet
    Approved,
    /// Rejected, which its caller has not seen yet
    Rejected,
    /// Not decided
    Waiting,
}

/// A running sidecar, and the way in which it knows its caller.
#[derive(Args, Debug)]
pub(crate) struct SidecarArguments {
    /// The configuration that the sidecar was started with, which says where it listens; `./callgate.yaml` unless one is
    /// named, else `http://127.0.0.1:8410`
    pub(crate) file: Option<PathBuf>,
    /// The address of the sidecar instead: `https://callgate.example.com`
    #[arg(long, value_name = "URL", value_parser = parse_server, conflicts_with = "file")]
    pub(crate) url: Option<String>,
    /// Your token for the sidecar: `env:NAME`, `file:PATH`
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) bearer: Option<String>,
    /// Certificates to trust instead of the machine's: a file of PEM or DER
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Your certificate with its chain as PEM, for a sidecar that knows you by it
    #[arg(long, value_name = "FILE", requires = "client_key")]
    pub(crate) client_certificate: Option<PathBuf>,
    /// The private key of your certificate: `file:PATH`, `env:NAME`
    #[arg(long, value_name = "REFERENCE", requires = "client_certificate")]
    pub(crate) client_key: Option<String>,
}
