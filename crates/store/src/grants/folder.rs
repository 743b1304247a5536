//! Grants as files that no other user may read, in a folder of their own. A file is replaced as a whole, so a process
//! that dies leaves either the old grant or the new one; a lock file beside it lets one process at a time replace it.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use async_trait::async_trait;
use callgate_secret::{Error, ErrorKind, Secret};
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep},
};
use zeroize::Zeroizing;

use super::{GrantLock, GrantStore};

/// A folder of grants.
///
/// ```
/// use callgate_store::{GrantFolder, GrantStore};
///
/// let grants = GrantFolder::new("/home/me/.local/state/callgate").of_profile("github");
/// assert_eq!(grants.profile(), Some("github"));
/// ```
#[derive(Clone, Debug)]
pub struct GrantFolder {
    folder: PathBuf,
    profile: Option<String>,
    login_command: Option<String>,
}

impl GrantFolder {
    /// The grants in `folder`; the first login creates it.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), profile: None, login_command: None }
    }

    /// Selects the grants of one profile in the folder.
    #[must_use]
    pub fn of_profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }

    /// Sets the command by which a person logs in, for messages about a missing login.
    #[must_use]
    pub fn with_login_command(mut self, command: impl Into<String>) -> Self {
        self.login_command = Some(command.into());
        self
    }

    pub(super) fn grant_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Runs work that may wait for a disk.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let done = spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)));
        done.map_err(|error| folder_failure(&self.folder, error))
    }
}

#[async_trait]
impl GrantStore for GrantFolder {
    async fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
        let file = self.grant_file(name);
        self.run_blocking(move || read_private_grant(&file)).await
    }

    async fn put(&self, name: &str, grant: &Secret) -> Result<(), Error> {
        let (file, grant) = (self.grant_file(name), grant.clone());
        self.run_blocking(move || replace_grant_atomically(&file, &grant)).await
    }

    async fn remove(&self, name: &str) -> Result<bool, Error> {
        let file = self.grant_file(name);
        self.run_blocking(move || match fs::remove_file(file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        })
        .await
    }

    async fn lock(&self, name: &str) -> Result<GrantLock, Error> {
        let started = Instant::now();
        let file = self.folder.join(format!("{name}.lock"));
        loop {
            let file = file.clone();
            if let Some(held) = self.run_blocking(move || try_lock(&file)).await? {
                return Ok(GrantLock::new(held));
            }
            if started.elapsed() > LONGEST_WAIT {
                let message = "another process has been replacing the login for too long";
                return Err(Error::new(ErrorKind::Unreadable, message));
            }
            // A thread that blocks on the system's lock could not be cancelled with its call.
            sleep(PAUSE).await;
        }
    }

    fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    fn place(&self, name: &str) -> String {
        format!("the file `{}`, which only you can read", self.grant_file(name).display())
    }

    fn login_command(&self) -> Option<&str> {
        self.login_command.as_deref()
    }
}

fn read_private_grant(file: &Path) -> io::Result<Option<Secret>> {
    let opened = match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    check_is_private(&opened)?;
    let mut text = Zeroizing::new(String::with_capacity(USUAL_BYTES));
    opened.take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(Some(Secret::new(std::mem::take(&mut text))))
}

/// Refuses a file that other users can read: they may know the grant.
fn check_is_private(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "others may read the file of the login",
            ));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

fn replace_grant_atomically(file: &Path, grant: &Secret) -> io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    create_private_folder(folder)?;
    let new = file.with_extension(format!("{}.new", std::process::id()));
    // A process with this id may have left a file behind.
    fs::remove_file(&new).ok();
    let written = set_owner_only_mode(OpenOptions::new().write(true).create_new(true)).open(&new);
    let written = written.and_then(|mut written| {
        written.write_all(grant.expose().as_bytes())?;
        written.sync_all()
    });
    written.and_then(|()| fs::rename(&new, file)).inspect_err(|_| {
        fs::remove_file(&new).ok();
    })
}

/// The locked file; `None` if another process holds the lock.
fn try_lock(file: &Path) -> io::Result<Option<File>> {
    create_private_folder(file.parent().unwrap_or(file))?;
    let opened = set_owner_only_mode(OpenOptions::new().write(true).create(true)).open(file)?;
    match opened.try_lock() {
        Ok(()) => Ok(Some(opened)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn set_owner_only_mode(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

fn folder_failure(folder: &Path, error: io::Error) -> Error {
    let folder = folder.display();
    let (kind, message) = match error.kind() {
        io::ErrorKind::PermissionDenied => (
            ErrorKind::Denied,
            format!("others may read or you may not use the logins in `{folder}`"),
        ),
        io::ErrorKind::InvalidData => {
            (ErrorKind::Invalid, format!("a login in `{folder}` is not text"))
        }
        _ => (ErrorKind::Unreadable, format!("the logins in `{folder}` cannot be used")),
    };
    Error::new(kind, message).with_source(error)
}

/// The longest wait for another process to replace a grant: the timeout of one request for a token, plus a second.
const LONGEST_WAIT: Duration = Duration::from_secs(12);

/// The pause between attempts to lock. A refresh takes some tens of milliseconds.
const PAUSE: Duration = Duration::from_millis(20);

/// The initial size of the buffer. Most grants are smaller, so the buffer does not grow and leave secrets behind.
const USUAL_BYTES: usize = 16 << 10;

/// The size limit of a grant: the largest response of a token endpoint, and what is written around it.
const MOST_BYTES: u64 = 256 << 10;

#[cfg(test)]
mod tests;
