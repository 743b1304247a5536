//! State that outlives a call: stored results, the state of sessions, calls that wait for an answer. Defines the store and
//! keeps it in memory; a store that machines share implements the same trait. Knows no clock: the time is passed in.

mod error;
mod key;
mod memory;
mod record;
mod sealed;
mod store;

pub use error::{Error, ErrorKind};
pub use key::{Key, Owner, Space};
pub use memory::{Bounds, Memory};
pub use record::Record;
pub use sealed::{Sealed, Sealer};
pub use store::{Expected, Store, Stored, Version};
