//! The names that a `use` brings in.

use crate::prelude::*;

/// The path of each import of a tree and the name it is imported by; `*` is everything below its path.
pub(super) fn imports(tree: &UseTree) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    gather(tree, &[], &mut found);
    found
}

fn gather(tree: &UseTree, before: &[String], into: &mut Vec<(Vec<String>, String)>) {
    let with = |name: &Ident| [before, &[name.to_string()]].concat();
    match tree {
        UseTree::Glob(_) => into.push((before.to_vec(), "*".to_owned())),
        UseTree::Group(group) => group.items.iter().for_each(|each| gather(each, before, into)),
        UseTree::Name(leaf) if leaf.ident == "self" => {
            into.push((before.to_vec(), before.last().cloned().unwrap_or_default()));
        }
        UseTree::Name(leaf) => into.push((with(&leaf.ident), leaf.ident.to_string())),
        UseTree::Path(path) => gather(&path.tree, &with(&path.ident), into),
        UseTree::Rename(leaf) => into.push((with(&leaf.ident), leaf.rename.to_string())),
    }
}
