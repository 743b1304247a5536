//! The report on a description: every diagnostic with its place, and the counts. As text with snippets, or as JSON.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate::{
    config::BuiltToolset,
    openapi::{Diagnostic, OperationStatus, Severity},
};
use callgate_openapi::Operation;
use callgate_tool::{Value, json};
use callgate_tree::fill_file_positions;

use crate::{
    advice::Advice,
    baseline::Baseline,
    cause::{self, Cause},
    exit::Failure,
    levels::{Levels, is_lint},
    loss_counts::LossCounts,
    number::grouped_digits,
    open::{description_text, read_file_bytes},
    output::in_bold,
    remedy,
    render::{self, Lines},
    sarif,
    token_advice::DescriptionSizes,
};

pub(crate) struct CheckedDescription {
    pub(crate) file: PathBuf,
    text: String,
    /// The texts of the referenced files that have diagnostics.
    referenced: BTreeMap<Arc<str>, String>,
    toolset: BuiltToolset,
    /// True if several toolsets have this description.
    is_shared: bool,
    diagnostics: Vec<Diagnostic>,
    n_known: usize,
    advice: Advice,
    losses: LossCounts,
}

impl CheckedDescription {
    /// Builds every declaration in order, counts its losses, and finds the place of every diagnostic.
    pub(crate) fn new(mut toolset: BuiltToolset, mut losses: LossCounts) -> Result<Self, Failure> {
        let mut advice = Advice::default();
        toolset.report.add_schema_findings(&toolset.operations, |operation, tool| {
            advice.add_tool(operation, tool);
            losses.count_tool(tool);
        });
        // Read only now: the declarations just built and dropped were as large as the text.
        let text = description_text(&toolset)?;
        let mut diagnostics = toolset.report.diagnostics.clone();
        if !diagnostics.is_empty() {
            toolset.locate(&text, &mut diagnostics);
        }
        let referenced = read_referenced_texts(&toolset, &mut diagnostics);
        sort_diagnostics(&mut diagnostics);
        let text = String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(Self {
            file: toolset.file.clone(),
            text,
            referenced,
            toolset,
            is_shared: false,
            diagnostics,
            n_known: 0,
            advice,
            losses,
        })
    }

    #[cfg(feature = "openapiv3")]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds notes about the costs of declarations and about providers that would refuse them.
    pub(crate) fn with_advice(mut self) -> Self {
        let mut notes = self.advice.notes();
        self.toolset.locate(self.text.as_bytes(), &mut notes);
        self.diagnostics.append(&mut notes);
        sort_diagnostics(&mut self.diagnostics);
        self
    }

    /// Keeps the findings to report: those neither allowed nor in the baseline.
    pub(crate) fn apply_levels_and_baseline(
        &mut self,
        levels: &Levels,
        baseline: Option<&mut Baseline>,
    ) {
        levels.apply_levels(&mut self.diagnostics);
        if let Some(baseline) = baseline {
            let description = &self.file;
            let file = |diagnostic: &Diagnostic| {
                sarif::file_uri(&diagnostic_file(description, diagnostic))
            };
            self.n_known = baseline.remove_known_findings(file, &mut self.diagnostics);
        }
    }

    /// Lets each description that several toolsets have be shown with the name of its toolset.
    pub(crate) fn mark_shared_descriptions(documents: &mut [Self]) {
        let files: Vec<_> = documents.iter().map(|document| document.file.clone()).collect();
        for document in documents {
            document.is_shared = files.iter().filter(|file| **file == document.file).count() > 1;
        }
    }

    fn count_by_status(&self, status: OperationStatus) -> usize {
        self.toolset.report.count(status)
    }

