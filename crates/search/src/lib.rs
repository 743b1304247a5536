//! Finds tools by words, and pieces of text. An index with one document per tool ranks them by BM25F over their fields, with words
//! split and stemmed, and adds the sources of things that they need; [`PieceIndex`] ranks pieces of documents, which come and go.
//! Pure: no I/O, no clock, no panic.
//!
//! ```
//! use callgate_search::{Document, Index, Query};
//! use callgate_tool::Effect;
//!
//! let mut list = Document::new("listPets", Effect::Read);
//! list.summary = "List the pets of a shop".into();
//! let mut feed = Document::new("feedAnimal", Effect::Write);
//! feed.summary = "Give food to an animal".into();
//! let index = Index::new([list, feed]);
//! let hits = index.find(Query::new("feeding animals"), |_| true);
//! assert_eq!(hits.first().map(|hit| hit.document), Some(1));
//! ```

mod bm25;
mod pieces;
mod query;
mod synonyms;
mod tools;
mod vocabulary;
mod words;

pub use pieces::{PieceIndex, PieceReader, PieceWords};
pub use query::{Hit, Query};
pub use synonyms::Synonyms;
pub use tools::{Document, Field, Index, Need, Parameter, Product, Thing};
