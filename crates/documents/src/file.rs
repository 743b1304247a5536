//! A file on its way into the index: its documents, cut into pieces and these into words, and the digest by which the file is known
//! again. Nothing of its text is kept.

use std::{borrow::Cow, sync::Arc};

use callgate_search::{PieceReader, PieceWords};
use callgate_tree::SettingFinding;
use sha2::{Digest as _, Sha256};

use crate::{
    finding::{self, UNREADABLE},
    metadata::Metadata,
    read::{self, Document, Format, Problem, RowSpan},
    settings::MetadataSource,
    split::{self, Piece, Style},
};

/// The SHA-256 of bytes.
pub(crate) type FileDigest = [u8; 32];

pub(crate) fn digest(bytes: &[u8]) -> FileDigest {
    Sha256::digest(bytes).into()
}

/// A file that was read.
#[derive(Debug)]
pub(crate) struct PreparedFile {
    pub(crate) digest: FileDigest,
    pub(crate) entries: Vec<Entry>,
    /// The words of all pieces, document after document.
    pub(crate) words: PieceWords,
    pub(crate) findings: Vec<SettingFinding>,
    /// The text of a PDF.
    pub(crate) extracted: Option<Arc<str>>,
}

/// A document of a file, as the index keeps it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) row: Option<RowSpan>,
    pub(crate) metadata: Metadata,
    pub(crate) n_pieces: usize,
}

/// One document with its pieces, each with the words that stand for it beside its own text.
#[derive(Debug)]
pub(crate) struct PreparedDocument<'a> {
    pub(crate) document: Document<'a>,
    pub(crate) title: String,
    pub(crate) pieces: Vec<Piece>,
}

impl PreparedFile {
    pub(crate) fn new(
        path: &str,
        bytes: &[u8],
        digest: FileDigest,
        metadata: MetadataSource,
        reader: &mut PieceReader,
    ) -> Self {
        let (mut prepared, format) = (Self::empty(digest), Format::from_path_or_text(path));
        let read = read::read(format, bytes);
        for document in read.documents {
            prepared.add_document(PreparedDocument::new(path, format, document), reader);
        }
        if metadata == MetadataSource::None {
            prepared.entries.iter_mut().for_each(|entry| entry.metadata = Metadata::default());
        }
        let problems = read.problems.into_iter().take(MOST_PROBLEMS);
        prepared.findings = problems.map(|problem| unreadable_finding(path, problem)).collect();
        prepared
    }

    /// A file without documents.
    pub(crate) fn empty(digest: FileDigest) -> Self {
        let (entries, words, findings, extracted) = Default::default();
        Self { digest, entries, words, findings, extracted }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(path: &str, digest: FileDigest, problem: Problem) -> Self {
        Self { findings: vec![unreadable_finding(path, problem)], ..Self::empty(digest) }
    }

    fn add_document(&mut self, document: PreparedDocument<'_>, reader: &mut PieceReader) {
        for piece in &document.pieces {
            reader.read(
                &document.title_with_headings(piece),
                document.text_of(piece),
                &mut self.words,
            );
        }
        let n_pieces = document.pieces.len();
        let Document { row, metadata, .. } = document.document;
        self.entries.push(Entry { row, metadata, n_pieces });
    }
}

impl<'a> PreparedDocument<'a> {
    pub(crate) fn new(path: &str, format: Format, document: Document<'a>) -> Self {
        let style = if format.has_headings() { Style::Markdown } else { Style::Plain };
        let title = document.title.clone().or_else(|| {
            (style == Style::Markdown)
                .then(|| split::first_heading_title(&document.text, document.body))
                .flatten()
        });
        let title = title.filter(|title| !title.trim().is_empty());
        let mut title = title.unwrap_or_else(|| file_stem(path).to_owned());
        title.truncate(title.floor_char_boundary(LONGEST_TITLE));
        let pieces = split::split(&document.text, document.body, style);
        Self { document, title, pieces }
    }

    /// The title that a piece is found by: that of the document, and the headings above it.
    fn title_with_headings<'p>(&'p self, piece: &'p Piece) -> Cow<'p, str> {
        if piece.section.is_empty() {
            return self.title.as_str().into();
        }
        if piece.section.starts_with(&self.title) {
            return piece.section.as_str().into();
        }
        format!("{} {}", self.title, piece.section).into()
    }

    pub(crate) fn text_of(&self, piece: &Piece) -> &str {
        self.document.text.get(piece.range.clone()).unwrap_or_default()
    }
}

fn unreadable_finding(path: &str, problem: Problem) -> SettingFinding {
    let file = problem.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
    finding::file_finding(UNREADABLE, &file, problem.message, problem.help)
}

/// The name of a file without its ending.
fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The most problems of one file that are reported.
const MOST_PROBLEMS: usize = 20;
const LONGEST_TITLE: usize = 300;