    /// True if anything of a requested severity was lost or refused.
    pub(crate) fn has_findings(&self, levels: &Levels) -> bool {
        let least = levels.least.max(Severity::Warning);
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity >= least)
    }

    /// Every finding with the name of its file in the report.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = (PathBuf, &Diagnostic)> {
        self.diagnostics
            .iter()
            .map(|diagnostic| (diagnostic_file(&self.file, diagnostic), diagnostic))
    }

    /// Every cause of at least the requested severity, with its file.
    pub(crate) fn shown_causes(&self, levels: &Levels) -> impl Iterator<Item = (PathBuf, Cause)> {
        let shown: Vec<_> = self
            .diagnostics
            .iter()
            .filter(|diagnostic| levels.is_shown_individually(diagnostic))
            .cloned()
            .collect();
        let causes = cause::group_into_causes(&shown).into_iter();
        causes.map(|cause| (diagnostic_file(&self.file, &cause.diagnostic), cause))
    }

    /// The errors, warnings and other requested findings with snippets; the verdict; the counts of what is not shown.
    pub(crate) fn to_text(&self, levels: &Levels) -> String {
        let mut causes: Vec<_> = self.shown_causes(levels).map(|(_, cause)| cause).collect();
        causes.sort_by_key(|cause| Reverse(cause.diagnostic.severity));
        let own = Lines::new(&self.text);
        let mut text = String::new();
        for group in cause::causes_by_code(causes) {
            let name = group.first().and_then(|first| first.diagnostic.file.as_ref());
            let referenced = name.map(|name| {
                let text = self.referenced.get(name);
                text.map(|text| Lines::of_document_part(text)).unwrap_or_default()
            });
            let lines = referenced.as_ref().unwrap_or(&own);
            text.push_str(&render::rendered_causes(&group, lines, |diagnostic| {
                diagnostic_file(&self.file, diagnostic)
            }));
        }
        text.push_str(&self.verdict_line());
        text.push_str(&self.hidden_findings_summary(levels));
        text.push_str(&self.losses.to_text());
        text
    }

    /// The operations by their status, and the size of what a model sees of them.
    fn verdict_line(&self) -> String {
        let verdict = format!(
            "{}{}: {} exposed, {} degraded, {} refused{}{}; {} tokens of declarations",
            self.file.display(),
            self.toolset_name_if_shared(),
            self.count_by_status(OperationStatus::Exposed),
            self.count_by_status(OperationStatus::Degraded),
            self.count_by_status(OperationStatus::Refused),
            self.not_selected_count_text(),
            self.edited_count_text(),
            grouped_digits(self.advice.tokens),
        );
        format!("{}\n", in_bold(&verdict))
    }

    pub(crate) fn sizes(&self) -> DescriptionSizes<'_> {
        DescriptionSizes { toolset: &self.toolset, sizes: &self.advice.sizes }
    }

    /// Counts the findings that are not shown one by one.
    fn hidden_findings_summary(&self, levels: &Levels) -> String {
        let hidden: Vec<_> = self
            .diagnostics
            .iter()
            .filter(|diagnostic| !levels.is_shown_individually(diagnostic))
            .cloned()
            .collect();
        let (mut lint, mut others) = (BTreeMap::new(), BTreeMap::new());
        for cause in cause::group_into_causes(&hidden) {
            let code = cause.diagnostic.code.as_str();
            let counts = if is_lint(code) { &mut lint } else { &mut others };
            *counts.entry(code).or_insert(0_usize) += 1;
        }
        let listed = |counts: &BTreeMap<&str, usize>| {
            let counts = counts.iter().map(|(code, n)| format!("{} {code}", grouped_digits(*n)));
            counts.collect::<Vec<_>>().join(", ")
        };
        let mut text = if lint.is_empty() { String::new() } else { self.advice.dearest_table() };
        if !lint.is_empty() {
            text.push_str(&format!("lint: {} (`--lint` shows them)\n", listed(&lint)));
        }
        if !others.is_empty() {
            text.push_str(&format!(
                "not shown: {} (`--severity note` shows them)\n",
                listed(&others)
            ));
        }
        if self.n_known > 0 {
            text.push_str(&format!("known from the baseline: {}\n", grouped_digits(self.n_known)));
        }
        text
    }

    fn toolset_name_if_shared(&self) -> String {
        if self.is_shared { format!(" (`{}`)", self.toolset.name) } else { String::new() }
    }

    fn not_selected_count_text(&self) -> String {
        match self.toolset.report.not_selected {
            0 => String::new(),
            number => format!(", {} not selected", grouped_digits(number)),
        }
    }

    fn edited_count_text(&self) -> String {
        match self.toolset.operations.iter().filter(|operation| operation.edit.is_some()).count() {
            0 => String::new(),
            number => format!(", {} edited", grouped_digits(number)),
        }
    }

    pub(crate) fn to_json(&self, levels: &Levels) -> Value {
        let diagnostics: Vec<_> =
            self.shown_causes(levels).map(|(file, cause)| diagnostic_json(&file, &cause)).collect();
        json!({
            "file": self.file.display().to_string(),
            "toolset": self.toolset.name,
            "version": self.toolset.version,
            "operations": self.toolset.report.operations.len(),
            "exposed": self.count_by_status(OperationStatus::Exposed),
            "degraded": self.count_by_status(OperationStatus::Degraded),
            "refused": self.count_by_status(OperationStatus::Refused),
            "notSelected": self.toolset.report.not_selected,
            "edited": self.toolset.operations.iter().filter_map(|operation| edited_json(operation)).collect::<Vec<_>>(),
            "tokens": self.advice.tokens,
            "losses": self.losses.to_json(),
            "declarations": self.losses.counts_by_projection(),
            "diagnostics": diagnostics,
        })
    }
}

