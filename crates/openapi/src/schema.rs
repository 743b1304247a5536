//! Builds canonical JSON Schema 2020-12 from the schemas of a description: nothing is inlined or unrolled, every
//! reference is a local `$defs` entry. Losses are reported; this module does not know how providers restrict a schema.

pub(crate) mod bytes;
pub(crate) mod cache;
mod circles;
mod condense;
mod discriminator;
mod group;
mod grouping;
mod keyword;
pub(crate) mod keyword_content;
mod legal;
mod listed_values;
mod media_part;
pub(crate) mod nullable;
mod object_kind;
mod one_way;
mod part;
mod pattern;
mod rename;
mod required_members;
#[cfg(test)]
mod sample;
mod satisfy;
mod scope;
mod set;
mod stem;
mod unknown_keyword;

use std::{collections::VecDeque, fmt::Display, mem, sync::Arc};

use callgate_tool::{Object, Value, json};
use callgate_tree::{Node, Object as NodeObject, Path};
use hashbrown::{HashMap, HashSet};
use indexmap::IndexMap;

use crate::{
    address::SESSION_ID,
    budget::HELP_WITH_ONE,
    code::Code,
    document::Document,
    findings::Findings,
    options::SessionInputs,
    reference::{LocatedNode, follow_references, reference_chain, reference_of, resolve_target},
    sanitize::{Readable, report_hidden, text_without_markup},
    schema::{
        bytes::{Bytes, is_bytes},
        cache::SchemaCache,
        one_way::{Composition, is_marked},
        part::DefinedNode,
        scope::Scope,
        stem::name_stem,
    },
    session_input::{Annotation, is_visible_to_model, session_annotation},
};

pub(crate) use self::{
    legal::{is_legal_value, legal_default},
    listed_values::sent_value,
    one_way::is_read_only,
};

/// The purpose of a schema, which decides the values it describes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum View {
    Complete,
    Declared(SessionInputs),
    Output,
}

#[derive(Debug)]
pub(crate) struct Builder<'d> {
    document: &'d Document,
    built: &'d SchemaCache,
    pub(crate) view: View,
    names: IndexMap<DefinedNode, DefinitionFacts>,
    stems: HashMap<String, usize>,
    taken: HashSet<Arc<str>>,
    pending: VecDeque<PendingDefinition>,
    pub(crate) bytes: Bytes,
    composition: Composition<'d>,
    /// The names of the parts of the body that are bytes by their media type alone.
    pub(crate) untyped_parts: Vec<Arc<str>>,
    /// The number of nested references that are still built in place.
    left_in_place: usize,
    scope: Scope,
    /// True if a default or an only value is filled in at the schema that is being built.
    is_filled: bool,
    pub(crate) findings: Findings,
}

#[derive(Debug)]
struct DefinitionFacts {
    name: Arc<str>,
    /// True if every reference to the definition is at a place where defaults are filled in.
    is_filled: bool,
}

#[derive(Debug)]
struct PendingDefinition {
    at: DefinedNode,
    node: Node,
    is_filled: bool,
}

impl<'d> Builder<'d> {
    /// A builder that respects the remaining steps of the document, and uses the schemas built before.
    pub(crate) fn new(document: &'d Document, built: &'d SchemaCache, view: View) -> Self {
        Self {
            document,
            built,
            view,
            names: IndexMap::new(),
            stems: HashMap::new(),
            taken: HashSet::new(),
            pending: VecDeque::new(),
            bytes: Bytes::Text,
            composition: Composition::default(),
            untyped_parts: Vec::new(),
            left_in_place: media_part::MOST_IN_PLACE,
            scope: Scope::default(),
            is_filled: true,
            findings: Findings::default(),
        }
    }

    pub(crate) fn with_findings(self, findings: Findings) -> Self {
        Self { findings, ..self }
    }

    pub(crate) fn build_schema(&mut self, node: &'d Node, path: &Path<'_>) -> Value {
        if !self.document.meter().spend_steps(PART) {
            self.report_spent_steps();
            return Value::Bool(true);
        }
        if self.is_untyped_bytes(node, path) {
            return self.bytes_schema(node);
        }
        if let Some(built) = self.inlined_reference_schema(node, path) {
            return built;
        }
        match node {
            Node::Bool(value) => Value::Bool(*value),
            Node::Object(_) => self.build_in_scope(node, path),
            other => {
                let message = format!("expected a schema, got: {}", other.kind());
                self.findings.warning(Code::DroppedKeyword, path, message, "write a schema");
                Value::Object(Object::new())
            }
        }
    }

