//! Reads one operation, from its path key to its answers. What is wrong with it is reported; an error costs this
//! operation and no other.

use std::sync::{Arc, OnceLock};

use callgate_tool::{Effect, ToolName};

use crate::{
    blueprint::{Blueprint, Origin},
    body::{media, swagger},
    code::Code,
    declaration::described,
    document::Document,
    findings::Findings,
    input::{Encoding, Input, NestedInput, Place, Source, Style},
    layout::{self, Layout},
    nested::Walk,
    node::Node,
    operation::Operation,
    options::LoadOptions,
    parameter::{self, Parameter},
    reach::Reach,
    reference::{Located, follow},
    security::{Withheld, withheld},
    server::Servers,
    template::Template,
    tools::answer::{self, Answers},
};

/// What every operation of a document is read with.
#[derive(Debug)]
pub(super) struct Context<'d> {
    pub(super) document: &'d Document,
    pub(super) options: &'d LoadOptions,
    pub(super) reach: Reach<'d>,
    pub(super) servers: Servers<'d>,
}

/// An operation to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a, 'd> {
    pub(super) method: &'a http::Method,
    pub(super) key: &'a Arc<str>,
    pub(super) item: &'a Located<'d>,
    pub(super) operation: &'a Located<'d>,
}

impl<'d> Context<'d> {
    /// The operation; `None` when it cannot be offered.
    pub(super) fn operation(
        &mut self,
        candidate: Candidate<'_, 'd>,
        tool_name: ToolName,
        findings: &mut Findings,
    ) -> Option<Operation> {
        let Candidate { method, key, item, operation } = candidate;
        let label = format!("{method} {key}");
        // No version lets an operation be a reference, but descriptions in several files write it.
        let followed = follow(self.document, operation.node, &operation.path());
        let operation = &followed.map_err(|bad| bad.report(findings)).ok()?;
        if operation.node.as_object().is_none() {
            let message = format!("expected an operation, got: {}", operation.node.kind());
            findings.error(Code::MalformedNode, &operation.pointer, message, "write an object");
            return None;
        }
        let template = template(key, item, findings);
        let server = self.servers.of(&[operation, item], findings);
        let mut parameters = self.parameters((item, operation), template.as_ref(), findings);
        let mut body = if self.document.version().is_swagger() {
            swagger::read(self.document, operation, &mut parameters, findings)
        } else {
            media::read(self.document, operation, findings)
        };
        if let Some(body) = &mut body {
            media::prefer(self.document, body, findings);
        }
        let answers = answer::read(self.document, operation, findings);
        let session_inputs = self.options.session_inputs;
        let Layout { inputs, schemas, origins, body } =
            layout::arrange(self.document, parameters, body, session_inputs, findings);
        let nested_inputs = self.nested_inputs(&inputs, &schemas, findings);
        if described(operation.node).is_empty() {
            let message = "expected a `summary` or a `description`, got neither".to_owned();
            let help = "say what the operation is for; a model knows it by nothing else";
            findings.note(Code::NoDescription, &operation.pointer, message, help);
        }
        let (template, server) = (template?, server?);
        let Answers { accept, output } = answers;
        Some(Operation {
            tool_name: tool_name.clone(),
            operation_id: operation.node.get("operationId").and_then(Node::as_shared_str).cloned(),
            method: method.clone(),
            path: Arc::clone(key),
            segments: template.segments,
            fixed_query: template.fixed_query,
            server,
            effect: effect(method),
            inputs: inputs.into(),
            nested_inputs: nested_inputs.into(),
            body,
            accept,
            blueprint: Blueprint {
                document: self.document.clone(),
                label,
                operation: Origin::of(operation),
                inputs: origins.into(),
                output: output.as_ref().map(Origin::of),
                session_inputs,
                tool_name,
            },
            tool: OnceLock::new(),
            arguments_schema: OnceLock::new(),
        })
    }

