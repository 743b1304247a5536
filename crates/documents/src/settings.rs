//! The settings of a folder of documents, as values. `keys` reads them from a text; nothing here opens the folder.

use std::path::PathBuf;

use callgate_kind::Operator;
use callgate_tool::{SessionSource, ToolsetName};

/// One folder with its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentsSettings {
    /// The name of the toolset; empty for none.
    pub toolset: String,
    /// The text before the tools' names; `None` for none.
    pub prefix: Option<ToolsetName>,
    /// The folder.
    pub folder: PathBuf,
    /// The documents in words, for a model; empty if not stated.
    pub description: String,
    /// Patterns of the files that are documents, relative to the folder; empty for all files of known kinds.
    pub include: Vec<String>,
    /// Patterns of files that are none.
    pub exclude: Vec<String>,
    /// The address of a document, with `{path}` or `{stem}`; `None` for none.
    pub uri: Option<String>,
    /// The source of metadata.
    pub metadata: MetadataSource,
    /// Conditions that every document must fulfil. A model never sees them.
    pub bound: Vec<BoundCondition>,
    /// The fields of a model's conditions; `None` for all fields, or for none if a condition reads the session.
    pub filter: Option<Vec<String>>,
    /// The program that extracts the text of PDF files, started with the argument `extract`: it calls `extract` of this crate's
    /// feature `pdf`. Without it, and without the feature, a PDF is a finding.
    pub extractor: Option<PathBuf>,
    /// The limits.
    pub limits: DocumentsLimits,
}

impl DocumentsSettings {
    /// The settings of all documents in a folder.
    pub fn new(toolset: &str, folder: impl Into<PathBuf>) -> Self {
        Self {
            toolset: toolset.to_owned(),
            prefix: ToolsetName::new(toolset).ok(),
            folder: folder.into(),
            description: String::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            uri: None,
            metadata: MetadataSource::FrontMatter,
            bound: Vec::new(),
            filter: None,
            extractor: None,
            limits: DocumentsLimits::default(),
        }
    }
}

/// The source of a document's metadata.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum MetadataSource {
    /// The front matter of Markdown, `structData` or the members of JSON lines, and the columns of CSV.
    FrontMatter,
    /// No metadata.
    None,
}

/// A condition that the operator sets.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundCondition {
    /// The field of the metadata.
    pub field: String,
    /// The comparison. A field with several values fulfils it if one of them does, and [`Operator::Neq`] if all do. A document
    /// without the field fulfils none.
    pub operator: Operator,
    /// The source of the value.
    pub value: SessionSource,
}

/// The limits of a folder and of one call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DocumentsLimits {
    /// The most files.
    pub files: usize,
    /// The most bytes of one file.
    pub file_bytes: usize,
    /// The most bytes of all files.
    pub bytes: u64,
    /// The most folders in each other.
    pub depth: usize,
    /// The most snippets of one search.
    pub snippets: usize,
    /// The most bytes of the texts in one result.
    pub result_bytes: usize,
}

impl Default for DocumentsLimits {
    fn default() -> Self {
        Self {
            files: 100_000,
            file_bytes: 16 << 20,
            bytes: 1 << 30,
            depth: 32,
            snippets: 10,
            result_bytes: 16 << 10,
        }
    }
}
