//! Makes a folder as a whole: it is written beside its place under another name, and renamed when it is complete.
//! Existing files are never overwritten, and no incomplete folder stays.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    exit::Failure,
    partial_file::{Readers, write_below_refusing_links},
};

/// An incomplete folder; it is removed unless it is finished.
pub(crate) struct NewFolder {
    path: PathBuf,
    place: PathBuf,
    is_finished: bool,
}

impl NewFolder {
    /// Begins a folder; its place must be free, or an empty folder.
    pub(crate) fn create_beside(place: &Path) -> Result<Self, Failure> {
        if !is_absent_or_empty_folder(place) {
            let message = format!("error: `{}` is there, and not an empty folder", place.display());
            return Err(Failure(format!("{message}\nhelp: name a folder that is not there yet")));
        }
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let name = format!(".{name}.{}.callgate", std::process::id());
        let path = place.parent().unwrap_or_else(|| Path::new("")).join(name);
        fs::create_dir(&path).map_err(|error| write_failure(&path, &error))?;
        Ok(Self { path, place: place.to_owned(), is_finished: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let written =
            write_below_refusing_links(&self.path, name, text.as_bytes(), Readers::Anyone);
        written.map_err(|error| write_failure(&self.path.join(name), &error))
    }

    #[cfg(feature = "ces")]
    pub(crate) fn remove_folder(&self, name: &str) -> Result<(), Failure> {
        let folder = self.path.join(name);
        fs::remove_dir_all(&folder).map_err(|error| write_failure(&folder, &error))
    }

    pub(crate) fn move_into_place(mut self) -> Result<(), Failure> {
        if self.place.exists() {
            fs::remove_dir(&self.place).map_err(|error| write_failure(&self.place, &error))?;
        }
        fs::rename(&self.path, &self.place).map_err(|error| write_failure(&self.place, &error))?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.is_finished {
            fs::remove_dir_all(&self.path).ok();
        }
    }
}

fn is_absent_or_empty_folder(place: &Path) -> bool {
    match fs::read_dir(place) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound && !place.is_symlink(),
    }
}

fn write_failure(path: &Path, error: &io::Error) -> Failure {
    let message = format!("error: cannot write `{}`: {error}", path.display());
    Failure(format!("{message}\nhelp: name a folder in one that is there and can be written to"))
}
