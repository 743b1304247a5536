//! Every item of the library's front shows in an example how it is used. The front lists the items; the example stands in
//! the documentation of the item, in the crate that it comes from. Read with `syn`; that examples run is Cargo's work.

use std::fs;

use syn::{Attribute, Expr, Item, Lit, Meta, UseTree, Visibility};

use super::workspace::{File, root, rust_files};

/// An item that the front re-exports: the folder of its crate, and its name there.
#[derive(Debug, Eq, PartialEq)]
struct Shown {
    folder: String,
    name: String,
}

/// The items of our crates that the text of a front re-exports.
fn shown(text: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    in_items(&syn::parse_file(text).expect("a file is Rust").items, &mut found);
    found
}

fn in_items(items: &[Item], found: &mut Vec<Shown>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                module.content.iter().for_each(|(_, items)| in_items(items, found));
            }
            Item::Use(used) if matches!(used.vis, Visibility::Public(_)) => {
                let UseTree::Path(path) = &used.tree else { continue };
                let name = path.ident.to_string();
                let Some(folder) = name.strip_prefix("callgate_") else { continue };
                leaves(&path.tree, folder, found);
            }
            _ => {}
        }
    }
}

fn leaves(tree: &UseTree, folder: &str, found: &mut Vec<Shown>) {
    let mut push = |name: &syn::Ident| {
        found.push(Shown { folder: folder.to_owned(), name: name.to_string() });
    };
    match tree {
        UseTree::Path(path) => leaves(&path.tree, folder, found),
        UseTree::Name(name) => push(&name.ident),
        UseTree::Rename(rename) => push(&rename.ident),
        UseTree::Glob(_) => {}
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, folder, found)),
    }
}

/// The names of the public items of a file whose documentation has an example.
fn with_example(file: &File) -> Vec<String> {
    let syntax = syn::parse_file(&file.text).expect("a file is Rust");
    let named = syntax.items.iter().filter_map(|item| {
        let (attributes, name) = match item {
            Item::Enum(item) => (&item.attrs, &item.ident),
            Item::Fn(item) => (&item.attrs, &item.sig.ident),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()?),
            Item::Struct(item) => (&item.attrs, &item.ident),
            Item::Trait(item) => (&item.attrs, &item.ident),
            Item::Type(item) => (&item.attrs, &item.ident),
            _ => return None,
        };
        has_example(attributes).then(|| name.to_string())
    });
    named.collect()
}

/// True if a line of documentation opens a block of code.
fn has_example(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => text.value().trim_start().starts_with("```"),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    })
}

/// The rule: the items of a front that have no example.
fn unshown(front: &str, sources: &[File]) -> Vec<String> {
    let with_example: Vec<_> = sources
        .iter()
        .flat_map(|file| {
            let folder = file.path.split('/').nth(1).unwrap_or_default().to_owned();
            with_example(file).into_iter().map(move |name| Shown { folder: folder.clone(), name })
        })
        .collect();
    let lacks = shown(front).into_iter().filter(|item| !with_example.contains(item));
    lacks.map(|Shown { folder, name }| format!("crates/{folder}: {name}")).collect()
}

#[test]
fn an_item_without_an_example_is_found_by_its_crate() {
    let front = "pub use callgate_a::{B, c::{D, E as F}}; pub mod m { pub use callgate_g::B; } use callgate_a::H;";
    let text = "/// A b.\n///\n/// ```\n/// b();\n/// ```\npub struct B;\n/// A d.\npub enum D {}\n/// ```\n/// ```\npub trait E {}";
    let file = File { path: "crates/a/src/b.rs".to_owned(), text: text.to_owned() };
    assert_eq!(unshown(front, &[file]), ["crates/a: D", "crates/g: B"]);
}

#[test]
fn every_item_of_the_front_has_an_example() {
    let front = fs::read_to_string(root().join("crates/callgate/src/lib.rs")).unwrap();
    let sources = rust_files("crates");
    let lacks = unshown(&front, &sources);
    assert!(lacks.is_empty(), "expected an example in the documentation of:\n{}", lacks.join("\n"));
}
