//! One callable operation: everything that `call` needs to build its request and read its response. `tools` makes it
//! from a document; schemas are built on first use and shared.

use std::sync::{Arc, OnceLock};

use callgate_tool::{ArgumentName, Effect, Tool, ToolName, Value};
use callgate_tree::Diagnostic;

use crate::{
    bindings::Bindings,
    blueprint::{Blueprint, Origin},
    body::{Body, BodyLayout},
    budget::{Budget, effort_refusal},
    cursor::Cursor,
    declaration::DeclarationParts,
    document::Document,
    edit::{AppliedEdit, operation_names},
    input::{Input, InputLocation, NestedInput, ValueSource},
    keys::{self, KeyOwner, KeyWriters, SchemaRoot},
    layout::body_arguments::NoBodyArguments,
    nested_inputs::{NestedInputSearch, Optional},
    open_forms,
    options::Defaults,
    output,
    purpose::Purpose,
    security::{
        Security, SecurityScheme, argument_header::ArgumentHeader, header::is_withheld_header,
    },
    server::Server,
    shared_patch, unusable_members, unused_references, xml_keys,
};

/// One operation of a description that is exposed or degraded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operation {
    /// The tool's name.
    pub tool_name: ToolName,
    /// The name with the whole `operationId`, if the tool has a shorter one.
    pub written_name: Option<ToolName>,
    /// The `operationId`, as the description writes it.
    pub operation_id: Option<Arc<str>>,
    /// The HTTP method.
    pub method: http::Method,
    /// The path template as the description writes it: `/pets/{petId}`.
    pub path: Arc<str>,
    /// The template, split at `/`: one entry for each segment after the first slash, each a sequence of literals and
    /// variables.
    pub segments: Arc<[Box<[PathPart]>]>,
    /// A query that is part of the path key (`/q?x=1`), sent before all parameters; without the `?`.
    pub fixed_query: Option<Arc<str>>,
    /// The server that receives the request.
    pub server: Arc<Server>,
    /// Query keys, cookies and form fields that contain credentials, or from which services read them: no argument may
    /// write one.
    pub credential_keys: Box<[(InputLocation, Arc<str>)]>,
    /// The effect of a call on the service, as models and policies see it. [`Operation::retry_effect`] decides whether a
    /// call may be repeated.
    pub effect: Effect,
    /// The withheld headers that the operator allows arguments to set here; each is an input.
    pub argument_headers: Box<[ArgumentHeader]>,
    /// All inputs: parameters first, in the order of the description, then those of the body.
    pub inputs: Box<[Input]>,
    /// Session inputs inside arguments, at any place of a value; empty if there are none.
    pub bindings: Box<[Bindings]>,
    /// The body, if the operation has one.
    pub body: Option<Body>,
    /// The reason why the members of the body are not the arguments, if the operator wants that.
    pub no_body_arguments: Option<NoBodyArguments>,
    /// The media types of the operation's successful responses, in the order of the description, for `Accept`; or the
    /// default of a header parameter `Accept`.
    pub accept: Box<[Arc<str>]>,
    /// The headers that the operation's successful responses and redirects declare, as written.
    pub answer_headers: Box<[Arc<str>]>,
    /// The statuses of redirects that the description declares as responses, as written: `303`, `3XX`.
    pub answer_redirects: Box<[Arc<str>]>,
    /// The credentials that the operation requires.
    pub security: Security,
    /// The schemes whose credentials the operation requires as parameters, whatever its `security` says.
    pub demanded_schemes: Box<[Arc<SecurityScheme>]>,
    /// The operator's changes, if there are any. Names, inputs and the effect have them already.
    pub edit: Option<AppliedEdit>,
    pub(crate) blueprint: Blueprint,
    /// The nested inputs of each alternative of the body.
    pub(crate) nested_inputs: OnceLock<Box<[Box<[NestedInput]>]>>,
    pub(crate) tool: OnceLock<Result<Box<Tool>, Box<Diagnostic>>>,
    pub(crate) arguments_schema: OnceLock<Box<Value>>,
    pub(crate) key_owners: OnceLock<Box<[KeyOwner]>>,
}

#[derive(Debug)]
pub(crate) struct DeclaredTool {
    pub(crate) tool: Box<Tool>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// One part of a path segment.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum PathPart {
    /// Literal text, sent as it is (already escaped).
    Literal(Arc<str>),
    /// The value of the path parameter of this name.
    Variable(Arc<str>),
}

