//! `anyOf` and `oneOf`, no alternative of which can be met; and equal alternatives of `oneOf`, which exclude each other.

use callgate_tree::Node;

use super::{
    Search,
    conflict::Conflict,
    rules::{Rules, list_items},
};
use crate::reference::LocatedNode;

/// The reason why the rules can be met with no alternative.
pub(super) fn alternatives_conflict<'d>(
    search: &mut Search<'d>,
    rules: &Rules<'d>,
    depth: usize,
) -> Option<Conflict> {
    let depth = depth.checked_sub(1)?;
    let mut rest = rules.clone();
    let list = rest.alternatives.pop()?;
    let branches = list_items(&list);
    let is_one = list.pointer.ends_with("/oneOf");
    let mut first = None;
    for (at, branch) in branches.iter().enumerate() {
        let twin = if is_one { equal_alternative(&branches, at) } else { None };
        let conflict = if let Some(twin) = twin {
            equal_branches_conflict(branch, twin)
        } else {
            let mut with = rest.clone();
            match with.add_schema(search, branch.clone()) {
                Some(conflict) => conflict,
                None => search.rules_conflict(&with, depth)?,
            }
        };
        first.get_or_insert(conflict);
    }
    let first = first?;
    if branches.len() == 1 {
        return Some(first);
    }
    let message =
        format!("expected an alternative that a value may meet, got none; {}", first.message());
    Some(Conflict::new(&list.path(), message).with_help(ALTERNATIVE))
}

/// Another alternative that is equal: whoever meets one meets both.
fn equal_alternative<'a, 'd>(
    branches: &'a [LocatedNode<'d>],
    at: usize,
) -> Option<&'a LocatedNode<'d>> {
    let own = branches.get(at)?;
    let is_long = branches.len() > MOST_COMPARED;
    let others = branches.iter().enumerate().filter(|(other, _)| *other != at && !is_long);
    let is_alike = |other: &LocatedNode<'d>| match (own.node, other.node) {
        (Node::Object(own), Node::Object(other)) => own == other,
        (own, other) => own.as_bool() == Some(true) && other.as_bool() == Some(true),
    };
    others.map(|(_, other)| other).find(|other| is_alike(other))
}

fn equal_branches_conflict(branch: &LocatedNode<'_>, twin: &LocatedNode<'_>) -> Conflict {
    let message = format!(
        "expected alternatives of `oneOf` of which a value meets one, got two that are equal, the other at `{}`",
        twin.pointer
    );
    Conflict::new(&branch.path(), message).with_help("remove one of them; no value meets only one")
}

/// Longer lists are not searched for equal alternatives: each is compared with all others.
const MOST_COMPARED: usize = 32;

const ALTERNATIVE: &str = "correct one of the alternatives, for example by an overlay";
