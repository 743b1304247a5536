//! State that outlives a call: stored results, session state, calls that wait for an answer. Defines the store and an
//! implementation in memory; a store shared by several machines implements the same trait. Has no clock: callers pass the
//! time.

mod error;
mod fair_queue;
mod group;
mod key;
mod memory;
mod pace;
mod record;
mod sealer;
mod shares;
mod store;

pub use error::{Error, ErrorKind};
pub use fair_queue::{FairQueue, QueueBounds, QueuePermit};
pub use group::Group;
pub use key::{Key, Owner, Space};
pub use memory::{Bounds, Memory};
pub use pace::Pace;
pub use record::Record;
pub use sealer::Sealer;
pub use store::{Expected, Store, Stored, Version};
