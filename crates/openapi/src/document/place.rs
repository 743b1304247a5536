//! Finds the place that a reference names: the document, and the pointer in it. It knows `$id` and anchors; `reference`
//! reads the node at the place, and follows it if it is another reference.

use std::{iter, sync::Arc};

use callgate_tree::{
    Node, Path,
    pointer::{decoded_fragment, document_and_pointer, pointer_of_fragment},
};

use crate::{
    address::{AddressRefusal, check_requestable, resolved_document_name},
    document::{
        Document,
        base::Base,
        documents::{FurtherDocument, Unavailable, UnavailableReason},
        index::{Anchor, Index},
    },
};

/// A place in one of the documents: the name of a further document, or `None` for the description itself, and a pointer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct DocumentPointer {
    pub(crate) document: Option<Arc<str>>,
    pub(crate) pointer: String,
}

/// The resource that a fragment refers to: a document, or a schema with an `$id` in it.
#[derive(Clone, Copy)]
struct Resource<'a> {
    document: Option<&'a str>,
    index: &'a Index,
    base: &'a str,
    /// The pointer of the schema.
    within: Option<&'a str>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum NoPlace {
    Missing,
    Unavailable(Unavailable),
}

impl Document {
    pub(crate) fn resolve_reference(
        &self,
        reference: &str,
        at: &Path<'_>,
    ) -> Result<DocumentPointer, NoPlace> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = at.document();
        if let (None, true, Some(pointer)) =
            (document, self.has_plain_pointers(), pointer_of_fragment(reference))
        {
            return Ok(DocumentPointer { document: None, pointer });
        }
        let index = self.index_at(document).ok_or(NoPlace::Missing)?;
        let own = self.enclosing_resource(index, at);
        let here = self.base_of(document);
        let base = own.map_or(&*here.relative_to, |(_, name)| name);
        if address.is_empty() {
            let within = own.map(|(pointer, _)| pointer);
            return self.pointer_to_part(Resource { document, index, base, within }, fragment);
        }
        let name = resolved_document_name(base, address).map_err(forbidden_place)?;
        self.place_in_named_resource(here, &name, fragment)
    }

    /// The pointer in a reference at `at` to a part of the description itself, if it can be used unchanged.
    pub(crate) fn own_pointer<'r>(&self, reference: &'r str, at: &Path<'_>) -> Option<&'r str> {
        let pointer = reference.strip_prefix('#').filter(|pointer| pointer.starts_with('/'))?;
        let is_plain = self.has_plain_pointers() && at.document().is_none();
        (is_plain && memchr::memchr(b'%', pointer.as_bytes()).is_none()).then_some(pointer)
    }

    /// True if a reference has one meaning everywhere in its document, and the document is the description itself: no
    /// schema has an `$id` that references are relative to.
    pub(crate) fn has_uniform_references(&self, at: &Path<'_>) -> bool {
        at.document().is_none() && (self.has_plain_pointers() || self.index().names.is_empty())
    }

    pub(crate) fn has_dynamic_anchors(&self) -> bool {
        !self.has_plain_pointers() && (self.parts.has_dynamic || !self.index().dynamic.is_empty())
    }

    /// The dynamic anchors of the resource that contains a place, which is a schema with an `$id` or the document:
    /// their names and their places as text.
    pub(crate) fn dynamic_anchors(&self, at: &Path<'_>) -> Vec<Anchor> {
        let document = at.document();
        let Some(index) = self.index_at(document) else { return Vec::new() };
        let base = &self.base_of(document).relative_to;
        let name = self.enclosing_resource(index, at).map_or(&**base, |(_, name)| name);
        let anchors = index.dynamic.get(name).map(Vec::as_slice).unwrap_or_default();
        let place = |pointer: &Arc<str>| match document {
            None => Arc::clone(pointer),
            Some(document) => format!("{document}#{pointer}").into(),
        };
        let anchors = self.while_affordable(anchors, ANCHOR);
        anchors.map(|(name, pointer)| (Arc::clone(name), place(pointer))).collect()
    }

    fn enclosing_resource<'i>(
        &self,
        index: &'i Index,
        at: &Path<'_>,
    ) -> Option<(&'i str, &'i str)> {
        if index.names.is_empty() {
            return None;
        }
        let (_, pointer) = document_and_pointer(&at.to_string());
        let around = iter::successors(Some(pointer.as_str()), |pointer| {
            pointer.rsplit_once('/').map(|(above, _)| above)
        });
        let enclosing_entry = self
            .while_affordable(around, ENCLOSING)
            .find_map(|pointer| index.names.get_key_value(pointer));
        enclosing_entry.map(|(pointer, name)| (&**pointer, &**name))
    }

    /// True if an anchor belongs to the schema at a pointer and to no other schema of the description. Only for a
    /// single document without resources of its own, in JSON Schema 2020-12.
    pub(crate) fn is_unique_anchor(&self, anchor: &str, pointer: &str) -> bool {
        let legal = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name = anchor.starts_with(begins) && anchor.chars().all(legal);
        let is_alone = self.version().is_at_least(3, 1)
            && !self.has_dynamic_anchors()
            && self.index().names.is_empty();
        let key = || format!("{}#{anchor}", self.base_of(None).relative_to);
        is_name
            && is_alone
            && self
                .index()
                .anchors
                .get(&key())
                .is_some_and(|indexed_pointer| **indexed_pointer == *pointer)
    }

    pub(crate) fn node_at_text(&self, place: &str) -> Option<&Node> {
        let (document, pointer) = document_and_pointer(place);
        self.node_at(&DocumentPointer { document, pointer })
    }

    pub(crate) fn node_at(&self, place: &DocumentPointer) -> Option<&Node> {
        self.root_of(place.document.as_deref())?.at(&place.pointer)
    }

    /// The part of a document, or of a schema with an `$id`, that a fragment names.
    fn pointer_to_part(
        &self,
        resource: Resource<'_>,
        fragment: &str,
    ) -> Result<DocumentPointer, NoPlace> {
        let Resource { document, index, base, within } = resource;
        let document = document.map(Into::into);
        let fragment = decoded_fragment(fragment).ok_or(NoPlace::Missing)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let pointer = index.anchors.get(&format!("{base}#{fragment}"));
            let pointer = pointer.ok_or(NoPlace::Missing)?.to_string();
            return Ok(DocumentPointer { document, pointer });
        }
        if let Some(within) = within {
            // JSON Schema 2020-12 §8.2.1: pointers start at the schema with the `$id`. Generators write `$id` without
            // intent, so a pointer that fails there is looked up in the whole document.
            let place = DocumentPointer { document, pointer: format!("{within}{fragment}") };
            if self.node_at(&place).is_some() {
                return Ok(place);
            }
            return Ok(DocumentPointer { pointer: fragment, ..place });
        }
        Ok(DocumentPointer { document, pointer: fragment })
    }

    /// A part of the resource that has this name for a document with these addresses: a schema with this `$id`, a
    /// document, or the file that represents it.
    fn place_in_named_resource(
        &self,
        here: &Base,
        name: &str,
        fragment: &str,
    ) -> Result<DocumentPointer, NoPlace> {
        for (document, index) in self.meter.charge_all_parts(self.indexes_with_schema_ids(), |_| 1)
        {
            if let Some(pointer) = index.pointers.get(name) {
                let within = Some(&**pointer);
                return self
                    .pointer_to_part(Resource { document, index, base: name, within }, fragment);
            }
        }
        if let Some(document) = self.document_for_name(here, name) {
            let index = self.index_at(document).ok_or(NoPlace::Missing)?;
            let base = &self.base_of(document).relative_to;
            return self
                .pointer_to_part(Resource { document, index, base, within: None }, fragment);
        }
        match self.parts.documents.get(name) {
            Some(FurtherDocument::Refused(why)) => Err(NoPlace::Unavailable(why.clone())),
            _ => {
                Err(check_requestable(name)
                    .map_or_else(forbidden_place, |()| unsupplied_place(name)))
            }
        }
    }

    /// True if every pointer starts at the root: before OpenAPI 3.1 there is no `$id`.
    fn has_plain_pointers(&self) -> bool {
        !self.version().is_at_least(3, 1)
    }
}

fn forbidden_place(refused: AddressRefusal) -> NoPlace {
    let reason = UnavailableReason::Forbidden;
    NoPlace::Unavailable(Unavailable { reason, expected: refused.to_string() })
}

fn unsupplied_place(name: &str) -> NoPlace {
    let expected = if name.starts_with("https:") {
        "a file beside the description or an address whose origin is allowed"
    } else {
        "a part of the same document"
    };
    let reason = UnavailableReason::Forbidden;
    NoPlace::Unavailable(Unavailable { reason, expected: expected.to_owned() })
}

/// The cost to check if a part around a reference has an `$id`, in steps.
const ENCLOSING: usize = 2;

/// The cost to read an anchor, in steps.
pub(crate) const ANCHOR: usize = 4;
