//! Reads the bytes of a file as documents: a Markdown, text or HTML file is one, and each row of CSV and JSON lines is one. The text
//! of a document is what is searched, shown and read; for Markdown and text it is the file itself, byte for byte.

mod csv;
mod front_matter;
mod html;
mod jsonl;
mod row;

use std::borrow::Cow;

use crate::metadata::Metadata;

pub(crate) use row::RowSpan;

/// The kind of a file, by its ending.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    Csv,
    Html,
    JsonLines,
    Markdown,
    Pdf,
    Text,
}

impl Format {
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "csv" => Self::Csv,
            "htm" | "html" => Self::Html,
            "jsonl" | "ndjson" => Self::JsonLines,
            "markdown" | "md" => Self::Markdown,
            "pdf" => Self::Pdf,
            "text" | "txt" => Self::Text,
            _ => return None,
        })
    }

    /// The kind of a file that is a document; one with another ending is text.
    pub(crate) fn from_path_or_text(path: &str) -> Self {
        Self::from_path(path).unwrap_or(Self::Text)
    }

    /// True if headings of Markdown divide the text: that of HTML has them too.
    pub(crate) fn has_headings(self) -> bool {
        matches!(self, Self::Html | Self::Markdown)
    }
}

/// One document of a file.
#[derive(Debug, Default)]
pub(crate) struct Document<'a> {
    /// The row of the file that the document is; `None` if the whole file is the document.
    pub(crate) row: Option<RowSpan>,
    /// The title that the document states.
    pub(crate) title: Option<String>,
    /// The address that the document states.
    pub(crate) uri: Option<String>,
    pub(crate) metadata: Metadata,
    pub(crate) text: Cow<'a, str>,
    /// The byte of the text at which the searched part begins, behind front matter.
    pub(crate) body: usize,
    /// The answer of a question.
    pub(crate) answer: Option<String>,
}

/// The documents of a file, and what of it could not be read.
#[derive(Debug, Default)]
pub(crate) struct ReadDocuments<'a> {
    pub(crate) documents: Vec<Document<'a>>,
    pub(crate) problems: Vec<Problem>,
}

/// A file, or a part of it, that cannot be read: at a line, if it is one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Problem {
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

impl Problem {
    pub(crate) fn new(
        line: impl Into<Option<usize>>,
        message: impl Into<String>,
        help: &'static str,
    ) -> Self {
        Self { line: line.into(), message: message.into(), help }
    }
}

/// Reads all documents of a file, of a PDF by its extracted text. A problem alone means that nothing of the file is read.
pub(crate) fn read(format: Format, bytes: &[u8]) -> ReadDocuments<'_> {
    let read = match format {
        Format::Html => html::read(bytes).map(single_document),
        format => checked_text(bytes).map(|text| read_text(format, text)),
    };
    read.unwrap_or_else(|problem| ReadDocuments { documents: Vec::new(), problems: vec![problem] })
}

fn read_text(format: Format, text: &str) -> ReadDocuments<'_> {
    match format {
        Format::Csv => csv::read(text),
        Format::JsonLines => jsonl::read(text),
        Format::Markdown => read_markdown(text),
        Format::Html | Format::Pdf | Format::Text => single_document(Document {
            text: text.into(),
            body: text.len() - text.trim_start_matches('\u{feff}').len(),
            ..Document::default()
        }),
    }
}

/// Reads one document of a file that was read before and has not changed.
pub(crate) fn read_again(
    format: Format,
    bytes: &[u8],
    row: Option<RowSpan>,
) -> Option<Document<'_>> {
    match row {
        None => read(format, bytes).documents.into_iter().next(),
        Some(row) => {
            let text = checked_text(bytes).ok()?;
            match format {
                Format::Csv => csv::read_row(text, row),
                _ => jsonl::read_row(text, row),
            }
        }
    }
}

fn single_document(document: Document<'_>) -> ReadDocuments<'_> {
    ReadDocuments { documents: vec![document], problems: Vec::new() }
}

fn read_markdown(text: &str) -> ReadDocuments<'_> {
    let mut document = Document { text: text.into(), ..Document::default() };
    let mut problems = Vec::new();
    document.body = text.len() - text.trim_start_matches('\u{feff}').len();
    if let Some((matter, body)) = front_matter::front_matter_and_end(text) {
        document.body = body;
        match front_matter::read(matter) {
            Ok(value) => {
                let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
                document.title = text("title");
                document.uri = text("uri").or_else(|| text("url"));
                document.metadata = Metadata::from_value(&value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    ReadDocuments { documents: vec![document], problems }
}

/// The text of a file: UTF-8 without zero bytes, in lines that can be handled.
fn checked_text(bytes: &[u8]) -> Result<&str, Problem> {
    let text = utf8(bytes)?;
    check_zeros_and_lengths(text)?;
    Ok(text)
}

fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        Problem::new(line, "expected UTF-8, got other bytes", "store the file as UTF-8")
    })
}

fn check_zeros_and_lengths(text: &str) -> Result<(), Problem> {
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let help = "leave the file out by `exclude`";
        return Err(Problem::new(line, "expected text, got a zero byte", help));
    }
    let long = text.split('\n').position(|line| line.len() > LONGEST_LINE);
    match long {
        Some(at) => {
            let message =
                format!("expected lines of at most {LONGEST_LINE} bytes, got a longer one");
            Err(Problem::new(at + 1, message, "break the line, or leave the file out by `exclude`"))
        }
        None => Ok(()),
    }
}

/// The sign between the pages of a PDF's text, and before the first line of the next page.
pub(crate) const PAGE_END: char = '\u{c}';
/// The longest line of a file: whoever writes text breaks it long before.
const LONGEST_LINE: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(format: Format, bytes: &[u8], line: Option<usize>, message: &str) {
        let read = read(format, bytes);
        assert!(read.documents.is_empty());
        let [problem] = read.problems.as_slice() else { panic!("{:?}", read.problems) };
        assert_eq!((problem.line, problem.message.as_str()), (line, message));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        refused(Format::Text, b"a\nb\xff", Some(2), "expected UTF-8, got other bytes");
        refused(Format::Markdown, b"a\0", Some(1), "expected text, got a zero byte");
        let long = format!("a\n{}", "x".repeat(LONGEST_LINE + 1));
        let message = "expected lines of at most 1048576 bytes, got a longer one";
        refused(Format::Html, long.as_bytes(), Some(2), message);
    }

    #[test]
    fn the_text_of_markdown_is_the_file_and_its_body_follows_the_front_matter() {
        let text = "---\ntitle: Backups\naudience: [staff, admin]\n---\n# Copies\n";
        let read = read(Format::Markdown, text.as_bytes());
        let [document] = read.documents.as_slice() else { panic!("one document") };
        assert_eq!((&*document.text, document.title.as_deref()), (text, Some("Backups")));
        assert_eq!(document.text.get(document.body..), Some("# Copies\n"));
        assert_eq!(document.metadata.values("audience").len(), 2);
    }

    #[test]
    fn unreadable_front_matter_is_reported_and_gives_no_metadata() {
        let read = read(Format::Markdown, b"---\na: [\n---\nText\n");
        assert_eq!(read.problems.len(), 1);
        assert_eq!(read.documents.len(), 1);
        assert_eq!(read.documents[0].metadata, Metadata::default());
    }
}
