//! A toolset ready to run: its operations with the connection they share. Made by `config` or by hand.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::Authenticator;
use callgate_call::Shape;
use callgate_openapi::Operation;
use callgate_tool::{SessionName, ToolName};
use callgate_transport::{Limits, Transport};

use crate::execution::ClientSide;

/// An operation and the credentials its calls carry.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an operation is called with credentials or none")]
pub struct Callable {
    /// The operation.
    pub operation: Arc<Operation>,
    /// The authenticator of its requests; operations that ask for the same credential share it.
    pub authenticator: Arc<dyn Authenticator>,
}

/// The operations of one description and how they are reached.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it field by field; a new field is a decision for them"
)]
pub struct Toolset {
    /// The name that callers and policies use; empty for a bare description.
    pub name: String,
    /// The operations that may be called.
    pub operations: Vec<Callable>,
    /// The transport that sends its requests.
    pub transport: Arc<dyn Transport>,
    /// The bounds of one exchange.
    pub limits: Limits,
    /// The policy about redirects.
    pub redirects: Redirects,
    /// True if the caller's `baggage` is handed on.
    pub baggage: bool,
    /// The values of a session that its calls see and show.
    pub session_values: SessionValues,
    /// The arguments that hold credentials, by their names in any case: nothing that is written down shows their values.
    pub secret_arguments: Vec<String>,
    /// The shape in which results are shown.
    pub shape: Shape,
    /// The shapes of the tools that have one of their own.
    pub tool_shapes: BTreeMap<ToolName, Shape>,
    /// The tools of it that the client runs.
    pub client: ClientSide,
}

/// The values of a session that credentials read. They are credentials themselves: no tool of another toolset takes them
/// as inputs, and they are shown nowhere.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers decide about each of these")]
pub struct SessionValues {
    /// Those that no input of the toolset takes.
    pub withheld: Vec<SessionName>,
    /// Those that are masked in faults, dry runs, journals and answers.
    pub masked: Vec<SessionName>,
}

/// The policy about redirects: followed or not. Redirects that are not followed are reported as faults.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "another origin is never followed")]
pub enum Redirects {
    /// Never.
    #[default]
    None,
    /// Those of GET and HEAD that stay within the origin, at most five one after the other. Credentials are put on each
    /// request anew.
    SameOrigin,
}
