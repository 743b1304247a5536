//! Reads one operation, from its path key to its responses. Faults are reported; an error refuses this operation and no
//! other.

use std::{
    iter,
    sync::{Arc, OnceLock},
};

use callgate_tool::{Effect, ToolName};
use callgate_tree::{Diagnostic, Node, Object, Path};
use hashbrown::HashMap;

use crate::{
    bindings::Bindings,
    blueprint::{Blueprint, Common, Origin},
    body::{
        BodyLayout, credential_fields,
        media::{self, DescribedBody},
        swagger,
    },
    code::Code,
    cursor::Cursor,
    document::Document,
    edit::{self, AppliedArguments, EditOf, FaultyEdit, operation_names},
    findings::Findings,
    input::{Input, InputLocation},
    layout::{self, Layout},
    meter::StepBudget,
    operation::Operation,
    options::LoadOptions,
    parameter::{self, Parameter},
    purpose::is_described,
    reach::Reach,
    reference::{LocatedNode, reference_of},
    security::{
        Security, SecurityScheme, argument_header::ArgumentHeader,
        credential_places::CredentialPlaces, requirements::Schemes,
        withholding_rules::WithholdingRules,
    },
    server::{Server, Servers},
    template::Template,
    tools::{
        answer::{self, Answers},
        defaults::{DecisiveDefaults, DefaultsContext},
        effect::{OperationTexts, effect_with_headers},
        find::FoundOperation,
        parameters::{self, OfferedParameters},
        path_key, session_values,
    },
};

#[derive(Debug)]
pub(super) struct Context<'d> {
    pub(super) common: Arc<Common>,
    pub(super) document: &'d Document,
    pub(super) options: &'d LoadOptions,
    pub(super) reach: Reach<'d>,
    pub(super) servers: Servers<'d>,
    pub(super) schemes: Schemes,
    pub(super) fragments: Fragments,
    pub(super) decisive: DecisiveDefaults,
    pub(super) shared: SharedParts<'d>,
}

#[derive(Debug)]
pub(super) struct OperationName<'a> {
    pub(super) tool_name: ToolName,
    pub(super) written: Option<&'a ToolName>,
    pub(super) edit: Option<&'a EditOf<'a>>,
}

#[derive(Debug, Default)]
pub(super) struct SharedParts<'d> {
    parameters: parameter::ParameterCache<'d>,
    answers: answer::AnswerCache<'d>,
    /// The bodies that several operations may refer to, by the addresses of the references; only bodies without findings.
    bodies: HashMap<usize, DescribedBody<'d>>,
    template: path_key::TemplateCache,
    pub(super) faulty_edits: Vec<FaultyEdit>,
}

#[derive(Debug, Default)]
pub(super) struct Fragments {
    n: usize,
    first: Option<Arc<str>>,
}

#[derive(Debug)]
struct OperationParts<'d> {
    operation: LocatedNode<'d>,
    /// The path item whose texts replace missing ones of the operation.
    item: Option<&'d Node>,
    template: Template,
    server: Arc<Server>,
    security: Security,
    credential_keys: Box<[(InputLocation, Arc<str>)]>,
    demanded: Vec<Arc<SecurityScheme>>,
    layout: Layout<'d>,
    argument_headers: Box<[ArgumentHeader]>,
    effect: Effect,
    bindings: Box<[Bindings]>,
    answers: Answers<'d>,
}

impl<'d> Context<'d> {
    /// The operation; `None` if it cannot be offered. An operation that exceeds its share of the steps is given up,
    /// and once the steps are used up, so are all later ones.
    pub(super) fn build_operation(
        &mut self,
        found_operation: &FoundOperation<'d>,
        naming: OperationName<'_>,
        findings: &mut Findings,
    ) -> Option<Operation> {
        let OperationName { tool_name, written, edit } = naming;
        let FoundOperation { method, key, operation, .. } = found_operation;
        self.document.begin_operation_budget();
        if key.len() > LONGEST_KEY {
            let message =
                format!("expected a path of at most {LONGEST_KEY} bytes, got: {}", key.len());
            findings.error(Code::HostilePath, &operation.pointer, message, "shorten the path");
            return None;
        }
        let (label, applied) = ([method.as_str(), " ", key].concat(), edit.map(|it| &it.applied));
        let names =
            operation_names(Some(&tool_name), found_operation.operation_id(), written, applied);
        let let_through = self.options.argument_headers.headers_for_operation(&names);
        let read = (!self.document.is_spent())
            .then(|| self.operation_parts(found_operation, &let_through, &names, findings));
        if self.document.is_spent() {
            self.report_spent_steps(operation, findings);
            return None;
        }
        let mut read = read.flatten()?;
        self.apply_argument_edits(edit, &mut read, findings);
        let OperationParts { operation, item, template, server, security, answers, .. } = read;
        let Layout { inputs, origins, body, no_body_arguments, .. } = read.layout;
        Some(Operation {
            tool_name: tool_name.clone(),
            written_name: written.cloned(),
            operation_id: operation.node.get("operationId").and_then(Node::as_shared_str).cloned(),
            method: method.clone(),
            path: Arc::clone(key),
            segments: template.segments,
            fixed_query: template.fixed_query,
            server,
            credential_keys: read.credential_keys,
            effect: edit.map_or(read.effect, |edit| edit.applied.effect_or(read.effect)),
            argument_headers: read.argument_headers,
            inputs: inputs.into(),
            bindings: read.bindings,
            body,
            no_body_arguments,
            accept: answers.accept,
            answer_headers: answers.headers,
            answer_redirects: answers.redirects,
            security,
            demanded_schemes: read.demanded.into(),
            edit: edit.map(|edit| edit.applied.clone()),
            blueprint: Blueprint {
                common: Arc::clone(&self.common),
                label,
                operation: Origin::from_located(&operation),
                item: item.cloned(),
                inputs: origins.into(),
                output: answers.output.as_ref().map(Origin::from_located),
                tool_name,
                effect: read.effect,
            },
            nested_inputs: OnceLock::new(),
            tool: OnceLock::new(),
            arguments_schema: OnceLock::new(),
            key_owners: OnceLock::new(),
        })
    }

