//! The documents that a description refers to and that the caller supplied. Nothing is read here: references cannot
//! reach a document that was not supplied, for the reason that the caller gave.

use std::sync::Arc;

use callgate_tree::Node;
use indexmap::IndexMap;

use crate::document::{base::Base, index::Index};

#[derive(Clone, Debug)]
pub(super) enum FurtherDocument {
    Read(Arc<Tree>),
    Refused(Unavailable),
}

#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) root: Node,
    pub(super) base: Base,
    pub(super) index: Index,
}

/// The reason why a document that a description refers to is not available.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a reason and its kind, nothing else")]
pub struct Unavailable {
    /// The kind of the reason, which decides if operations that need the document are refused.
    pub reason: UnavailableReason,
    /// The value that was expected of the document, as part of a sentence: `a file that can be read`.
    pub expected: String,
}

/// The kind of reason: the document may not be read, or could not be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum UnavailableReason {
    /// The document may not be read: every operation that needs it is refused.
    Forbidden,
    /// The document does not exist or cannot be read: the parts it contains are lost.
    Unreadable,
}

pub(super) type Documents = IndexMap<Arc<str>, FurtherDocument>;
