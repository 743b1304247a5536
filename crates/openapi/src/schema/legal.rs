//! Decides if a schema allows its own default. It checks the rules that catch nearly every wrong default: types, listed
//! values, bounds, lengths, members and items. Rules that only the check of a call's arguments applies are ignored
//! here.

use std::{cmp::Ordering, sync::Arc};

use callgate_tool::Number;
use callgate_tree::{Node, Object, Path};

use crate::{
    document::Document,
    reference::{LocatedNode, reference_chain, reference_targets},
    schema::{bytes::is_bytes, listed_values, one_way::is_readonly_or_writeonly},
};

/// The default of a schema, or of its reference's target, if its schema allows it.
pub(crate) fn legal_default<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> Option<&'d Node> {
    let default = declared_default(document, schema, path)?;
    is_legal_value(document, schema, path, default).then_some(default)
}

pub(crate) fn declared_default<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> Option<&'d Node> {
    reference_chain(document, schema, path).find_map(|node| node.get("default"))
}

pub(crate) fn is_legal_value<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
    value: &'d Node,
) -> bool {
    Legal { document, left: MOST_VISITED }.allows_value(schema, path, value)
}

struct Legal<'d> {
    document: &'d Document,
    left: usize,
}

impl<'d> Legal<'d> {
    fn allows_value(&mut self, schema: &'d Node, path: &Path<'_>, value: &'d Node) -> bool {
        let Some(left) = self.document.descend_to_remaining_depth(self.left, 1) else {
            return true;
        };
        self.left = left;
        let further = reference_targets(self.document, schema, path);
        self.allows_without_reference(schema, path, value)
            && further.iter().all(|LocatedNode { node, pointer }| {
                self.allows_without_reference(node, &Path::at(pointer), value)
            })
    }

    /// Checks the rules of a schema itself, without the target of its reference. No text of a description is the bytes of a file.
    fn allows_without_reference(
        &mut self,
        schema: &'d Node,
        path: &Path<'_>,
        value: &'d Node,
    ) -> bool {
        let Some(object) = schema.as_object() else { return schema.as_bool() != Some(false) };
        is_nullable_null(object, value)
            || (!(is_bytes(schema) && value.as_str().is_some())
                && listed_values::listed_values_allow_after_conversion(
                    self.document,
                    object,
                    value,
                )
                .unwrap_or_else(|| {
                    is_of_type(object, value) && self.has_listed_value(object, value)
                })
                && !self.excludes_value(object, value)
                && is_within_bounds(object, value)
                && self.allows_by_subschemas(object, path, value))
    }

    fn has_listed_value(&self, schema: &Object, value: &Node) -> bool {
        let same = |listed_value: &Node| is_equal(listed_value, value);
        // An empty list is left out.
        let listed =
            schema.get("enum").and_then(Node::as_array).filter(|listed| !listed.is_empty());
        listed.is_none_or(|listed| self.document.while_affordable(listed, 1).any(same))
            && schema.get("const").is_none_or(same)
    }

    /// Returns true if a schema has a `not` that is met by every value, or that is only a type or a list and met by this one.
    fn excludes_value(&self, schema: &Object, value: &Node) -> bool {
        let not = match schema.get("not") {
            Some(Node::Bool(all)) => return *all,
            Some(Node::Object(not)) => not,
            _ => return false,
        };
        let mut names = not.iter().map(|(name, _)| &**name);
        match (names.next(), names.next()) {
            (None, _) => true,
            (Some("const" | "enum"), None) => self.has_listed_value(not, value),
            (Some("type"), None) => has_known_types(not) && is_of_type(not, value),
            _ => false,
        }
    }

