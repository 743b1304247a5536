//! What became of a description: every diagnostic with its place, and the numbers. As text with snippets, or as JSON.

use std::path::PathBuf;

use callgate::{
    Executor,
    config::BuiltToolset,
    openapi::{Diagnostic, OperationStatus, Severity, locate},
};
use serde_json::{Value, json};

use crate::{
    exit::Failure,
    open::read,
    render::{self, Lines},
};

/// A description after checking.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The file as it is shown.
    pub(crate) file: PathBuf,
    text: String,
    toolset: BuiltToolset,
    diagnostics: Vec<Diagnostic>,
    tokens: usize,
}

impl Checked {
    /// Finds the place of every diagnostic, and what the declarations cost.
    pub(crate) fn new(toolset: BuiltToolset, executor: &Executor) -> Result<Self, Failure> {
        let text = read(&toolset.file)?;
        let mut diagnostics = toolset.report.diagnostics.clone();
        if !diagnostics.is_empty() {
            locate(&text, &mut diagnostics);
        }
        diagnostics.sort_by_key(|diagnostic| diagnostic.position);
        let names = toolset.report.operations.iter().filter_map(|known| known.tool.as_ref());
        let tools = names.filter_map(|name| executor.tool(name.as_str()));
        let tokens = tools.map(callgate::Tool::tokens).sum();
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Self { file: toolset.file.clone(), text, toolset, diagnostics, tokens })
    }

    fn count(&self, status: OperationStatus) -> usize {
        self.toolset.report.count(status)
    }

    /// Whether anything was lost or refused.
    pub(crate) fn has_findings(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity >= Severity::Warning)
    }

    /// Snippets and a summary line.
    pub(crate) fn to_text(&self) -> String {
        let lines = Lines::new(&self.text);
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            text.push_str(&render::diagnostic(&self.file, &lines, diagnostic));
        }
        text.push_str(&format!(
            "{}: {} exposed, {} degraded, {} refused; {} tokens of declarations\n",
            self.file.display(),
            self.count(OperationStatus::Exposed),
            self.count(OperationStatus::Degraded),
            self.count(OperationStatus::Refused),
            grouped(self.tokens),
        ));
        text
    }

    /// The same as data.
    pub(crate) fn to_json(&self) -> Value {
        let diagnostics: Vec<_> = self.diagnostics.iter().map(diagnostic_json).collect();
        json!({
            "file": self.file.display().to_string(),
            "version": self.toolset.version,
            "operations": self.toolset.report.operations.len(),
            "exposed": self.count(OperationStatus::Exposed),
            "degraded": self.count(OperationStatus::Degraded),
            "refused": self.count(OperationStatus::Refused),
            "tokens": self.tokens,
            "diagnostics": diagnostics,
        })
    }
}

fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity.as_str(),
        "pointer": diagnostic.pointer,
        "line": diagnostic.position.map(|position| position.line),
        "column": diagnostic.position.map(|position| position.column),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "operation": diagnostic.operation,
    })
}

/// A number with commas: `1,240`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1240, "1,240"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
