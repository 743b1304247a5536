//! Every public function that waits has a row in `tests/integration/futures.rs`, which shows that its future can be sent.

use crate::prelude::*;
use syn::{ImplItem, ReturnType, TraitItem};

use super::rust_files;

/// The names of the public functions of a file that wait, one for each.
fn waiting(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for item in syn::parse_file(text).expect("a file is Rust").items {
        match item {
            Item::Fn(item) => names.extend(public(&item.vis, &item.sig)),
            Item::Impl(item) if item.trait_.is_none() => {
                names.extend(item.items.iter().filter_map(|each| match each {
                    ImplItem::Fn(each) => public(&each.vis, &each.sig),
                    _ => None,
                }));
            }
            Item::Trait(item) if matches!(item.vis, Visibility::Public(_)) => {
                names.extend(item.items.iter().filter_map(|each| match each {
                    TraitItem::Fn(each) => public(&item.vis, &each.sig),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    names
}

/// The name of a function that is public and waits.
fn public(visibility: &Visibility, signature: &Signature) -> Option<String> {
    let is_future = match &signature.output {
        ReturnType::Type(_, answer) => matches!(&**answer, Type::ImplTrait(kind) if
            kind.bounds.iter().any(|bound| matches!(bound, syn::TypeParamBound::Trait(bound)
                if bound.path.segments.last().is_some_and(|last| last.ident == "Future")))),
        ReturnType::Default => false,
    };
    let waits = signature.asyncness.is_some() || is_future;
    (waits && matches!(visibility, Visibility::Public(_))).then(|| signature.ident.to_string())
}

#[test]
fn public_functions_that_wait_are_found() {
    let text = "pub async fn a() {} async fn b() {} pub(crate) async fn c() {}
        impl A { pub async fn d(&self) {} async fn e() {} pub fn f() -> impl Future<Output = u8> {} }
        pub trait T { async fn g(&self); fn h(&self); } trait U { async fn i(&self); }
        impl T for A { async fn g(&self) {} }";
    assert_eq!(waiting(text), ["a", "d", "f", "g"]);
}

#[test]
fn every_public_function_that_waits_has_a_row() {
    let rows = include_str!("../integration/futures.rs");
    let rows = rows.split("is_send(").skip(1).filter_map(|row| row.split('(').next());
    let rows: Vec<_> = rows.collect();
    // What stands in a row before the arguments of the function: `is_send(executor.call(`.
    let is_of = |row: &&&str, name: &str| **row == name || row.ends_with(&format!(".{name}"));
    let mut found: Vec<_> = rust_files("crates")
        .iter()
        .filter(|file| file.path.contains("/src/") && !file.path.starts_with("crates/cli/"))
        .filter(|file| !file.path.ends_with("tests.rs") && !file.path.contains("/tests/"))
        .filter(|file| !file.path.ends_with("test_server.rs"))
        .flat_map(|file| waiting(&file.text))
        .collect();
    found.sort();
    let n_wanted = |name: &String| found.iter().filter(|found| *found == name).count();
    let n_rows = |name: &String| rows.iter().filter(|row| is_of(row, name)).count();
    let missing: Vec<_> = found.iter().filter(|name| n_rows(name) < n_wanted(name)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "write `is_send(…)` for each");
}
