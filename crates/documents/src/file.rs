//! A file on its way into the index: its documents, cut into pieces, and the digest by which the file is known again.

use sha2::{Digest as _, Sha256};

use crate::{
    finding::{DocumentsFinding, UNREADABLE},
    metadata::Metadata,
    read::{self, Document, Format, RowSpan},
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
pub(crate) struct Prepared<'a> {
    pub(crate) format: Format,
    pub(crate) digest: FileDigest,
    pub(crate) documents: Vec<PreparedDocument<'a>>,
    pub(crate) findings: Vec<DocumentsFinding>,
}

/// One document with its pieces, each with the words that stand for it beside its own text.
#[derive(Debug)]
pub(crate) struct PreparedDocument<'a> {
    pub(crate) document: Document<'a>,
    pub(crate) title: String,
    pub(crate) pieces: Vec<Piece>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(path: &str, bytes: &'a [u8], metadata: MetadataSource) -> Self {
        let format = Format::of(path).unwrap_or(Format::Text);
        let read = read::read(format, bytes);
        let prepare = |mut document: Document<'a>| {
            if metadata == MetadataSource::None {
                document.metadata = Metadata::default();
            }
            PreparedDocument::new(path, format, document)
        };
        let find = |problem: read::Problem| {
            let file =
                problem.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
            DocumentsFinding::of_file(UNREADABLE, &file, problem.message, problem.help)
        };
        Self {
            format,
            digest: digest(bytes),
            documents: read.documents.into_iter().map(prepare).collect(),
            findings: read.problems.into_iter().take(MOST_PROBLEMS).map(find).collect(),
        }
    }
}

impl<'a> PreparedDocument<'a> {
    pub(crate) fn new(path: &str, format: Format, document: Document<'a>) -> Self {
        let style = if format.has_headings() { Style::Markdown } else { Style::Plain };
        let title = document.title.clone().or_else(|| {
            (style == Style::Markdown)
                .then(|| split::title(&document.text, document.body))
                .flatten()
        });
        let title = title.filter(|title| !title.trim().is_empty());
        let mut title = title.unwrap_or_else(|| file_name(path).to_owned());
        title.truncate(title.floor_char_boundary(LONGEST_TITLE));
        let pieces = split::split(&document.text, document.body, style);
        Self { document, title, pieces }
    }

    pub(crate) fn row(&self) -> Option<RowSpan> {
        self.document.row
    }

    /// The title that a piece is found by: that of the document, and the headings above it.
    pub(crate) fn title_of(&self, piece: &Piece) -> String {
        if piece.section.starts_with(&self.title) {
            return piece.section.clone();
        }
        format!("{} {}", self.title, piece.section)
    }

    pub(crate) fn text_of(&self, piece: &Piece) -> &str {
        self.document.text.get(piece.range.clone()).unwrap_or_default()
    }
}

/// The name of a file without its ending.
fn file_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The most problems of one file that are reported.
const MOST_PROBLEMS: usize = 20;
const LONGEST_TITLE: usize = 300;
