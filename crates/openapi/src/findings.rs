//! Gathers findings while a description is read, so that the first fault does not hide the next one. It decides
//! nothing: whether a finding costs the operation is said by its severity.

use std::fmt::Display;

use crate::{
    code::Code,
    diagnostic::{Diagnostic, Severity},
    pointer::parted,
};

/// The findings so far, each about the same operation when there is one.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    operation: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// Findings about one operation, named as `GET /pets/{petId}`.
    pub(crate) fn about(operation: String) -> Self {
        Self { operation: Some(operation), diagnostics: Vec::new() }
    }

    /// Something refused.
    pub(crate) fn error(&mut self, code: Code, at: impl Display, message: String, help: &str) {
        self.add((code, Severity::Error), at, message, help);
    }

    /// Something lost or guessed.
    pub(crate) fn warning(&mut self, code: Code, at: impl Display, message: String, help: &str) {
        self.add((code, Severity::Warning), at, message, help);
    }

    /// Something worth knowing.
    pub(crate) fn note(&mut self, code: Code, at: impl Display, message: String, help: &str) {
        self.add((code, Severity::Note), at, message, help);
    }

    /// The worst finding so far.
    pub(crate) fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.severity).max()
    }

    /// The findings, in the order they were made; the same one only once.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    pub(crate) fn add(
        &mut self,
        (code, severity): (Code, Severity),
        at: impl Display,
        message: String,
        help: &str,
    ) {
        let (file, pointer) = parted(&at.to_string());
        let diagnostic = Diagnostic {
            code,
            severity,
            file,
            pointer,
            position: None,
            message,
            help: help.to_owned(),
            operation: self.operation.clone(),
        };
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}
