//! Walks the schemas that may apply to an argument and keeps the nodes that lead to a session input. It follows each
//! reference once and keeps the unvisited parts in a list, so that circles end and depth uses no stack.

use std::{collections::BTreeMap, sync::Arc};

use callgate_tree::{Node, Path};
use hashbrown::HashMap;

use crate::{
    bindings::{
        SchemaNode,
        branch::{Branch, discriminator_values},
        pruning::keep_nodes_to_sources,
    },
    document::Document,
    input::ValueSource,
    options::SessionInputs,
    reference::{LocatedNode, reference_of, resolve_target},
    schema::{legal_default, says_read_only},
    session_input::{Annotation, is_visible_to_model, own_annotation},
    worklist::Worklist,
};

#[derive(Debug)]
pub(crate) struct Graph<'d> {
    document: &'d Document,
    session_inputs: SessionInputs,
    nodes: Vec<SchemaNode>,
    node_indexes: HashMap<(Arc<str>, Access), usize>,
    open: Worklist<'d, OpenSchema<'d>>,
    unbound: Vec<UnboundInput>,
}

#[derive(Debug)]
struct OpenSchema<'d> {
    schema: LocatedNode<'d>,
    node: usize,
    reach: Access,
}

#[derive(Clone, Debug)]
pub(crate) struct UnboundInput {
    pub(crate) pointer: Arc<str>,
    /// The annotation there; `None` if the walk ended before it visited everything.
    pub(crate) annotation: Option<Annotation>,
    pub(crate) why: &'static str,
}

/// The place of a schema: values can be filled in there, or not.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Access {
    Closed(&'static str),
    Open,
}

impl Access {
    /// The places where a session input is expected instead, in words.
    fn expected_places(self) -> &'static str {
        match self {
            Self::Closed(words) => words,
            Self::Open => "that names a value",
        }
    }
}

impl<'d> Graph<'d> {
    pub(crate) fn new(document: &'d Document, session_inputs: SessionInputs) -> Self {
        Self {
            document,
            session_inputs,
            nodes: Vec::new(),
            node_indexes: HashMap::new(),
            open: Worklist::new(document, |next| NODE + next.schema.path().step_cost()),
            unbound: Vec::new(),
        }
    }

    /// The nodes that lead to session inputs, with the value of `schema` first, and the session inputs that cannot be
    /// filled in. No nodes if there are no session inputs.
    pub(crate) fn nodes_of_value(
        mut self,
        schema: &LocatedNode<'d>,
    ) -> (Vec<SchemaNode>, Vec<UnboundInput>) {
        self.node_index_or_queue(schema.clone(), Access::Open);
        self.read_all_nodes()
    }

    pub(crate) fn nodes_of_items(
        mut self,
        schema: &LocatedNode<'d>,
    ) -> (Vec<SchemaNode>, Vec<UnboundInput>) {
        self.nodes.push(empty_node());
        let items = self.node_index_or_queue(schema.clone(), Access::Open);
        self.change_node(0, |node| node.items = Some(items));
        self.read_all_nodes()
    }

    fn read_all_nodes(mut self) -> (Vec<SchemaNode>, Vec<UnboundInput>) {
        let mut is_cut = false;
        while let Some(next) = self.open.take_last() {
            is_cut = self.nodes.len() > MOST_NODES;
            if is_cut {
                break;
            }
            self.read_schema(&next);
        }
        if is_cut || !self.open.is_empty() {
            let why = "within reach";
            self.unbound.push(UnboundInput { pointer: "".into(), annotation: None, why });
        }
        (keep_nodes_to_sources(self.nodes), self.unbound)
    }

    /// The node of a schema, which is read later.
    fn node_index_or_queue(&mut self, schema: LocatedNode<'d>, reach: Access) -> usize {
        let key = (Arc::clone(&schema.pointer), reach);
        if let Some(node_index) = self.node_indexes.get(&key) {
            return *node_index;
        }
        let at = self.nodes.len();
        self.node_indexes.insert(key, at);
        self.nodes.push(empty_node());
        self.open.push(OpenSchema { schema, node: at, reach });
        at
    }

    fn change_node(&mut self, at: usize, change: impl FnOnce(&mut SchemaNode)) {
        if let Some(node) = self.nodes.get_mut(at) {
            change(node);
        }
    }

    fn read_schema(&mut self, here: &OpenSchema<'d>) {
        let OpenSchema { schema, node, reach } = here;
        let Some(object) = schema.node.as_object() else { return };
        self.note_annotation(here);
        if let Some(reference) = reference_of(schema.node)
            && let Ok(next) = resolve_target(self.document, reference, &schema.path())
        {
            let same = self.node_index_or_queue(next, *reach);
            self.change_node(*node, |node| node.same = with_node(&node.same, same));
        }
        self.note_dynamic_reference_targets(here);
        for (keyword, value) in object.iter() {
            self.note_keyword(here, keyword, value);
        }
        self.note_subtypes(here);
    }

