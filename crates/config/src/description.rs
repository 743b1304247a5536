//! The source of a toolset's description: a file, an address, or a text that a program or an export holds. It is read
//! when a configuration is built.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_tree::{Diagnostic, Node, Parsed};
use url::Url;

use crate::location::shown;

/// An OpenAPI description and where it is.
///
/// ```
/// # use callgate_config::Description;
/// let held = Description::text("openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}");
/// let named = Description::file("pets.yaml");
/// assert_eq!(named.path().to_str(), Some("pets.yaml"));
/// # assert!(held.path().as_os_str().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Description {
    /// Empty for a text of a program; for an address what may be shown of it.
    pub(crate) file: PathBuf,
    pub(crate) source: Source,
}

/// The source of a description's text.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// At an address.
    Address(Url),
    /// In its file.
    File,
    /// There is none: the toolset has functions only.
    None,
    /// It was read already.
    Parsed(ParsedText),
    /// A program or an export holds it.
    Text(Arc<[u8]>),
}

/// A description's text after reading: its tree, or why there is none.
pub(crate) type ParsedText = Result<Parsed<Node>, Vec<Diagnostic>>;

impl Description {
    /// The description in a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { file: path.into(), source: Source::File }
    }

    /// The description at an address, which is asked for when the configuration is built. It may refer to documents on
    /// listed origins, and to no files.
    pub fn address(url: Url) -> Self {
        Self { file: shown(&url), source: Source::Address(url) }
    }

    /// The description itself, YAML or JSON. It may refer to documents on listed origins, and to no files.
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::held(PathBuf::new(), text.into())
    }

    /// No description, for a toolset that has functions only.
    pub fn none() -> Self {
        Self { file: PathBuf::new(), source: Source::None }
    }

    /// True where there is one.
    pub(crate) fn is_some(&self) -> bool {
        !matches!(self.source, Source::None)
    }

    /// A text that stands in a file beside other things, and may refer to the files next to that.
    pub(crate) fn held(file: PathBuf, text: Vec<u8>) -> Self {
        Self { file, source: Source::Text(text.into()) }
    }

    /// A file that was read already.
    pub(crate) fn parsed(file: PathBuf, parsed: ParsedText) -> Self {
        Self { file, source: Source::Parsed(parsed) }
    }

    /// The file it is or stands in, or its address without a query; empty for a text of a program.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// The text, where it is no file of its own.
    pub(crate) fn held_text(&self) -> Option<Arc<[u8]>> {
        match &self.source {
            Source::Text(text) => Some(Arc::clone(text)),
            Source::Address(_) | Source::File | Source::None | Source::Parsed(_) => None,
        }
    }

    /// The file it is or stands in, found from `base`.
    pub(crate) fn found(&self, base: &Path) -> Option<PathBuf> {
        match &self.source {
            Source::Address(_) | Source::None => None,
            Source::File => Some(base.join(&self.file)),
            Source::Parsed(_) | Source::Text(_) => {
                Some(self.file.clone()).filter(|file| !file.as_os_str().is_empty())
            }
        }
    }
}
