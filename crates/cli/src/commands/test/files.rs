//! Writes several files of one folder as a whole: each first under a temporary name, then all are renamed together. Unless
//! all are written, the temporary files are removed.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{exit::Failure, partial_file::PartialFile};

pub(super) struct NewFiles {
    folder: PathBuf,
    written: Vec<PartialFile>,
    removed: Vec<PathBuf>,
}

impl NewFiles {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), written: Vec::new(), removed: Vec::new() }
    }

    /// Tests that a folder takes files, before an irreversible step.
    pub(super) fn check_folder_is_writable(folder: &Path) -> Result<(), Failure> {
        Self::in_folder(folder).write_partial("tried", b"")
    }

    pub(super) fn write_partial(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let target = self.folder.join(name);
        let written = PartialFile::create_beside(&target).and_then(|mut file| {
            file.write(bytes)?;
            file.sync()?;
            Ok(file)
        });
        self.written.push(written.map_err(|error| write_failure(&target, &error))?);
        Ok(())
    }

    /// Removes a file once all others are renamed.
    pub(super) fn remove_later(&mut self, name: &str) {
        self.removed.push(self.folder.join(name));
    }

    pub(super) fn put_in_place(self) -> Result<(), Failure> {
        let targets = self.written.iter().map(|file| &file.target).chain(&self.removed);
        if let Some(folder) = targets.into_iter().find(|target| target.is_dir()) {
            return Err(write_failure(folder, &io::Error::from(io::ErrorKind::IsADirectory)));
        }
        for file in self.written {
            let target = file.target.clone();
            file.rename_to_target().map_err(|error| write_failure(&target, &error))?;
        }
        for file in self.removed {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(write_failure(&file, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn write_failure(file: &Path, error: &io::Error) -> Failure {
    let message = format!("error: cannot write `{}`: {error}", file.display());
    Failure(format!("{message}\nhelp: the folder of a case must be one that can be written to"))
}
