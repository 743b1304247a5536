//! The documents that a description refers to, as far as the caller supplied them. Nothing is read here: a document
//! that was not supplied is one that references cannot reach, for the reason the caller gave.

use std::sync::Arc;

use callgate_tree::Node;
use indexmap::IndexMap;

use crate::document::{base::Base, index::Index};

/// The fate of a document that the description refers to.
#[derive(Clone, Debug)]
pub(super) enum Further {
    Read(Arc<Tree>),
    Refused(Unavailable),
}

/// A document and what references need to know of it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) root: Node,
    pub(super) base: Base,
    pub(super) index: Index,
}

/// The reason why a document that a description refers to is not there.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a reason and its kind, nothing else")]
pub struct Unavailable {
    /// True if it costs the operation.
    pub reason: UnavailableReason,
    /// The value that was expected of the document, as it stands in a sentence: `a file that can be read`.
    pub expected: String,
}

/// True if a document may not be read or could not be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "whoever supplies documents decides between the two")]
pub enum UnavailableReason {
    /// It may not be read: every operation that needs it is refused.
    Forbidden,
    /// It is not there or cannot be read: what it stands for is lost.
    Unreadable,
}

/// Further documents by their names.
pub(super) type Documents = IndexMap<Arc<str>, Further>;