    fn allows_by_subschemas(
        &mut self,
        schema: &'d Object,
        path: &Path<'_>,
        value: &'d Node,
    ) -> bool {
        if !schema.list("allOf").iter().all(|branch| self.allows_value(branch, path, value)) {
            return false;
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = schema.list(keyword);
            if !branches.is_empty()
                && !branches.iter().any(|branch| self.allows_value(branch, path, value))
            {
                return false;
            }
        }
        match value {
            Node::Array(items) => {
                let n_first = schema.list("prefixItems").len();
                let schema = schema.get("items").filter(|schema| schema.as_array().is_none());
                items
                    .iter()
                    .skip(n_first)
                    .all(|item| schema.is_none_or(|schema| self.allows_value(schema, path, item)))
            }
            Node::Object(members) => self.allows_members(schema, path, members),
            _ => true,
        }
    }

    fn allows_members(&mut self, schema: &'d Object, path: &Path<'_>, members: &'d Object) -> bool {
        let properties = schema.get("properties").and_then(Node::as_object);
        let mut required = schema.list("required").iter().filter_map(Node::as_str);
        let is_closed = schema.get("additionalProperties").and_then(Node::as_bool) == Some(false)
            && schema.get("patternProperties").is_none();
        let is_sent = |name: &str| {
            let property = properties.and_then(|properties| properties.get(name));
            !property
                .is_some_and(|property| is_readonly_or_writeonly(self.document, property, path))
        };
        required.all(|name| members.contains(name) || !is_sent(name))
            && members.iter().all(|(name, member)| {
                let property = properties.and_then(|properties| properties.get(name));
                property.map_or(!is_closed, |property| self.allows_value(property, path, member))
            })
    }
}

/// Returns true if the value is the `null` that `nullable` adds to the types (OpenAPI 3.0, and Swagger 2.0 by extension).
fn is_nullable_null(schema: &Object, value: &Node) -> bool {
    matches!(value, Node::Null) && (schema.is_true("nullable") || schema.is_true("x-nullable"))
}

fn is_of_type(schema: &Object, value: &Node) -> bool {
    let is_kind = |kind: &str| match kind {
        "integer" => value.as_number().is_some_and(Number::is_integer),
        kind => kind == value.kind() || !KINDS.contains(&kind),
    };
    match schema.get("type") {
        Some(Node::String(kind)) => is_kind(kind),
        // A list with another entry is left out.
        Some(Node::Array(kinds)) => kinds.iter().any(|kind| kind.as_str().is_none_or(is_kind)),
        _ => true,
    }
}

fn has_known_types(schema: &Object) -> bool {
    let is_known = |kind: &Node| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
    match schema.get("type") {
        Some(Node::Array(kinds)) => kinds.iter().all(is_known),
        Some(kind) => is_known(kind),
        None => false,
    }
}

fn is_within_bounds(schema: &Object, value: &Node) -> bool {
    match value {
        Node::Number(value) => is_number_within(schema, value),
        Node::String(text) => {
            is_count_within(schema, text.chars().count(), "minLength", "maxLength")
        }
        Node::Array(items) => is_count_within(schema, items.len(), "minItems", "maxItems"),
        Node::Object(members) => {
            is_count_within(schema, members.len(), "minProperties", "maxProperties")
        }
        _ => true,
    }
}

fn is_number_within(schema: &Object, value: &Number) -> bool {
    let meets = |name: &str, is: fn(Ordering) -> bool| {
        let bound = schema.get(name).and_then(Node::as_number);
        bound.is_none_or(|bound| is(value.order(bound)))
    };
    meets("minimum", Ordering::is_ge)
        && meets("maximum", Ordering::is_le)
        && meets("exclusiveMinimum", Ordering::is_gt)
        && meets("exclusiveMaximum", Ordering::is_lt)
        && (!schema.is_true("exclusiveMinimum") || meets("minimum", Ordering::is_gt))
        && (!schema.is_true("exclusiveMaximum") || meets("maximum", Ordering::is_lt))
}

