//! Reports schemas that no value meets. The rules of a schema, of the targets of its references and of its `allOf` are read
//! together, and each of its alternatives with them. A finding is certain: rules that are not understood here (patterns,
//! conditions) count as met, and so does everything beyond the limits of the search.

mod alternatives;
mod bounds;
mod conflict;
mod items;
mod kinds;
mod members;
mod rules;
mod values;

use callgate_tree::{Node, Object, Path};

use crate::{
    document::Document,
    reference::LocatedNode,
    schema::{
        Builder, View,
        legal::is_legal_value,
        satisfy::{conflict::Conflict, rules::Rules},
        unknown_keyword::RESTRICTING,
    },
};

/// Reports a schema that no value meets. What a model sees is a part of what is checked: it needs no findings of its own.
pub(super) fn report_unsatisfiable<'d>(builder: &mut Builder<'d>, node: &'d Node, path: &Path<'_>) {
    if matches!(builder.view, View::Declared(_))
        || !node.as_object().is_some_and(can_contradict_itself)
    {
        return;
    }
    if let Some(conflict) = schema_conflict(builder.document, node, path) {
        conflict.report(builder.view, &mut builder.findings);
    }
}

/// The reason why no value meets a schema; `None` if a value may meet it.
pub(super) fn schema_conflict<'d>(
    document: &'d Document,
    node: &'d Node,
    path: &Path<'_>,
) -> Option<Conflict> {
    // The target of a dynamic reference depends on the way to it.
    if document.has_dynamic_anchors() {
        return None;
    }
    Search { document, left: MOST_VISITED }
        .schemas_conflict(&[LocatedNode::new(node, path)], DEEPEST)
}

/// True if the keywords of a schema can contradict each other. A forbidden value (`not: {}`) alone is meant so: an object
/// that requires it is reported.
fn can_contradict_itself(object: &Object) -> bool {
    let is_restricting = |name: &str| name == "$ref" || RESTRICTING.contains(&name);
    let n = object.iter().filter(|(name, _)| is_restricting(name)).count();
    let has = |names: &[&str]| names.iter().any(|name| object.get(name).is_some());
    let is_wrapper = n == 1
        && ["allOf", "anyOf", "oneOf"].iter().any(|name| {
            object.get(name).and_then(Node::as_array).is_some_and(|branches| branches.len() == 1)
        });
    if is_wrapper {
        // The only branch is examined itself.
        return false;
    }
    let has_both = |(least, most): &(&[&str], &[&str])| has(least) && has(most);
    has(&COMPOSING)
        || has(&["not", "$ref"]) && n > 1
        || has(&["const", "enum"]) && n > 1 + usize::from(has(&["type"]))
        || BOUNDS.iter().any(has_both)
}

#[derive(Debug)]
struct Search<'d> {
    document: &'d Document,
    left: usize,
}

impl<'d> Search<'d> {
    fn schemas_conflict(&mut self, schemas: &[LocatedNode<'d>], depth: usize) -> Option<Conflict> {
        let depth = depth.checked_sub(1)?;
        let conflict = self.first_conflict(schemas, depth)?;
        let is_null_allowed = schemas.iter().all(|schema| self.may_allow(schema, &NULL));
        (!is_null_allowed).then_some(conflict)
    }

    /// The reason why no value but null meets all these schemas.
    fn first_conflict(&mut self, schemas: &[LocatedNode<'d>], depth: usize) -> Option<Conflict> {
        let mut rules = Rules::default();
        for schema in schemas {
            if let Some(conflict) = rules.add_schema(self, schema.clone()) {
                return Some(conflict);
            }
        }
        self.rules_conflict(&rules, depth)
    }

    /// The reason why no value but null meets these rules.
    fn rules_conflict(&mut self, rules: &Rules<'d>, depth: usize) -> Option<Conflict> {
        self.left = self.left.checked_sub(rules.schemas.len().max(1))?;
        values::values_conflict(self, rules)
            .or_else(|| kinds::kinds_conflict(self, rules, depth))
            .or_else(|| alternatives::alternatives_conflict(self, rules, depth))
    }

    /// False only if a schema certainly refuses a value.
    fn may_allow(&self, schema: &LocatedNode<'d>, value: &'d Node) -> bool {
        is_legal_value(self.document, schema.node, &schema.path(), value)
    }
}

static NULL: Node = Node::Null;

/// Keywords that can exclude all values on their own, or with those of other schemas.
const COMPOSING: [&str; 9] = [
    "allOf",
    "anyOf",
    "contains",
    "minItems",
    "minProperties",
    "multipleOf",
    "oneOf",
    "propertyNames",
    "required",
];

const BOUNDS: [(&[&str], &[&str]); 2] = [
    (&["minimum", "exclusiveMinimum"], &["maximum", "exclusiveMaximum"]),
    (&["minLength"], &["maxLength"]),
];

/// The number of schemas that are visited for one. Real compositions have fewer than a hundred.
const MOST_VISITED: usize = 200;

/// The depth of the values that are searched.
const DEEPEST: usize = 12;

#[cfg(test)]
mod tests;
