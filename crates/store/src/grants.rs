//! The grants of people who logged in at an authorization server: one text for each login, which is a secret. A store
//! keeps them from one process to the next and lets one process at a time replace one; `auth` knows the content of a
//! grant.

mod folder;
#[cfg(feature = "keyring")]
mod keyring;

use std::fmt;

use async_trait::async_trait;
use callgate_secret::{Error, Secret};

pub use folder::GrantFolder;
#[cfg(feature = "keyring")]
pub use keyring::GrantKeyring;

/// Keeps the grants of one person, or of one profile of a person. A program that serves many people has one store for
/// each.
///
/// ```
/// # use std::{collections::BTreeMap, sync::Arc};
/// #
/// use callgate_secret::{Error, Secret};
/// use callgate_store::{GrantLock, GrantStore};
/// # use tokio::sync::Mutex;
///
/// /// Forgets every login when the program ends.
/// #[derive(Debug, Default)]
/// struct InMemory(Mutex<BTreeMap<String, Secret>>, Arc<Mutex<()>>);
///
/// #[async_trait::async_trait]
/// impl GrantStore for InMemory {
///     async fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
///         Ok(self.0.lock().await.get(name).cloned())
///     }
///
///     async fn lock(&self, _: &str) -> Result<GrantLock, Error> {
///         Ok(GrantLock::new(Arc::clone(&self.1).lock_owned().await))
///     }
///     // `put`, `remove` and `place` are as short.
/// #     async fn put(&self, name: &str, grant: &Secret) -> Result<(), Error> {
/// #         self.0.lock().await.insert(name.to_owned(), grant.clone());
/// #         Ok(())
/// #     }
/// #     async fn remove(&self, name: &str) -> Result<bool, Error> {
/// #         Ok(self.0.lock().await.remove(name).is_some())
/// #     }
/// #     fn place(&self, _: &str) -> String {
/// #         "the memory of this program".to_owned()
/// #     }
/// }
/// ```
#[async_trait]
pub trait GrantStore: fmt::Debug + Send + Sync {
    /// The grant of this name; `None` if nobody has logged in.
    ///
    /// # Errors
    /// The grant cannot be read, or other users may read it.
    async fn get(&self, name: &str) -> Result<Option<Secret>, Error>;

    /// Replaces a grant. The new grant is stored when this returns.
    ///
    /// # Errors
    /// The grant cannot be stored; the previous grant is unchanged.
    async fn put(&self, name: &str, grant: &Secret) -> Result<(), Error>;

    /// Removes a grant; returns true if it existed.
    ///
    /// # Errors
    /// The grant cannot be removed.
    async fn remove(&self, name: &str) -> Result<bool, Error>;

    /// Waits until nobody else is replacing the grant, in this process or another. Nobody else can replace it until the
    /// returned lock is dropped.
    ///
    /// # Errors
    /// Another process holds the lock for too long.
    async fn lock(&self, name: &str) -> Result<GrantLock, Error>;

    /// The profile that these grants belong to: each profile has its own login for a client.
    fn profile(&self) -> Option<&str> {
        None
    }

    /// The place where a grant is kept, in words for the person who logged in: "the keyring of this machine".
    fn place(&self, name: &str) -> String;

    /// The command by which a person logs in: `callgate login github`.
    fn login_command(&self) -> Option<&str> {
        None
    }
}

/// The exclusive right to replace a grant, until it is dropped.
///
/// ```
/// use callgate_secret::Secret;
/// use callgate_store::{GrantFolder, GrantStore};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let grants = GrantFolder::new(folder.path().join("grants"));
/// let lock = grants.lock("github").await?;
/// grants.put("github", &Secret::new("{\"refresh_token\": \"…\"}".to_owned())).await?;
/// // From here on another process may replace it.
/// drop(lock);
/// assert!(grants.get("github").await?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GrantLock {
    _held: Box<dyn Send + Sync>,
}

impl GrantLock {
    /// A lock that lasts as long as this value.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self { _held: Box::new(held) }
    }
}

callgate_secret::opaque!(GrantLock {});
