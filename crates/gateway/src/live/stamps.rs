//! How files looked at a time: whether one changed shows without reading it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Files and how they looked.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Stamps {
    files: BTreeSet<PathBuf>,
    stamps: BTreeMap<PathBuf, Stamp>,
}

/// How a file looked, links followed.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Which file it is, where the system says so: one may take the place of another with its time and length.
    identity: (u64, u64),
}

impl Stamps {
    /// How files look now; one that is not there has no stamp.
    pub(super) fn of(files: &BTreeSet<PathBuf>) -> Self {
        let stamps = files.iter().filter_map(|file| Some((file.clone(), stamp(file)?)));
        Self { files: files.clone(), stamps: stamps.collect() }
    }

    /// The files.
    pub(super) fn files(&self) -> &BTreeSet<PathBuf> {
        &self.files
    }

    /// The stamps of exactly these files: those that were unknown look as they do now.
    pub(super) fn and(self, files: &BTreeSet<PathBuf>) -> Self {
        let unknown = files.difference(&self.files).cloned().collect();
        let mut stamps = self.stamps;
        stamps.retain(|file, _| files.contains(file));
        stamps.extend(Self::of(&unknown).stamps);
        Self { files: files.clone(), stamps }
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(file).ok()?;
    let (length, modified) = (metadata.len(), metadata.modified().ok());
    Some(Stamp { length, modified, identity: identity(&metadata) })
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}
