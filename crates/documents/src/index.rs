//! The index of a folder: its files with their documents, and the pieces by which they are found. It has no text and reads no file:
//! a file comes in as [`PreparedFile`], and whoever shows a piece reads the file again and compares its digest.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use callgate_search::{PieceIndex, PieceReader};
use callgate_tree::SettingFinding;

use crate::{
    file::{Entry, FileDigest, PreparedFile},
    filter::Filter,
    finding::{self, LEFT_OUT},
    folder::Stamp,
    metadata::{Kind, Metadata, Scalar},
    read::RowSpan,
};

/// The documents that can be found.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pieces: PieceIndex,
    /// The document of each piece.
    owners: Vec<u32>,
    /// The documents of a file stand behind each other. One that was removed is `None` until [`Index::compact`].
    documents: Vec<Option<IndexedDocument>>,
    n_documents: usize,
    files: BTreeMap<Arc<str>, IndexedFile>,
    findings: BTreeMap<Arc<str>, Vec<SettingFinding>>,
    /// The texts of PDF files, so that nothing is extracted twice.
    extracted: BTreeMap<Arc<str>, Arc<str>>,
    field_names: BTreeSet<Arc<str>>,
}

#[derive(Debug)]
struct IndexedFile {
    stamp: Stamp,
    digest: FileDigest,
    documents: Numbers,
}

#[derive(Debug)]
struct IndexedDocument {
    path: Arc<str>,
    row: Option<RowSpan>,
    metadata: Metadata,
    pieces: Numbers,
}

/// The numbers of documents or pieces that were added at once.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    first: u32,
    n: u32,
}

/// A file whose version is another one than in the index, or which is new.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// The digest in the index.
    pub(crate) digest: Option<FileDigest>,
}

/// A document, by the version of its file that was indexed.
#[derive(Clone, Debug)]
pub(crate) struct LocatedDocument {
    pub(crate) path: Arc<str>,
    pub(crate) digest: FileDigest,
    pub(crate) row: Option<RowSpan>,
    /// The text of a PDF.
    pub(crate) extracted: Option<Arc<str>>,
}

/// A piece that was found.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) located: LocatedDocument,
    /// The place among the pieces of its document.
    pub(crate) place: usize,
}

impl Index {
    /// A reader that cuts pieces into words.
    pub(crate) fn piece_word_reader(&self) -> PieceReader {
        self.pieces.piece_tokenizer()
    }

    /// Puts a file in, in place of its earlier version. [`Index::finish_change`] follows after the last file.
    pub(crate) fn put_file(&mut self, path: &str, stamp: Stamp, prepared: PreparedFile) {
        self.remove(path);
        let path: Arc<str> = path.into();
        let PreparedFile { digest, entries, words, mut findings, extracted } = prepared;
        let added = self.pieces.append(&words);
        let documents = Numbers::new(self.documents.len(), entries.len());
        let mut first = added.start;
        for Entry { row, mut metadata, n_pieces } in entries {
            metadata.share_names(&mut self.field_names);
            let owner = u32_or_max(self.documents.len());
            let pieces = Numbers::new(first, n_pieces.min(added.end.saturating_sub(first)));
            first += n_pieces;
            self.owners.extend(pieces.range().map(|_| owner));
            let path = Arc::clone(&path);
            self.documents.push(Some(IndexedDocument { path, row, metadata, pieces }));
        }
        self.n_documents += documents.n as usize;
        if added.len() < words.piece_count() {
            let most = PieceIndex::MOST_PIECES;
            let message = format!("expected at most {most} pieces of text, got more");
            let help = "leave files out by `exclude`";
            findings.push(finding::file_finding(LEFT_OUT, &path, message, help));
        }
        if !findings.is_empty() {
            self.findings.insert(Arc::clone(&path), findings);
        }
        self.extracted.extend(extracted.map(|text| (Arc::clone(&path), text)));
        self.files.insert(path, IndexedFile { stamp, digest, documents });
    }

    /// Takes a file out.
    pub(crate) fn remove(&mut self, path: &str) {
        let Some(file) = self.files.remove(path) else { return };
        self.findings.remove(path);
        self.extracted.remove(path);
        for document in file.documents.range() {
            let Some(document) = self.documents.get_mut(document).and_then(Option::take) else {
                continue;
            };
            self.n_documents -= 1;
            for piece in document.pieces.range() {
                self.owners.get_mut(piece).into_iter().for_each(|owner| *owner = NONE);
                self.pieces.remove(piece);
            }
        }
    }

    /// Ends a change: what was put in can be found.
    pub(crate) fn finish_change(&mut self) {
        let n_removed = self.documents.len() - self.n_documents;
        if self.pieces.needs_compaction() || n_removed > LEAST_REMOVED.max(self.n_documents) {
            self.compact();
        }
        self.pieces.update_length_weights();
    }

    /// Frees the memory of documents and pieces that were removed. Those that stay are numbered anew, in their order.
    fn compact(&mut self) {
        let mut numbers = vec![NONE; self.documents.len()];
        let mut n_kept = 0;
        for (new, document) in numbers.iter_mut().zip(&self.documents) {
            if document.is_some() {
                *new = n_kept;
                n_kept += 1;
            }
        }
        let renumbered = |old: u32| numbers.get(old as usize).copied().unwrap_or(NONE);
        self.documents.retain(Option::is_some);
        for file in self.files.values_mut() {
            file.documents.first = renumbered(file.documents.first);
        }
        self.owners.retain(|owner| *owner != NONE);
        self.pieces.compact();
        let mut before = NONE;
        for (piece, owner) in self.owners.iter_mut().enumerate() {
            *owner = renumbered(*owner);
            if *owner != before {
                before = *owner;
                let document = self.documents.get_mut(*owner as usize).into_iter();
                document.flatten().for_each(|it| it.pieces.first = u32_or_max(piece));
            }
        }
    }

