//! Reads one operation, from its path key to its answers. What is wrong with it is reported; an error costs this
//! operation and no other.

use std::{
    iter,
    sync::{Arc, OnceLock},
};

use callgate_tool::{Effect, ToolName};

use crate::{
    blueprint::{Blueprint, InputOrigin, Origin},
    body::{
        media::{self, DescribedBody},
        swagger,
    },
    code::Code,
    declaration::is_described,
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
    security::{
        Security,
        needs::Schemes,
        withheld::{Withheld, withheld},
    },
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
    pub(super) schemes: Schemes<'d>,
}

/// An operation to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a, 'd> {
    pub(super) method: &'a http::Method,
    pub(super) key: &'a Arc<str>,
    pub(super) items: &'a [Located<'d>],
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
        let Candidate { method, key, items, operation } = candidate;
        let label = format!("{method} {key}");
        let followed = follow(self.document, operation.node, &operation.path());
        let operation = &followed.map_err(|bad| bad.report(findings)).ok()?;
        if operation.node.as_object().is_none() {
            let message = format!("expected an operation, got: {}", operation.node.kind());
            findings.error(Code::MalformedNode, &operation.pointer, message, "write an object");
            return None;
        }
        let levels: Vec<&Located<'d>> = iter::once(operation).chain(items).collect();
        let template = template(key, items, findings);
        let server = self.servers.of(&levels, findings);
        let security = self.schemes.needs(operation, findings);
        let mut parameters = self.parameters(&levels, (template.as_ref(), &security), findings);
        let body = self.body(operation, &mut parameters, findings);
        let answers = answer::read(self.document, operation, findings);
        let session_inputs = self.options.session_inputs;
        let Layout { mut inputs, schemas, origins, body } =
            layout::arrange(self.document, parameters, body, session_inputs, findings);
        let keeps_absent = *method == http::Method::PATCH;
        if keeps_absent {
            leave_out_defaults(&mut inputs);
        }
        let nested_inputs =
            self.nested_inputs((&inputs, &origins), (&schemas, keeps_absent), findings);
        if !is_described(operation.node) {
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
            security,
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
    /// `keeps_absent` says that the request changes only what it names.
    fn nested_inputs(
        &mut self,
        (inputs, origins): (&[Input], &[InputOrigin]),
        (schemas, keeps_absent): (&[Option<Located<'d>>], bool),
        findings: &mut Findings,
    ) -> Vec<NestedInput> {
        let mut nested = Vec::new();
        for ((input, origin), schema) in inputs.iter().zip(origins).zip(schemas) {
            let Some(schema) = schema else { continue };
            let survey = self.reach.survey(schema);
            survey.bad.iter().for_each(|bad| bad.report(findings));
            if !survey.is_filled || input.source != Source::Model {
                continue;
            }
            let session_inputs = self.options.session_inputs;
            let mut walk = Walk::new(self.document, &input.argument, session_inputs, findings);
            if origin.is_item {
                walk.each(schema);
            } else if input.place == Place::Body && input.name.is_empty() && !keeps_absent {
                walk.below_body(schema);
            } else {
                walk.below(schema);
            }
            nested.append(&mut walk.found);
        }
        nested
    }

    /// The body, its preferred media type first. The body of Swagger 2.0 is taken out of the parameters.
    fn body(
        &self,
        operation: &Located<'d>,
        parameters: &mut Vec<Parameter<'d>>,
        findings: &mut Findings,
    ) -> Option<DescribedBody<'d>> {
        let mut body = if self.document.version().is_swagger() {
            swagger::read(self.document, operation, parameters, findings)
        } else {
            media::read(self.document, operation, findings)
        }?;
        media::prefer(self.document, &mut body, self.options, findings);
        Some(body)
    }

    /// The parameters that are offered.
    fn parameters(
        &self,
        levels: &[&Located<'d>],
        (template, security): (Option<&Template>, &Security),
        findings: &mut Findings,
    ) -> Vec<Parameter<'d>> {
        let mut parameters = parameter::read(self.document, levels, findings);
        let mut places = self.options.credential_places.clone();
        places.extend(security.key_places().map(|(place, name)| (place, name.to_owned())));
        parameters.retain(|parameter| is_offered(parameter, &places, findings));
        note_query_beside_querystring(&parameters, findings);
        if let (Some(template), Some(operation)) = (template, levels.first()) {
            drop_unused(template, &mut parameters, findings);
            drop_fixed(template, &mut parameters, findings);
            add_undeclared(template, operation, &mut parameters, findings);
        }
        parameters
    }
}

/// Takes the defaults of optional parts of a body away. What a partial change leaves out stays as it is (RFC 5789 §2,
/// RFC 7396 §1): a default would set it back.
fn leave_out_defaults(inputs: &mut [Input]) {
    let optional = inputs.iter_mut().filter(|input| {
        input.place == Place::Body && !input.required && input.source == Source::Model
    });
    optional.for_each(|input| input.default = None);
}

fn is_offered(
    parameter: &Parameter<'_>,
    places: &[(Place, String)],
    findings: &mut Findings,
) -> bool {
    let Parameter { name, place, object, .. } = parameter;
    let pointer = &object.pointer;
    match withheld(*place, name, places) {
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
            let message = format!("expected no header parameter of a reserved name, got: `{name}`");
            let help =
                "describe it with media types or a security scheme; the parameter is ignored";
            findings.note(Code::ReservedHeader, pointer, message, help);
            false
        }
    }
}

