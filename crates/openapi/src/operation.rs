//! One callable operation: everything `call` needs to build its request and read its answer. Made by `tools` from a
//! document; schemas are built when first asked for and shared.

use std::sync::{Arc, OnceLock};

use callgate_tool::{ArgumentName, Effect, Tool, ToolName, Value};
use callgate_tree::Diagnostic;

use crate::{
    allowance::{Allowance, refusal},
    bindings::Bindings,
    blueprint::{Blueprint, Origin},
    body::{Body, BodyLayout},
    cursor::Cursor,
    declaration::Parts,
    document::Document,
    input::{Input, InputLocation, NestedInput, Source},
    keys::{self, KeyOwner, Root, Written},
    layout::body_arguments::NoBodyArguments,
    nested::Walk,
    output,
    security::{
        Security, SecurityScheme, argument_header::ArgumentHeader, header::is_withheld_header,
    },
    server::Server,
    unused_references,
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
    pub segments: Arc<[Box<[PathPart]>]>,
    /// A query that is part of the path key (`/q?x=1`), sent before any parameter; without the `?`.
    pub fixed_query: Option<Arc<str>>,
    /// The server that it is sent to.
    pub server: Arc<Server>,
    /// Query keys, cookies and fields of forms that credentials are put at or read from: no argument may write one.
    pub credential_keys: Box<[(InputLocation, Arc<str>)]>,
    /// The effect of a call on the service.
    pub effect: Effect,
    /// The headers that no argument may set but that the operator lets through here; each is an input.
    pub argument_headers: Box<[ArgumentHeader]>,
    /// Every input, parameters first in the order of the description, then the body's.
    pub inputs: Box<[Input]>,
    /// Session inputs inside arguments, wherever a value can stand; none of arguments without any.
    pub bindings: Box<[Bindings]>,
    /// The body, when the operation has one.
    pub body: Option<Body>,
    /// The reason why its arguments are not the members of the body, where the operator wants that.
    pub no_body_arguments: Option<NoBodyArguments>,
    /// The media types its successful answers have, in the order of the description, for `Accept`.
    pub accept: Box<[Arc<str>]>,
    /// The headers that its successful answers are declared to have, as they are written there.
    pub answer_headers: Box<[Arc<str>]>,
    /// The credentials it asks for.
    pub security: Security,
    /// The schemes whose credentials it requires as parameters, whatever it asks for.
    pub demanded_schemes: Box<[Arc<SecurityScheme>]>,
    pub(crate) blueprint: Blueprint,
    /// Those of each alternative of the body.
    pub(crate) nested_inputs: OnceLock<Box<[Box<[NestedInput]>]>>,
    pub(crate) tool: OnceLock<Result<Box<Tool>, Box<Diagnostic>>>,
    pub(crate) arguments_schema: OnceLock<Box<Value>>,
    pub(crate) key_owners: OnceLock<Box<[KeyOwner]>>,
}

