//! A folder with its index, which follows the folder: files are compared by size and time before a search, at most once a second,
//! and by their digests before anything is shown. Everything here blocks; the tools call it on threads for that.

mod file_reader;
mod lookup;

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

use callgate_tree::SettingFinding;
use tokio::time::Instant;

use crate::{
    finding::{FOLDER, POINTER},
    folder::{Folder, Stamp},
    index::{ChangedFile, Index},
    settings::{DocumentsLimits, MetadataSource},
    uri::UriTemplate,
};

pub(crate) use lookup::{Excerpt, LineRange};

/// The documents of a folder.
#[derive(Debug)]
pub(crate) struct Collection {
    folder: Folder,
    reading: ReadOptions,
    uri: Option<UriTemplate>,
    index: RwLock<Index>,
    /// The time of the next comparison with the folder; locked while one runs.
    next: Mutex<Option<Instant>>,
    /// The findings of the last comparison, without those of files.
    findings: Mutex<Vec<SettingFinding>>,
}

/// The way in which files are read.
#[derive(Debug)]
pub(crate) struct ReadOptions {
    pub(crate) metadata: MetadataSource,
    pub(crate) extractor: Option<PathBuf>,
    pub(crate) limits: DocumentsLimits,
}

impl Collection {
    pub(crate) fn new(folder: Folder, reading: ReadOptions, uri: Option<UriTemplate>) -> Self {
        let (index, next, findings) = Default::default();
        Self { folder, reading, uri, index, next, findings }
    }

    pub(crate) fn limits(&self) -> DocumentsLimits {
        self.reading.limits
    }

    pub(crate) fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The findings of the last comparison, and those of files.
    pub(crate) fn findings(&self) -> Vec<SettingFinding> {
        let own = self.lock_scan_findings();
        own.iter().chain(self.index().findings()).cloned().collect()
    }

    fn lock_scan_findings(&self) -> MutexGuard<'_, Vec<SettingFinding>> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the folder could not be read when it was compared last.
    pub(crate) fn is_folder_unreadable(&self) -> bool {
        self.lock_scan_findings().iter().any(SettingFinding::is_error)
    }

    /// The folders that have documents.
    pub(crate) fn document_folders(&self) -> BTreeSet<PathBuf> {
        self.index().paths().map(|path| self.folder.parent_folder(path)).collect()
    }

    /// Compares the index with the folder if the last comparison is long ago. A search does not wait for one that is running.
    pub(crate) fn refresh_if_due(&self) {
        let Ok(mut next) = self.next.try_lock() else { return };
        if next.is_none_or(|next| Instant::now() >= next) {
            self.refresh_and_schedule(&mut next);
        }
    }

    /// The time from which the next comparison is due; `None` for now, and while one runs.
    pub(crate) fn next_comparison_time(&self) -> Option<Instant> {
        *self.next.try_lock().ok()?
    }

    /// Compares the index with the folder now.
    pub(crate) fn refresh(&self) {
        self.refresh_and_schedule(&mut self.next.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn refresh_and_schedule(&self, next: &mut Option<Instant>) {
        let began = Instant::now();
        let scanned = self.folder.scan();
        let took = began.elapsed();
        match scanned {
            Ok(scanned) => {
                *self.lock_scan_findings() = scanned.findings;
                self.index_changes(scanned.files);
            }
            Err(error) => {
                // Nothing can be verified in a folder that is gone, so nothing is shown.
                let message = format!("expected a folder that can be read, got: {}", error.kind());
                let help = "restore the folder, or correct `folder`";
                *self.lock_scan_findings() =
                    vec![SettingFinding::error(FOLDER, POINTER, message, help)];
                self.index_changes(Vec::new());
            }
        }
        // Large folders are compared for at most a tenth of the time; to read what has changed is no part of it.
        let pause = LEAST_PAUSE.max(took * 10);
        *next = Instant::now().checked_add(pause);
    }

    fn index_changes(&self, files: Vec<(String, Stamp)>) {
        let (changed, gone) = self.index().changed_and_gone_files(files);
        if changed.is_empty() && gone.is_empty() {
            return;
        }
        let is_first = self.index().file_document_piece_counts() == [0, 0, 0];
        for path in gone {
            self.index_mut().remove(&path);
        }
        self.reindex_changed_files(&changed);
        let mut index = self.index_mut();
        index.finish_change();
        if is_first {
            index.shrink_memory();
        }
    }

    /// Reads a file that may have changed, and indexes it again if it has.
    fn reindex_file_if_changed(&self, path: &str) {
        let digest = self.index().digest_of(path);
        self.reindex_changed_files(&[ChangedFile { path: path.to_owned(), bytes: 0, digest }]);
        self.index_mut().finish_change();
    }
}

/// The least time between two comparisons with the folder.
pub(crate) const LEAST_PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
