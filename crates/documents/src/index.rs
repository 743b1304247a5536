//! The index of a folder: its files with their documents, and the pieces by which they are found. It has no text and reads no file:
//! a file comes in as [`Prepared`], and whoever shows a piece reads the file again and compares its digest.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate_search::PieceIndex;

use crate::{
    file::{FileDigest, Prepared, PreparedDocument},
    filter::Filter,
    finding::{DocumentsFinding, LEFT_OUT},
    folder::Stamp,
    metadata::{Kind, Metadata, Scalar},
    read::{Format, RowSpan},
};

/// The documents that can be found.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pieces: PieceIndex,
    /// The document of each piece, and its place among the document's pieces.
    piece_places: Vec<(u32, u32)>,
    documents: Slots<IndexedDocument>,
    files: BTreeMap<Arc<str>, IndexedFile>,
    field_names: BTreeSet<Arc<str>>,
}

#[derive(Debug)]
struct IndexedFile {
    format: Format,
    stamp: Stamp,
    digest: FileDigest,
    documents: Vec<u32>,
    findings: Vec<DocumentsFinding>,
}

#[derive(Debug)]
struct IndexedDocument {
    path: Arc<str>,
    row: Option<RowSpan>,
    metadata: Metadata,
}

/// A document, by the version of its file that was indexed.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) path: Arc<str>,
    pub(crate) format: Format,
    pub(crate) digest: FileDigest,
    pub(crate) row: Option<RowSpan>,
}

/// A piece that was found.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) located: Located,
    /// The place among the pieces of its document.
    pub(crate) place: usize,
}

impl Index {
    /// Puts a file in, in place of its earlier version. [`Index::settle`] follows after the last file.
    pub(crate) fn put(&mut self, path: &str, stamp: Stamp, prepared: Prepared<'_>) {
        self.remove(path);
        let path: Arc<str> = path.into();
        let Prepared { format, digest, documents, mut findings } = prepared;
        let mut numbers = Vec::with_capacity(documents.len());
        let mut is_whole = true;
        for prepared in documents {
            let mut metadata = prepared.document.metadata.clone();
            metadata.share(&mut self.field_names);
            let indexed =
                IndexedDocument { path: Arc::clone(&path), row: prepared.row(), metadata };
            let Some(number) = self.documents.insert(indexed) else { break };
            numbers.push(number);
            is_whole &= self.put_pieces(number, &prepared);
        }
        if !is_whole {
            let message =
                format!("expected at most {} pieces of text, got more", PieceIndex::MOST_PIECES);
            let help = "leave files out by `exclude`";
            findings.push(DocumentsFinding::of_file(LEFT_OUT, &path, message, help));
        }
        let documents = numbers;
        self.files.insert(path, IndexedFile { format, stamp, digest, documents, findings });
    }

    /// False if the index is full.
    fn put_pieces(&mut self, number: u32, prepared: &PreparedDocument<'_>) -> bool {
        for (place, piece) in (0..).zip(&prepared.pieces) {
            let added = self.pieces.add(&prepared.title_of(piece), prepared.text_of(piece));
            if added.is_none() {
                return false;
            }
            self.piece_places.push((number, place));
        }
        true
    }

    /// Takes a file out.
    pub(crate) fn remove(&mut self, path: &str) {
        let Some(file) = self.files.remove(path) else { return };
        let gone: BTreeSet<u32> = file.documents.iter().copied().collect();
        for (piece, (document, _)) in self.piece_places.iter_mut().enumerate() {
            if gone.contains(document) {
                *document = NONE;
                self.pieces.remove(piece);
            }
        }
        for number in gone {
            self.documents.remove(number);
        }
    }

    /// Ends a change: what was put in can be found.
    pub(crate) fn settle(&mut self) {
        if self.pieces.is_sparse() {
            self.piece_places.retain(|(document, _)| *document != NONE);
            self.pieces.compact();
        }
        self.pieces.settle();
    }

    /// Frees memory that was reserved for more.
    pub(crate) fn shrink(&mut self) {
        self.pieces.shrink();
        self.piece_places.shrink_to_fit();
    }