    /// The values inside arguments that are filled in; what the schemas refer to in vain is reported on the way.
    fn nested_inputs(
        &mut self,
        inputs: &[Input],
        schemas: &[Option<Located<'d>>],
        findings: &mut Findings,
    ) -> Vec<NestedInput> {
        let mut nested = Vec::new();
        for (input, schema) in inputs.iter().zip(schemas) {
            let Some(schema) = schema else { continue };
            let survey = self.reach.survey(schema);
            survey.bad.iter().for_each(|bad| bad.report(findings));
            if !survey.is_filled || input.source != Source::Model {
                continue;
            }
            let session_inputs = self.options.session_inputs;
            let mut walk = Walk::new(self.document, &input.argument, session_inputs, findings);
            walk.below(schema);
            nested.append(&mut walk.found);
        }
        nested
    }

    /// The parameters that are offered.
    fn parameters(
        &self,
        (item, operation): (&Located<'d>, &Located<'d>),
        template: Option<&Template>,
        findings: &mut Findings,
    ) -> Vec<Parameter<'d>> {
        let mut parameters = parameter::read(self.document, item, operation, findings);
        parameters.retain(|parameter| self.is_offered(parameter, findings));
        if let Some(template) = template {
            drop_unused(template, &mut parameters, findings);
            add_undeclared(template, operation, &mut parameters, findings);
        }
        parameters
    }

    fn is_offered(&self, parameter: &Parameter<'d>, findings: &mut Findings) -> bool {
        let Parameter { name, place, object, .. } = parameter;
        let pointer = &object.pointer;
        match withheld(*place, name, &self.options.credential_places) {
            None => true,
            Some(Withheld::Credential) => {
                let message = format!(
                    "expected the credential `{name}` from the configuration alone, got a parameter of that name"
                );
                findings.note(
                    Code::CredentialParameter,
                    pointer,
                    message,
                    "nothing; it is not offered",
                );
                false
            }
            Some(Withheld::Forbidden) => {
                let message = format!("expected a header that arguments may set, got: `{name}`");
                let help = "remove the parameter; it is never sent";
                findings.warning(Code::ForbiddenHeader, pointer, message, help);
                false
            }
            Some(Withheld::Reserved) => {
                let message =
                    format!("expected no header parameter of a reserved name, got: `{name}`");
                let help =
                    "describe it with media types or a security scheme; the parameter is ignored";
                findings.note(Code::ReservedHeader, pointer, message, help);
                false
            }
        }
    }
}

fn template(key: &str, item: &Located<'_>, findings: &mut Findings) -> Option<Template> {
    match Template::parse(key) {
        Ok(template) => {
            if template.has_fragment {
                let message = format!("expected a path without a fragment, got: `{key}`");
                let help =
                    "tell the operations on a path apart by their bodies; the fragment is not sent";
                findings.warning(Code::PathFragment, &item.pointer, message, help);
            }
            Some(template)
        }
        Err(expected) => {
            let message = format!("expected {expected}, got: `{key}`");
            let help = "write a path below the server, `/pets/{petId}`";
            findings.error(Code::HostilePath, &item.pointer, message, help);
            None
        }
    }
}

/// Leaves out path parameters that have no place in the template.
fn drop_unused(template: &Template, parameters: &mut Vec<Parameter<'_>>, findings: &mut Findings) {
    parameters.retain(|parameter| {
        let name = &parameter.name;
        let is_used =
            parameter.place != Place::Path || template.variables().any(|known| known == name);
        if !is_used {
            let message = format!("expected path parameters of the template, got: `{name}`");
            let help = "remove it or put it into the path; it is ignored";
            findings.warning(Code::UnusedPathParameter, &parameter.object.pointer, message, help);
        }
        is_used
    });
}

/// Adds a required text for each variable that nothing declares.
fn add_undeclared<'d>(
    template: &Template,
    operation: &Located<'d>,
    parameters: &mut Vec<Parameter<'d>>,
    findings: &mut Findings,
) {
    for name in template.variables() {
        let is_it = |known: &Parameter<'_>| known.place == Place::Path && known.name == *name;
        if parameters.iter().any(is_it) {
            continue;
        }
        let message = format!(
            "expected a path parameter for each variable of the template, got none: `{name}`"
        );
        let help = "declare it; it is offered as a required text";
        findings.warning(Code::UndeclaredPathParameter, &operation.pointer, message, help);
        parameters.push(Parameter {
            object: Located { node: &Node::Null, pointer: Arc::clone(&operation.pointer) },
            name: Arc::clone(name),
            place: Place::Path,
            required: true,
            encoding: Encoding::Styled {
                style: Style::Simple,
                explode: false,
                allow_reserved: false,
                allow_empty: false,
            },
            schema: None,
        });
    }
}

/// What a method does (RFC 9110 §9.2).
pub(super) fn effect(method: &http::Method) -> Effect {
    if method.is_safe() {
        return Effect::Read;
    }
    if method.is_idempotent() { Effect::Idempotent } else { Effect::Write }
}
