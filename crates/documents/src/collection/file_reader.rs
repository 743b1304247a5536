//! Reads files that have changed. Many are read on several threads, in batches, and put into the index in the order of their paths, so
//! that the index does not depend on which thread was faster.

use std::{
    io,
    sync::mpsc::{Receiver, sync_channel},
    thread::{self, Scope, available_parallelism},
};

use callgate_search::PieceReader;

use super::{Collection, ReadOptions};
use crate::{
    file::{self, PreparedFile},
    finding::{self, UNREADABLE},
    folder::{FolderReader, Stamp},
    index::ChangedFile,
    pdf,
    read::Format,
};

/// A reader of files, on one thread.
struct FileReader<'c> {
    folder: FolderReader<'c>,
    pieces: PieceReader,
    reading: &'c ReadOptions,
}

/// The result of reading a file.
enum FileRead {
    Changed(Stamp, PreparedFile),
    Failed(io::Error),
    Unchanged(Stamp),
}

impl Collection {
    /// Reads files, and indexes those again whose content is another one.
    pub(super) fn reindex_changed_files(&self, changed: &[ChangedFile]) {
        let batches = batches(changed);
        let n_threads = available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        if batches.len() < 2 || n_threads < 2 {
            let mut reader = self.file_reader();
            for batch in batches {
                self.apply_file_reads(batch, reader.read_all(batch));
            }
            return;
        }
        thread::scope(|scope| {
            let own = |worker| batches.iter().copied().skip(worker).step_by(n_threads);
            let start = |worker| self.start_reading(scope, own(worker));
            let receivers: Vec<Receiver<Vec<FileRead>>> = (0..n_threads).map(start).collect();
            for (batch, receiver) in batches.iter().zip(receivers.iter().cycle()) {
                let read = receiver.recv().unwrap_or_else(|_| self.file_reader().read_all(batch));
                self.apply_file_reads(batch, read);
            }
        });
    }

    /// Reads batches on a thread of their own. If the system has none, the channel is closed.
    fn start_reading<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        mut batches: impl Iterator<Item = &'s [ChangedFile]> + Send + 's,
    ) -> Receiver<Vec<FileRead>> {
        let (sender, receiver) = sync_channel(AHEAD);
        let mut reader = self.file_reader();
        let work = move || {
            batches.all(|batch| sender.send(reader.read_all(batch)).is_ok());
        };
        drop(thread::Builder::new().spawn_scoped(scope, work));
        receiver
    }

    fn file_reader(&self) -> FileReader<'_> {
        FileReader {
            folder: self.folder.reader(),
            pieces: self.index().piece_word_reader(),
            reading: &self.reading,
        }
    }

    fn apply_file_reads(&self, files: &[ChangedFile], read: Vec<FileRead>) {
        for (ChangedFile { path, .. }, read) in files.iter().zip(read) {
            match read {
                FileRead::Changed(stamp, prepared) => {
                    self.index_mut().put_file(path, stamp, prepared);
                }
                FileRead::Failed(error) => self.drop_unreadable_file(path, &error),
                FileRead::Unchanged(stamp) => self.index_mut().mark_file_unchanged(path, stamp),
            }
        }
    }

    /// Takes a file out that cannot be read, with a finding unless it is gone.
    fn drop_unreadable_file(&self, path: &str, error: &io::Error) {
        let mut index = self.index_mut();
        if error.kind() == io::ErrorKind::NotFound {
            index.remove(path);
            return;
        }
        let mut nothing = PreparedFile::empty(file::digest(b""));
        let message = format!("expected a file that can be read, got: {}", error.kind());
        let help = "allow callgate to read it, or leave it out by `exclude`";
        nothing.findings = vec![finding::file_finding(UNREADABLE, path, message, help)];
        index.put_file(path, Stamp::default(), nothing);
    }
}

impl FileReader<'_> {
    fn read_all(&mut self, files: &[ChangedFile]) -> Vec<FileRead> {
        files.iter().map(|file| self.read_file(file)).collect()
    }

    fn read_file(&mut self, file: &ChangedFile) -> FileRead {
        let (bytes, stamp) = match self.folder.read(&file.path) {
            Ok(read) => read,
            Err(error) => return FileRead::Failed(error),
        };
        let digest = file::digest(&bytes);
        if file.digest == Some(digest) {
            return FileRead::Unchanged(stamp);
        }
        let ReadOptions { metadata, extractor, limits } = self.reading;
        if Format::from_path_or_text(&file.path) != Format::Pdf {
            let prepared =
                PreparedFile::new(&file.path, &bytes, digest, *metadata, &mut self.pieces);
            return FileRead::Changed(stamp, prepared);
        }
        let prepared = match pdf::extract_text(extractor.as_deref(), &bytes, limits.file_bytes) {
            Ok(text) => {
                let bytes = text.as_bytes();
                let mut prepared =
                    PreparedFile::new(&file.path, bytes, digest, *metadata, &mut self.pieces);
                prepared.extracted = Some(text.into());
                prepared
            }
            Err(problem) => PreparedFile::unreadable(&file.path, digest, problem),
        };
        FileRead::Changed(stamp, prepared)
    }
}

/// The files in parts that are read at once: few files, or few bytes.
fn batches(changed: &[ChangedFile]) -> Vec<&[ChangedFile]> {
    let mut n_bytes = changed.first().map_or(0, |file| file.bytes);
    let mut is_in_batch = |_: &ChangedFile, next: &ChangedFile| {
        n_bytes += next.bytes;
        let goes_on = n_bytes < BATCH_BYTES;
        if !goes_on {
            n_bytes = next.bytes;
        }
        goes_on
    };
    let by_size = changed.chunk_by(|file, next| is_in_batch(file, next));
    by_size.flat_map(|batch| batch.chunks(BATCH_FILES)).collect()
}

/// The most files of a batch, and the bytes of more than one file from which it ends.
const BATCH_FILES: usize = 128;
const BATCH_BYTES: u64 = 1 << 20;
/// The batches that a thread reads before the index takes the first of them.
const AHEAD: usize = 2;
/// The most threads: one thread fills the index, and is busy with what few threads read.
const MOST_THREADS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_few_files_and_few_bytes() {
        let file = |bytes| ChangedFile { path: String::new(), bytes, digest: None };
        let files: Vec<ChangedFile> =
            [1 << 19, 1 << 18, 1 << 19, 2 << 20, 1].into_iter().chain([1; 200]).map(file).collect();
        let sizes: Vec<_> = batches(&files).iter().map(|batch| batch.len()).collect();
        assert_eq!(sizes, [2, 1, 1, 128, 73]);
        assert!(batches(&[]).is_empty());
    }
}
