//! Arrays: counts that exclude each other, and items that must exist although no value meets their schema.

use callgate_tree::{Node, Object};

use super::{
    Search,
    bounds::{count_keyword, counts_conflict, largest_count, smallest_count},
    conflict::Conflict,
    rules::{Rules, list_items},
};
use crate::reference::LocatedNode;

pub(super) fn items_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    depth: usize,
) -> Option<Conflict> {
    counts_conflict(rules, "minItems", "maxItems")
        .or_else(|| contains_keyword_conflict(search, rules, depth))
        .or_else(|| required_items_conflict(search, rules, depth))
}

/// The reason why no array has the items that `contains` requires.
fn contains_keyword_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    depth: usize,
) -> Option<Conflict> {
    for (schema, object) in rules.object_schemas() {
        let Some(wanted) = schema.member("contains").filter(is_schema) else { continue };
        let least = count_keyword(object, "minContains").unwrap_or(1);
        if least == 0 {
            continue;
        }
        let most = count_keyword(object, "maxContains").map(|most| (most, schema, "maxContains"));
        let all =
            smallest_count(rules, "maxItems").map(|(most, schema)| (most, schema, "maxItems"));
        let mut limits = most.into_iter().chain(all);
        if let Some((most, other, keyword)) = limits.find(|(most, ..)| *most < least) {
            let message = format!(
                "expected `{keyword}` of at least the items that `contains` at `{}` requires, `{least}`, got: `{most}`",
                schema.pointer
            );
            return Some(Conflict::new(&other.path().name(keyword), message));
        }
        let has_positions =
            rules.object_schemas().any(|(_, object)| !position_schemas(object).is_empty());
        let mut together = vec![wanted];
        if !has_positions {
            together.extend(rules.schemas.iter().filter_map(|schema| schema.member("items")));
        }
        if let Some(conflict) = search.schemas_conflict(&together, depth) {
            return Some(conflict);
        }
    }
    None
}

fn required_items_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    depth: usize,
) -> Option<Conflict> {
    let n_required = usize::try_from(largest_count(rules, "minItems")).unwrap_or(usize::MAX);
    let n_named = rules.object_schemas().map(|(_, object)| position_schemas(object).len()).max()?;
    (0..n_required.min(n_named.saturating_add(1)).min(MOST_POSITIONS)).find_map(|at| {
        let each = rules.schemas.iter().filter_map(|schema| item_schema(schema, at));
        let each: Vec<_> = each.filter(is_schema).collect();
        if each.is_empty() { None } else { search.schemas_conflict(&each, depth) }
    })
}

/// The schema of the item at a position; one beyond all positions stands for all others.
fn item_schema<'d>(schema: &LocatedNode<'d>, at: usize) -> Option<LocatedNode<'d>> {
    let listed = schema.node.get("items").and_then(Node::as_array).is_some();
    let list = schema.member(if listed { "items" } else { "prefixItems" });
    let own = list.and_then(|list| list_items(&list).into_iter().nth(at));
    own.or_else(|| schema.member("items").filter(|_| !listed))
}

/// The schemas by position; older drafts write them under `items`.
fn position_schemas(object: &Object) -> &[Node] {
    let list = |name: &str| object.get(name).and_then(Node::as_array);
    list("items").or_else(|| list("prefixItems")).unwrap_or_default()
}

fn is_schema(schema: &LocatedNode<'_>) -> bool {
    matches!(schema.node, Node::Bool(_) | Node::Object(_))
}

/// Positions beyond this one are not searched.
const MOST_POSITIONS: usize = 16;
