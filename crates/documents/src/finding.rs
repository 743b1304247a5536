//! Findings about a folder and its files: a file that cannot be read, or is left out, is named with the reason and the remedy. Their
//! pointers begin at the settings of the documents.

use std::fmt::Display;

use callgate_tool::visible_line;
use callgate_tree::SettingFinding;

/// The folder has no documents.
pub(crate) fn no_files() -> SettingFinding {
    let message = "expected files that are documents, got none";
    let help = "put files there, or correct `folder`, `include` and `exclude`";
    SettingFinding::warning(FOLDER, POINTER, message, help)
}

/// A file that is not, or not whole, among the documents. Its path is relative to the folder, with the row or line where the fault
/// has one.
pub(crate) fn of_file(
    code: &'static str,
    file: &str,
    message: impl Display,
    help: &str,
) -> SettingFinding {
    SettingFinding::warning(code, POINTER, format!("`{}`: {message}", visible_line(file)), help)
}

/// The folder's own setting.
pub(crate) const POINTER: &str = "/folder";
/// The folder cannot be used.
pub(crate) const FOLDER: &str = "documents-folder";
/// A file of the folder is no document: a link, or beyond a limit.
pub(crate) const LEFT_OUT: &str = "documents-left-out";
/// A pattern, a template or a name in the settings.
pub(crate) const PATTERN: &str = "documents-setting";
/// A file cannot be read as its ending says.
pub(crate) const UNREADABLE: &str = "documents-unreadable";
