//! Folders with files. They are removed when they are dropped.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A folder with these files.
pub fn temporary_folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write_file(folder.path(), name, text);
    }
    folder
}

/// A folder with one file, and the file.
pub fn temporary_file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = write_file(folder.path(), name, content);
    (folder, file)
}

/// Writes a file below a folder, and the folders between. Returns the file.
pub fn write_file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, content).unwrap();
    file
}
