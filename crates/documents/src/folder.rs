//! The files of a folder: which of them are documents, and their bytes. Nothing outside the folder is reached: every part of a path is
//! opened by itself, without following symbolic links, and only regular files are read.

#[cfg(not(unix))]
mod other;
mod patterns;
mod scan;
#[cfg(unix)]
mod unix;

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

#[cfg(not(unix))]
use other as system;
pub(crate) use patterns::Patterns;
pub(crate) use scan::ScannedFolder;
#[cfg(unix)]
use unix as system;

use self::system::OpenFolder;
use crate::settings::DocumentsLimits;

/// A folder that documents are read from.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    patterns: Patterns,
    limits: DocumentsLimits,
}

/// A reader of files that keeps the folder of the last one open.
#[derive(Debug)]
pub(crate) struct FolderReader<'f> {
    folder: &'f Folder,
    /// The path of the open folder, with a slash at its end.
    open: Option<(String, OpenFolder)>,
}

/// The mark of a file's version: it changes with the file, nearly always.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970, modulo 2^64.
    pub(crate) modified: u64,
    /// The number of the file on its disk; zero where there is none.
    pub(crate) number: u64,
}

/// A member of a folder.
#[derive(Debug)]
struct Member {
    name: String,
    kind: MemberKind,
    stamp: Stamp,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum MemberKind {
    File,
    Folder,
    Link,
    Other,
    /// The name is no UTF-8.
    Unnamed,
}

impl Folder {
    /// Opens a folder. The folder itself may be named by a link.
    ///
    /// # Errors
    /// The failure of the operating system if there is no such folder.
    pub(crate) fn open(
        root: &Path,
        patterns: Patterns,
        limits: DocumentsLimits,
    ) -> io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { root, patterns, limits })
    }

    /// The folder that has a file.
    pub(crate) fn parent_folder(&self, path: &str) -> PathBuf {
        match path.rsplit_once('/') {
            Some((parent, _)) => self.root.join(parent),
            None => self.root.clone(),
        }
    }

    /// Lists the documents with their versions, within the limits.
    pub(crate) fn scan(&self) -> io::Result<ScannedFolder> {
        scan::scan(&self.root, &self.patterns, &self.limits)
    }

    /// A reader of many files.
    pub(crate) fn reader(&self) -> FolderReader<'_> {
        FolderReader { folder: self, open: None }
    }

    /// Reads a file whole, with the version that it had before and after.
    ///
    /// # Errors
    /// The failure of the operating system; [`io::ErrorKind::FileTooLarge`] beyond the limit.
    pub(crate) fn read(&self, path: &str) -> io::Result<(Vec<u8>, Stamp)> {
        self.reader().read(path)
    }
}

impl FolderReader<'_> {
    /// Reads a file as [`Folder::read`] does, and keeps its folder open for the next one.
    pub(crate) fn read(&mut self, path: &str) -> io::Result<(Vec<u8>, Stamp)> {
        let mut file = self.open(path)?;
        let stamp = regular_file_stamp(&file)?;
        let most = self.folder.limits.file_bytes;
        if stamp.bytes > most as u64 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.bytes).unwrap_or_default());
        let n_read = (&mut file).take(most as u64 + 1).read_to_end(&mut bytes)?;
        if n_read > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let after = system::stamp(&file.metadata()?);
        // A file that changes while it is read has no version: the next scan reads it again.
        let is_steady = after == stamp && n_read as u64 == stamp.bytes;
        Ok((bytes, if is_steady { stamp } else { Stamp::default() }))
    }

    fn open(&mut self, path: &str) -> io::Result<File> {
        let parts = safe_path_parts(path).ok_or(io::ErrorKind::InvalidFilename)?;
        let (name, parents) = parts.split_last().ok_or(io::ErrorKind::InvalidFilename)?;
        let at = path.strip_suffix(name).unwrap_or_default();
        if let Some((_, folder)) = self.open.as_ref().filter(|(entry, _)| entry == at) {
            return folder.file(name);
        }
        let root = OpenFolder::root(&self.folder.root)?;
        let folder = parents.iter().try_fold(root, |folder, part| folder.folder(part))?;
        let file = folder.file(name);
        self.open = Some((at.to_owned(), folder));
        file
    }
}

/// The parts of a path; `None` if one of them leads elsewhere.
fn safe_path_parts(path: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = path.split('/').collect();
    let is_plain = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['\0', '\\']);
    parts.iter().all(is_plain).then_some(parts)
}

/// The version of a file; an error if it is a pipe, a socket or a device.
fn regular_file_stamp(file: &File) -> io::Result<Stamp> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(system::stamp(&metadata))
}

#[cfg(test)]
mod tests;
