//! Every item of the library's front shows in an example how it is used. The front lists the items; the example stands in
//! the documentation of the item, in the crate that it comes from. Read with `syn`; that examples run is Cargo's work.

use crate::prelude::*;
use syn::{ItemMacro, Lit};

use super::{
    imports::imports,
    workspace::{File, root, rust_files},
};

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
                let names = imports(&path.tree).into_iter().filter(|(_, name)| name != "*");
                let names = names.filter_map(|(mut path, _)| path.pop());
                found.extend(names.map(|name| Shown { folder: folder.to_owned(), name }));
            }
            _ => {}
        }
    }
}

/// The names of the public items of a file whose documentation has an example, with those that macros make.
fn with_example(file: &File) -> Vec<String> {
    let items = syn::parse_file(&file.text).expect("a file is Rust").items;
    items.iter().flat_map(names_with_example).collect()
}

fn names_with_example(item: &Item) -> Vec<String> {
    let (attributes, name) = match item {
        Item::Enum(item) => (&item.attrs, &item.ident),
        Item::Fn(item) => (&item.attrs, &item.sig.ident),
        Item::Macro(item) => return macro_names(item),
        Item::Struct(item) => (&item.attrs, &item.ident),
        Item::Trait(item) => (&item.attrs, &item.ident),
        Item::Type(item) => (&item.attrs, &item.ident),
        _ => return Vec::new(),
    };
    has_example(attributes).then(|| name.to_string()).into_iter().collect()
}

/// The name of a macro with an example, and of the type that it makes.
fn macro_names(item: &ItemMacro) -> Vec<String> {
    let text = item.mac.tokens.to_string();
    let named = |keyword: &str| text.split(keyword).nth(1)?.split_whitespace().next();
    let made = named("pub enum ").or_else(|| named("pub struct "));
    let made = made.filter(|_| text.contains("```")).map(str::to_owned);
    let own = item.ident.as_ref().filter(|_| has_example(&item.attrs));
    own.map(ToString::to_string).into_iter().chain(made).collect()
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
fn an_item_without_an_example_is_reported_with_its_crate() {
    let front = "pub use callgate_a::{B, c::{D, E as F}, I}; pub mod m { pub use callgate_g::B; } use callgate_a::H;";
    let text = "/// A b.\n///\n/// ```\n/// b();\n/// ```\npub struct B;\n/// A d.\npub enum D {}\n/// ```\n/// ```\npub trait E {}\nmacro_rules! m { () => { /// ```\n/// ```\n pub enum I {} } }";
    assert_eq!(
        unshown(front, &[File::new("crates/a/src/b.rs", text)]),
        ["crates/a: D", "crates/g: B"]
    );
}

#[test]
fn every_item_of_the_facade_has_an_example() {
    let front = fs::read_to_string(root().join("crates/callgate/src/lib.rs")).unwrap();
    let sources = rust_files("crates");
    let lacks = unshown(&front, &sources);
    assert!(lacks.is_empty(), "expected an example in the documentation of:\n{}", lacks.join("\n"));
}
