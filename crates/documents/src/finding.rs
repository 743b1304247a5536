//! Findings about a folder and its files: a file that cannot be read, or is left out, is named with the reason and the remedy. Their
//! pointers begin at the settings of the documents.

use std::fmt::Display;

use callgate_tool::{codes, escape_invisible_in_line};
use callgate_tree::SettingFinding;

codes! {
    /// The kinds of findings about folders of documents.
    pub enum DocumentsCode {
        /// The folder of documents cannot be used, or has none.
        DocumentsFolder = "documents-folder":
            "Name a folder that the user of callgate can read, with files that `include` admits: Markdown, HTML, text, CSV or JSONL.";
        /// A file of a folder of documents is left out: a link, a pipe, or beyond a limit.
        DocumentsLeftOut = "documents-left-out":
            "Put the file itself there, raise the limit that the finding names, or leave the file out by `exclude`. The other files are searched.";
        /// A pattern, a template or a name of a folder of documents cannot be used.
        DocumentsSetting = "documents-setting":
            "Write patterns such as `**/*.md`, and addresses such as `https://docs.example.com/{path}`.";
        /// A file of a folder of documents cannot be read as its ending says.
        DocumentsUnreadable = "documents-unreadable":
            "Correct the file: texts are in UTF-8, each line of JSONL is an object, and quotes of CSV end. Until then, or in part, it is not searched.";
    }
}

/// The folder has no documents.
pub(crate) fn no_files() -> SettingFinding {
    let message = "expected files that are documents, got none";
    let help = "put files there, or correct `folder`, `include` and `exclude`";
    SettingFinding::warning(FOLDER, POINTER, message, help)
}

/// A file that is not, or not whole, among the documents. Its path is relative to the folder, with the row or line where the fault
/// has one.
pub(crate) fn file_finding(
    code: &'static str,
    file: &str,
    message: impl Display,
    help: &str,
) -> SettingFinding {
    SettingFinding::warning(
        code,
        POINTER,
        format!("`{}`: {message}", escape_invisible_in_line(file)),
        help,
    )
}

/// The folder's own setting.
pub(crate) const POINTER: &str = "/folder";
/// The folder cannot be used.
pub(crate) const FOLDER: &str = DocumentsCode::DocumentsFolder.as_str();
/// A file of the folder is no document: a link, or beyond a limit.
pub(crate) const LEFT_OUT: &str = DocumentsCode::DocumentsLeftOut.as_str();
/// A pattern, a template or a name in the settings.
pub(crate) const PATTERN: &str = DocumentsCode::DocumentsSetting.as_str();
/// A file cannot be read as its ending says.
pub(crate) const UNREADABLE: &str = DocumentsCode::DocumentsUnreadable.as_str();
