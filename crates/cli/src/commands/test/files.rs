//! Writes several files of one folder as a whole: each first under a temporary name, then all are renamed together. Unless
//! all are written, the temporary files are removed.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use crate::exit::Failure;

#[derive(Debug)]
pub(super) struct NewFiles {
    folder: PathBuf,
    /// The temporary and the final path of each file.
    written: Vec<(PathBuf, PathBuf)>,
    removed: Vec<PathBuf>,
}

impl NewFiles {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), written: Vec::new(), removed: Vec::new() }
    }

    /// Tests that a folder takes files, before an irreversible step.
    pub(super) fn are_possible(folder: &Path) -> Result<(), Failure> {
        let mut tried = Self::in_folder(folder);
        tried.write("tried", b"")
    }

    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let target = self.folder.join(name);
        let path = self.folder.join(format!(".{name}.{}.part", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let mut file = file.map_err(|error| cannot(&target, &error))?;
        self.written.push((path, target.clone()));
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(|error| cannot(&target, &error))
    }

    /// Removes a file once all others are renamed.
    pub(super) fn remove(&mut self, name: &str) {
        self.removed.push(self.folder.join(name));
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let targets = self.written.iter().map(|(_, target)| target).chain(&self.removed);
        if let Some(folder) = targets.into_iter().find(|target| target.is_dir()) {
            return Err(cannot(folder, &io::Error::from(io::ErrorKind::IsADirectory)));
        }
        while let Some((path, target)) = self.written.first().cloned() {
            fs::rename(&path, &target).map_err(|error| cannot(&target, &error))?;
            self.written.remove(0);
        }
        for file in std::mem::take(&mut self.removed) {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(cannot(&file, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        for (path, _) in &self.written {
            fs::remove_file(path).unwrap_or_default();
        }
    }
}

fn cannot(file: &Path, error: &io::Error) -> Failure {
    let message = format!("error: cannot write `{}`: {error}", file.display());
    Failure(format!("{message}\nhelp: the folder of a case must be one that can be written to"))
}
