//! Tells test code from the code of the crates: tests may do what a rule forbids.

use super::workspace::File;
use crate::prelude::*;

/// The syntax of a file without the modules and functions that are compiled for tests alone.
pub(super) fn code_of(file: &File) -> syn::File {
    let syntax = syn::parse_file(&file.text);
    let mut syntax = syntax.unwrap_or_else(|error| panic!("`{}` is Rust: {error}", file.path));
    remove_tests(&mut syntax.items);
    syntax
}

fn remove_tests(items: &mut Vec<Item>) {
    items.retain(|item| match item {
        Item::Fn(ItemFn { attrs, .. }) | Item::Mod(ItemMod { attrs, .. }) => !is_for_tests(attrs),
        _ => true,
    });
    for item in items {
        if let Item::Mod(ItemMod { content: Some((_, items)), .. }) = item {
            remove_tests(items);
        }
    }
}

/// True if an item is compiled for tests alone.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().ok();
        list.is_some_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

/// True if a file holds the tests of a module.
pub(super) fn is_file_of_tests(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}
