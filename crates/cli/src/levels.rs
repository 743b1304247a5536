//! Sets the severity of findings: a denied code is an error, an allowed code is not reported, and neither are findings
//! below the requested severity. Findings in a baseline are not reported either.

use std::collections::BTreeSet;

use callgate::{
    config::Finding,
    openapi::{Diagnostic, Severity},
};

#[derive(Clone, Debug)]
pub(crate) struct Levels {
    pub(crate) least: Severity,
    pub(crate) deny: BTreeSet<String>,
    pub(crate) allow: BTreeSet<String>,
    /// True if each lint finding is reported by itself.
    pub(crate) lint: bool,
}

/// Codes of lint: nothing is lost, but tools could be better for a model or a provider.
const LINT: [&str; 5] =
    ["large-tool", "many-tokens", "no-description", "provider-limit", "vague-name"];

/// The codes of notes that show mistakes: what is written has no effect, or another than was meant.
const MISTAKES: [&str; 4] =
    ["excluded-member", "undescribed-member", "unknown-keyword", "unused-xml-name"];

pub(crate) fn is_lint(code: &str) -> bool {
    LINT.contains(&code)
}

impl Levels {
    /// The default: reports errors and warnings.
    pub(crate) fn default_finding_levels() -> Self {
        Self {
            least: Severity::Warning,
            deny: BTreeSet::new(),
            allow: BTreeSet::new(),
            lint: false,
        }
    }

    /// Removes allowed findings and turns denied ones into errors.
    pub(crate) fn apply_levels(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain(|diagnostic| !self.allow.contains(diagnostic.code.as_str()));
        for diagnostic in diagnostics {
            if self.deny.contains(diagnostic.code.as_str()) {
                diagnostic.severity = Severity::Error;
            }
        }
    }

    /// Removes allowed findings of a configuration and turns denied ones into errors. Findings that keep it
    /// from being built stay.
    pub(crate) fn apply_levels_to_findings(&self, findings: &mut Vec<Finding>) {
        let is_kept = |finding: &Finding| {
            finding.severity == Severity::Error || !self.allow.contains(finding.code)
        };
        findings.retain(is_kept);
        for finding in findings {
            if self.deny.contains(finding.code) {
                finding.severity = Severity::Error;
            }
        }
    }

    /// Returns true if a finding is reported by itself and not counted. Mistakes are, too.
    pub(crate) fn is_shown_individually(&self, diagnostic: &Diagnostic) -> bool {
        let is_asked_for = self.lint && is_lint(diagnostic.code.as_str());
        let is_mistake = MISTAKES.contains(&diagnostic.code.as_str());
        let is_mistake = is_mistake && self.least <= Severity::Warning;
        is_asked_for || is_mistake || diagnostic.severity >= self.least
    }
}

#[cfg(test)]
mod tests {
    use callgate::openapi::Code;

    use super::*;

    /// Checks the severities before and after, and whether the finding is shown by itself.
    #[track_caller]
    fn check(levels: &Levels, before: (Code, Severity), after: Option<(Severity, bool)>) {
        let (code, severity) = before;
        let mut found = vec![Diagnostic::new(code, severity, String::new(), "")];
        levels.apply_levels(&mut found);
        let found =
            found.first().map(|entry| (entry.severity, levels.is_shown_individually(entry)));
        assert_eq!(found, after, "{code:?}");
    }

    #[test]
    fn finding_levels_follow_the_allowed_and_denied_codes() {
        let usual = Levels::default_finding_levels();
        let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
        let (error, warning, note) = (Severity::Error, Severity::Warning, Severity::Note);
        check(&usual, (Code::UnusedPathParameter, warning), Some((warning, true)));
        check(&usual, (Code::VagueName, note), Some((note, false)));
        let lint = Levels { lint: true, ..usual.clone() };
        check(&lint, (Code::VagueName, note), Some((note, true)));
        check(&lint, (Code::CredentialParameter, note), Some((note, false)));
        let errors = Levels { least: error, ..usual.clone() };
        check(&errors, (Code::UnusedPathParameter, warning), Some((warning, false)));
        let deny = Levels { deny: codes(&["vague-name"]), ..usual.clone() };
        check(&deny, (Code::VagueName, note), Some((error, true)));
        let allow = Levels { allow: codes(&["hostile-path"]), ..usual };
        check(&allow, (Code::HostilePath, error), None);
    }
}
