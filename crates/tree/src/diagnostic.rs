//! Findings about a description: the problem, its place, its severity and its remedy. Findings are data; the command
//! line decides how they look on a screen.

use std::{fmt, sync::Arc};

use callgate_tool::Remedy;

use crate::code::CodeName;

callgate_tool::named! {
    /// The severity of a finding.
    ///
    /// ```
    /// use callgate_tree::Severity;
    ///
    /// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
    /// let text = b"ratio: .inf\nname: Pets\nname: Shop\n";
    /// let read = callgate_tree::read(text, &Default::default())?;
    /// let worst = read.diagnostics.iter().map(|found| found.severity).max();
    /// assert_eq!(worst, Some(Severity::Warning));
    /// assert!(worst < Some(Severity::Error), "nothing is refused");
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Ord, PartialOrd)]
    #[non_exhaustive]
    pub enum Severity {
        /// Worth knowing; nothing is lost.
        Note = "note",
        /// Something was lost or guessed, such as a part of an operation.
        Warning = "warning",
        /// The operation, the whole document or the configuration is refused.
        Error = "error",
    }
}

/// A place in the text of a document: line and column count from 1, and columns count characters.
///
/// ```
/// use callgate_tree::Position;
///
/// let text = b"{\n  \"openapi\": 3.1.0\n}";
/// let refused = callgate_tree::read(text, &Default::default()).unwrap_err();
/// let Some(Position { line, column }) = refused[0].position else { panic!("a position") };
/// assert_eq!(format!("openapi.json:{line}:{column}"), "openapi.json:2:17");
/// ```
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One finding.
///
/// ```
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"info:\n  title: Pets\n  title: Shop\n";
/// let read = callgate_tree::read(text, &Default::default())?;
/// let found = &read.diagnostics[0];
/// assert_eq!(found.pointer, "/info/title");
/// assert!(found.to_string().starts_with("warning[duplicate-key]: `title` occurs more than once"));
/// assert_eq!(found.help, "remove or rename one of them");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// The stable code of the finding's kind.
    pub code: CodeName,
    /// The severity of the finding.
    pub severity: Severity,
    /// The document that contains the node, when it is not the description itself but a document that the description
    /// refers to: a path relative to the description, or an address.
    pub file: Option<Arc<str>>,
    /// The JSON pointer (RFC 6901) of the node that the finding is about; empty for the whole document.
    pub pointer: String,
    /// The place of the node in the text, when it could be found.
    pub position: Option<Position>,
    /// The problem: the expected value before the actual one, without a full stop.
    pub message: String,
    /// The remedy for the problem, in the words of a configuration.
    pub help: String,
    /// The remedy as data, for programs that offer other ways to apply it.
    #[doc(hidden)]
    pub remedy: Option<Remedy>,
    /// The operation that the finding is about, as `GET /pets/{petId}`; `None` when it is about no single operation.
    pub operation: Option<String>,
    /// The number of further operations that the finding applies to, not counting those with a finding of their own.
    pub n_more: usize,
}

impl Diagnostic {
    /// A finding about the whole document and no single operation.
    #[doc(hidden)]
    pub fn new(code: impl Into<CodeName>, severity: Severity, message: String, help: &str) -> Self {
        Self {
            code: code.into(),
            severity,
            file: None,
            pointer: String::new(),
            position: None,
            message,
            help: help.to_owned(),
            remedy: None,
            operation: None,
            n_more: 0,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code, self.message)
    }
}
