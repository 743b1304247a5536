//! One callable operation: everything `call` needs to build its request and read its answer. Made by `tools` from a
//! document; schemas are built when first asked for and shared.

use std::sync::{Arc, OnceLock};

use callgate_tool::{Effect, Tool, ToolName};
use serde_json::Value;

use crate::{
    aside,
    blueprint::{Blueprint, Origin},
    body::Body,
    declaration::Parts,
    diagnostic::Diagnostic,
    input::{Input, NestedInput},
    reference::Located,
    schema::MOST_STEPS,
    security::{Security, argument_header::ArgumentHeader, header::is_withheld_header},
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
    /// The headers that no argument may set but that the operator lets through here; each is an input.
    pub argument_headers: Box<[ArgumentHeader]>,
    /// Every input, parameters first in the order of the description, then the body's.
    pub inputs: Box<[Input]>,
    /// Values inside arguments that have a source or a default of their own.
    pub nested_inputs: Box<[NestedInput]>,
    /// The body, when the operation has one.
    pub body: Option<Body>,
    /// The media types its successful answers have, in the order of the description, for `Accept`.
    pub accept: Box<[Arc<str>]>,
    /// The credentials it asks for.
    pub security: Security,
    pub(crate) blueprint: Blueprint,
    pub(crate) tool: OnceLock<Tool>,
    pub(crate) arguments_schema: OnceLock<Value>,
}

/// What building the schemas of an operation tells.
#[derive(Debug)]
pub(crate) struct Examined {
    pub(crate) tool: Tool,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many steps it took.
    pub(crate) n_steps: usize,
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

impl Operation {
    /// The declaration a model sees: the visible inputs, required only where nobody else fills them; the output of
    /// the first successful answer that is JSON. Built when first asked for.
    pub fn declaration(&self) -> &Tool {
        self.tool.get_or_init(|| self.parts().tool().0)
    }

    /// The schema that all arguments meet once session and defaults have filled what they fill, visible or not. Built
    /// when first asked for.
    pub fn arguments_schema(&self) -> &Value {
        self.arguments_schema.get_or_init(|| self.parts().arguments().0)
    }

    /// Whether no argument may set the header of this name: it is withheld, and the operator does not let it through.
    pub fn withholds_header(&self, name: &str) -> bool {
        is_withheld_header(name) && !self.argument_headers.iter().any(|header| header.is(name))
    }

    /// Builds the schemas and keeps nothing of them.
    pub(crate) fn examined(&self) -> Examined {
        let parts = self.parts();
        let (tool, findings) = parts.tool();
        let mut diagnostics = findings.into_diagnostics();
        let n_declared = parts.n_steps();
        let parts = self.parts();
        let (_, mut findings) = parts.arguments();
        let Origin { node, pointer } = &self.blueprint.operation;
        let operation = Located { node, pointer: Arc::clone(pointer) };
        aside::examine(&parts.document, &operation, &mut findings);
        for diagnostic in findings.into_diagnostics() {
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
        Examined { tool, diagnostics, n_steps: n_declared + parts.n_steps() }
    }

    /// The JSON pointer of the operation in its document.
    pub fn source_pointer(&self) -> &str {
        &self.blueprint.operation.pointer
    }

    /// The operation as findings name it: `GET /pets/{petId}`.
    pub fn label(&self) -> &str {
        &self.blueprint.label
    }

    fn parts(&self) -> Parts<'_> {
        Parts {
            blueprint: &self.blueprint,
            document: self.blueprint.document.metered(MOST_STEPS),
            body: self.body.as_ref(),
            effect: self.effect,
            inputs: &self.inputs,
        }
    }
}