    /// Applies the operator's changes. An operation without an argument that the operator fixes is not offered.
    fn apply_argument_edits(
        &mut self,
        edit: Option<&EditOf<'_>>,
        read: &mut OperationParts<'d>,
        findings: &mut Findings,
    ) {
        let Some(edit) = edit else { return };
        let changes = &edit.applied.changes;
        let AppliedArguments { faults, lost } =
            edit::apply_to_layout(changes, &mut read.layout, &read.bindings);
        let faults = faults.into_iter().map(|fault| FaultyEdit::new(edit.tool, fault));
        self.shared.faulty_edits.extend(faults);
        for name in lost {
            let message = format!(
                "expected the argument that the configuration gives a fixed value, got none: `{name}`"
            );
            let help = format!(
                "correct `fix` of `{}` under `tools: {{edit: …}}`; until then the tool is not offered",
                edit.tool
            );
            findings.error(Code::MissingArgument, &read.operation.pointer, message, &help);
        }
    }

    /// The template of a path key; keys that a fragment distinguishes are counted.
    fn template_counting_fragments(
        &mut self,
        key: &Arc<str>,
        levels: &[&LocatedNode<'d>],
        findings: &mut Findings,
    ) -> Option<Template> {
        let cursor = Cursor::new(self.document, findings);
        let template = path_key::path_template(&mut self.shared.template, key, levels, cursor);
        if template.as_ref().is_some_and(|template| template.has_fragment) {
            self.fragments.n += 1;
            self.fragments.first.get_or_insert_with(|| Arc::clone(key));
        }
        template
    }

    fn operation_parts(
        &mut self,
        found_operation: &FoundOperation<'d>,
        let_through: &[&ArgumentHeader],
        names: &[Option<&str>],
        findings: &mut Findings,
    ) -> Option<OperationParts<'d>> {
        let FoundOperation { method, key, items, operation } = found_operation;
        let operation =
            Cursor::new(self.document, findings).at_node(operation).target_or_report()?;
        if operation.node.as_object().is_none() {
            let message = format!("expected an operation, got: {}", operation.node.kind());
            findings.error(Code::MalformedNode, &operation.pointer, message, "write an object");
            return None;
        }
        let levels: Vec<&LocatedNode<'d>> = iter::once(&operation).chain(items.iter()).collect();
        let template = self.template_counting_fragments(key, &levels, findings);
        let server = self.servers.operation_server(&levels, findings);
        let options = self.options;
        let cursor = Cursor::new(self.document, findings).at_node(&operation);
        let security = self.schemes.operation_security(cursor);
        let parameters =
            parameter::operation_parameters(&mut self.shared.parameters, cursor, &levels);
        let accept = answer::default_accept_header(&parameters, cursor);
        let schemes: Vec<_> = self.schemes.declared_schemes().map(Arc::clone).collect();
        let places = CredentialPlaces::new(options.credential_options(), &security, schemes.iter());
        let rules = WithholdingRules { places: &places, let_through };
        let OfferedParameters { mut parameters, withheld: kept_back, demanded } =
            parameters::offered_parameters(parameters, cursor, template.as_ref(), rules);
        let security = security.with_schemes(&demanded);
        let credential_keys = places.protected_keys().chain(kept_back).collect();
        let mut body = self.read_body(cursor, &mut parameters);
        if let Some(body) = &mut body {
            credential_fields::withhold_credential_fields(body, cursor, &places);
        }
        let mut answers = answer::read_answers(&mut self.shared.answers, cursor);
        answers.accept = accept.map_or(answers.accept, |accept| [accept].into());
        let session_inputs = options.session_inputs;
        let wanted = options.wants_body_arguments(names).then_some(BodyLayout::Arguments);
        let mut layout = layout::arrange_inputs(cursor, parameters, body, session_inputs, wanted);
        let argument_headers = allowed_input_headers(let_through, &layout.inputs);
        let texts = OperationTexts { method, key, operation: operation.node };
        let stated = options.only_reads(names).then_some(Effect::Read);
        let effect = stated.unwrap_or_else(|| effect_with_headers(texts, &argument_headers));
        let label = &[method.as_str(), " ", key].concat();
        let sending = DefaultsContext { defaults: options.defaults, method, effect, label };
        self.decisive.drop_decisive_defaults(sending, self.document, &mut layout);
        self.check_schema_references(&layout, cursor);
        let bindings = session_values::session_bindings(cursor, session_inputs, &layout);
        let item = describing_item(items, operation.node, cursor);
        let (template, server) = (template?, server?);
        Some(OperationParts {
            operation,
            item,
            template,
            server,
            security,
            credential_keys,
            demanded,
            layout,
            argument_headers,
            effect,
            bindings,
            answers,
        })
    }

