//! Findings of the load of a connection. `config` gives them their position.

/// A fact that an operator should know about a connection.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a finding has these parts")]
pub struct ConnectionFinding {
    /// The weight.
    pub severity: Severity,
    /// The stable name of the kind of finding.
    pub code: &'static str,
    /// The JSON pointer of the key that it concerns.
    pub pointer: String,
    /// The fact: what was expected, what came.
    pub message: String,
    /// The step that mends it.
    pub help: String,
}

/// The weight of a finding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Severity {
    /// The toolset is refused.
    Error,
    /// The toolset is served, less what the finding says.
    Warning,
}

impl ConnectionFinding {
    pub(crate) fn error(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            code,
            pointer: pointer.into(),
            message: message.into(),
            help: help.into(),
        }
    }

    pub(crate) fn warning(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, pointer, message, help) }
    }
}