impl Operation {
    /// Returns true if the description declares a response with this status of a redirect.
    pub fn declares_redirect(&self, status: u16) -> bool {
        let is_declared = |declared: &Arc<str>| {
            declared.eq_ignore_ascii_case("3XX") || declared.parse::<u16>() == Ok(status)
        };
        (300..400).contains(&status) && self.answer_redirects.iter().any(is_declared)
    }

    /// The declaration that a model sees: the visible inputs, required only if neither the session nor a default
    /// supplies them; the output of the first successful response that is JSON. It is built on first use and kept; its
    /// output is built only when it is first used itself, and an output that exceeds its limit is left out.
    ///
    /// # Errors
    /// [`Code::TooComplex`](crate::Code::TooComplex) if the declaration takes more steps than one may, or if the steps
    /// for all declarations of the description are used up.
    pub fn declaration(&self) -> Result<&Tool, &Diagnostic> {
        let kept = self.tool.get_or_init(|| {
            let budget = &self.blueprint.common.budget;
            budget
                .spend_through_budget_copy(|own| self.declaration_with_findings(own))
                .map(|declared| declared.tool)
        });
        kept.as_deref().map_err(|refusal| &**refusal)
    }

    /// Builds the declaration without keeping it.
    ///
    /// # Errors
    /// The errors of [`Operation::declaration`], with this budget.
    pub fn uncached_declaration(&self, budget: &mut Budget) -> Result<Tool, Box<Diagnostic>> {
        self.declaration_with_findings(budget).map(|declared| *declared.tool)
    }

    /// The schema that all inputs, visible or not, match after session and defaults were filled in. If the arguments
    /// are the members of a body, the schema still has the body as one member. Built on first use.
    pub fn arguments_schema(&self) -> &Value {
        self.arguments_schema.get_or_init(|| {
            Box::new(
                self.declaration_parts(&self.metered_document()).arguments_schema().0.into_value(),
            )
        })
    }

    /// The purpose in words, as the declaration has it.
    pub fn purpose(&self) -> String {
        let document = self.metered_document();
        self.declaration_parts(&document)
            .tool_description(Purpose::from_blueprint(&self.blueprint).texts)
    }

    /// The name of the body among the inputs if its members are the arguments; `None` if the arguments are inputs.
    pub fn body_as_arguments_name(&self) -> Option<&ArgumentName> {
        self.body.as_ref().filter(|body| body.layout == BodyLayout::Arguments)?;
        let mut inputs = self.inputs.iter();
        Some(&inputs.find(|input| input.place() == InputLocation::Body)?.argument)
    }

    /// The argument for a value that the service calls `name`; `None` if the name is ambiguous, or is itself that of an
    /// argument.
    pub fn argument_for_wire_name(&self, name: &str) -> Option<&ArgumentName> {
        let visible = || self.inputs.iter().filter(|input| input.visible);
        if visible().any(|input| input.argument.as_str() == name) {
            return None;
        }
        let mut meant = visible().filter(|input| input.has_wire_name(name));
        let matching_input = meant.next().filter(|_| meant.next().is_none())?;
        Some(&matching_input.argument)
    }

    /// True if a configuration means this operation by `name`: the tool's name, the operator's own without the prefix, the
    /// name that it would have without that, the `operationId`, or the name that the whole `operationId` makes; for a tool with
    /// a shorter name also that name without the prefix.
    pub fn is_called(&self, name: &str) -> bool {
        let (own, id) = (Some(&self.tool_name), self.operation_id.as_deref());
        operation_names(own, id, self.written_name.as_ref(), self.edit.as_ref())
            .contains(&Some(name))
    }

    /// The effect that decides whether a call may be repeated: the described one, or that of the operator's changes if it
    /// changes more. An operator's word does not make the method of a request safe (RFC 9110 §9.2).
    pub fn retry_effect(&self) -> Effect {
        match (self.blueprint.effect, self.effect) {
            (Effect::Write, _) | (_, Effect::Write) => Effect::Write,
            (Effect::Idempotent, _) | (_, Effect::Idempotent) => Effect::Idempotent,
            (Effect::Read, Effect::Read) => Effect::Read,
        }
    }