    /// The best pieces for a question among the documents that a filter admits.
    pub(crate) fn find(&self, question: &str, most: usize, filter: &Filter) -> Vec<Candidate> {
        let document = |piece: usize| {
            let (number, place) = self.piece_places.get(piece)?;
            Some((self.documents.get(*number)?, *place))
        };
        let admits = |piece: usize| {
            document(piece).is_some_and(|(document, _)| filter.admits(&document.metadata))
        };
        let hits = self.pieces.find(question, most, admits);
        let candidate = |piece: usize| {
            let (document, place) = document(piece)?;
            Some(Candidate { located: self.located(document)?, place: place as usize })
        };
        hits.into_iter().filter_map(|hit| candidate(hit.document)).collect()
    }

    /// The document of a name (`guide/start.md`, `faq.csv#7`), if a filter admits it.
    pub(crate) fn document(&self, name: &str, filter: &Filter) -> Option<Located> {
        let whole = self.files.get(name).map(|file| (file, None));
        let row = || {
            let (path, number) = name.rsplit_once('#')?;
            Some((self.files.get(path)?, Some(number.parse().ok()?)))
        };
        let (file, row): (_, Option<u32>) = whole.or_else(row)?;
        let mut documents = file.documents.iter().filter_map(|number| self.documents.get(*number));
        let document = documents.find(|document| document.row.map(|row| row.number) == row)?;
        if !filter.admits(&document.metadata) {
            return None;
        }
        self.located(document)
    }

    fn located(&self, document: &IndexedDocument) -> Option<Located> {
        let file = self.files.get(&document.path)?;
        let (path, row) = (Arc::clone(&document.path), document.row);
        Some(Located { path, format: file.format, digest: file.digest, row })
    }

    /// The paths whose version is another one than in the index: new, changed; and those that are gone.
    pub(crate) fn changes(&self, files: &BTreeMap<String, Stamp>) -> (Vec<String>, Vec<String>) {
        let is_known = |path: &str, stamp: &Stamp| {
            self.files.get(path).is_some_and(|file| file.stamp == *stamp)
        };
        let changed = files.iter().filter(|(path, stamp)| !is_known(path, stamp));
        let gone = self.files.keys().filter(|path| !files.contains_key(&***path));
        (changed.map(|(path, _)| path.clone()).collect(), gone.map(ToString::to_string).collect())
    }

    /// The digest that a file was indexed with.
    pub(crate) fn digest_of(&self, path: &str) -> Option<FileDigest> {
        self.files.get(path).map(|file| file.digest)
    }

    /// Notes that a file has the content that was indexed.
    pub(crate) fn confirm(&mut self, path: &str, stamp: Stamp) {
        self.files.get_mut(path).into_iter().for_each(|file| file.stamp = stamp);
    }

    /// The fields of all documents with the types of their values.
    pub(crate) fn fields(&self) -> BTreeMap<String, Vec<Kind>> {
        let mut fields: BTreeMap<String, Vec<Kind>> = BTreeMap::new();
        for document in self.documents.iter() {
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

    pub(crate) fn findings(&self) -> impl Iterator<Item = &DocumentsFinding> {
        self.files.values().flat_map(|file| &file.findings)
    }

    /// The paths of the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(|path| &**path)
    }

    /// The numbers of files, documents and pieces.
    pub(crate) fn counts(&self) -> [usize; 3] {
        [self.files.len(), self.documents.len(), self.pieces.len()]
    }

    /// The size of the index in bytes, without metadata.
    pub(crate) fn bytes(&self) -> usize {
        let places = self.piece_places.capacity() * size_of::<(u32, u32)>();
        let documents = self.documents.slots.capacity() * size_of::<Option<IndexedDocument>>();
        let paths: usize = self.files.keys().map(|path| path.len()).sum();
        let files = self.files.len() * (size_of::<IndexedFile>() + size_of::<Arc<str>>());
        self.pieces.bytes() + places + documents + paths + files
    }
}

/// Values with numbers, which are used again.
#[derive(Debug)]
struct Slots<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// `None` if there is no number left.
    fn insert(&mut self, value: T) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            *self.slots.get_mut(number as usize)? = Some(value);
            return Some(number);
        }
        let number = u32::try_from(self.slots.len()).ok().filter(|number| *number != NONE)?;
        self.slots.push(Some(value));
        Some(number)
    }

    fn remove(&mut self, number: u32) {
        if self.slots.get_mut(number as usize).and_then(Option::take).is_some() {
            self.free.push(number);
        }
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.slots.get(number as usize)?.as_ref()
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// The document of a removed piece.
const NONE: u32 = u32::MAX;
