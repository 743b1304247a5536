//! The library's front is chosen: its names are listed by hand, few enough to be read, and none comes by a glob. That every type
//! of a public signature is among them is held by `tests/public-api/run`, which has rustdoc list the signatures.

use super::{imports::imports, workspace::root};
use crate::prelude::*;

/// The public names of a file: types, functions, traits, macros, constants and modules; a glob is `*`.
fn names(items: &[Item]) -> Vec<String> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Mod(module) if is_public(&module.vis) => {
                let inside = module.content.iter().flat_map(|(_, items)| names(items));
                found.extend(inside.chain([module.ident.to_string()]));
            }
            Item::Use(used) if is_public(&used.vis) => {
                found.extend(imports(&used.tree).into_iter().map(|(_, name)| name));
            }
            _ => {}
        }
    }
    found
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn names_in(text: &str) -> Vec<String> {
    names(&syn::parse_file(text).unwrap().items)
}

/// More are no longer read.
const MOST_NAMES: usize = 238;

/// The names at the root, beside modules: the paved path.
const MOST_ROOT_NAMES: usize = 40;

#[test]
fn names_are_counted_in_modules_and_groups_too() {
    let text =
        "pub use {a::B, c}; pub mod m { pub use d::{E as F, g::*}; } mod n { pub use h::I; }";
    assert_eq!(names_in(text), ["B", "c", "F", "*", "m"]);
}

#[test]
fn the_facade_has_few_names_and_no_glob() {
    let text = fs::read_to_string(root().join("crates/callgate/src/lib.rs")).unwrap();
    let names = names_in(&text);
    assert!(names.len() <= MOST_NAMES, "{} names", names.len());
    assert!(!names.iter().any(|name| name == "*"), "a glob");
    let mut items = syn::parse_file(&text).unwrap().items;
    items.retain(|item| !matches!(item, Item::Mod(_)));
    let root = self::names(&items);
    assert!(root.len() <= MOST_ROOT_NAMES, "{} names at the root", root.len());
}