    fn note_annotation(&mut self, here: &OpenSchema<'d>) {
        let OpenSchema { schema, node, reach } = here;
        let pointer = Arc::clone(&schema.pointer);
        let Some(annotation) = own_annotation(schema.node) else { return };
        let source = match (&annotation, reach) {
            (Annotation::Source(source), Access::Open) => source.clone(),
            (_, reach) => {
                let annotation = Some(annotation);
                return self.unbound.push(UnboundInput {
                    pointer,
                    annotation,
                    why: reach.expected_places(),
                });
            }
        };
        let default = legal_default(self.document, schema.node, &schema.path());
        let default = default.and_then(|value| self.document.meter().copy_if_affordable(value));
        let visible = is_visible_to_model(&source, self.session_inputs);
        self.change_node(*node, |node| {
            node.source = source;
            node.visible = visible;
            node.default = default;
            node.read_only = says_read_only(schema.node);
        });
    }

    fn note_keyword(&mut self, here: &OpenSchema<'d>, keyword: &str, value: &'d Node) {
        let (at, reach) = (here.node, here.reach);
        let above = here.schema.path();
        let path = above.name(keyword);
        let one = || LocatedNode::new(value, &path);
        match (keyword, value) {
            ("allOf", Node::Array(branches)) => {
                for (index, branch) in branches.iter().enumerate() {
                    let same = self
                        .node_index_or_queue(LocatedNode::new(branch, &path.index(index)), reach);
                    self.change_node(at, |node| node.same = with_node(&node.same, same));
                }
            }
            ("anyOf" | "oneOf", Node::Array(branches)) => {
                let branches = branches.iter().enumerate();
                let branches: Vec<_> =
                    branches.map(|(n, branch)| LocatedNode::new(branch, &path.index(n))).collect();
                self.note_alternatives(here, branches);
            }
            ("if" | "then" | "else", Node::Object(_)) => {
                self.note_alternatives(here, vec![one()]);
            }
            ("dependentSchemas", Node::Object(members)) => {
                let branches =
                    members.iter().map(|(name, node)| LocatedNode::new(node, &path.name(name)));
                self.note_alternatives(here, branches.collect());
            }
            ("contains" | "contentSchema" | "not" | "propertyNames", Node::Object(_)) => {
                self.node_index_or_queue(one(), Access::Closed(expected_location(keyword)));
            }
            ("properties" | "patternProperties", Node::Object(members)) => {
                let members = members.iter().map(|(name, node)| {
                    (Arc::clone(name), LocatedNode::new(node, &path.name(name)))
                });
                self.note_properties(here, keyword, members.collect());
            }
            ("additionalProperties" | "unevaluatedProperties", Node::Object(_)) => {
                let others = self.node_index_or_queue(one(), reach);
                self.change_node(at, |node| node.others = Some(others));
            }
            ("additionalItems" | "items" | "prefixItems" | "unevaluatedItems", _) => {
                self.note_items(here, keyword, &one());
            }
            _ => {}
        }
    }

