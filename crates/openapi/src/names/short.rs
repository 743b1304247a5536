//! Chooses the tools whose names are shorter than their `operationId`, or have words in place of its number or behind an id that
//! others have: a generator made the id, and the name in the program is legal, says something, and is like no other name of the
//! description. The result does not depend on the order of the operations.

use callgate_tool::{ToolName, ToolsetName};
use hashbrown::HashMap;

use crate::names::{
    Identity,
    generator::{Generator, has_specific_word, name_and_generator},
    is_argument_name_byte,
    path_words::{SharedIds, names_with_path_words},
    prefixed_name, starts_with_letter_or_underscore,
};

#[derive(Clone, Debug)]
pub(crate) struct ShortName {
    pub(crate) name: ToolName,
    pub(crate) generator: Generator,
}

/// The short names of operations whose names as written are `names`; `taken` are the names of other tools.
pub(crate) fn short_names(
    toolset: Option<&ToolsetName>,
    operations: &[Identity<'_>],
    names: &[Option<ToolName>],
    taken: &[ToolName],
) -> Vec<Option<ShortName>> {
    let shared_ids = SharedIds::new(operations);
    let worded = names_with_path_words(operations, &shared_ids);
    let short = operations.iter().zip(worded).map(|(operation, worded)| {
        if shared_ids.has_shared_id(operation) {
            return name_with_words(toolset, &worded?, Generator::Shared);
        }
        short_name(toolset, operation)
            .or_else(|| name_with_words(toolset, &worded?, Generator::Numbered))
    });
    let short: Vec<_> = short.collect();
    let mut claims = Claims::default();
    for (at, name) in names.iter().enumerate() {
        claims.add_claim(name.as_ref(), Some(at));
    }
    for (at, short) in short.iter().enumerate() {
        claims.add_claim(short.as_ref().map(|short| &short.name), Some(at));
    }
    for name in taken {
        claims.add_claim(Some(name), None);
    }
    let chosen = short.into_iter().enumerate().zip(names);
    let is_shorter = |short: &ShortName, name: &Option<ToolName>| {
        let is_shorter_than = |name: &ToolName| short.name.as_str().len() < name.as_str().len();
        matches!(short.generator, Generator::Numbered | Generator::Shared)
            || name.as_ref().is_some_and(is_shorter_than)
    };
    let chosen = chosen.map(|((at, short), name)| {
        short.filter(|short| claims.is_claimed_only_by(&short.name, at) && is_shorter(short, name))
    });
    chosen.collect()
}

/// A short name of a tool without that of its toolset; it has no `-` of its own.
pub(crate) fn name_without_toolset(name: &ToolName) -> Option<&str> {
    name.as_str().rsplit('-').next()
}

fn short_name(toolset: Option<&ToolsetName>, operation: &Identity<'_>) -> Option<ShortName> {
    let (own, generator) = name_and_generator(operation)?;
    let is_legal = starts_with_letter_or_underscore(&own) && own.bytes().all(is_argument_name_byte);
    let name = (is_legal && has_specific_word(&own)).then(|| prefixed_name(toolset, &own))?;
    Some(ShortName { name: ToolName::new(&name).ok()?, generator })
}

fn name_with_words(
    toolset: Option<&ToolsetName>,
    own: &str,
    generator: Generator,
) -> Option<ShortName> {
    let name = starts_with_letter_or_underscore(own).then(|| prefixed_name(toolset, own))?;
    Some(ShortName { name: ToolName::new(&name).ok()?, generator })
}

/// The operations that claim a name, or one that a look-up takes for it.
#[derive(Debug, Default)]
struct Claims(HashMap<String, Claim>);

#[derive(Debug, Eq, PartialEq)]
enum Claim {
    Many,
    One(usize),
}

impl Claims {
    fn add_claim(&mut self, name: Option<&ToolName>, by: Option<usize>) {
        let Some(name) = name else { return };
        let own = by.map_or(Claim::Many, Claim::One);
        let entry = self.0.entry(lookup_key(name));
        entry
            .and_modify(|claim| {
                if *claim != own {
                    *claim = Claim::Many;
                }
            })
            .or_insert(own);
    }

    fn is_claimed_only_by(&self, name: &ToolName, operation: usize) -> bool {
        self.0.get(&lookup_key(name)) == Some(&Claim::One(operation))
    }
}

/// A name as look-ups compare it.
fn lookup_key(name: &ToolName) -> String {
    let letters = name.as_str().chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::names::tool_names;

    fn names(toolset: &str, rows: &[(&str, &str, &str)], taken: &[&str]) -> Vec<String> {
        let toolset = ToolsetName::new(toolset).ok();
        let operations: Vec<_> = rows
            .iter()
            .map(|&(method, path, id)| Identity { method, operation_id: Some(id), path, tag: None })
            .collect();
        let taken: Vec<_> = taken.iter().map(|name| ToolName::new(name).unwrap()).collect();
        let names = tool_names(toolset.as_ref(), &operations);
        let short = short_names(toolset.as_ref(), &operations, &names, &taken);
        let chosen = short.into_iter().zip(names);
        let chosen = chosen.map(|(short, name)| short.map(|short| short.name).or(name));
        chosen.map(|name| name.expect("a name").to_string()).collect()
    }

    #[test]
    fn a_generated_name_becomes_that_of_the_function_behind_the_toolset() {
        let row = ("GET", "/orders/{order_id}", "read_order_orders__order_id__get");
        assert_eq!(names("shop", &[row], &[]), ["shop-read_order"]);
        assert_eq!(names("", &[row], &[]), ["read_order"]);
    }

    #[test]
    fn names_that_would_be_alike_stay_as_written() {
        let [a, b] = [("GET", "/a", "read_item_a_get"), ("GET", "/b", "read_item_b_get")];
        assert_eq!(names("", &[a, b], &[]), ["read_item_a_get", "read_item_b_get"]);
        let written = ("GET", "/c", "readItem");
        assert_eq!(names("", &[a, written], &[]), ["read_item_a_get", "readItem"]);
        assert_eq!(names("", &[a], &["ReadItem"]), ["read_item_a_get"]);
        // The short name of one is the whole name of another.
        let other = ("GET", "/get", "read_item_a_get_get_get");
        assert_eq!(names("", &[a, other], &[])[1], "read_item_a_get_get_get");
    }

    #[test]
    fn ids_that_differ_by_a_number_take_words_of_their_paths_if_no_other_tool_has_the_name() {
        let [a, b] = [("GET", "/x/a", "getConfig_1"), ("GET", "/x/b", "getConfig_2")];
        assert_eq!(names("", &[a, b], &[]), ["getConfig_a", "getConfig_b"]);
        assert_eq!(names("t", &[a, b], &["t-GetConfigB"]), ["t-getConfig_a", "t-getConfig_2"]);
        let long = format!("/x/{}", "b".repeat(64));
        let b = ("GET", long.as_str(), "getConfig_2");
        assert_eq!(names("", &[a, b], &[]), ["getConfig_a", "getConfig_2"]);
    }

    #[test]
    fn an_id_of_several_operations_is_not_shortened_but_takes_words_if_no_other_tool_has_the_name()
    {
        let rows = [("GET", "/a", "read_item_a_get"), ("POST", "/a", "read_item_a_get")];
        assert_eq!(names("", &rows, &[]), ["read_item_a_get_get", "read_item_a_get_post"]);
        let [a, b] = [("GET", "/x/a", "list-items"), ("GET", "/x/b", "list-items")];
        assert_eq!(names("t", &[a, b], &[]), ["t-list_items_a", "t-list_items_b"]);
        let [kept, other] = &names("", &[a, b], &["listItemsA"])[..] else { panic!("two names") };
        assert_eq!((kept.len(), &**other), ("list-items_000000".len(), "list_items_b"));
        let long = format!("/x/{}", "b".repeat(64));
        let got = names("", &[a, ("GET", long.as_str(), "list-items")], &[]);
        assert!(got[1].starts_with("list-items_") && got[1].len() == kept.len(), "{got:?}");
    }

    #[test]
    fn a_name_that_says_nothing_or_is_illegal_stays_as_written() {
        for (path, id) in [
            ("/a", "create_a_get"),
            ("/a", "_a_get"),
            ("/a", "1st_a_get"),
            ("/a", "\u{e9}t\u{e9}_a_get"),
        ] {
            let full = names("", &[("PUT", path, id)], &[]);
            assert_eq!(names("", &[("GET", path, id)], &[]), full, "{id}");
        }
    }

    proptest! {
        #[test]
        fn short_names_are_unique_and_do_not_depend_on_order(
            rows in prop::collection::vec(("[ab]{1,2}", "[abg/_]{0,3}", prop::bool::ANY), 1..16),
            seed in any::<u64>(),
        ) {
            let rows: Vec<(String, String)> = rows.into_iter().enumerate().map(|(at, (name, path, is_made))| {
                let path = format!("/{path}{}", at % 3);
                let id = if is_made { format!("{name}{}_get", path.replace('/', "_")) } else { name };
                (path, id)
            }).collect();
            let rows: Vec<_> = rows.iter().map(|(path, id)| ("GET", path.as_str(), id.as_str())).collect();
            let straight = names("t", &rows, &[]);
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by_key(|at| (*at as u64).wrapping_mul(seed | 1).rotate_left(17));
            let shuffled: Vec<_> = order.iter().map(|&at| rows[at]).collect();
            let other = names("t", &shuffled, &[]);
            for (to, from) in order.iter().enumerate() {
                // Equal rows are told apart by nothing.
                if rows.iter().filter(|row| **row == rows[*from]).count() == 1 {
                    prop_assert_eq!(&other[to], &straight[*from]);
                }
            }
            let different: BTreeSet<_> = rows.iter().collect();
            if different.len() == rows.len() {
                let distinct: BTreeSet<_> = straight.iter().collect();
                prop_assert_eq!(distinct.len(), straight.len());
            }
        }
    }
}
