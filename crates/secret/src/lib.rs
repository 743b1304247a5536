//! Names secrets, holds them and never prints them. The stores that need only this machine are here; the crate `store` has
//! remote stores, and `auth` puts secrets on requests.

mod cached_store;
mod directory;
mod disguise;
mod env;
mod error;
mod file;
mod filter;
mod invisible;
mod local;
mod masker;
mod memory;
mod opaque;
mod ranges;
mod reference;
mod scheme;
mod secret;
pub mod single_flight;
mod spelling;
mod store;
mod stream_masker;

pub use cached_store::{CachePolicy, CachedStore};
pub use directory::{DirectoryStore, USUAL_DIRECTORY};
pub use disguise::without_escapes;
pub use env::EnvStore;
pub use error::{Error, ErrorKind};
pub use file::{FileStore, MAX_FILE_BYTES, read_untrimmed_key_file};
pub use invisible::is_shapeless;
pub use local::LocalStores;
pub use masker::{Masker, SHORT};
pub use memory::MemoryStore;
pub use opaque::cause_texts;
pub use ranges::Ranges;
pub use reference::SecretReference;
pub use scheme::{RemoteSecret, SCHEMES, SecretScheme};
pub use secret::{MASK, SHORTEST, Secret};
pub use spelling::spellings;
pub use store::SecretStore;
pub use stream_masker::StreamMasker;