/// A declaration that was built, and what was found on the way.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) tool: Box<Tool>,
    pub(crate) diagnostics: Vec<Diagnostic>,
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
    /// the first successful answer that is JSON. Built when first asked for and kept, the output only once it is asked for
    /// itself; one that takes more than it may is left out.
    ///
    /// # Errors
    /// [`Code::TooComplex`](crate::Code::TooComplex) when it takes more than one declaration may, or when what all
    /// declarations of the description may take is used up.
    pub fn declaration(&self) -> Result<&Tool, &Diagnostic> {
        let kept = self.tool.get_or_init(|| {
            let allowance = &self.blueprint.common.allowance;
            allowance.with(|own| self.built(own)).map(|declared| declared.tool)
        });
        kept.as_deref().map_err(|refusal| &**refusal)
    }

    /// The same, built again and not kept.
    ///
    /// # Errors
    /// As there, with this allowance.
    pub fn declared(&self, allowance: &mut Allowance) -> Result<Tool, Box<Diagnostic>> {
        self.built(allowance).map(|declared| *declared.tool)
    }

    /// The schema that all inputs meet once session and defaults have filled what they fill, visible or not; a body whose members
    /// are the arguments is a member of it like any other input. Built when first asked for.
    pub fn arguments_schema(&self) -> &Value {
        self.arguments_schema
            .get_or_init(|| Box::new(self.parts(&self.metered()).arguments().0.into_value()))
    }

    /// The name that the body has among the inputs where its members are the arguments; `None` where arguments are inputs.
    pub fn body_of_arguments(&self) -> Option<&ArgumentName> {
        self.body.as_ref().filter(|body| body.layout == BodyLayout::Arguments)?;
        let mut inputs = self.inputs.iter();
        Some(&inputs.find(|input| input.place() == InputLocation::Body)?.argument)
    }

    /// The argument by which a model gives what the service calls `name`; `None` where several places have that name, and where
    /// an argument itself has it.
    pub fn argument_of(&self, name: &str) -> Option<&ArgumentName> {
        let visible = || self.inputs.iter().filter(|input| input.visible);
        if visible().any(|input| input.argument.as_str() == name) {
            return None;
        }
        let mut meant = visible().filter(|input| &*input.name == name);
        let found = meant.next().filter(|_| meant.next().is_none())?;
        Some(&found.argument)
    }

    /// The sources of its inputs' values, which come before the model's, with those of values inside them.
    pub fn session_sources(&self) -> impl Iterator<Item = &Source> {
        let spots = self.bindings.iter().flat_map(|bindings| &bindings.spots);
        self.inputs.iter().map(|input| &input.source).chain(spots.map(|spot| &spot.source))
    }

    /// Values inside arguments that have a source or a default of their own, with this alternative of the body
    /// ([`BodyMedia::alternative`](crate::BodyMedia)). Found when first asked for: the schemas of a
    /// large body are not walked through while its description is loaded.
    pub fn nested_inputs(&self, alternative: Option<usize>) -> &[NestedInput] {
        let all = self.nested_inputs.get_or_init(|| {
            let document = self.metered();
            let alternatives = self.blueprint.inputs.iter().map(|origin| origin.alternatives.len());
            let n = alternatives.max().unwrap_or_default().max(1);
            (0..n).map(|at| self.nested_with(&document, at)).collect()
        });
        all.get(alternative.unwrap_or_default()).map(|rows| &**rows).unwrap_or_default()
    }

    /// Those with one alternative of the body.
    fn nested_with(&self, document: &Document, alternative: usize) -> Box<[NestedInput]> {
        let session_inputs = self.blueprint.common.session_inputs;
        let inputs = self.inputs.iter().zip(&self.blueprint.inputs);
        let found = inputs.flat_map(|(input, origin)| {
            let mut walk = Walk::new(document, &input.argument, session_inputs);
            let (schema, is_item) = origin.at(alternative);
            match schema.filter(|_| input.source == Source::Model).map(Origin::located) {
                None => {}
                Some(item) if is_item => walk.each(&item),
                Some(schema) if self.sends_defaults_of(input) => walk.below_body(&schema),
                Some(schema) => walk.below(&schema),
            }
            walk.found
        });
        found.collect()
    }

    /// True if an input is a whole body whose optional defaults are sent.
    fn sends_defaults_of(&self, input: &Input) -> bool {
        let keeps_optional =
            self.blueprint.common.defaults.keep_optional(InputLocation::Body, &self.method);
        keeps_optional && input.place() == InputLocation::Body && input.name.is_empty()
    }

    /// The allowance for all declarations of its description.
    pub fn allowance(&self) -> Allowance {
        Allowance::of(&self.blueprint.common.document)
    }

    /// Lets go of the definitions that were built for it and the other operations of its description.
    pub(crate) fn release(&self) {
        self.blueprint.common.release();
    }

    /// The owners of query keys, cookies, fields of bodies and matrix parameters. Found when first asked for.
    pub fn key_owners(&self) -> &[KeyOwner] {
        self.key_owners.get_or_init(|| {
            keys::owners(self.written(), Root::Whole(self.arguments_schema())).into()
        })
    }

    fn written(&self) -> Written<'_> {
        Written {
            inputs: &self.inputs,
            body: self.body.as_ref(),
            fixed_query: self.fixed_query.as_deref(),
            credentials: &self.credential_keys,
        }
    }

    /// True if no argument may set the header of this name: it is withheld, and the operator does not let it through.
    pub fn withholds_header(&self, name: &str) -> bool {
        is_withheld_header(name) && !self.argument_headers.iter().any(|header| header.is(name))
    }

    /// True if services read a credential from the field of a form of this name.
    pub fn is_credential_field(&self, name: &str) -> bool {
        let mut fields =
            self.credential_keys.iter().filter(|(place, _)| *place == InputLocation::Body);
        fields.any(|(_, known)| known.eq_ignore_ascii_case(name))
    }

    /// Builds the declaration.
    pub(crate) fn built(&self, allowance: &mut Allowance) -> Result<Declared, Box<Diagnostic>> {
        let most = allowance.of_one();
        allowance.lend(&self.blueprint.common.document, |document| {
            let (tool, findings) = self.parts(document).tool();
            if document.is_spent() || document.lacking().is_some() {
                let refusal = refusal(document, most, self.source_pointer(), self.label());
                return Err(Box::new(refusal));
            }
            let diagnostics = findings.into_diagnostics();
            let tool = Box::new(output::with_lazy(tool, &self.blueprint));
            Ok(Declared { tool, diagnostics })
        })
    }

    /// The declaration with the schema of answers built, and with what was found on the way.
    pub(crate) fn with_output(&self, declared: Declared, allowance: &mut Allowance) -> Declared {
        let Some(answered) = output::built(&self.blueprint, allowance) else { return declared };
        let Declared { tool, mut diagnostics } = declared;
        let more = answered.diagnostics.into_iter().filter(|found| !diagnostics.contains(found));
        diagnostics.extend(more.collect::<Vec<_>>());
        Declared { tool: Box::new(tool.with_output_schema(answered.schema)), diagnostics }
    }

    /// Builds the schema of all arguments, and returns the findings.
    pub(crate) fn examined(&self, allowance: &mut Allowance) -> Vec<Diagnostic> {
        allowance.lend(&self.blueprint.common.document, |document| {
            let (schema, mut findings) = self.parts(document).arguments();
            let owners = keys::owners(self.written(), Root::Shared(&schema, document));
            keys::report(&owners, self.source_pointer(), &mut findings);
            let operation = self.blueprint.operation.located();
            unused_references::examine(Cursor::new(document, &mut findings).to(&operation));
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

    /// The steps that one declaration may take.
    fn most_of_one(&self) -> usize {
        self.blueprint.common.document.limits().declaration_effort
    }

    /// The description with what is done with it counted, up to what one declaration may take.
    fn metered(&self) -> Document {
        self.blueprint.common.document.metered(self.most_of_one())
    }

    fn parts<'a>(&'a self, document: &'a Document) -> Parts<'a> {
        Parts {
            blueprint: &self.blueprint,
            built: self.blueprint.common.built(),
            document,
            body: self.body.as_ref(),
            effect: self.effect,
            inputs: &self.inputs,
        }
    }
}