    /// The operator's own values of inputs, fixed or default.
    pub fn configured_values(&self) -> impl Iterator<Item = (&Input, &Value)> {
        let configured = self.inputs.iter().filter(|input| input.edit.has_value);
        configured.filter_map(|input| Some((input, input.default.as_ref()?)))
    }

    /// The sources that are asked for values before the model, for all inputs and the values inside them.
    pub fn session_sources(&self) -> impl Iterator<Item = &ValueSource> {
        let nodes = self.bindings.iter().flat_map(|bindings| &bindings.nodes);
        self.inputs.iter().map(|input| &input.source).chain(nodes.map(|node| &node.source))
    }

    /// The sources of values that the model cannot give where the session has none.
    #[doc(hidden)]
    pub fn hidden_session_sources(&self) -> impl Iterator<Item = &ValueSource> {
        let inputs = self.inputs.iter().filter(|input| !input.visible);
        let nodes = self.bindings.iter().flat_map(|bindings| &bindings.nodes);
        let nodes = nodes.filter(|node| !node.visible);
        inputs.map(|input| &input.source).chain(nodes.map(|node| &node.source))
    }

    /// Values inside arguments that have a source or a default of their own, with this alternative of the body
    /// ([`BodyMedia::alternative`](crate::BodyMedia)). They are computed on first use: loading a description does not
    /// walk the schemas of a large body.
    pub fn nested_inputs(&self, alternative: Option<usize>) -> &[NestedInput] {
        let all = self.nested_inputs.get_or_init(|| {
            let document = self.metered_document();
            let alternatives = self.blueprint.inputs.iter().map(|origin| origin.alternatives.len());
            let n = alternatives.max().unwrap_or_default().max(1);
            (0..n).map(|at| self.compute_nested_inputs(&document, at)).collect()
        });
        all.get(alternative.unwrap_or_default()).map(|rows| &**rows).unwrap_or_default()
    }

    fn compute_nested_inputs(&self, document: &Document, alternative: usize) -> Box<[NestedInput]> {
        let session_inputs = self.blueprint.common.session_inputs;
        let inputs = self.inputs.iter().zip(&self.blueprint.inputs);
        let nested_inputs = inputs.flat_map(|(input, origin)| {
            let optional = self.optional_defaults_of(input);
            let mut walk =
                NestedInputSearch::new(document, &input.argument, session_inputs, optional);
            let (schema, is_item) = origin.schema_and_is_item(alternative);
            match schema.filter(|_| input.source == ValueSource::Model).map(Origin::located_node) {
                None => {}
                Some(item) if is_item => walk.search_item(&item),
                Some(schema) => walk.search_schema(&schema),
            }
            if input.place() == InputLocation::Path && !self.defaults_may_decide() {
                let undecided = walk.inputs.iter_mut().filter(|nested| !nested.is_fixed);
                undecided.for_each(|nested| nested.default = None);
            }
            walk.inputs
        });
        nested_inputs.collect()
    }

    fn optional_defaults_of(&self, input: &Input) -> Optional {
        let defaults = self.blueprint.common.defaults;
        let is_whole_body = input.place() == InputLocation::Body && input.name.is_empty();
        match defaults {
            Defaults::All => Optional::All,
            _ if is_whole_body
                && defaults.keeps_optional_default(InputLocation::Body, &self.method) =>
            {
                Optional::Own
            }
            _ => Optional::None,
        }
    }

    /// True if defaults may decide what a call does: it changes nothing, or the operator wants all defaults.
    fn defaults_may_decide(&self) -> bool {
        self.blueprint.effect == Effect::Read || self.blueprint.common.defaults.may_decide_changes()
    }

    /// The budget for all declarations of the operation's description.
    pub fn new_declaration_budget(&self) -> Budget {
        Budget::for_declarations(&self.blueprint.common.document)
    }

    /// Drops the definitions that were built for this and the other operations of its description.
    pub(crate) fn drop_definitions(&self) {
        self.blueprint.common.drop_built_schemas();
    }

    /// The owners of query keys, cookies, fields of bodies and matrix parameters. Computed on first use.
    pub fn key_owners(&self) -> &[KeyOwner] {
        self.key_owners.get_or_init(|| {
            keys::key_owners(self.key_writers(), SchemaRoot::Whole(self.arguments_schema())).into()
        })
    }