    fn bytes_schema(&self, node: &Node) -> Value {
        self.document.meter().spend_steps(BYTES);
        self.bytes.schema(node, self.view)
    }

    /// A copy of a value; `None`, with a finding, if the value is too large.
    pub(crate) fn copy_or_report(&mut self, value: &Node) -> Option<Value> {
        let copy = self.document.meter().copy_if_affordable(value);
        if copy.is_none() {
            self.report_spent_steps();
        }
        copy
    }

    /// A copy of a text; `None`, with a finding, if the text is too large.
    pub(crate) fn copy_text_or_report(&mut self, text: &str) -> Option<String> {
        let kept = self.document.meter().text_if_affordable(text);
        if kept.is_none() {
            self.report_spent_steps();
        }
        kept.map(str::to_owned)
    }

    /// A text for a model; `None`, with a finding, if the text is too large.
    pub(crate) fn text_for_model(&mut self, text: &str, at: impl Display) -> Option<String> {
        let Readable { text, n_hidden } = text_without_markup(&self.copy_text_or_report(text)?);
        report_hidden(n_hidden, at, &mut self.findings);
        Some(text)
    }

    fn report_spent_steps(&mut self) {
        let message = format!(
            "expected a declaration that is built in at most {} steps, got one that takes more",
            self.document.limits().declaration_effort
        );
        self.findings.warning(Code::SchemaTooLarge, "", message, HELP_WITH_ONE);
    }

    fn build_in_scope(&mut self, node: &'d Node, path: &Path<'_>) -> Value {
        if node.text("$ref") == Some(SESSION_ID) {
            return json!({"type": "string"});
        }
        let outer = self.scope.clone();
        if outer.is_outermost() || node.get("$id").is_some() {
            self.scope = outer.enter_schema(self.document, path);
        }
        let built = self.build_reference_and_keywords(node, path);
        self.scope = outer;
        built
    }

    fn build_reference_and_keywords(&mut self, node: &'d Node, path: &Path<'_>) -> Value {
        // Schemas that many declarations share are kept for long: they get no more capacity than they need.
        let mut built = Object::with_capacity(node.as_object().map_or(0, NodeObject::len));
        if let Some(reference) = reference_of(node)
            && let Some(name) = self.define_reference_target(reference, node, path)
        {
            built.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
        }
        if node.get("$ref").is_some() && node.get("$dynamicRef").is_some() {
            let message = "expected one reference, got `$dynamicRef` beside `$ref`".to_owned();
            let help = "write each in a schema of its own under `allOf`; `$ref` counts";
            self.findings.warning(Code::DroppedKeyword, path, message, help);
        }
        if !matches!(self.bytes, Bytes::Parts | Bytes::Patch | Bytes::Text) && is_bytes(node) {
            if let Some(default @ Node::String(_)) = node.get("default") {
                keyword::report_illegal_default(self, default, &path.name("default"));
            }
            return self.bytes_schema(node);
        }
        let composition = self.composition_of(node, path);
        let outer = mem::replace(&mut self.composition, composition);
        keyword::build_keywords(self, node, path, &mut built);
        self.composition = outer;
        nullable::with_null_if_nullable(self.document, node, built)
    }

    fn define_reference_target(
        &mut self,
        reference: &Arc<str>,
        node: &'d Node,
        path: &Path<'_>,
    ) -> Option<Arc<str>> {
        let definition = resolve_target(self.document, reference, path).and_then(|next| {
            // A definition that is only a reference needs no name of its own. Others are followed later, so that a long
            // chain is walked once.
            let is_bare = next.node.as_object().is_some_and(|object| object.len() == 1);
            let is_plain = !self.document.has_dynamic_anchors();
            if !is_bare || !is_plain || reference_of(next.node).is_none() {
                return Ok(next);
            }
            follow_references(self.document, node, path)
        });
        let definition = definition.map_err(|bad| bad.report(&mut self.findings)).ok()?;
        if let Some(kind) = object_kind::object_kind_at(&definition.pointer) {
            let message = format!("expected a schema, got {kind}: `{reference}`");
            self.findings.warning(Code::DroppedKeyword, path, message, "refer to a schema");
            return None;
        }
        if node.get("$ref").is_some() {
            return Some(self.require_definition_at(&definition, self.is_filled));
        }
        let plain = Arc::clone(&definition.pointer);
        let definition = self.scope.dynamic_target(self.document, reference, definition);
        if definition.pointer == plain {
            return Some(self.require_definition_at(&definition, self.is_filled));
        }
        let message = format!("expected a plain reference, got a dynamic one: `{reference}`");
        let help = "nothing, unless a default or the session should fill in what is behind it";
        self.findings.note(Code::DynamicReference, path, message, help);
        Some(self.build_unfilled(|builder| {
            builder.require_definition_at(&definition, builder.is_filled)
        }))
    }

