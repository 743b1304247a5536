//! A problem of a configuration, or what is worth knowing about it, and the files it names: where, what was expected, what to
//! do.

use std::{fmt, path::PathBuf};

use callgate_tool::Remedy;
use callgate_tree::Position;

/// The severity of a finding.
///
/// ```
/// use callgate_config::{Config, Severity};
///
/// let error = Config::from_text("toolset: {}", "").unwrap_err();
/// let worst = error.findings().iter().map(|finding| finding.severity).max();
/// assert_eq!(worst, Some(Severity::Error));
/// assert!(Severity::Warning > Severity::Note);
/// ```
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Severity {
    /// Calls are not changed by it.
    Note,
    /// Worth knowing.
    Warning,
    /// Nothing is built.
    Error,
}

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
    /// The file it is about.
    pub file: PathBuf,
    /// A stable word for its kind.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The JSON pointer of the value at fault; empty for the whole file.
    pub pointer: String,
    /// The place where that value stands, as far as it could be found.
    pub position: Option<Position>,
    /// The problem: expected before got, without a full stop.
    pub message: String,
    /// The remedy for it, in the words of a configuration.
    pub help: String,
    /// The remedy as data, where a program may have other means for it.
    pub remedy: Option<Remedy>,
    /// The option of [`DescriptionOptions`](crate::DescriptionOptions) that is at fault, by its name there: `bearer`; the file is not.
    pub option: Option<&'static str>,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
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
