//! A file that gets its name once it is complete: written under a temporary name beside the final one, and removed unless it is
//! finished.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

pub(crate) struct PartialFile {
    file: File,
    path: PathBuf,
    pub(crate) target: PathBuf,
    is_finished: bool,
}

impl PartialFile {
    pub(crate) fn beside(target: &Path) -> io::Result<Self> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { file, path, target: target.to_owned(), is_finished: false })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Sees to it that what is written is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.sync()?;
        fs::rename(&self.path, &self.target)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_finished {
            fs::remove_file(&self.path).unwrap_or_default();
        }
    }
}

/// Writes a file that only its user may read: beside it first, and then in its place.
#[cfg(feature = "agents")]
pub(crate) fn write_private(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = target.with_file_name(name);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut new = callgate_config::new_private_file(&beside)?;
    new.write_all(bytes)?;
    new.sync_all()?;
    fs::rename(beside, target)
}
