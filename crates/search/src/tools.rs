//! The index of tools: fields of an operation, weighted; exact titles; and the tools that return what others need. Its words are
//! those of `words` and `vocabulary`, which pieces of documents share.

mod dependencies;
mod document;
mod index;
mod postings;
mod sources;
mod titles;

pub use dependencies::{Field, Need, Product, Thing};
pub use document::{Document, Parameter};
pub use index::Index;
