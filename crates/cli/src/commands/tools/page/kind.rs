//! The type of a value in a few words: `string`, `list of {…}`, `integer or null`.

use crate::guide::Guide;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Folding {
    Nothing,
    Objects,
}

pub(super) fn kind_words(guide: Guide<'_>, folding: Folding) -> String {
    if let Some(only) = guide.only_value() {
        return only.to_string();
    }
    // A list may be its own item.
    let items = std::iter::successors(Some(guide), |guide| list_item(*guide)).take(MOST_LISTS);
    let (n_lists, item) = items.enumerate().last().unwrap_or((0, guide));
    format!("{}{}", "list of ".repeat(n_lists), single_kind_words(item, folding))
}

/// The type of a value that is no list of described items.
fn single_kind_words(guide: Guide<'_>, folding: Folding) -> String {
    if guide.allowed_value_kinds().bytes {
        return "file".to_owned();
    }
    let names = guide.types();
    if names == ["array"] {
        return "list".to_owned();
    }
    let is_folded = folding == Folding::Objects && is_object_with_members(guide);
    let name = |name: &&str| match *name {
        "object" if is_folded => "{…}".to_owned(),
        other => other.to_owned(),
    };
    let names: Vec<_> = names.iter().map(name).collect();
    if names.is_empty() { "any".to_owned() } else { names.join(" or ") }
}

/// True for an object with members, other than the bytes of a file.
pub(super) fn is_object_with_members(guide: Guide<'_>) -> bool {
    let kinds = guide.allowed_value_kinds();
    kinds.object && !kinds.bytes && !guide.declared_member_names().is_empty()
}

/// The items of a value that is a list and nothing else.
pub(super) fn list_item(guide: Guide<'_>) -> Option<Guide<'_>> {
    guide.item_guide().filter(|_| guide.types() == ["array"])
}

const MOST_LISTS: usize = 4;
