//! The stable codes of findings, one for each kind. A code never changes its meaning and is never used again for
//! another one.

/// What kind of finding a diagnostic is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Code {
    /// The text is not readable YAML or JSON.
    UnreadableText,
}

impl Code {
    /// The code as it is shown: lower-case words with dashes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnreadableText => "unreadable-text",
        }
    }
}