    /// The findings of many operations, reported once: fragments that distinguish operations on one path, defaults that
    /// would decide what is changed, and an unknown server.
    pub(super) fn shared_findings(&self) -> Vec<Diagnostic> {
        let mut findings = Findings::default();
        let Fragments { n, first } = &self.fragments;
        if let Some(first) = first {
            let message = format!(
                "expected paths without a fragment, got {n} with one, the first is: `{first}`"
            );
            let help = "no change is needed: the fragment tells operations apart and is not sent";
            findings.note(Code::PathFragment, Path::ROOT.name("paths"), message, help);
        }
        self.decisive.report_decisive_defaults(&mut findings);
        self.servers.report_missing_server(&mut findings);
        findings.into_diagnostics()
    }

    fn report_spent_steps(&self, operation: &LocatedNode<'_>, findings: &mut Findings) {
        let most = self.document.most_steps();
        if self.document.step_budget().is_some_and(StepBudget::is_spent) {
            let message = format!(
                "expected a description that takes at most {most} steps, got one that takes more"
            );
            let help = "offer fewer operations, split the description, or raise `description_effort` or `effort_per_byte`";
            return findings.error(Code::TooComplex, "", message, help);
        }
        let message = format!(
            "expected an operation that takes at most a tenth of what is left of {most} steps, got one that takes more"
        );
        let help = "simplify what it refers to, or raise `description_effort` or `effort_per_byte`";
        findings.error(Code::TooComplex, &operation.pointer, message, help);
    }

    fn check_schema_references(&mut self, layout: &Layout<'d>, cursor: Cursor<'d, '_>) {
        let alternatives = layout.alternatives.iter().map(|(schema, _)| schema);
        for schema in layout.schemas.iter().chain(alternatives).flatten() {
            for bad in self.reach.find_broken_references(schema) {
                cursor.report(&bad);
            }
        }
    }

    /// The body, its preferred media type first. The body of Swagger 2.0 is removed from the parameters.
    fn read_body(
        &mut self,
        operation: Cursor<'d, '_>,
        parameters: &mut Vec<Parameter<'d>>,
    ) -> Option<DescribedBody<'d>> {
        let document = operation.document;
        if document.version().is_swagger() {
            let mut body = swagger::take_body_parameters(operation, parameters)?;
            media::sort_by_preference(&mut body, operation, self.options);
            return Some(body);
        }
        let reference = operation.node.get("requestBody").filter(|body| {
            reference_of(body).is_some() && document.has_uniform_references(operation.path())
        });
        let address = reference.and_then(Node::as_object).map(Object::address);
        if let Some(cached_body) = address.and_then(|address| self.shared.bodies.get(&address)) {
            return cached_body.copy_within_budget(document);
        }
        let (body, own) = operation.with_own_findings(|operation| {
            let mut body = media::read_body(operation)?;
            media::sort_by_preference(&mut body, operation, self.options);
            Some(body)
        });
        if let (true, Some(address), Some(body)) = (own.is_empty(), address, &body) {
            self.shared.bodies.insert(address, body.clone());
        }
        operation.absorb_findings(&own);
        body
    }
}

fn allowed_input_headers(
    let_through: &[&ArgumentHeader],
    inputs: &[Input],
) -> Box<[ArgumentHeader]> {
    let is_input = |header: &&&ArgumentHeader| {
        inputs
            .iter()
            .any(|input| input.place() == InputLocation::Header && header.is_named(&input.name))
    };
    let_through.iter().filter(is_input).map(|header| (*header).clone()).collect()
}

/// The length limit of a path key. Longer addresses are not sent (`call`, URL limit), and a finding quotes the whole key.
const LONGEST_KEY: usize = 8 << 10;

/// The path item that describes an operation without its own description. Reports if neither has one.
fn describing_item<'d>(
    items: &[LocatedNode<'d>],
    operation: &Node,
    cursor: Cursor<'d, '_>,
) -> Option<&'d Node> {
    if is_described(operation) {
        return None;
    }
    let item = items.iter().map(|item| item.node).find(|node| is_described(node));
    if item.is_none() {
        let message = "expected a `summary` or a `description`, got neither".to_owned();
        let help = "say what the operation is for; a model knows it by nothing else";
        cursor.note(Code::NoDescription, message, help);
    }
    item
}