    fn note_properties(
        &mut self,
        here: &OpenSchema<'d>,
        keyword: &str,
        members: Vec<(Arc<str>, LocatedNode<'d>)>,
    ) {
        let OpenSchema { node, reach, .. } = *here;
        let names: Box<[Arc<str>]> = members.iter().map(|(name, _)| Arc::clone(name)).collect();
        let nodes: Box<[(Arc<str>, usize)]> = members
            .into_iter()
            .map(|(name, schema)| (name, self.node_index_or_queue(schema, reach)))
            .collect();
        self.change_node(node, |node| {
            if keyword == "properties" {
                (node.declared, node.properties) = (names, nodes);
            } else {
                (node.declared_patterns, node.patterns) = (names, nodes);
            }
        });
    }

    fn note_items(
        &mut self,
        here: &OpenSchema<'d>,
        keyword: &str,
        keyword_value: &LocatedNode<'d>,
    ) {
        let (at, reach) = (here.node, here.reach);
        if let Some(list) = keyword_value.node.as_array() {
            let path = keyword_value.path();
            let nodes = list.iter().enumerate();
            let nodes = nodes.map(|(n, node)| {
                Some(self.node_index_or_queue(LocatedNode::new(node, &path.index(n)), reach))
            });
            let leading: Box<[Option<usize>]> = nodes.collect();
            self.change_node(at, |node| node.leading = leading);
        } else if keyword_value.node.as_object().is_some() {
            let items = self.node_index_or_queue(keyword_value.clone(), reach);
            let is_rest = keyword != "items";
            self.change_node(at, |node| {
                node.items = node.items.filter(|_| is_rest).or(Some(items));
            });
        }
    }

    fn note_alternatives(&mut self, here: &OpenSchema<'d>, branches: Vec<LocatedNode<'d>>) {
        let OpenSchema { node, reach, .. } = *here;
        let discriminator = here.schema.node.get("discriminator");
        let property = discriminator.and_then(|discriminator| {
            discriminator.get("propertyName").unwrap_or(discriminator).as_shared_str()
        });
        let mapping = discriminator.and_then(|discriminator| discriminator.get("mapping"));
        let mut group = Vec::with_capacity(branches.len());
        for schema in branches {
            let mut branch = Branch::from_schema(self.document, &schema);
            if let Some(property) = property {
                branch = branch.with_property_values(
                    property,
                    discriminator_values(self.document, &schema, mapping),
                );
            }
            group.push(branch.into_alternative(self.node_index_or_queue(schema, reach)));
        }
        self.change_node(node, |node| {
            let groups = std::mem::take(&mut node.alternatives).into_vec();
            node.alternatives = groups.into_iter().chain([group.into()]).collect();
        });
    }

    fn note_dynamic_reference_targets(&mut self, here: &OpenSchema<'d>) {
        let Some(reference) = here.schema.node.text("$dynamicRef") else {
            return;
        };
        let Some((_, anchor)) = reference.split_once('#') else { return };
        let pointers = self.document.dynamic_anchors_named(anchor);
        let schemas = pointers.into_iter().filter_map(|pointer| {
            Some(LocatedNode { node: self.document.node_at_text(&pointer)?, pointer })
        });
        self.note_alternatives(here, schemas.collect());
    }

    /// Reads the schemas that a schema with a `discriminator` and without branches represents: those that the mapping
    /// names and those that inherit from it (OpenAPI 3.0.3 §4.7.25).
    fn note_subtypes(&mut self, here: &OpenSchema<'d>) {
        let schema = &here.schema;
        let Some(discriminator) = schema.node.get("discriminator") else { return };
        let has_branches = ["anyOf", "oneOf"].iter().any(|name| schema.node.get(name).is_some());
        if has_branches {
            return;
        }
        let mut subtypes: BTreeMap<Arc<str>, LocatedNode<'d>> = BTreeMap::new();
        let mapping = discriminator.members_of("mapping");
        for to in mapping.filter_map(|(_, to)| to.as_shared_str()) {
            let named: Arc<str> = format!("#/components/schemas/{to}").into();
            let path = schema.path();
            let next = resolve_target(self.document, to, &path);
            if let Ok(next) = next.or_else(|_| resolve_target(self.document, &named, &path)) {
                subtypes.insert(Arc::clone(&next.pointer), next);
            }
        }
        let mut bases = vec![Arc::clone(&schema.pointer)];
        while let Some(base) = bases.pop() {
            for heir in inheriting_schemas(self.document, &base) {
                bases.extend(
                    (!subtypes.contains_key(&heir.pointer)).then(|| Arc::clone(&heir.pointer)),
                );
                subtypes.insert(Arc::clone(&heir.pointer), heir);
            }
        }
        subtypes.remove(&schema.pointer);
        self.note_alternatives(here, subtypes.into_values().collect());
    }
}

/// The schemas under `components` whose `allOf` refers to the schema at a pointer.
fn inheriting_schemas<'d>(document: &'d Document, pointer: &str) -> Vec<LocatedNode<'d>> {
    let components = document.root().get("components").and_then(|parts| parts.get("schemas"));
    let schemas = components.or_else(|| document.root().get("definitions"));
    let above = if components.is_some() { "/components/schemas" } else { "/definitions" };
    let path = Path::at(above);
    let schemas = schemas.into_iter().flat_map(Node::members);
    let inherits = |node: &Node| {
        let bases = node.list("allOf").iter();
        let mut named = bases.filter_map(|base| reference_of(base)?.strip_prefix('#'));
        named.any(|base| base == pointer)
    };
    document
        .while_affordable(schemas, 1)
        .filter(|(_, node)| inherits(node))
        .map(|(name, node)| LocatedNode::new(node, &path.name(name)))
        .collect()
}

fn empty_node() -> SchemaNode {
    SchemaNode {
        source: ValueSource::Model,
        visible: true,
        default: None,
        read_only: false,
        same: Box::default(),
        alternatives: Box::default(),
        properties: Box::default(),
        patterns: Box::default(),
        others: None,
        declared: Box::default(),
        declared_patterns: Box::default(),
        leading: Box::default(),
        items: None,
    }
}

fn with_node(nodes: &[usize], one: usize) -> Box<[usize]> {
    nodes.iter().copied().chain([one]).collect()
}

fn expected_location(keyword: &str) -> &'static str {
    match keyword {
        "contains" => "outside `contains`",
        "contentSchema" => "outside `contentSchema`",
        "not" => "outside `not`",
        _ => "outside `propertyNames`",
    }
}

/// Real bodies with session inputs have a few hundred schemas.
const MOST_NODES: usize = 20_000;

/// The cost to read a schema, in steps.
const NODE: usize = 8;
