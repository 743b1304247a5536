//! Decides if a schema allows its own default. It checks the rules that catch nearly every wrong default: types, listed
//! values, bounds, lengths, members and items. Rules that only the check of a call's arguments applies are ignored
//! here.

use callgate_tree::{Node, Object, Path};

use crate::{
    document::Document,
    reference::{Located, beyond, chain},
    schema::members,
};

/// The default of a schema, or of its reference's target, if its schema allows it.
pub(crate) fn default_of<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> Option<&'d Node> {
    let default = declared_default(document, schema, path)?;
    is_legal(document, schema, path, default).then_some(default)
}

/// The default of a schema, or of its reference's target, legal or not.
pub(crate) fn declared_default<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> Option<&'d Node> {
    chain(document, schema, path).find_map(|node| node.get("default"))
}

/// Returns true if a schema allows a value.
pub(crate) fn is_legal<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
    value: &'d Node,
) -> bool {
    Legal { document, left: MOST_VISITED }.allows(schema, path, value)
}

struct Legal<'d> {
    document: &'d Document,
    left: usize,
}

impl<'d> Legal<'d> {
    fn allows(&mut self, schema: &'d Node, path: &Path<'_>, value: &'d Node) -> bool {
        let Some(left) = self.document.deeper(self.left, 1) else { return true };
        self.left = left;
        let further = beyond(self.document, schema, path);
        self.allows_here(schema, path, value)
            && further
                .iter()
                .all(|Located { node, pointer }| self.allows_here(node, &Path::at(pointer), value))
    }

    /// Checks the rules of a schema itself, without the target of its reference.
    fn allows_here(&mut self, schema: &'d Node, path: &Path<'_>, value: &'d Node) -> bool {
        let Some(object) = schema.as_object() else { return schema.as_bool() != Some(false) };
        is_nulled(object, value)
            || (members::allow(self.document, object, value)
                .unwrap_or_else(|| is_of_type(object, value) && self.lists(object, value))
                && is_within(object, value)
                && self.allows_below(object, path, value))
    }

    /// Returns true if a value is among the listed values.
    fn lists(&self, schema: &Object, value: &Node) -> bool {
        let same = |known: &Node| match (number(known), number(value)) {
            (Some(known), Some(value)) => (known - value).abs() == 0.0,
            _ => known == value,
        };
        let listed = schema.get("enum").and_then(Node::as_array);
        listed.is_none_or(|listed| self.document.affordable(listed, 1).any(same))
            && schema.get("const").is_none_or(same)
    }

    fn allows_below(&mut self, schema: &'d Object, path: &Path<'_>, value: &'d Node) -> bool {
        let branches =
            |keyword: &str| schema.get(keyword).and_then(Node::as_array).unwrap_or_default();
        if !branches("allOf").iter().all(|branch| self.allows(branch, path, value)) {
            return false;
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = branches(keyword);
            if !branches.is_empty()
                && !branches.iter().any(|branch| self.allows(branch, path, value))
            {
                return false;
            }
        }
        match value {
            Node::Array(items) => {
                let schema = schema.get("items").filter(|schema| schema.as_array().is_none());
                items.iter().all(|item| schema.is_none_or(|schema| self.allows(schema, path, item)))
            }
            Node::Object(members) => self.allows_members(schema, path, members),
            _ => true,
        }
    }

    fn allows_members(&mut self, schema: &'d Object, path: &Path<'_>, members: &'d Object) -> bool {
        let required = schema.get("required").and_then(Node::as_array).unwrap_or_default();
        let properties = schema.get("properties").and_then(Node::as_object);
        let mut required = required.iter().filter_map(Node::as_str);
        let is_closed = schema.get("additionalProperties").and_then(Node::as_bool) == Some(false)
            && schema.get("patternProperties").is_none();
        required.all(|name| members.contains(name))
            && members.iter().all(|(name, member)| {
                let property = properties.and_then(|properties| properties.get(name));
                property.map_or(!is_closed, |property| self.allows(property, path, member))
            })
    }
}

/// Returns true if the value is the `null` that `nullable` adds to the types (OpenAPI 3.0, and Swagger 2.0 by extension).
fn is_nulled(schema: &Object, value: &Node) -> bool {
    let says = |name: &str| schema.get(name).and_then(Node::as_bool) == Some(true);
    matches!(value, Node::Null) && (says("nullable") || says("x-nullable"))
}

fn is_of_type(schema: &Object, value: &Node) -> bool {
    let is_kind = |kind: &str| match kind {
        "array" => matches!(value, Node::Array(_)),
        "boolean" => matches!(value, Node::Bool(_)),
        "integer" => number(value).is_some_and(|number| number.fract() == 0.0),
        "null" => matches!(value, Node::Null),
        "number" => matches!(value, Node::Number(_)),
        "object" => matches!(value, Node::Object(_)),
        "string" => matches!(value, Node::String(_)),
        _ => true,
    };
    match schema.get("type") {
        Some(Node::String(kind)) => is_kind(kind),
        Some(Node::Array(kinds)) => kinds.iter().filter_map(Node::as_str).any(is_kind),
        _ => true,
    }
}

fn is_within(schema: &Object, value: &Node) -> bool {
    let bound = |name: &str| schema.get(name).and_then(number);
    let excludes = |name: &str| schema.get(name).and_then(Node::as_bool) == Some(true);
    let is_in = |size: f64, (least, most): (&str, &str)| {
        bound(least).is_none_or(|least| size >= least)
            && bound(most).is_none_or(|most| size <= most)
    };
    match value {
        Node::Number(_) => number(value).is_none_or(|value| {
            let is_below = |name: &str| bound(name).is_none_or(|most| value < most);
            let is_above = |name: &str| bound(name).is_none_or(|least| value > least);
            is_in(value, ("minimum", "maximum"))
                && is_below("exclusiveMaximum")
                && is_above("exclusiveMinimum")
                && (!excludes("exclusiveMaximum") || is_below("maximum"))
                && (!excludes("exclusiveMinimum") || is_above("minimum"))
        }),
        Node::String(text) => is_in(count(text.chars().count()), ("minLength", "maxLength")),
        Node::Array(items) => is_in(count(items.len()), ("minItems", "maxItems")),
        _ => true,
    }
}

/// A number with the precision that bounds need: the check of a call finds differences in later digits.
fn number(node: &Node) -> Option<f64> {
    node.as_number()?.as_f64()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nothing in memory has so many parts that one is lost"
)]
fn count(n: usize) -> f64 {
    n as f64
}

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
        let default = default_of(&document, schema, &Path::at("/schema"));
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
        ] {
            check(schema, false);
        }
    }

    #[test]
    fn a_default_beyond_a_bound_is_illegal() {
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
            json!({"default": {"any": 1}}),
        ] {
            check(schema, true);
        }
    }
}
