//! Objects: counts that exclude each other, and required members that may not exist or that no value meets.

use callgate_tree::{Node, Object};
use indexmap::IndexMap;

use super::{
    Search,
    bounds::{counts_conflict, largest_count, smallest_count},
    conflict::Conflict,
    rules::Rules,
};
use crate::{reference::LocatedNode, schema::one_way::is_readonly_or_writeonly};

type RequiredMembers<'a, 'd> = IndexMap<&'d str, &'a LocatedNode<'d>>;

pub(super) fn members_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    depth: usize,
) -> Option<Conflict> {
    if let Some(conflict) = counts_conflict(rules, "minProperties", "maxProperties") {
        return Some(conflict);
    }
    let required = required_members(search, rules);
    for (name, by) in &required {
        if let Some(conflict) = required_member_conflict(search, rules, name, by, depth) {
            return Some(conflict);
        }
    }
    too_many_required_conflict(rules, &required).or_else(|| too_few_members_conflict(rules))
}

/// The members that a request must have; those that occur only in requests, or only in responses, are left out.
fn required_members<'a, 'd>(search: &Search<'d>, rules: &'a Rules<'d>) -> RequiredMembers<'a, 'd> {
    let mut required = RequiredMembers::new();
    let names = |list: Option<&'d Node>| {
        let list: &'d [Node] = list.and_then(Node::as_array).unwrap_or_default();
        list.iter().filter_map(Node::as_str)
    };
    for (schema, object) in rules.object_schemas() {
        // In Swagger 2.0 `required: true` of a parameter is no list.
        required.extend(names(object.get("required")).map(|name| (name, schema)));
    }
    let mut at = 0;
    while let Some((name, _)) = required.get_index(at) {
        let name = *name;
        for (schema, object) in rules.object_schemas() {
            let by_names = object.get("dependentRequired").and_then(Node::as_object);
            for name in names(by_names.and_then(|by_names| by_names.get(name))) {
                required.entry(name).or_insert(schema);
            }
        }
        at += 1;
    }
    required.retain(|name, _| {
        let properties = rules.schemas.iter().filter_map(|schema| property_schema(schema, name));
        !properties.into_iter().any(|property| {
            is_readonly_or_writeonly(search.document, property.node, &property.path())
        })
    });
    required
}

fn required_member_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    name: &str,
    by: &LocatedNode<'d>,
    depth: usize,
) -> Option<Conflict> {
    let mut own = Vec::new();
    for (schema, object) in rules.object_schemas() {
        if let Some(property) = property_schema(schema, name) {
            if property.node.as_bool() == Some(false) {
                return Some(forbidden_member_conflict(&property, name, by, schema));
            }
            own.push(property);
            continue;
        }
        if has_names_by_pattern(object) {
            continue;
        }
        match object.get("additionalProperties") {
            Some(Node::Bool(false)) => return Some(closed_object_conflict(schema, name, by)),
            Some(Node::Object(_)) => own.extend(schema.member("additionalProperties")),
            _ => {}
        }
    }
    if own.is_empty() { None } else { search.schemas_conflict(&own, depth) }
}

fn forbidden_member_conflict(
    property: &LocatedNode<'_>,
    name: &str,
    by: &LocatedNode<'_>,
    schema: &LocatedNode<'_>,
) -> Conflict {
    let message = if by.pointer == schema.pointer {
        format!("expected a required property that may exist, got: `{name}`")
    } else {
        format!(
            "expected a property that may exist, since `{}` requires it, got: `{name}`",
            by.pointer
        )
    };
    Conflict::new(&property.path(), message)
}

fn closed_object_conflict(schema: &LocatedNode<'_>, name: &str, by: &LocatedNode<'_>) -> Conflict {
    let (by, path) = (by.path(), schema.path());
    if schema.pointer == by.pointer() {
        let message = format!(
            "expected a required property that may exist, got one that `additionalProperties: false` excludes: `{name}`"
        );
        return Conflict::new(&by.name("required"), message);
    }
    let message = format!(
        "expected a required property that may exist, got one that `additionalProperties: false` at `{}` excludes: `{name}`",
        path.pointer()
    );
    Conflict::new(&by.name("required"), message).with_help(OPEN)
}

fn too_many_required_conflict(
    rules: &Rules<'_>,
    required: &RequiredMembers<'_, '_>,
) -> Option<Conflict> {
    let (most, schema) = smallest_count(rules, "maxProperties")?;
    let n = required.len();
    let message =
        format!("expected `maxProperties` of at least the required members, `{n}`, got: `{most}`");
    (u64::try_from(n).is_ok_and(|n| n > most))
        .then(|| Conflict::new(&schema.path().name("maxProperties"), message))
}

fn too_few_members_conflict(rules: &Rules<'_>) -> Option<Conflict> {
    let least = largest_count(rules, "minProperties");
    rules.object_schemas().find_map(|(schema, object)| {
        let is_closed = object.get("additionalProperties").and_then(Node::as_bool) == Some(false);
        if !is_closed || has_names_by_pattern(object) {
            return None;
        }
        let n = object.get("properties").and_then(Node::as_object).map_or(0, Object::len);
        let message = format!(
            "expected at least `minProperties` members that may exist, `{least}`, got: `{n}`"
        );
        (u64::try_from(n).is_ok_and(|n| n < least))
            .then(|| Conflict::new(&schema.path().name("additionalProperties"), message))
    })
}

fn property_schema<'d>(schema: &LocatedNode<'d>, name: &str) -> Option<LocatedNode<'d>> {
    let node = schema.node.get("properties")?.get(name)?;
    Some(LocatedNode::new(node, &schema.path().name("properties").name(name)))
}

/// True if a schema may name properties by patterns, which are not searched.
fn has_names_by_pattern(object: &Object) -> bool {
    object.get("patternProperties").is_some()
}

const OPEN: &str =
    "remove `additionalProperties: false` there, for example by an overlay; no value meets both";