    /// Frees memory that was reserved for more.
    pub(crate) fn shrink_memory(&mut self) {
        self.pieces.shrink();
        self.owners.shrink_to_fit();
        self.documents.shrink_to_fit();
    }

    /// The best pieces for a question among the documents that a filter admits.
    pub(crate) fn find(&self, question: &str, most: usize, filter: &Filter) -> Vec<Candidate> {
        let document = |piece: usize| self.document_of(*self.owners.get(piece)? as usize);
        let admits = |piece: usize| document(piece).is_some_and(|it| filter.admits(&it.metadata));
        let hits = self.pieces.find(question, most, admits);
        let candidate = |piece: usize| {
            let document = document(piece)?;
            let place = piece.checked_sub(document.pieces.first as usize)?;
            Some(Candidate { located: self.document_location(document)?, place })
        };
        hits.into_iter().filter_map(|hit| candidate(hit.document)).collect()
    }

    fn document_of(&self, number: usize) -> Option<&IndexedDocument> {
        self.documents.get(number)?.as_ref()
    }

    /// The document of a name (`guide/start.md`, `faq.csv#7`), if a filter admits it.
    pub(crate) fn find_admitted_document(
        &self,
        name: &str,
        filter: &Filter,
    ) -> Option<LocatedDocument> {
        let whole = self.files.get(name).map(|file| (file, None));
        let row = || {
            let (path, number) = name.rsplit_once('#')?;
            Some((self.files.get(path)?, Some(number.parse().ok()?)))
        };
        let (file, row): (_, Option<u32>) = whole.or_else(row)?;
        let mut documents = file.documents.range().filter_map(|number| self.document_of(number));
        let document = documents.find(|document| document.row.map(|row| row.number) == row)?;
        if !filter.admits(&document.metadata) {
            return None;
        }
        self.document_location(document)
    }

    fn document_location(&self, document: &IndexedDocument) -> Option<LocatedDocument> {
        let file = self.files.get(&document.path)?;
        let (path, row) = (Arc::clone(&document.path), document.row);
        let extracted = self.extracted.get(&path).cloned();
        Some(LocatedDocument { path, digest: file.digest, row, extracted })
    }

    /// The files whose version is another one than in the index, new ones too; and the paths of those that are gone. `files` are in the
    /// order of their paths.
    pub(crate) fn changed_and_gone_files(
        &self,
        files: Vec<(String, Stamp)>,
    ) -> (Vec<ChangedFile>, Vec<String>) {
        let (mut changed, mut gone) = (Vec::new(), Vec::new());
        let mut indexed_files = self.files.iter().peekable();
        for (path, stamp) in files {
            while let Some((before, _)) = indexed_files.next_if(|(entry, _)| ***entry < *path) {
                gone.push(before.to_string());
            }
            let indexed =
                indexed_files.next_if(|(entry, _)| ***entry == *path).map(|(_, file)| file);
            if indexed.is_none_or(|file| file.stamp != stamp) {
                let digest = indexed.map(|file| file.digest);
                changed.push(ChangedFile { path, bytes: stamp.bytes, digest });
            }
        }
        gone.extend(indexed_files.map(|(path, _)| path.to_string()));
        (changed, gone)
    }

    /// The digest that a file was indexed with.
    pub(crate) fn digest_of(&self, path: &str) -> Option<FileDigest> {
        self.files.get(path).map(|file| file.digest)
    }

    /// Notes that a file has the content that was indexed.
    pub(crate) fn mark_file_unchanged(&mut self, path: &str, stamp: Stamp) {
        self.files.get_mut(path).into_iter().for_each(|file| file.stamp = stamp);
    }

    /// The fields of all documents with the types of their values.
    pub(crate) fn fields(&self) -> BTreeMap<String, Vec<Kind>> {
        let mut fields: BTreeMap<String, Vec<Kind>> = BTreeMap::new();
        for document in self.documents.iter().flatten() {
            for (name, values) in document.metadata.fields() {
                let kinds = match fields.get_mut(&**name) {
                    Some(kinds) => kinds,
                    None => fields.entry(name.to_string()).or_default(),
                };
                kinds.extend(values.iter().map(Scalar::kind));
                kinds.sort_unstable();
                kinds.dedup();
            }
        }
        fields
    }

    pub(crate) fn findings(&self) -> impl Iterator<Item = &SettingFinding> {
        self.findings.values().flatten()
    }

    /// The paths of the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(|path| &**path)
    }

    /// The numbers of files, documents and pieces.
    pub(crate) fn file_document_piece_counts(&self) -> [usize; 3] {
        [self.files.len(), self.n_documents, self.pieces.len()]
    }

    /// The size of the index in bytes, without metadata.
    pub(crate) fn bytes(&self) -> usize {
        let owners = self.owners.capacity() * size_of::<u32>();
        let documents = self.documents.capacity() * size_of::<Option<IndexedDocument>>();
        let paths: usize = self.files.keys().map(|path| path.len()).sum();
        let files = self.files.len() * (size_of::<IndexedFile>() + size_of::<Arc<str>>());
        let extracted: usize = self.extracted.values().map(|text| text.len()).sum();
        self.pieces.bytes() + owners + documents + paths + files + extracted
    }
}

impl Numbers {
    fn new(first: usize, n: usize) -> Self {
        Self { first: u32_or_max(first), n: u32_or_max(n) }
    }

    fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.n as usize
    }
}

fn u32_or_max(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(NONE)
}

/// The document of a removed piece.
const NONE: u32 = u32::MAX;
/// The least number of removed documents that are worth the time of a compaction.
const LEAST_REMOVED: usize = 4096;
