//! Findings about the settings of a database: where they are, what was expected, what to do. `config` gives them their
//! positions in the text; nothing here has a value of the database.

use callgate_tool::nearest;
pub use callgate_tree::Severity;

use crate::login::{Grade, LoginFinding};

/// One finding.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DatabaseFinding {
    /// The severity. A finding of [`Severity::Error`] refuses the tools of the database.
    pub severity: Severity,
    /// The stable name of its kind, one of [`DatabaseFinding::CODES`].
    pub code: &'static str,
    /// The JSON pointer in the configuration; empty for the database itself.
    pub pointer: String,
    /// The fault: what was expected, what came.
    pub message: String,
    /// The next step.
    pub help: String,
}

impl DatabaseFinding {
    /// The kinds of findings.
    pub const CODES: &'static [&'static str] =
        &[ADDRESS, COLUMN, ENTITY, LOGIN, STATEMENT, TABLE, TOOL_NAME];

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

    /// A fact that whoever decides about the settings should know.
    pub(crate) fn note(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, pointer, message, help) }
    }

    /// A name that is none of these.
    pub(crate) fn unknown<'a>(
        code: &'static str,
        pointer: impl Into<String>,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let help = if let Some(nearest) = nearest(name, known.clone()) {
            format!("did you mean `{nearest}`?")
        } else {
            format!("one of {}", listed(known))
        };
        Self::error(code, pointer, format!("expected {what}, got: `{name}`"), help)
    }

    pub(crate) fn of_login(finding: LoginFinding) -> Self {
        let LoginFinding { grade, name, message, remedy } = finding;
        let help = match grade {
            Grade::Dangerous | Grade::Missing => remedy,
            Grade::Unused => format!("{remedy}; or accept it by `login: {{allow: [{name}]}}`"),
        };
        Self::error(LOGIN, "", format!("{message}: `{name}`"), help)
    }

    /// A finding about the login for SQL that a model writes.
    pub(crate) fn of_query_login(finding: LoginFinding, pointer: &str) -> Self {
        let function = finding.name.strip_prefix("execute:").map(str::to_owned);
        let is_unused = finding.grade == Grade::Unused;
        let mut made = Self::of_login(finding);
        pointer.clone_into(&mut made.pointer);
        if let Some(function) = function.filter(|_| is_unused) {
            let remedy = made.help.split("; or accept it by").next().unwrap_or_default();
            made.help = format!("{remedy}; or accept it by `query: {{functions: ['{function}']}}`");
        }
        made
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Names, as a finding lists them.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let mut listed: Vec<_> = names.by_ref().take(MOST_LISTED).collect();
    let n_others = names.count();
    if n_others > 0 {
        listed.push(format!("and {n_others} more"));
    }
    listed.join(", ")
}

/// The address cannot be used.
pub(crate) const ADDRESS: &str = "database-address";
/// A column that is not there, cannot be used like this, or is left out.
pub(crate) const COLUMN: &str = "database-column";
/// Settings of an entity that contradict each other.
pub(crate) const ENTITY: &str = "database-entity";
/// A right that the login should not have, or lacks.
pub(crate) const LOGIN: &str = "database-login";
/// A statement that cannot be prepared, or is not what its settings say.
pub(crate) const STATEMENT: &str = "database-statement";
/// A table that is not there.
pub(crate) const TABLE: &str = "database-table";
/// A name of a tool that is not legal, or of two tools.
pub(crate) const TOOL_NAME: &str = "database-tool-name";

const MOST_LISTED: usize = 20;