    fn key_writers(&self) -> KeyWriters<'_> {
        KeyWriters {
            inputs: &self.inputs,
            body: self.body.as_ref(),
            fixed_query: self.fixed_query.as_deref(),
            credentials: &self.credential_keys,
        }
    }

    /// True if no argument may set the header of this name: it is withheld, and the operator does not allow it.
    pub fn withholds_header(&self, name: &str) -> bool {
        is_withheld_header(name)
            && !self.argument_headers.iter().any(|header| header.is_named(name))
    }

    /// True if services read a credential from the form field of this name.
    pub fn is_credential_field(&self, name: &str) -> bool {
        let mut fields =
            self.credential_keys.iter().filter(|(place, _)| *place == InputLocation::Body);
        fields.any(|(_, key)| key.eq_ignore_ascii_case(name))
    }

    pub(crate) fn declaration_with_findings(
        &self,
        budget: &mut Budget,
    ) -> Result<DeclaredTool, Box<Diagnostic>> {
        let most = budget.steps_per_declaration();
        budget.read_within_budget(&self.blueprint.common.document, |document| {
            let (tool, findings) = self.declaration_parts(document).tool_without_output();
            if document.is_spent() || document.recorded_lack().is_some() {
                let refusal = effort_refusal(document, most, self.source_pointer(), self.label());
                return Err(Box::new(refusal));
            }
            let diagnostics = findings.into_diagnostics();
            let tool = Box::new(output::with_lazy_output(tool, &self.blueprint));
            Ok(DeclaredTool { tool, diagnostics })
        })
    }

    pub(crate) fn with_output(&self, declared: DeclaredTool, budget: &mut Budget) -> DeclaredTool {
        let Some(answered) = output::built_output(&self.blueprint, budget) else { return declared };
        let DeclaredTool { tool, mut diagnostics } = declared;
        let more =
            answered.diagnostics.into_iter().filter(|diagnostic| !diagnostics.contains(diagnostic));
        diagnostics.extend(more.collect::<Vec<_>>());
        DeclaredTool { tool: Box::new(tool.with_output_schema(answered.schema)), diagnostics }
    }

    /// Builds the schema of all arguments, and returns the findings.
    pub(crate) fn argument_findings(&self, budget: &mut Budget) -> Vec<Diagnostic> {
        budget.read_within_budget(&self.blueprint.common.document, |document| {
            let (schema, mut findings) = self.declaration_parts(document).arguments_schema();
            let owners =
                keys::key_owners(self.key_writers(), SchemaRoot::Shared(&schema, document));
            keys::report_shared_keys(&owners, self.source_pointer(), &mut findings);
            let root = SchemaRoot::Shared(&schema, document);
            let body = self.body.as_ref();
            xml_keys::report_xml_clashes(
                &self.inputs,
                body,
                root,
                self.source_pointer(),
                &mut findings,
            );
            open_forms::report_unspecified_forms(
                &self.inputs,
                &self.blueprint.inputs,
                root,
                &mut findings,
            );
            unusable_members::report_unusable_members(root, self.source_pointer(), &mut findings);
            let operation = self.blueprint.operation.located_node();
            let operation = Cursor::new(document, &mut findings).at_node(&operation);
            if self.method == http::Method::PATCH {
                shared_patch::report_patch_sharing_schema(operation);
            }
            unused_references::report_broken_references(operation);
            findings.into_diagnostics()
        })
    }

    /// The JSON pointer of the operation in its document.
    pub fn source_pointer(&self) -> &str {
        &self.blueprint.operation.pointer
    }

    /// The operation as findings name it: `GET /pets/{petId}`.
    pub fn label(&self) -> &str {
        &self.blueprint.label
    }

    fn declaration_step_limit(&self) -> usize {
        self.blueprint.common.document.limits().declaration_effort
    }

    /// The description with a counter that limits its reading to the steps of one declaration.
    fn metered_document(&self) -> Document {
        self.blueprint.common.document.with_step_limit(self.declaration_step_limit())
    }

    fn declaration_parts<'a>(&'a self, document: &'a Document) -> DeclarationParts<'a> {
        DeclarationParts {
            blueprint: &self.blueprint,
            built: self.blueprint.common.schema_cache(),
            document,
            body: self.body.as_ref(),
            effect: self.effect,
            edit: self.edit.as_ref().map(|edit| &*edit.changes),
            inputs: &self.inputs,
        }
    }
}
