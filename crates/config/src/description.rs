//! The source of a toolset's description: a file, an address, or a text from a program or an export. It is read when a
//! configuration is built.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_tree::{Diagnostic, Node, Parsed};
use url::Url;

use crate::location::url_without_query;

/// An OpenAPI description and its source.
///
/// ```
/// # use callgate_config::Description;
/// let held = Description::text("openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}");
/// let named = Description::file("pets.yaml");
/// assert_eq!(named.path().to_str(), Some("pets.yaml"));
/// # assert!(held.path().as_os_str().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The file; empty for a text from a program; for an address the part that may be shown.
    pub(crate) file: PathBuf,
    pub(crate) source: Source,
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Source {
    Address(Url),
    File,
    /// There is no description: the toolset has only functions.
    #[default]
    None,
    Parsed(ParsedText),
    /// The text comes from a program or an export.
    Text(Arc<[u8]>),
}

/// A description's text after reading: its tree, or the reasons why there is none.
pub(crate) type ParsedText = Result<Parsed<Node>, Vec<Diagnostic>>;

impl Description {
    /// The description in a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { file: path.into(), source: Source::File }
    }

    /// The description at an address, which is requested when the configuration is built. It may refer to documents on
    /// listed origins, and to no files.
    pub fn address(url: Url) -> Self {
        Self { file: url_without_query(&url), source: Source::Address(url) }
    }

    /// The description itself, YAML or JSON. It may refer to documents on listed origins, and to no files.
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::text_in(PathBuf::new(), text)
    }

    /// No description, for a toolset that has only functions.
    pub fn none() -> Self {
        Self::default()
    }

    pub(crate) fn is_some(&self) -> bool {
        !matches!(self.source, Source::None)
    }

    /// A text inside a file with other content, which may refer to the files beside it.
    pub fn text_in(file: impl Into<PathBuf>, text: impl Into<Vec<u8>>) -> Self {
        Self { file: file.into(), source: Source::Text(text.into().into()) }
    }

    pub(crate) fn from_parsed(file: PathBuf, parsed: ParsedText) -> Self {
        Self { file, source: Source::Parsed(parsed) }
    }

    /// The file that is or contains the description, or its address without a query; empty for a text from a program.
    pub fn path(&self) -> &Path {
        &self.file
    }

    pub(crate) fn held_text(&self) -> Option<Arc<[u8]>> {
        match &self.source {
            Source::Text(text) => Some(Arc::clone(text)),
            Source::Address(_) | Source::File | Source::None | Source::Parsed(_) => None,
        }
    }

    /// The file that is or contains the description, resolved against `base`.
    pub(crate) fn resolved_path(&self, base: &Path) -> Option<PathBuf> {
        match &self.source {
            Source::Address(_) | Source::None => None,
            Source::File => Some(base.join(&self.file)),
            Source::Parsed(_) | Source::Text(_) => {
                Some(self.file.clone()).filter(|file| !file.as_os_str().is_empty())
            }
        }
    }
}
