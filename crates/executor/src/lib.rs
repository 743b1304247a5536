//! The executor: looks a tool up, lets its backend run the call, keeps the journal. Every ending of a call is an
//! outcome; nothing here returns an error.

mod backend;
mod catalog;
mod executor;
mod results;
mod stream;
mod toolset;

pub use backend::{Backend, Opened, Values};
pub use executor::Executor;
pub use stream::ToolStream;
pub use toolset::{Callable, Redirects, Toolset};