    fn require_definition_at(&mut self, definition: &LocatedNode<'_>, is_filled: bool) -> Arc<str> {
        let scope = self.scope.enter_schema(self.document, &definition.path());
        let bytes = self.bytes.relevant_to_schema(definition.node);
        self.require_definition(
            &DefinedNode { pointer: Arc::clone(&definition.pointer), bytes, scope },
            definition.node,
            is_filled,
        )
    }

    /// The name of a definition that a reference needs.
    fn require_definition(&mut self, at: &DefinedNode, node: &Node, is_filled: bool) -> Arc<str> {
        let name = match self.names.get(at) {
            Some(facts) if is_filled || !facts.is_filled => return Arc::clone(&facts.name),
            // The definition is built again, as it is where nothing is filled in.
            Some(facts) => Arc::clone(&facts.name),
            None => self.unused_definition_name(&at.pointer),
        };
        self.document.meter().spend_steps(DEFINITION);
        self.names.insert(at.clone(), DefinitionFacts { name: Arc::clone(&name), is_filled });
        self.pending.push_back(PendingDefinition { at: at.clone(), node: node.clone(), is_filled });
        name
    }

    /// Builds a part below which nothing is filled in: an alternative, or values of any name.
    fn build_unfilled<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let is_asked = matches!(self.view, View::Declared(_));
        let outer = self.is_filled;
        self.is_filled = outer && !is_asked;
        let built = build(self);
        self.is_filled = outer;
        built
    }

    /// A legal and unused name for a definition, made from the last part of a pointer.
    fn unused_definition_name(&mut self, pointer: &str) -> Arc<str> {
        let stem = name_stem(pointer);
        let mut name: Arc<str> = stem.as_str().into();
        let n = self.stems.entry(stem.clone()).or_insert(1);
        while !self.taken.insert(Arc::clone(&name)) {
            *n += 1;
            name = format!("{stem}_{n}").into();
        }
        name
    }

    fn keeps_property(&self, property: &'d Node, path: &Path<'_>) -> bool {
        let marked = |mark: &str| is_marked(self.document, property, path, mark);
        match self.view {
            View::Complete => !marked("readOnly"),
            View::Declared(session_inputs) => {
                !marked("readOnly")
                    && match session_annotation(self.document, property, path, &[]) {
                        Some(Annotation::Source(source)) => {
                            is_visible_to_model(&source, session_inputs)
                        }
                        _ => true,
                    }
            }
            View::Output => !marked("writeOnly"),
        }
    }

    /// True if this view requires a required property: not if a default or the session fills it in.
    fn requires_property(&self, property: &'d Node, path: &Path<'_>) -> bool {
        if !self.keeps_property(property, path) {
            return false;
        }
        match self.view {
            View::Complete | View::Output => true,
            View::Declared(_) => {
                let fills = legal_default(self.document, property, path).is_some()
                    || only_value_of(self.document, property, path).is_some();
                session_annotation(self.document, property, path, &[]).is_none()
                    && !(self.is_filled && fills)
            }
        }
    }
}

/// The only value that a schema allows, by `const` or by an `enum` of one: a required value need not be requested then.
pub(crate) fn only_value_of<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> Option<&'d Node> {
    reference_chain(document, schema, path).find_map(own_only_value)
}

pub(crate) fn own_only_value(node: &Node) -> Option<&Node> {
    let value = node.get("const").or_else(|| match node.get("enum")?.as_array()? {
        [only] => Some(only),
        _ => None,
    });
    value.filter(|value| !matches!(value, Node::Null))
}

pub(crate) fn says_read_only(node: &Node) -> bool {
    node.is_true("readOnly")
}

/// The cost to name a definition and to search it for circles, in steps.
const DEFINITION: usize = 16;

/// The cost to describe a value that represents bytes, in steps.
const BYTES: usize = 320;

/// The cost to build a schema without parts, in steps: as JSON it has some four hundred bytes.
const PART: usize = 24;
