//! Listed values: `enum` and `const` of several schemas that have no value in common, or none that other rules allow.

use callgate_tree::Node;

use super::{Search, conflict::Conflict, rules::Rules};
use crate::{reference::LocatedNode, schema::listed_values::has_listed_values_to_convert};

pub(super) fn values_conflict<'d>(search: &mut Search<'d>, rules: &Rules<'d>) -> Option<Conflict> {
    for (schema, object) in rules.object_schemas() {
        let Some((keyword, listed)) = enumerated_values(schema.node) else { continue };
        if has_listed_values_to_convert(search.document, object) || listed.len() > MOST_VALUES {
            continue;
        }
        let is_refused = |value: &'d Node| {
            let mut schemas = rules.schemas.iter();
            schemas.any(|rule_schema| !search.may_allow(rule_schema, value))
        };
        if !listed.iter().all(is_refused) {
            continue;
        }
        let refuses = |rule_schema: &&LocatedNode<'d>| {
            let is_refused = |value| !search.may_allow(rule_schema, value);
            rule_schema.pointer != schema.pointer && listed.iter().any(is_refused)
        };
        let got = match rules.schemas.iter().rev().find(refuses) {
            Some(other) if other.node.get("enum").or_else(|| other.node.get("const")).is_some() => {
                format!("a list that has none in common with that at `{}`", other.pointer)
            }
            Some(other) => format!("values of which the schema at `{}` allows none", other.pointer),
            None => "values of which the rules beside them allow none".to_owned(),
        };
        let message = format!("expected a listed value that all rules allow, got {got}");
        return Some(Conflict::new(&schema.path().name(keyword), message));
    }
    None
}

/// The values that a schema lists. An empty list says nothing.
fn enumerated_values(node: &Node) -> Option<(&'static str, &[Node])> {
    let several = node.get("enum").and_then(Node::as_array).filter(|several| !several.is_empty());
    let only = || node.get("const").map(|only| ("const", std::slice::from_ref(only)));
    several.map(|several| ("enum", several)).or_else(only)
}

/// Longer lists are not searched: each value is compared with all schemas.
const MOST_VALUES: usize = 256;
