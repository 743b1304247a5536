//! A call and its ending. Every ending is an [`Outcome`]: a call has no error type.

use serde_json::{Map, Value};

use crate::{Answer, Fault, Journal};

/// Arguments as the model gave them; numbers keep their digits.
pub type Arguments = Map<String, Value>;

/// One call a model asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The caller's own id of the call; handed back unchanged.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// What the model filled in.
    pub arguments: Arguments,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool that was meant: its full name where one was found, else what the call said.
    pub tool: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was decided on the way, for the operator.
    pub journal: Journal,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever shows an ending must handle a new one")]
pub enum Outcome {
    /// The service answered with a success.
    Answered(Box<Answer>),
    /// Something failed: before sending, on the way, or at the service.
    Failed(Box<Fault>),
    /// A dry run: what would have been sent.
    Planned(Box<PlannedRequest>),
}

/// A request as a dry run shows it: credentials stand as `****`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRequest {
    /// The HTTP method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// The headers in the order they are sent.
    pub headers: Vec<(String, String)>,
    /// The body as text, where there is one.
    pub body: Option<String>,
    /// A `curl` command that sends the same request.
    pub curl: String,
}

impl ToolCall {
    /// A call of `tool` with `arguments`.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: Arguments) -> Self {
        Self { id: id.into(), tool: tool.into(), arguments }
    }
}