fn template(key: &str, items: &[Located<'_>], findings: &mut Findings) -> Option<Template> {
    let pointer = items.first().map(|item| &*item.pointer).unwrap_or_default();
    match Template::parse(key) {
        Ok(template) => {
            if template.has_fragment {
                let message = format!("expected a path without a fragment, got: `{key}`");
                let help =
                    "tell the operations on a path apart by their bodies; the fragment is not sent";
                findings.warning(Code::PathFragment, pointer, message, help);
            }
            Some(template)
        }
        Err(expected) => {
            let message = format!("expected {expected}, got: `{key}`");
            let help = "write a path below the server, `/pets/{petId}`";
            findings.error(Code::HostilePath, pointer, message, help);
            None
        }
    }
}

/// OpenAPI 3.2.0 §4.12.1: the whole query string and its parts are not described together.
fn note_query_beside_querystring(parameters: &[Parameter<'_>], findings: &mut Findings) {
    let is_query =
        |known: &&Parameter<'_>| matches!(known.place, Place::Query | Place::Querystring);
    let mut queries = parameters.iter().filter(is_query);
    let whole = parameters.iter().find(|known| known.place == Place::Querystring);
    if let (Some(whole), true) = (whole, queries.nth(1).is_some()) {
        let message =
            format!("expected no query parameters beside a query string, got: `{}`", whole.name);
        let help = "describe either; what is given of them is sent one after another";
        findings.warning(Code::MalformedNode, &whole.object.pointer, message, help);
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

/// Leaves out query parameters that the path key's own query fixes: they would be sent twice.
fn drop_fixed(template: &Template, parameters: &mut Vec<Parameter<'_>>, findings: &mut Findings) {
    parameters.retain(|parameter| {
        let name = &parameter.name;
        let is_fixed = parameter.place == Place::Query && template.fixes(name);
        if is_fixed {
            let message = format!(
                "expected each query parameter once, got one that the path fixes: `{name}`"
            );
            let help = "leave it out of one of them; what the path says is sent";
            findings.note(Code::DuplicateParameter, &parameter.object.pointer, message, help);
        }
        !is_fixed
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
    // The QUERY method is safe, as its specification (draft-ietf-httpbis-safe-method-w-body §2) says.
    if method.is_safe() || method.as_str() == "QUERY" {
        return Effect::Read;
    }
    if method.is_idempotent() { Effect::Idempotent } else { Effect::Write }
}
