//! Walks the schemas that may apply to an argument and keeps the spots that lead to a session input. It follows each
//! reference once and keeps the unvisited parts in a list, so that circles end and depth uses no stack.

use std::{collections::BTreeMap, sync::Arc};

use callgate_tree::{Node, Object};
use hashbrown::HashMap;

use crate::{
    ahead::Ahead,
    bindings::{
        Spot,
        branch::{Branch, values_of},
        heirs::heirs,
        pruned::pruned,
    },
    document::Document,
    input::Source,
    options::SessionInputs,
    reference::{Located, reference_of, target},
    schema::{default_of, says_read_only},
    session_input::{Annotation, is_visible, own_annotation},
};

#[derive(Debug)]
pub(crate) struct Graph<'d> {
    document: &'d Document,
    session_inputs: SessionInputs,
    spots: Vec<Spot>,
    known: HashMap<(Arc<str>, Reach), usize>,
    open: Ahead<'d, Opened<'d>>,
    unbound: Vec<Unbound>,
}

/// A schema that will be read for its spot.
#[derive(Debug)]
struct Opened<'d> {
    schema: Located<'d>,
    spot: usize,
    reach: Reach,
}

#[derive(Clone, Debug)]
pub(crate) struct Unbound {
    pub(crate) pointer: Arc<str>,
    /// The annotation there; `None` if the walk ended before it visited everything.
    pub(crate) annotation: Option<Annotation>,
    pub(crate) why: &'static str,
}

/// The place of a schema: values can be filled in there, or not.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Reach {
    Closed(&'static str),
    Open,
}

