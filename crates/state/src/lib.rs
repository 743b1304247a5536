//! State that outlives the process: [`Store`](callgate_session::Store) over a file or Redis. Records are sealed whole, and their
//! addresses show neither a principal nor a session. What the records mean is the business of the crates that keep them.

mod address;
mod engine;
mod error;
mod file;
mod key_file;
mod record;
#[cfg(feature = "redis")]
mod redis;
mod store;

pub use file::{FileSettings, FileStore};
#[cfg(feature = "redis")]
pub use redis::{Durability, RedisAddress, RedisServers, RedisSettings, RedisStore};
