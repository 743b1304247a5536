//! Folders of Unix: members are listed and opened relative to an open folder, and links are not followed.

use std::{
    fs::{File, Metadata},
    io,
    os::{fd::OwnedFd, unix::fs::MetadataExt as _},
    path::Path,
};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

use super::{Member, MemberKind, Stamp};

pub(super) fn stamp(metadata: &Metadata) -> Stamp {
    let modified = nanoseconds(metadata.mtime(), metadata.mtime_nsec());
    Stamp { bytes: metadata.len(), modified, number: metadata.ino() }
}

/// An open folder, whose members can be listed and opened.
#[derive(Debug)]
pub(super) struct OpenFolder(OwnedFd);

impl OpenFolder {
    pub(super) fn root(root: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, root, FOLDER, Mode::empty())?))
    }

    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?))
    }

    /// Opens a file, whatever it is.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        // Without `NONBLOCK`, opening a FIFO would wait for its writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags | OFlags::NOCTTY, Mode::empty())?.into())
    }

    /// The members, at most `most`; in no order.
    pub(super) fn visible_members(&self, most: usize) -> io::Result<Vec<Member>> {
        let mut members = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_bytes().starts_with(b".") {
                continue;
            }
            if members.len() >= most {
                break;
            }
            let Ok(text) = name.to_str() else {
                let name = name.to_string_lossy().into_owned();
                members.push(Member { name, kind: MemberKind::Unnamed, stamp: Stamp::default() });
                continue;
            };
            // A member that is gone by now is none.
            let Ok(file_status) = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let kind = match FileType::from_raw_mode(file_status.st_mode) {
                FileType::Directory => MemberKind::Folder,
                FileType::RegularFile => MemberKind::File,
                FileType::Symlink => MemberKind::Link,
                _ => MemberKind::Other,
            };
            let modified = nanoseconds(file_status.st_mtime, file_status.st_mtime_nsec);
            let bytes = u64::try_from(file_status.st_size).unwrap_or_default();
            let stamp = Stamp { bytes, modified, number: file_status.st_ino };
            members.push(Member { name: text.to_owned(), kind, stamp });
        }
        Ok(members)
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> u64 {
    seconds.wrapping_mul(1_000_000_000).wrapping_add(rest).cast_unsigned()
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
