//! A problem or note about a configuration and the files it names: its place, the expected value, and the remedy.

use std::{fmt, path::PathBuf};

use callgate_tool::Remedy;
pub use callgate_tree::Severity;
use callgate_tree::{Diagnostic, Position};

/// One finding.
///
/// ```
/// use callgate_settings::{Finding, Severity};
///
/// let finding = Finding::new("callgate.yaml", Severity::Error, "unknown-key", "expected a key, got: `overlay`");
/// let finding = finding.at("/toolsets/pets/overlay").with_help("did you mean `overlays`?");
/// let expected = "callgate.yaml: error[unknown-key]: expected a key, got: `overlay` (did you mean `overlays`?)";
/// assert_eq!(finding.to_string(), expected);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The file that the finding is about.
    pub file: PathBuf,
    /// A stable word for the kind of finding.
    pub code: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// The JSON pointer of the value; empty for the whole file.
    pub pointer: String,
    /// The position of the value in the text, if it could be found.
    pub position: Option<Position>,
    /// The problem: the expected value before the actual one, without a full stop.
    pub message: String,
    /// The remedy for the problem, in the words of a configuration.
    pub help: String,
    /// The remedy as data, for programs that offer other ways to apply it.
    #[doc(hidden)]
    pub remedy: Option<Remedy>,
    /// The option beside a file with the fault, by its name: `bearer`. Then the file has no fault.
    pub option: Option<&'static str>,
}

impl Finding {
    /// A finding about a whole file; `code` is a stable word for its kind.
    pub fn new(
        file: impl Into<PathBuf>,
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        let (file, message) = (file.into(), message.into());
        let (pointer, help) = (String::new(), String::new());
        let (position, remedy, option) = (None, None, None);
        Self { file, code, severity, pointer, position, message, help, remedy, option }
    }

    /// A finding of a reader of texts or descriptions, in its file.
    #[doc(hidden)]
    #[must_use]
    pub fn of_diagnostic(file: impl Into<PathBuf>, diagnostic: Diagnostic) -> Self {
        let Diagnostic { code, severity, pointer, position, message, help, remedy, .. } =
            diagnostic;
        let finding = Self::new(file, severity, code.as_str(), message);
        Self { pointer, position, help, remedy, ..finding }
    }

    /// Sets the JSON pointer of the value.
    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), ..self }
    }

    /// Sets the option with the fault, by its name.
    #[doc(hidden)]
    #[must_use]
    pub fn with_option(self, option: &'static str) -> Self {
        Self { option: Some(option), ..self }
    }

    /// Sets the remedy.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.option {
            Some(option) => write!(f, "the option `{option}`")?,
            None => write!(f, "{}", self.file.display())?,
        }
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}[{}]: {}", self.severity.as_str(), self.code, self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, " ({})", self.help) }
    }
}
