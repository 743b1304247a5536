//! The audit file: only one process writes it at a time, and that process reopens it after it was moved away.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::error::{self, Error};

/// An open audit file.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    /// The length of the file.
    length: u64,
}

impl AuditFile {
    /// Opens a file, or creates it, and waits a moment for another process that writes it.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) and [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable)
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let unreadable = |source| error::unreadable(path, source);
        let file = options().open(path).map_err(unreadable)?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => {
                    let length = file.metadata().map_err(unreadable)?.len();
                    return Ok(Self { path: path.to_owned(), file, length });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::Error(source)) => return Err(unreadable(source)),
            }
        }
        Err(error::locked(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reopens the file if it was moved away or cut short. Returns true if it was.
    pub(super) fn renew(&mut self) -> Result<bool, Error> {
        let is_same = fs::metadata(&self.path)
            .is_ok_and(|found| self.is(&found) && (found.len() >= self.length || !found.is_file()));
        if is_same {
            return Ok(false);
        }
        let is_cut = fs::metadata(&self.path).is_ok_and(|found| self.is(&found));
        if is_cut {
            self.length = 0;
        } else {
            *self = Self::open(&self.path)?;
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

    #[cfg(unix)]
    fn is(&self, found: &fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let own = self.file.metadata();
        own.is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn is(&self, _: &fs::Metadata) -> bool {
        true
    }
}

fn options() -> OpenOptions {
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
    fn it_is_known_why_no_more_is_written() {
        let mut file = AuditFile::open(Path::new("/dev/full")).unwrap();
        let (n_written, failure) = file.append(b"a line");
        assert_eq!(n_written, 0);
        assert_eq!(failure.unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
