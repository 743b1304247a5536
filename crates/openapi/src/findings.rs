//! Collects findings while a description is read, so that the first fault does not hide later ones. It makes no
//! decisions: the severity of a finding says if the operation is refused. Findings beyond a limit are only counted.

use std::fmt::Display;

use callgate_tool::Remedy;
use callgate_tree::{CodeName, Diagnostic, Severity, pointer::document_and_pointer};

use crate::code::Code;

#[derive(Debug, Default)]
pub(crate) struct Findings {
    operation: Option<String>,
    /// The findings in the order they were made, without repetitions.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The highest severity so far, including findings that are not kept.
    pub(crate) worst: Option<Severity>,
    /// The number of findings that are not kept; repetitions count.
    n_more: usize,
}

#[derive(Debug)]
pub(crate) struct Finding<'a> {
    pub(crate) code: CodeName,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) help: &'a str,
    pub(crate) remedy: Option<&'a Remedy>,
}

impl<'a> Finding<'a> {
    pub(crate) fn new(code: Code, severity: Severity, message: String, help: &'a str) -> Self {
        Self { code: code.into(), severity, message, help, remedy: None }
    }
}

impl Findings {
    /// Findings about one operation, named as `GET /pets/{petId}`.
    pub(crate) fn for_operation(operation: String) -> Self {
        Self { operation: Some(operation), ..Self::default() }
    }

    pub(crate) fn error(&mut self, code: Code, at: impl Display, message: String, help: &str) {
        self.add(Finding::new(code, Severity::Error, message, help), at);
    }

    pub(crate) fn warning(&mut self, code: Code, at: impl Display, message: String, help: &str) {
        self.add(Finding::new(code, Severity::Warning, message, help), at);
    }

    pub(crate) fn note(&mut self, code: Code, at: impl Display, message: String, help: &str) {
        self.add(Finding::new(code, Severity::Note, message, help), at);
    }

    /// The findings, and one that counts those that are not kept.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.n_more > 0 {
            let message =
                format!("expected at most {MOST} findings here, got more: {}", self.n_more);
            let more = Finding::new(Code::MoreFindings, Severity::Note, message, MORE);
            self.diagnostics.push(self.new_diagnostic(more, ""));
        }
        self.diagnostics
    }

    /// Adds the findings of a part that operations share.
    pub(crate) fn add_shared<'f>(&mut self, shared: impl IntoIterator<Item = &'f Diagnostic>) {
        for Diagnostic { code, severity, file, pointer, message, help, remedy, .. } in shared {
            let file = file.as_deref().map(|file| format!("{file}#")).unwrap_or_default();
            let (code, severity, message) = (*code, *severity, message.clone());
            let remedy = remedy.as_ref();
            let finding = Finding { code, severity, message, help, remedy };
            self.add(finding, format_args!("{file}{pointer}"));
        }
    }

    pub(crate) fn absorb_shared(&mut self, shared: &Self) {
        self.add_shared(&shared.diagnostics);
        self.count_unkept(shared);
    }

    pub(crate) fn count_unkept(&mut self, shared: &Self) {
        self.n_more += shared.n_more;
        self.worst = self.worst.max(shared.worst);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.worst.is_none()
    }

    pub(crate) fn add(&mut self, finding: Finding<'_>, at: impl Display) {
        let severity = finding.severity;
        self.worst = self.worst.max(Some(severity));
        // A finding that refuses the operation is always kept.
        let most = if severity == Severity::Error { 2 * MOST } else { MOST };
        if self.diagnostics.len() >= most {
            self.n_more += 1;
            return;
        }
        let diagnostic = self.new_diagnostic(finding, at);
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn new_diagnostic(&self, finding: Finding<'_>, at: impl Display) -> Diagnostic {
        let Finding { code, severity, message, help, remedy } = finding;
        let (file, pointer) = document_and_pointer(&at.to_string());
        let (remedy, operation) = (remedy.cloned(), self.operation.clone());
        let diagnostic = Diagnostic::new(code, severity, shortened_message(message), help);
        Diagnostic { file, pointer, remedy, operation, ..diagnostic }
    }
}

/// Shortens a message to a readable length: it quotes text of the description, which may be of any length.
fn shortened_message(mut message: String) -> String {
    if message.len() > LONGEST {
        message.truncate(message.floor_char_boundary(LONGEST));
        message.push_str("…`");
    }
    message
}

pub(crate) const MORE: &str = "correct those that are shown; then the others are";

/// The number of findings kept for one operation: more are not useful, and each is compared with all others.
const MOST: usize = 100;

/// The length of a message in bytes. Our own words have fewer than 200.
const LONGEST: usize = 500;
