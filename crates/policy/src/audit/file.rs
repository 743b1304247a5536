//! The audit file: only one process writes it at a time, and that process reopens it after it was moved away.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::error::{self, Error};

#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    identity: Identity,
    length: u64,
}

impl AuditFile {
    /// Opens or creates a file, and waits a moment for another process that writes it. Fails as `Locked` or `Unreadable`.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let unreadable = |source| error::unreadable_file_error(path, source);
        let file = open_options().open(path).map_err(unreadable)?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => {
                    let metadata = file.metadata().map_err(unreadable)?;
                    let (identity, length) = (file_identity(&metadata), metadata.len());
                    return Ok(Self { path: path.to_owned(), file, identity, length });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::Error(source)) => return Err(unreadable(source)),
            }
        }
        Err(error::locked_file_error(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reopens the file if it was moved away or cut short. Returns true if it was.
    pub(super) fn reopen_if_moved(&mut self) -> Result<bool, Error> {
        match fs::metadata(&self.path)
            .ok()
            .filter(|file_metadata| file_identity(file_metadata) == self.identity)
        {
            Some(file_metadata)
                if file_metadata.len() >= self.length || !file_metadata.is_file() =>
            {
                return Ok(false);
            }
            Some(_) => self.length = 0,
            None => *self = Self::open(&self.path)?,
        }
        Ok(true)
    }

    /// Writes at the end. Returns the number of bytes written, and the error that stopped the writing.
    pub(super) fn append(&mut self, bytes: &[u8]) -> (usize, Option<io::Error>) {
        let (mut n_written, mut failure) = (0, None);
        while let Some(rest) = bytes.get(n_written..).filter(|rest| !rest.is_empty()) {
            match self.file.write(rest) {
                Ok(0) => {
                    failure = Some(io::ErrorKind::WriteZero.into());
                    break;
                }
                Ok(more) => n_written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        self.length += n_written as u64;
        (n_written, failure)
    }
}

/// The device and the number of a file on it; two names of one file have the same.
type Identity = (u64, u64);

#[cfg(unix)]
fn file_identity(metadata: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn file_identity(_: &fs::Metadata) -> Identity {
    (0, 0)
}

fn open_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The number of tries to lock the file; a process that ends closes it within this time.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_failed_append_returns_the_cause_and_the_bytes_written() {
        let mut file = AuditFile::open(Path::new("/dev/full")).unwrap();
        let (n_written, failure) = file.append(b"a line");
        assert_eq!(n_written, 0);
        assert_eq!(failure.unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
