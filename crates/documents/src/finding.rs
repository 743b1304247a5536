//! Findings about a folder and its files: a file that cannot be read, or is left out, is named with the reason and the remedy.

use callgate_tool::visible_line;
pub use callgate_tree::Severity;

/// One finding.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DocumentsFinding {
    /// The severity. A finding of [`Severity::Error`] refuses the tools.
    pub severity: Severity,
    /// The stable name of its kind, one of [`DocumentsFinding::CODES`].
    pub code: &'static str,
    /// The key of the settings that it is about: `folder`, `include`.
    pub key: &'static str,
    /// The file that it is about, relative to the folder, with the row or line where it has one; empty for the settings.
    pub file: String,
    /// The fault: what was expected, what came.
    pub message: String,
    /// The next step.
    pub help: String,
}

impl DocumentsFinding {
    /// The kinds of findings.
    pub const CODES: &'static [&'static str] = &[FOLDER, LEFT_OUT, PATTERN, UNREADABLE];

    pub(crate) fn error(
        code: &'static str,
        key: &'static str,
        message: impl Into<String>,
        help: &str,
    ) -> Self {
        let (message, help) = (message.into(), help.to_owned());
        Self { severity: Severity::Error, code, key, file: String::new(), message, help }
    }

    /// The folder has no documents.
    pub(crate) fn no_files() -> Self {
        let help = "put files there, or correct `folder`, `include` and `exclude`";
        Self::of_file(FOLDER, "", "expected files that are documents, got none", help)
    }

    /// A file that is not, or not whole, among the documents.
    pub(crate) fn of_file(
        code: &'static str,
        file: &str,
        message: impl Into<String>,
        help: &str,
    ) -> Self {
        let (file, message, help) =
            (visible_line(file).into_owned(), message.into(), help.to_owned());
        Self { severity: Severity::Warning, code, key: "folder", file, message, help }
    }
}

/// The folder cannot be used.
pub(crate) const FOLDER: &str = "documents-folder";
/// A file of the folder is no document: a link, or beyond a limit.
pub(crate) const LEFT_OUT: &str = "documents-left-out";
/// A pattern, a template or a name in the settings.
pub(crate) const PATTERN: &str = "documents-setting";
/// A file cannot be read as its ending says.
pub(crate) const UNREADABLE: &str = "documents-unreadable";