/// An operation that the configuration changes: its names before and after, and the keys of the changes.
fn edited_json(operation: &Operation) -> Option<Value> {
    let edit = operation.edit.as_ref()?;
    Some(json!({
        "operation": operation.label(),
        "tool": operation.tool_name.as_str(),
        "formerName": edit.former_name.as_str(),
        "changes": edit.changes.keys(),
    }))
}

fn sort_diagnostics(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
}

/// The name of a diagnostic's file in the report: the description's own file, a referenced file, or an address.
fn diagnostic_file(description: &Path, diagnostic: &Diagnostic) -> PathBuf {
    match diagnostic.file.as_deref() {
        None => description.to_owned(),
        Some(address) if address.starts_with("https:") => PathBuf::from(address),
        Some(name) => description.with_file_name(name),
    }
}

/// The texts of the files besides the description that have diagnostics. The diagnostics get their places from them.
fn read_referenced_texts(
    toolset: &BuiltToolset,
    diagnostics: &mut [Diagnostic],
) -> BTreeMap<Arc<str>, String> {
    let mut files: BTreeMap<Arc<str>, PathBuf> = BTreeMap::new();
    for diagnostic in diagnostics.iter() {
        if let Some(name) = diagnostic.file.as_ref().filter(|name| !name.starts_with("https:")) {
            files.insert(Arc::clone(name), diagnostic_file(&toolset.file, diagnostic));
        }
    }
    let mut texts = BTreeMap::new();
    for (name, file) in files {
        // If a file has disappeared since it was read, its findings have no place.
        let Ok(text) = read_file_bytes(&file) else { continue };
        fill_file_positions(&name, &text, diagnostics);
        texts.insert(name, String::from_utf8_lossy(&text).into_owned());
    }
    texts
}

fn diagnostic_json(file: &Path, cause: &Cause) -> Value {
    let Cause { diagnostic, operations, n_operations, .. } = cause;
    let code = diagnostic.code.as_str();
    let mut json = json!({
        "code": code,
        "severity": diagnostic.severity.as_str(),
        "lint": is_lint(code),
        "pointer": diagnostic.pointer,
        "line": diagnostic.position.map(|position| position.line),
        "column": diagnostic.position.map(|position| position.column),
        "message": diagnostic.message,
        "help": remedy::diagnostic_remedy(diagnostic),
        "operation": operations.first(),
        "operations": {"count": *n_operations, "names": &**operations},
    });
    if diagnostic.file.is_some() {
        let file = file.display().to_string();
        json.as_object_mut().map(|members| members.insert("file".to_owned(), file.into()));
    }
    json
}
