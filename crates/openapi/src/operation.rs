//! One callable operation: everything `call` needs to build its request and read its answer. Made by `tools` from a
//! document; schemas are built when first asked for and shared.

use std::sync::{Arc, OnceLock};

use callgate_tool::{Effect, Tool, ToolName};
use serde_json::Value;

use crate::{
    body::Body,
    input::{Input, NestedInput},
    server::Server,
};

/// One operation of a description that is exposed or degraded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operation {
    /// The tool's name.
    pub tool_name: ToolName,
    /// The `operationId`, as the description writes it.
    pub operation_id: Option<Arc<str>>,
    /// The HTTP method.
    pub method: http::Method,
    /// The path template as the description writes it: `/pets/{petId}`.
    pub path: Arc<str>,
    /// The template, cut at `/`: one entry a segment after the first slash, each a row of literals and variables.
    pub segments: Box<[Box<[PathPart]>]>,
    /// A query that is part of the path key (`/q?x=1`), sent before any parameter; without the `?`.
    pub fixed_query: Option<Arc<str>>,
    /// Where it is sent.
    pub server: Arc<Server>,
    /// What a call does to the service.
    pub effect: Effect,
    /// Every input, parameters first in the order of the description, then the body's.
    pub inputs: Box<[Input]>,
    /// Values inside arguments that have a source or a default of their own.
    pub nested_inputs: Box<[NestedInput]>,
    /// The body, when the operation has one.
    pub body: Option<Body>,
    /// The media types its successful answers have, in the order of the description, for `Accept`.
    pub accept: Box<[Arc<str>]>,
    // … private: what the lazy parts are built from
    pub(crate) tool: OnceLock<Tool>,
    pub(crate) arguments_schema: OnceLock<Value>,
}

/// One part of a path segment.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes paths must handle a new one")]
pub enum PathPart {
    /// Sent as it stands (already escaped).
    Literal(Arc<str>),
    /// The value of the path parameter of this name.
    Variable(Arc<str>),
}
