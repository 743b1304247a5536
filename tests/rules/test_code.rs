//! Tells test code from the code of the crates: tests may do what a rule forbids.

use syn::Attribute;

/// True if an item is compiled for tests alone.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().ok();
        list.is_some_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

/// True if a file holds the tests of a module.
pub(super) fn is_file_of_tests(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}
