//! A problem or note about a configuration and the files it names: its place, the expected value, and the remedy.

use std::{fmt, path::PathBuf};

use callgate_tool::Remedy;
use callgate_tree::Position;
pub use callgate_tree::Severity;

/// One finding.
///
/// ```
/// use callgate_config::{Config, Finding};
///
/// let text = "toolsets:\n  pets:\n    openapi: pets.yaml\n    overlay: [fix.yaml]\n";
/// let error = Config::from_text(text, "").unwrap_err();
/// let Finding { code, pointer, position, help, .. } = &error.findings()[0];
/// assert_eq!((*code, &**pointer), ("unknown-key", "/toolsets/pets/overlay"));
/// assert_eq!(position.map(|position| position.line), Some(4));
/// assert_eq!(help, "did you mean `overlays`?");
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
    /// The option of [`DescriptionOptions`](crate::DescriptionOptions) with the fault, by its name there: `bearer`.
    /// Then the file has no fault.
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

    /// Sets the JSON pointer of the value.
    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), ..self }
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
