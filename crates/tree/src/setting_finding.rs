//! Findings about settings: where they are, what was expected, what to do. Whoever has the text of the settings gives them their
//! positions; no finding has a value of a service.

use callgate_tool::{Remedy, nearest};

use crate::diagnostic::Severity;

/// One finding.
///
/// ```
/// use callgate_tree::{Severity, SettingFinding};
///
/// let known = ["orders", "customers"].into_iter();
/// let finding = SettingFinding::unknown("database-table", "/entities/a/table", "a table", "order", known);
/// assert_eq!((finding.severity, &*finding.help), (Severity::Error, "did you mean `orders`?"));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingFinding {
    /// The severity. A finding of [`Severity::Error`] refuses what the settings are about.
    pub severity: Severity,
    /// The stable name of its kind.
    pub code: &'static str,
    /// The JSON pointer of the setting; empty for all settings of their owner.
    pub pointer: String,
    /// The fault: what was expected, what came.
    pub message: String,
    /// The next step.
    pub help: String,
    /// The next step as data, for programs that offer other ways to take it.
    pub remedy: Option<Box<Remedy>>,
}

impl SettingFinding {
    /// A finding that refuses.
    pub fn error(
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
            remedy: None,
        }
    }

    /// A finding that refuses nothing.
    pub fn warning(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, pointer, message, help) }
    }

    /// A fact that whoever decides about the settings should know.
    pub fn note(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, pointer, message, help) }
    }

    /// A name that is none of these.
    pub fn unknown<'a>(
        code: &'static str,
        pointer: impl Into<String>,
        what: &str,
        name: &str,
        candidates: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let help = if let Some(nearest) = nearest(name, candidates.clone()) {
            format!("did you mean `{nearest}`?")
        } else {
            format!("one of {}", quoted_name_list(candidates))
        };
        Self::error(code, pointer, format!("expected {what}, got: `{name}`"), help)
    }

    /// True if the finding refuses.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Names, as a finding lists them.
///
/// ```
/// assert_eq!(callgate_tree::quoted_name_list(["id", "name"].into_iter()), "`id`, `name`");
/// ```
pub fn quoted_name_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let mut listed: Vec<_> = names.by_ref().take(MOST_LISTED).collect();
    let n_others = names.count();
    if n_others > 0 {
        listed.push(format!("and {n_others} more"));
    }
    listed.join(", ")
}

const MOST_LISTED: usize = 20;
