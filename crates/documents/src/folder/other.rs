//! Folders of other systems than Unix: each part of a path is looked at before it is opened, and links are refused.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{Member, MemberKind, Stamp};

pub(super) fn stamp(metadata: &Metadata) -> Stamp {
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

    /// Opens a file that is no link, and no pipe or device.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let path = self.0.join(name);
        if fs::symlink_metadata(&path)?.is_file() {
            return File::open(path);
        }
        Err(io::ErrorKind::InvalidInput.into())
    }

    pub(super) fn visible_members(&self, most: usize) -> io::Result<Vec<Member>> {
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
            members.push(Member { name, kind, stamp: stamp(&metadata) });
        }
        Ok(members)
    }
}
