//! Reads the files that a load may read, and notes each of them.

use std::{fs, io, path::Path};

use super::Reader;
use crate::file::file_beginning;

impl Reader {
    /// The bytes of a file that the configuration names; of a file with more than `most` bytes one more than `most`.
    ///
    /// # Errors
    /// The errors of reading it, and that the load may not.
    pub fn admitted_file_beginning(&mut self, file: &Path, most: usize) -> io::Result<Vec<u8>> {
        self.files.insert(file.to_owned());
        self.check_file_allowed(file)?;
        file_beginning(file, most)
    }

    /// Refuses a file or a folder that the load may not read. Links are followed before the check.
    ///
    /// # Errors
    /// The reason; or the error of finding the file.
    pub fn check_file_allowed(&self, file: &Path) -> io::Result<()> {
        if !self.effects.reads_files() {
            return Err(io::Error::other("no file is read here"));
        }
        let Some(root) = &self.root else { return Ok(()) };
        if fs::canonicalize(file)?.starts_with(root) {
            return Ok(());
        }
        let message = format!("it is outside of `{}`, and no other folder is read", root.display());
        Err(io::Error::other(message))
    }
}
