//! The executor: looks a tool up, lets its backend run the call, keeps the journal. Every ending of a call is an
//! outcome; nothing here returns an error.

mod backend;
mod catalog;
mod executor;
mod results;
mod toolset;

pub use backend::Backend;
pub use executor::Executor;
pub use results::StoredResult;
pub use toolset::{Callable, Toolset};
