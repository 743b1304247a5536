//! Stamps of files at one time: they show a change without reading the files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Stamps {
    files: BTreeSet<PathBuf>,
    by_file: BTreeMap<PathBuf, Stamp>,
    /// The files that may have changed without a new stamp.
    doubtful: BTreeSet<PathBuf>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Look {
    Changed,
    /// The stamps are equal, but the files may have changed.
    Doubtful,
    Same,
}

/// The stamp of a file, links followed.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// The identity of the file, if the system has one: another file with equal time and length may replace it.
    identity: (u64, u64),
}

impl Stamps {
    /// The stamps of files now; a missing file has none.
    pub(crate) fn from_files(files: &BTreeSet<PathBuf>) -> Self {
        let stamps = files.iter().filter_map(|file| Some((file.clone(), file_stamp(file)?)));
        Self { files: files.clone(), by_file: stamps.collect(), doubtful: BTreeSet::new() }
    }

    pub(crate) fn compare_with_files(&self) -> Look {
        match Self::from_files(&self.files).by_file == self.by_file {
            false => Look::Changed,
            true if self.doubtful.is_empty() => Look::Same,
            true => Look::Doubtful,
        }
    }

    pub(crate) fn has_same_stamps(&self, then: &Self) -> bool {
        self.by_file == then.by_file
    }

    fn with_unsettled_doubtful(mut self, is_settled: impl Fn(SystemTime) -> bool) -> Self {
        let doubtful =
            |(_, stamp): &(&PathBuf, &Stamp)| stamp.modified.is_some_and(|at| !is_settled(at));
        self.doubtful =
            self.by_file.iter().filter(doubtful).map(|(file, _)| file.clone()).collect();
        self
    }

    /// The stamps of files that are read next. The stamp of a file that was just written is doubtful: another text of equal
    /// length could follow within one tick and would not show.
    pub(crate) fn from_files_before_reading(files: &BTreeSet<PathBuf>) -> Self {
        let now = SystemTime::now();
        Self::from_files(files).with_unsettled_doubtful(|modified| {
            match now.duration_since(modified) {
                Ok(age) => age > TICK,
                // The clock of another machine: a time far ahead was not written just now.
                Err(ahead) => ahead.duration() > TICK,
            }
        })
    }

    /// The stamps of files that were read after `since`. A file that was written after `since` may have been read
    /// before that, so its stamp is doubtful.
    pub(crate) fn from_files_read_since(files: &BTreeSet<PathBuf>, since: SystemTime) -> Self {
        Self::from_files(files).with_unsettled_doubtful(|modified| modified < since - TICK)
    }

    pub(crate) fn files(&self) -> &BTreeSet<PathBuf> {
        &self.files
    }

    /// The stamps of exactly these files; the unknown ones were read after `since`.
    pub(crate) fn with_exactly_files(self, files: &BTreeSet<PathBuf>, since: SystemTime) -> Self {
        let unknown = files.difference(&self.files).cloned().collect();
        let (mut file_stamps, mut doubtful) = (self.by_file, self.doubtful);
        file_stamps.retain(|file, _| files.contains(file));
        doubtful.retain(|file| files.contains(file));
        let read = Self::from_files_read_since(&unknown, since);
        file_stamps.extend(read.by_file);
        doubtful.extend(read.doubtful);
        Self { files: files.clone(), by_file: file_stamps, doubtful }
    }
}

fn file_stamp(file: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(file).ok()?;
    let (length, modified) = (metadata.len(), metadata.modified().ok());
    Some(Stamp { length, modified, identity: device_and_inode(&metadata) })
}

#[cfg(unix)]
fn device_and_inode(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn device_and_inode(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// The most by which a file's time may precede its writing: systems take it from a clock that ticks a hundred times a second
/// or more.
pub(crate) const TICK: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changed_during_reading_needs_a_second_look() {
        let folder = tempfile::tempdir().unwrap();
        let files = BTreeSet::from([folder.path().join("a")]);
        fs::write(folder.path().join("a"), "a").unwrap();
        let (hour, now) = (Duration::from_hours(1), SystemTime::now());
        let stamps = |since| Stamps::default().with_exactly_files(&files, since);
        assert_eq!(stamps(now + hour).compare_with_files(), Look::Same);
        assert_eq!(stamps(now - hour).compare_with_files(), Look::Doubtful);
        // The clock of files is behind the system's.
        let written = fs::metadata(folder.path().join("a")).unwrap().modified().unwrap();
        let stamps = stamps(written + TICK / 2);
        assert_eq!(stamps.compare_with_files(), Look::Doubtful);
        fs::write(folder.path().join("a"), "ab").unwrap();
        assert_eq!(stamps.compare_with_files(), Look::Changed);
    }

    #[test]
    fn a_file_written_just_before_reading_needs_a_second_look() {
        let folder = tempfile::tempdir().unwrap();
        let files = BTreeSet::from([folder.path().join("a")]);
        let file = fs::File::create(folder.path().join("a")).unwrap();
        let hour = Duration::from_hours(1);
        for (at, is_settled) in [
            (SystemTime::now(), false),
            (SystemTime::now() - hour, true),
            (SystemTime::now() + hour, true),
        ] {
            file.set_modified(at).unwrap();
            assert_eq!(
                Stamps::from_files_before_reading(&files) == Stamps::from_files(&files),
                is_settled,
                "{at:?}"
            );
        }
    }
}
