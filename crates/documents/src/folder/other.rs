//! Folders of other systems than Unix: a path is resolved, and refused where it leads out of the folder.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{Member, MemberKind, Stamp, parts, regular};

pub(super) fn open(root: &Path, path: &str) -> io::Result<(File, Stamp)> {
    let parts = parts(path).ok_or(io::ErrorKind::InvalidFilename)?;
    let mut whole = root.to_owned();
    for part in parts {
        whole.push(part);
        if fs::symlink_metadata(&whole)?.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    if !whole.canonicalize()?.starts_with(root) || !fs::symlink_metadata(&whole)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    regular(File::open(whole)?)
}

pub(super) fn stamp(file: &File) -> io::Result<Stamp> {
    Ok(stamp_of(&file.metadata()?))
}

fn stamp_of(metadata: &fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified = modified.and_then(|time| u64::try_from(time.as_nanos()).ok());
    Stamp { bytes: metadata.len(), modified: modified.unwrap_or_default(), number: 0 }
}

#[derive(Debug)]
pub(super) struct OpenFolder(PathBuf);

impl OpenFolder {
    pub(super) fn root(root: &Path) -> io::Result<Self> {
        Ok(Self(root.to_owned()))
    }

    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let path = self.0.join(name);
        if fs::symlink_metadata(&path)?.is_dir() {
            return Ok(Self(path));
        }
        Err(io::ErrorKind::NotADirectory.into())
    }

    pub(super) fn members(&self, most: usize) -> io::Result<Vec<Member>> {
        let mut members = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            if members.len() >= most {
                break;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            let kind = match (name.to_str(), metadata.file_type()) {
                (None, _) => MemberKind::Unnamed,
                (_, kind) if kind.is_symlink() => MemberKind::Link,
                (_, kind) if kind.is_dir() => MemberKind::Folder,
                (_, kind) if kind.is_file() => MemberKind::File,
                _ => MemberKind::Other,
            };
            let name = name.to_string_lossy().into_owned();
            members.push(Member { name, kind, stamp: stamp_of(&metadata) });
        }
        Ok(members)
    }
}
