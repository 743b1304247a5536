//! Indexes a tree for references: its `$id`s and `$anchor`s, and the other documents it names. One walk over the tree;
//! only names of documents are resolved here.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_tree::{Node, Object, Path};
use hashbrown::HashMap;

use crate::{
    address::{SESSION_ID, check_requestable, resolved_document_name},
    document::base::Base,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The names of the schemas with an `$id`, by their pointers.
    pub(super) names: HashMap<String, Arc<str>>,
    /// The pointers of the schemas with an `$id`, by their names.
    pub(super) pointers: HashMap<Arc<str>, Arc<str>>,
    /// The pointers of anchors, by the name of their resource, `#`, and their own name.
    pub(super) anchors: HashMap<String, Arc<str>>,
    pub(super) dynamic: HashMap<String, Vec<Anchor>>,
    /// The names of the documents it refers to, each with the file that replaces it, if there is one.
    pub(super) needed: BTreeMap<Arc<str>, Option<Arc<str>>>,
    pub(super) n_nodes: usize,
}

pub(super) type Anchor = (Arc<str>, Arc<str>);

impl Index {
    /// Walks over the tree of a document. The walk stops after `most` values.
    pub(super) fn from_tree(root: &Node, base: &Base, most: usize) -> Self {
        let mut walk = Indexer { index: Self::default(), addresses: BTreeSet::new(), base, most };
        walk.index_node(
            root,
            &Path::ROOT,
            &SchemaLocation { base: &base.relative_to, is_names: false },
        );
        walk.index
    }
}

#[derive(Clone, Copy)]
struct SchemaLocation<'a> {
    base: &'a str,
    /// True if the members of an object here have names that an author chose, not keywords.
    is_names: bool,
}

struct Indexer<'d> {
    index: Index,
    /// The references that were visited, each by its base and text.
    addresses: BTreeSet<(String, &'d str)>,
    base: &'d Base,
    most: usize,
}

impl<'d> Indexer<'d> {
    fn index_node(&mut self, node: &'d Node, path: &Path<'_>, here: &SchemaLocation<'_>) {
        self.index.n_nodes += 1;
        if self.index.n_nodes > self.most {
            return;
        }
        match node {
            Node::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.index_node(
                        item,
                        &path.index(at),
                        &SchemaLocation { is_names: false, ..*here },
                    );
                }
            }
            Node::Object(object) => self.index_object(object, path, here),
            _ => {}
        }
    }

    fn index_object(&mut self, object: &'d Object, path: &Path<'_>, here: &SchemaLocation<'_>) {
        let mut moved = None;
        for (name, value) in object.iter().filter(|(name, _)| name.starts_with('$')) {
            let Some(text) = value.as_str() else { continue };
            match &**name {
                "$id" if !here.is_names => moved = self.index_schema_id(text, path, here.base),
                "$dynamicRef" | "$ref" => self.index_reference(text, here.base),
                _ => {}
            }
        }
        let base = moved.as_deref().unwrap_or(here.base);
        for (name, value) in object.iter() {
            if let ("$anchor" | "$dynamicAnchor", Some(text)) = (&**name, value.as_str()) {
                self.index_anchor(name, text, base, path);
            }
            // Examples are data: text in them that looks like a reference is not one.
            if here.is_names || !is_data_keyword(name) {
                let is_names = !here.is_names && has_named_members(name);
                self.index_node(value, &path.name(name), &SchemaLocation { base, is_names });
            }
        }
    }

    fn index_anchor(&mut self, keyword: &str, name: &str, base: &str, path: &Path<'_>) {
        self.index.n_nodes += path.step_cost();
        let pointer: Arc<str> = path.to_string().into();
        if keyword == "$dynamicAnchor" {
            let anchors = self.index.dynamic.entry(base.to_owned()).or_default();
            anchors.push((name.into(), Arc::clone(&pointer)));
        }
        self.index.anchors.entry(format!("{base}#{name}")).or_insert(pointer);
    }

    fn index_schema_id(&mut self, id: &str, path: &Path<'_>, base: &str) -> Option<String> {
        let address = id.split('#').next().filter(|address| !address.is_empty())?;
        let name =
            resolved_document_name(base, address).ok().filter(|name| name.len() <= LONGEST_NAME)?;
        self.index.n_nodes += path.step_cost();
        let pointer: Arc<str> = path.to_string().into();
        self.index.names.insert(pointer.to_string(), name.as_str().into());
        self.index.pointers.entry(name.as_str().into()).or_insert(pointer);
        Some(name)
    }

    fn index_reference(&mut self, text: &'d str, base: &str) {
        let address = text.split('#').next().unwrap_or_default();
        if address.is_empty()
            || text == SESSION_ID
            || !self.addresses.insert((base.to_owned(), address))
        {
            return;
        }
        let Ok(name) = resolved_document_name(base, address) else { return };
        let file = self.base.local_file_of_address(&name);
        if file.is_some() || check_requestable(&name).is_ok() {
            self.index.needed.insert(name.into(), file.map(Into::into));
        }
    }
}

const LONGEST_NAME: usize = 2_000;

fn is_data_keyword(keyword: &str) -> bool {
    matches!(keyword, "const" | "default" | "enum" | "example" | "examples")
        || keyword.starts_with("x-")
}

fn has_named_members(keyword: &str) -> bool {
    matches!(
        keyword,
        "$defs"
            | "definitions"
            | "dependentSchemas"
            | "parameters"
            | "paths"
            | "patternProperties"
            | "properties"
            | "requestBodies"
            | "responses"
            | "schemas"
            | "securityDefinitions"
            | "securitySchemes"
    )
}
