//! What became of a description: every diagnostic with its place, and the numbers. As text with snippets, or as JSON.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate::{
    config::BuiltToolset,
    openapi::OperationStatus,
    tree::{Diagnostic, Severity, locate_file},
};
use callgate_tool::{Value, json};

use crate::{
    advice::Advice,
    exit::Failure,
    number::grouped,
    open::{description, read},
    render::{self, Lines},
};

/// A description after checking.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The file as it is shown.
    pub(crate) file: PathBuf,
    text: String,
    /// The texts of the files the description refers to, as far as something is said about them.
    referenced: BTreeMap<Arc<str>, String>,
    toolset: BuiltToolset,
    diagnostics: Vec<Diagnostic>,
    advice: Advice,
}

impl Checked {
    /// Builds every declaration, one after another, and finds the place of every diagnostic.
    pub(crate) fn new(mut toolset: BuiltToolset) -> Result<Self, Failure> {
        let text = description(&toolset)?;
        let mut advice = Advice::default();
        toolset.report.examine(&toolset.operations, |operation, tool| advice.take(operation, tool));
        let mut diagnostics = toolset.report.diagnostics.clone();
        if !diagnostics.is_empty() {
            toolset.locate(&text, &mut diagnostics);
        }
        let referenced = referenced(&toolset, &mut diagnostics);
        in_order(&mut diagnostics);
        let text = String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(Self { file: toolset.file.clone(), text, referenced, toolset, diagnostics, advice })
    }

    /// With notes about what the declarations cost and which providers would not take them.
    pub(crate) fn with_advice(mut self) -> Self {
        let mut notes = self.advice.notes();
        self.toolset.locate(self.text.as_bytes(), &mut notes);
        self.diagnostics.append(&mut notes);
        in_order(&mut self.diagnostics);
        self
    }

    fn count(&self, status: OperationStatus) -> usize {
        self.toolset.report.count(status)
    }

    /// Whether anything was lost or refused.
    pub(crate) fn has_findings(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity >= Severity::Warning)
    }

    /// Every finding with the file it is about, as it is shown.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = (PathBuf, &Diagnostic)> {
        self.diagnostics.iter().map(|known| (file_of(&self.file, known), known))
    }

    /// Snippets and a summary line.
    pub(crate) fn to_text(&self) -> String {
        let mut shown = None;
        let mut lines = Lines::new(&self.text);
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            if diagnostic.file != shown {
                shown.clone_from(&diagnostic.file);
                let name = diagnostic.file.as_deref();
                let referenced = name.and_then(|name| self.referenced.get(name));
                lines = referenced.map(|text| Lines::of_part(text)).unwrap_or_default();
            }
            let file = file_of(&self.file, diagnostic);
            text.push_str(&render::diagnostic(&file, &lines, diagnostic));
        }
        text.push_str(&format!(
            "{}: {} exposed, {} degraded, {} refused{}; {} tokens of declarations\n",
            self.file.display(),
            self.count(OperationStatus::Exposed),
            self.count(OperationStatus::Degraded),
            self.count(OperationStatus::Refused),
            self.not_selected(),
            grouped(self.advice.tokens),
        ));
        text
    }

    fn not_selected(&self) -> String {
        match self.toolset.report.not_selected {
            0 => String::new(),
            number => format!(", {} not selected", grouped(number)),
        }
    }

    /// The same as data.
    pub(crate) fn to_json(&self) -> Value {
        let json = |diagnostic| diagnostic_json(&self.file, diagnostic);
        let diagnostics: Vec<_> = self.diagnostics.iter().map(json).collect();
        json!({
            "file": self.file.display().to_string(),
            "version": self.toolset.version,
            "operations": self.toolset.report.operations.len(),
            "exposed": self.count(OperationStatus::Exposed),
            "degraded": self.count(OperationStatus::Degraded),
            "refused": self.count(OperationStatus::Refused),
            "notSelected": self.toolset.report.not_selected,
            "tokens": self.advice.tokens,
            "diagnostics": diagnostics,
        })
    }
}

/// Sorts findings as a reader meets them.
fn in_order(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
}

/// The file a diagnostic is about, as it is shown: the description's own, one it refers to, or an address.
fn file_of(description: &Path, diagnostic: &Diagnostic) -> PathBuf {
    match diagnostic.file.as_deref() {
        None => description.to_owned(),
        Some(address) if address.starts_with("https:") => PathBuf::from(address),
        Some(name) => description.with_file_name(name),
    }
}

/// The texts of the files that diagnostics are about beyond the description itself, which get their places from them.
fn referenced(
    toolset: &BuiltToolset,
    diagnostics: &mut [Diagnostic],
) -> BTreeMap<Arc<str>, String> {
    let mut files: BTreeMap<Arc<str>, PathBuf> = BTreeMap::new();
    for diagnostic in diagnostics.iter() {
        if let Some(name) = diagnostic.file.as_ref().filter(|name| !name.starts_with("https:")) {
            files.insert(Arc::clone(name), file_of(&toolset.file, diagnostic));
        }
    }
    let mut texts = BTreeMap::new();
    for (name, file) in files {
        // A file that is gone since it was read leaves its findings without a place.
        let Ok(text) = read(&file) else { continue };
        locate_file(&name, &text, diagnostics);
        texts.insert(name, String::from_utf8_lossy(&text).into_owned());
    }
    texts
}

fn diagnostic_json(description: &Path, diagnostic: &Diagnostic) -> Value {
    let mut json = json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity.as_str(),
        "pointer": diagnostic.pointer,
        "line": diagnostic.position.map(|position| position.line),
        "column": diagnostic.position.map(|position| position.column),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "operation": diagnostic.operation,
    });
    if diagnostic.file.is_some() {
        let file = file_of(description, diagnostic).display().to_string();
        json.as_object_mut().map(|members| members.insert("file".to_owned(), file.into()));
    }
    json
}