/// Returns true if two values are equal: numbers by their worth, objects in any order.
fn is_equal(one: &Node, other: &Node) -> bool {
    match (one, other) {
        (Node::Number(one), Node::Number(other)) => one.is_equal_to(other),
        (Node::Array(items), Node::Array(others)) => {
            let mut pairs = items.iter().zip(&**others);
            items.len() == others.len() && pairs.all(|(one, other)| is_equal(one, other))
        }
        (Node::Object(members), Node::Object(others)) => {
            let is_in = |(name, value): (&Arc<str>, &Node)| {
                others.get(name).is_some_and(|other| is_equal(value, other))
            };
            members.len() == others.len() && members.iter().all(is_in)
        }
        _ => one == other,
    }
}

/// Compares a count with its bounds. A bound that is no count is left out.
fn is_count_within(schema: &Object, count: usize, least: &str, most: &str) -> bool {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    let bound = |name: &str| schema.get(name)?.as_number()?.as_u64();
    bound(least).is_none_or(|least| count >= least) && bound(most).is_none_or(|most| count <= most)
}

pub(super) const KINDS: [&str; 7] =
    ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The number of schemas that are visited. Nested compositions can be walked in more ways than they have parts.
const MOST_VISITED: usize = 200;

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(schema: Value, expected: bool) {
        let document =
            document(json!({"schema": schema, "named": {"type": "string", "enum": ["a"]}}));
        let schema = document.root().get("schema").unwrap();
        let default = legal_default(&document, schema, &Path::at("/schema"));
        assert_eq!(default.is_some(), expected, "{schema:?}");
    }

    #[test]
    fn a_default_of_another_type_is_illegal() {
        for schema in [
            json!({"type": "string", "default": 60_000_000_000_i64}),
            json!({"type": "integer", "default": "10"}),
            json!({"type": "integer", "default": 1.5}),
            json!({"type": "boolean", "default": "true"}),
            json!({"type": "string", "default": null}),
            json!({"type": "array", "items": {"type": "string"}, "default": "a"}),
            json!({"type": "array", "items": {"type": "string"}, "default": [1]}),
            json!({"type": ["string", "null"], "default": 1}),
            json!({"allOf": [{"type": "string"}], "default": 1}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": 1}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": 1}}),
            json!({"type": "string", "format": "binary", "default": "File"}),
            json!({"type": "array", "items": {"contentMediaType": "image/png"}, "default": ["Files"]}),
            json!({"allOf": [{"type": "file"}], "default": ""}),
        ] {
            check(schema, false);
        }
    }

    #[test]
    fn a_default_outside_its_bounds_is_illegal() {
        for schema in [
            json!({"type": "integer", "maximum": 10, "default": 99}),
            json!({"type": "integer", "minimum": 1, "default": 0}),
            json!({"minimum": 1, "exclusiveMinimum": true, "default": 1}),
            json!({"exclusiveMaximum": 5, "default": 5}),
            json!({"type": "string", "enum": ["a", "b"], "default": "c"}),
            json!({"$ref": "#/named", "default": "b"}),
            json!({"type": "string", "minLength": 1, "default": ""}),
            json!({"type": "array", "maxItems": 1, "default": [1, 2]}),
            json!({"type": "object", "required": ["a"], "default": {}}),
            json!({"type": "object", "additionalProperties": false, "default": {"a": 1}}),
        ] {
            check(schema, false);
        }
    }

    #[test]
    fn a_legal_default_is_kept() {
        for schema in [
            json!({"type": "string", "nullable": true, "enum": ["a"], "default": null}),
            json!({"type": "integer", "default": 10}),
            json!({"type": "integer", "default": 10.0}),
            json!({"type": "number", "maximum": 10, "default": 1}),
            json!({"$ref": "#/named", "default": "a"}),
            json!({"type": "array", "items": {"type": "string"}, "default": []}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": "x"}),
            json!({"enum": [1, 2.0], "default": 2}),
            json!({"type": ["string", "null"], "format": "binary", "default": null}),
            json!({"default": {"any": 1}}),
        ] {
            check(schema, true);
        }
    }
}
