//! Folders of documents as tools: one that searches passages by their words, and one that reads around them. Markdown, HTML, text,
//! CSV and JSON lines are cut into pieces and ranked by BM25F (`callgate-search`). What is shown is a byte-exact piece of a version of
//! a file that was searched, with the digest of its text.

mod collection;
mod declaration;
mod documents;
mod file;
mod filter;
mod finding;
mod folder;
mod index;
mod keys;
mod kind;
mod load;
mod metadata;
mod pdf;
mod read;
mod settings;
mod snippet;
mod split;
mod tools;
mod uri;

pub use callgate_kind::Operator;
pub use documents::Documents;
pub use finding::DocumentsCode;
pub use kind::DocumentsKind;
pub use load::{Loaded, load};
#[cfg(all(feature = "pdf", unix))]
pub use pdf::extract;
pub use settings::{BoundCondition, DocumentsLimits, DocumentsSettings, MetadataSource};
