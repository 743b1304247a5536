//! The stems of definitions' names, and the schemas of a description whose stem is unique.

use std::sync::Arc;

use callgate_tree::{Node, Path};
use hashbrown::HashMap;

use crate::document::Document;

/// The stem of a definition's name: the last part of its pointer, or its file name if the pointer is the whole file.
pub(super) fn name_stem(pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    let last = last
        .strip_suffix('#')
        .map_or(last, |file| file.rsplit_once('.').map_or(file, |(name, _extension)| name));
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut stem: String = last.chars().take(LONGEST_STEM).map(legal).collect();
    if !stem.starts_with(|c: char| c.is_ascii_alphabetic()) {
        stem.insert_str(0, "Schema_");
    }
    stem
}

/// The length at which a stem is cut; names that become equal get numbers.
const LONGEST_STEM: usize = 200;

/// The schemas that a description itself names, by their stems.
#[derive(Debug)]
pub(super) struct Stems(HashMap<String, Option<Arc<str>>>);

impl Stems {
    /// The schemas of the document itself, without those of the documents that it refers to.
    pub(super) fn from_document(document: &Document) -> Self {
        let mut stems = HashMap::new();
        for way in [&["components", "schemas"][..], &["definitions"]] {
            let schemas = way.iter().try_fold(document.root(), |above, name| above.get(name));
            for (name, _) in schemas.into_iter().flat_map(Node::members) {
                let pointer = match way {
                    [outer, inner] => Path::ROOT.name(outer).name(inner).name(name).pointer(),
                    _ => Path::ROOT.name("definitions").name(name).pointer(),
                };
                let entry = stems.entry(name_stem(&pointer));
                entry.and_modify(|only_pointer| *only_pointer = None).or_insert(Some(pointer));
            }
        }
        Self(stems)
    }

    pub(super) fn unique_pointer(&self, stem: &str) -> Option<&Arc<str>> {
        self.0.get(stem)?.as_ref()
    }
}