impl Reach {
    /// The places where a session input is expected instead, in words.
    fn words(self) -> &'static str {
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
            spots: Vec::new(),
            known: HashMap::new(),
            open: Ahead::new(document, |next| SPOT + next.schema.path().weight()),
            unbound: Vec::new(),
        }
    }

    /// The spots that lead to session inputs, with the value of `schema` first, and the session inputs that cannot be
    /// filled in. No spots if there are no session inputs.
    pub(crate) fn of_value(mut self, schema: &Located<'d>) -> (Vec<Spot>, Vec<Unbound>) {
        self.spot(schema.clone(), Reach::Open);
        self.finish()
    }

    /// The spots and unbound inputs of a list whose items have this schema.
    pub(crate) fn of_items(mut self, schema: &Located<'d>) -> (Vec<Spot>, Vec<Unbound>) {
        self.spots.push(empty());
        let items = self.spot(schema.clone(), Reach::Open);
        self.change(0, |spot| spot.items = Some(items));
        self.finish()
    }

    fn finish(mut self) -> (Vec<Spot>, Vec<Unbound>) {
        let mut is_cut = false;
        while let Some(next) = self.open.last() {
            is_cut = self.spots.len() > MOST_SPOTS;
            if is_cut {
                break;
            }
            self.read(&next);
        }
        if is_cut || !self.open.is_empty() {
            let why = "within reach";
            self.unbound.push(Unbound { pointer: "".into(), annotation: None, why });
        }
        (pruned(self.spots), self.unbound)
    }

    /// The spot of a schema, which is read later.
    fn spot(&mut self, schema: Located<'d>, reach: Reach) -> usize {
        let key = (Arc::clone(&schema.pointer), reach);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let at = self.spots.len();
        self.known.insert(key, at);
        self.spots.push(empty());
        self.open.push(Opened { schema, spot: at, reach });
        at
    }

    fn change(&mut self, at: usize, change: impl FnOnce(&mut Spot)) {
        if let Some(spot) = self.spots.get_mut(at) {
            change(spot);
        }
    }

    fn read(&mut self, here: &Opened<'d>) {
        let Opened { schema, spot, reach } = here;
        let Some(object) = schema.node.as_object() else { return };
        self.note_annotation(here);
        if let Some(reference) = reference_of(schema.node)
            && let Ok(next) = target(self.document, reference, &schema.path())
        {
            let same = self.spot(next, *reach);
            self.change(*spot, |spot| spot.same = with(&spot.same, same));
        }
        self.note_anchors(here);
        for (keyword, value) in object.iter() {
            self.keyword(here, keyword, value);
        }
        self.note_subtypes(here);
    }

    fn note_annotation(&mut self, here: &Opened<'d>) {
        let Opened { schema, spot, reach } = here;
        let pointer = Arc::clone(&schema.pointer);
        let Some(annotation) = own_annotation(schema.node) else { return };
        let source = match (&annotation, reach) {
            (Annotation::Source(source), Reach::Open) => source.clone(),
            (_, reach) => {
                let annotation = Some(annotation);
                return self.unbound.push(Unbound { pointer, annotation, why: reach.words() });
            }
        };
        let default = default_of(self.document, schema.node, &schema.path());
        let default = default.and_then(|value| self.document.meter().copy(value));
        let visible = is_visible(&source, self.session_inputs);
        self.change(*spot, |spot| {
            spot.source = source;
            spot.visible = visible;
            spot.default = default;
            spot.read_only = says_read_only(schema.node);
        });
    }

    fn keyword(&mut self, here: &Opened<'d>, keyword: &str, value: &'d Node) {
        let (at, reach) = (here.spot, here.reach);
        let above = here.schema.path();
        let path = above.name(keyword);
        let one = || Located::new(value, &path);
        match (keyword, value) {
            ("allOf", Node::Array(branches)) => {
                for (index, branch) in branches.iter().enumerate() {
                    let same = self.spot(Located::new(branch, &path.index(index)), reach);
                    self.change(at, |spot| spot.same = with(&spot.same, same));
                }
            }
            ("anyOf" | "oneOf", Node::Array(branches)) => {
                let branches = branches.iter().enumerate();
                let branches: Vec<_> =
                    branches.map(|(n, branch)| Located::new(branch, &path.index(n))).collect();
                self.alternatives(here, branches);
            }
            ("if" | "then" | "else", Node::Object(_)) => {
                self.alternatives(here, vec![one()]);
            }
            ("dependentSchemas", Node::Object(members)) => {
                let branches =
                    members.iter().map(|(name, node)| Located::new(node, &path.name(name)));
                self.alternatives(here, branches.collect());
            }
            ("contains" | "contentSchema" | "not" | "propertyNames", Node::Object(_)) => {
                self.spot(one(), Reach::Closed(closed(keyword)));
            }
            ("properties" | "patternProperties", Node::Object(members)) => {
                let members = members
                    .iter()
                    .map(|(name, node)| (Arc::clone(name), Located::new(node, &path.name(name))));
                self.members(here, keyword, members.collect());
            }
            ("additionalProperties" | "unevaluatedProperties", Node::Object(_)) => {
                let others = self.spot(one(), reach);
                self.change(at, |spot| spot.others = Some(others));
            }
            ("additionalItems" | "items" | "prefixItems" | "unevaluatedItems", _) => {
                self.items(here, keyword, &one());
            }
            _ => {}
        }
    }

    fn members(&mut self, here: &Opened<'d>, keyword: &str, members: Vec<(Arc<str>, Located<'d>)>) {
        let Opened { spot, reach, .. } = *here;
        let names: Box<[Arc<str>]> = members.iter().map(|(name, _)| Arc::clone(name)).collect();
        let spots: Box<[(Arc<str>, usize)]> =
            members.into_iter().map(|(name, schema)| (name, self.spot(schema, reach))).collect();
        self.change(spot, |spot| {
            if keyword == "properties" {
                (spot.declared, spot.properties) = (names, spots);
            } else {
                (spot.declared_patterns, spot.patterns) = (names, spots);
            }
        });
    }

    fn items(&mut self, here: &Opened<'d>, keyword: &str, found: &Located<'d>) {
        let (at, reach) = (here.spot, here.reach);
        if let Some(list) = found.node.as_array() {
            let path = found.path();
            let spots = list.iter().enumerate();
            let spots =
                spots.map(|(n, node)| Some(self.spot(Located::new(node, &path.index(n)), reach)));
            let leading: Box<[Option<usize>]> = spots.collect();
            self.change(at, |spot| spot.leading = leading);
        } else if found.node.as_object().is_some() {
            let items = self.spot(found.clone(), reach);
            let is_rest = keyword != "items";
            self.change(at, |spot| {
                spot.items = spot.items.filter(|_| is_rest).or(Some(items));
            });
        }
    }

    fn alternatives(&mut self, here: &Opened<'d>, branches: Vec<Located<'d>>) {
        let Opened { spot, reach, .. } = *here;
        let discriminator = here.schema.node.get("discriminator");
        let property = discriminator.and_then(|discriminator| {
            discriminator.get("propertyName").unwrap_or(discriminator).as_shared_str()
        });
        let mapping = discriminator.and_then(|discriminator| discriminator.get("mapping"));
        let mut group = Vec::with_capacity(branches.len());
        for schema in branches {
            let mut branch = Branch::of(self.document, &schema);
            if let Some(property) = property {
                branch = branch.told_by(property, values_of(self.document, &schema, mapping));
            }
            group.push(branch.at(self.spot(schema, reach)));
        }
        self.change(spot, |spot| {
            let groups = std::mem::take(&mut spot.alternatives).into_vec();
            spot.alternatives = groups.into_iter().chain([group.into()]).collect();
        });
    }

    /// Reads the schemas that a dynamic reference may refer to.
    fn note_anchors(&mut self, here: &Opened<'d>) {
        let Some(reference) = here.schema.node.get("$dynamicRef").and_then(Node::as_str) else {
            return;
        };
        let Some((_, anchor)) = reference.split_once('#') else { return };
        let found = self.document.dynamic_anchors_named(anchor);
        let schemas = found.into_iter().filter_map(|pointer| {
            Some(Located { node: self.document.node_of(&pointer)?, pointer })
        });
        self.alternatives(here, schemas.collect());
    }

    /// Reads the schemas that a schema with a `discriminator` and without branches represents: those that the mapping
    /// names and those that inherit from it (OpenAPI 3.0.3 §4.7.25).
    fn note_subtypes(&mut self, here: &Opened<'d>) {
        let schema = &here.schema;
        let Some(discriminator) = schema.node.get("discriminator") else { return };
        let has_branches = ["anyOf", "oneOf"].iter().any(|name| schema.node.get(name).is_some());
        if has_branches {
            return;
        }
        let mut found: BTreeMap<Arc<str>, Located<'d>> = BTreeMap::new();
        let mapping = discriminator.get("mapping").and_then(Node::as_object);
        for to in
            mapping.into_iter().flat_map(Object::iter).filter_map(|(_, to)| to.as_shared_str())
        {
            let named: Arc<str> = format!("#/components/schemas/{to}").into();
            let path = schema.path();
            let next = target(self.document, to, &path);
            if let Ok(next) = next.or_else(|_| target(self.document, &named, &path)) {
                found.insert(Arc::clone(&next.pointer), next);
            }
        }
        let mut bases = vec![Arc::clone(&schema.pointer)];
        while let Some(base) = bases.pop() {
            for heir in heirs(self.document, &base) {
                bases.extend(
                    (!found.contains_key(&heir.pointer)).then(|| Arc::clone(&heir.pointer)),
                );
                found.insert(Arc::clone(&heir.pointer), heir);
            }
        }
        found.remove(&schema.pointer);
        self.alternatives(here, found.into_values().collect());
    }
}

fn empty() -> Spot {
    Spot {
        source: Source::Model,
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

fn with(spots: &[usize], one: usize) -> Box<[usize]> {
    spots.iter().copied().chain([one]).collect()
}

fn closed(keyword: &str) -> &'static str {
    match keyword {
        "contains" => "outside `contains`",
        "contentSchema" => "outside `contentSchema`",
        "not" => "outside `not`",
        _ => "outside `propertyNames`",
    }
}

/// Real bodies with session inputs have a few hundred schemas.
const MOST_SPOTS: usize = 20_000;

/// The cost to read a schema, in steps.
const SPOT: usize = 8;
