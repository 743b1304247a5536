//! The flags of `callgate explain`.

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The code, as a finding or a failed call shows it in brackets; all of them when there is none
    pub(crate) code: Option<String>,
}
