//! A toolset ready to run: its operations with their shared connection. `config` makes it, or a program does.

use std::{collections::BTreeMap, sync::Arc};

use callgate_auth::Authenticator;
use callgate_call::Shape;
use callgate_openapi::Operation;
use callgate_tool::{SessionName, ToolName};
use callgate_transport::{Limits, Transport};

use crate::{execution::ClientSide, retry::Retry};

/// An operation with the credentials of its calls.
#[derive(Clone, Debug)]
pub struct Callable {
    /// The operation.
    pub operation: Arc<Operation>,
    /// The authenticator of the operation's requests; operations that need one credential share it.
    pub authenticator: Arc<dyn Authenticator>,
}

/// The operations of one description with their connection.
#[derive(Debug)]
pub struct Toolset {
    /// The name for callers and policies; empty for a bare description.
    pub name: String,
    /// The operations that may be called.
    pub operations: Vec<Callable>,
    /// The tools of operations that are refused: a call of one says why.
    pub refused: Vec<RefusedTool>,
    /// The transport that sends the requests.
    pub transport: Arc<dyn Transport>,
    /// The settings of its calls.
    pub call: CallSettings,
    /// The values of a session that its calls see and show.
    pub session_values: SessionValues,
    /// The arguments that hold credentials, by their names in any case: no record shows their values.
    pub secret_arguments: Vec<String>,
    /// The shapes of single tools.
    pub tool_shapes: BTreeMap<ToolName, Shape>,
    /// The tools that the client runs.
    pub client: ClientSide,
}

/// The settings of a toolset's calls, handed on as they are from a configuration to the calls.
///
/// ```
/// use callgate_executor::{CallSettings, Redirects};
///
/// let settings = CallSettings { redirects: Redirects::SameOrigin, ..CallSettings::default() };
/// assert_eq!(settings.limits.response_bytes, 1 << 20);
/// assert!(!settings.baggage);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CallSettings {
    /// The limits of one exchange.
    pub limits: Limits,
    /// The longest body of a request that is sent; `None` for any.
    pub request_bytes: Option<usize>,
    /// The policy for redirects.
    pub redirects: Redirects,
    /// The policy for requests that fail.
    pub retry: Retry,
    /// True if the caller's `baggage` is passed on.
    pub baggage: bool,
    /// The shape in which results are shown.
    pub shape: Shape,
}

/// A tool that is not offered, since the load of the description refuses its operation.
#[derive(Clone, Debug)]
pub struct RefusedTool {
    /// The name that the tool would have.
    pub name: ToolName,
    /// The reason in words that a model may read; tools that are refused for one reason share it.
    pub reason: Arc<str>,
}

/// The values of a session that credentials read. They are credentials themselves: no tool of another toolset takes them
/// as inputs, and no output shows them.
#[derive(Clone, Debug, Default)]
pub struct SessionValues {
    /// The values that no input of the toolset takes.
    pub withheld: Vec<SessionName>,
    /// The values that are masked in faults, dry runs, journals and responses.
    pub masked: Vec<SessionName>,
}

/// The policy for redirects: followed or not. Redirects that are not followed are reported as faults.
///
/// ```
/// use callgate_executor::Redirects;
///
/// // Without a word of the operator, a redirect is the end of a call.
/// assert_eq!(Redirects::default(), Redirects::None);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "another origin is never followed")]
pub enum Redirects {
    /// Follows no redirect.
    #[default]
    None,
    /// Follows redirects of GET and HEAD that stay within the origin, at most five in a row. Credentials are put on
    /// each request anew.
    SameOrigin,
}
