//! The executor: looks a tool up, lets its backend run the call, keeps the journal. Every ending of a call is an
//! outcome; only an executor that cannot be built is an error.

mod backend;
mod builder;
mod catalog;
mod error;
mod executor;
mod results;
mod stream;
mod toolset;

pub use backend::{Backend, Opened, Values};
pub use builder::Builder;
pub use catalog::Entry;
pub use error::{Error, ErrorKind};
pub use executor::Executor;
pub use stream::ToolStream;
pub use toolset::{Callable, Redirects, SessionValues, Toolset};
