//! A snippet: a piece of a document with everything that lets its reader check it. It is made of the bytes of the file, whose digest
//! is compared with the one that was indexed, so that no snippet shows a version that was never searched.

use callgate_tool::{Object, Value, hexadecimal};
use sha2::{Digest as _, Sha256};

use crate::{
    file::{self, PreparedDocument},
    index::{Candidate, LocatedDocument},
    read::{self, Format, PAGE_END},
    split::Piece,
    uri::UriTemplate,
};

/// A document that was read from the version of its file that was indexed.
#[derive(Debug)]
pub(crate) struct VerifiedDocument<'a> {
    pub(crate) name: String,
    pub(crate) uri: Option<String>,
    pub(crate) digest: String,
    prepared: PreparedDocument<'a>,
    /// True if form feeds divide the text into pages.
    has_pages: bool,
}

impl<'a> VerifiedDocument<'a> {
    /// Reads a document again; `None` if the file is another version.
    pub(crate) fn new_if_unchanged(
        located: &'a LocatedDocument,
        bytes: &'a [u8],
        template: Option<&UriTemplate>,
    ) -> Option<Self> {
        if file::digest(bytes) != located.digest {
            return None;
        }
        Self::new_without_check(located, bytes, template)
    }

    /// Reads a document of bytes whose digest was compared.
    pub(crate) fn new_without_check(
        located: &'a LocatedDocument,
        bytes: &'a [u8],
        template: Option<&UriTemplate>,
    ) -> Option<Self> {
        let format = Format::from_path_or_text(&located.path);
        let bytes = located.extracted.as_deref().map_or(bytes, str::as_bytes);
        let document = read::read_again(format, bytes, located.row)?;
        let has_pages = format == Format::Pdf;
        let name = match located.row {
            Some(row) => format!("{}#{}", located.path, row.number),
            None => located.path.to_string(),
        };
        let stated = document.uri.clone().filter(|uri| is_allowed_address(uri));
        let uri = stated.or_else(|| template.map(|template| template.uri(&located.path)));
        let digest = hexadecimal(&Sha256::digest(document.text.as_bytes()));
        let prepared = PreparedDocument::new(&located.path, format, document);
        Some(Self { name, uri, digest, prepared, has_pages })
    }

    pub(crate) fn title(&self) -> &str {
        &self.prepared.title
    }

    pub(crate) fn text(&self) -> &str {
        &self.prepared.document.text
    }

    /// The sign that ends the parts by which the document is read: pages, or lines.
    pub(crate) fn page_or_line_end(&self) -> char {
        if self.has_pages { PAGE_END } else { '\n' }
    }

    fn page_of(&self, piece: &Piece) -> usize {
        let before = self.text().get(..piece.range.start).unwrap_or_default();
        before.matches(PAGE_END).count() + 1
    }

    /// The snippet of a piece.
    pub(crate) fn snippet_of_piece(&self, candidate: &Candidate) -> Option<Snippet> {
        let piece = self.prepared.pieces.get(candidate.place)?;
        Some(Snippet {
            title: self.prepared.title.clone(),
            uri: self.uri.clone(),
            text: self.prepared.text_of(piece).to_owned(),
            document: self.name.clone(),
            section: piece.section.clone(),
            lines: piece.lines,
            page: self.has_pages.then(|| self.page_of(piece)),
            digest: self.digest.clone(),
            answer: self.prepared.document.answer.clone(),
        })
    }
}

/// A piece of a document as it is shown.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Snippet {
    /// The title of the document.
    pub(crate) title: String,
    /// The address of the document.
    pub(crate) uri: Option<String>,
    /// The piece, byte for byte.
    pub(crate) text: String,
    /// The name of the document: its path, with the number of the row if it is one.
    pub(crate) document: String,
    /// The headings above the piece, the widest first.
    pub(crate) section: String,
    /// The first and the last line of the piece in the document's text, which count from 1.
    pub(crate) lines: (usize, usize),
    /// The page of a PDF that has the piece, which counts from 1.
    pub(crate) page: Option<usize>,
    /// The SHA-256 of the document's text, in hexadecimal.
    pub(crate) digest: String,
    /// The answer, if the document is a question with an answer.
    pub(crate) answer: Option<String>,
}

impl Snippet {
    pub(crate) fn n_bytes(&self) -> usize {
        self.text.len() + self.answer.as_ref().map_or(0, String::len)
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut snippet = Object::from([("title", self.title.as_str().into())]);
        snippet.insert_if_some("uri", self.uri.as_deref());
        snippet.insert("text", self.text.as_str().into());
        snippet.insert_if_some("answer", self.answer.as_deref());
        snippet.insert("document", self.document.as_str().into());
        snippet.insert_unless_empty("section", self.section.as_str());
        if let Some(page) = self.page {
            snippet.insert("page", page.into());
        } else {
            let (from, to) = self.lines;
            let lines = Object::from([("from", from.into()), ("to", to.into())]);
            snippet.insert("lines", Value::Object(lines));
        }
        snippet.insert("digest", self.digest.as_str().into());
        Value::Object(snippet)
    }
}

/// True for addresses that a document may state for itself.
fn is_allowed_address(uri: &str) -> bool {
    let is_known = ["https://", "http://", "gs://"].iter().any(|scheme| uri.starts_with(scheme));
    is_known && uri.len() <= 2048 && !uri.contains(|c: char| c.is_whitespace() || c.is_control())
}
