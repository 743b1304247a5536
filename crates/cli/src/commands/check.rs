//! `callgate check FILE…`: reports the result for each operation, every fault with its line and a caret, and a summary;
//! with `--strict` also the verdict of the crate `openapiv3`.

use std::path::{Path, PathBuf};

#[cfg(feature = "openapiv3")]
use callgate::openapi::TextLimits;
use callgate::{
    config::{Built, Error, Finding},
    openapi::Severity,
};
use callgate_config::{DescriptionOptions, IndexCounts, Kinds, OpenedSource};
use callgate_tool::{Value, json};

use super::doctor;
use crate::{
    args::{CheckArguments, Format, Least},
    baseline::Baseline,
    cause::Cause,
    exit::{Failure, Verdict},
    levels::Levels,
    loss_counts::LossCounts,
    open, output,
    progress::Progress,
    remedy,
    report::CheckedDescription,
    sarif, token_advice,
};

#[derive(Default)]
struct CheckReport {
    documents: Vec<CheckedDescription>,
    /// Each file, and the number of documents up to its last one.
    files: Vec<(PathBuf, usize)>,
    findings: Vec<Finding>,
    /// The faults that kept a configuration from being built, as snippets.
    faults: String,
    n_empty: usize,
    /// The findings about empty files, where no other finding explains it.
    empty: Vec<Finding>,
    /// The functions that a configuration changes, with the file.
    edited: Vec<(PathBuf, Vec<Value>)>,
    /// The sources of tools, in words, with the file.
    sources: Vec<(PathBuf, String)>,
}

struct Judge<'a> {
    levels: &'a Levels,
    counted: fn() -> LossCounts,
    baseline: Option<&'a mut Baseline>,
}

pub(crate) fn run(arguments: &CheckArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    #[cfg(not(feature = "openapiv3"))]
    if arguments.strict {
        let message = "`--strict` needs a build of callgate with the feature `openapiv3`";
        return Err(Failure::with_help(message, "build it with `--features openapiv3`"));
    }
    let format = if arguments.json { Format::Json } else { arguments.format };
    let levels = check_levels(arguments, format);
    let mut baseline = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    let counted = loss_counter(arguments, format);
    let mut report = CheckReport::default();
    for file in &arguments.files {
        let progress = Progress::start_for_check(file);
        match open::build_with_sidecar_findings(file, &description_options(arguments), kinds) {
            Ok(built) => {
                #[cfg(feature = "agents")]
                report.report_faulty_agents(file, &built);
                report.edited.push((file.clone(), edited_tools_without_operation(&built)));
                report.sources.extend(opened_source_lines(&built).map(|text| (file.clone(), text)));
                let judge = Judge { levels: &levels, counted, baseline: baseline.as_mut() };
                report.add_built(built, judge)?;
                report.files.push((file.clone(), report.documents.len()));
            }
            Err(error) => report.add_fault(error),
        }
        drop(progress);
    }
    if let Some(n_stale) =
        baseline.map(|used_baseline| used_baseline.n_stale()).filter(|n_stale| *n_stale > 0)
    {
        output::print_message_line(&format!(
            "note: {n_stale} findings of the baseline are not found any more; write it again"
        ));
    }
    if let Some(file) = &arguments.write_baseline {
        return report.write_baseline(file);
    }
    report.print_report(format, &levels, kinds);
    let n_faults = if arguments.connect { try_connections(arguments, kinds)? } else { 0 };
    #[cfg(feature = "openapiv3")]
    let n_faults =
        n_faults + if arguments.strict { print_strict_faults(&report.documents) } else { 0 };
    let is_denied = |finding: &Finding| finding.severity == Severity::Error;
    let is_found = report.documents.iter().any(|document| document.has_findings(&levels))
        || n_faults > 0
        || report.findings.iter().any(is_denied)
        || report.n_empty > 0;
    report.print_no_tools_errors();
    if report.faults.is_empty() {
        Ok(Verdict::findings_if(is_found))
    } else {
        Err(Failure(report.faults))
    }
}

/// Prints the verdict of the crate `openapiv3` on each description; it does not change which operations become tools. Returns the
/// number of faults.
#[cfg(feature = "openapiv3")]
fn print_strict_faults(documents: &[CheckedDescription]) -> usize {
    let mut n_faults = 0;
    for document in documents {
        // A text that cannot be read was already reported.
        let read = callgate_tree::read(document.text().as_bytes(), &TextLimits::default());
        let Ok(read) = read else { continue };
        let faults = callgate_config::strict_faults(&read.value.to_value());
        let verdict = match faults.len() {
            0 => "reads it".to_owned(),
            1 => "refuses 1 part".to_owned(),
            n => format!("refuses {n} parts"),
        };
        let mut text = format!("{}: openapiv3 {verdict}\n", document.file.display());
        for fault in &faults {
            let at = if fault.pointer.is_empty() { "the description" } else { &fault.pointer };
            text.push_str(&format!("  {at}: {}\n", fault.message));
        }
        output::print_result(&text);
        n_faults += faults.len();
    }
    output::print_message(NOT_READ);
    n_faults
}

#[cfg(feature = "openapiv3")]
const NOT_READ: &str = "note: openapiv3 does not read members beside `$ref`, members that OpenAPI 3.0 does not know, and digits beyond those of a double\n";

/// Tries the connections and credentials of each file. Returns the number of faults.
fn try_connections(arguments: &CheckArguments, kinds: &Kinds) -> Result<usize, Failure> {
    let mut n_faults = 0;
    for file in &arguments.files {
        let report = doctor::examine_file(file, &description_options(arguments), kinds)?;
        output::print_result(&report.table());
        n_faults += report.n_faults();
    }
    Ok(n_faults)
}

fn check_levels(arguments: &CheckArguments, format: Format) -> Levels {
    let least = match (arguments.severity, format) {
        (Some(Least::Error), _) => Severity::Error,
        (Some(Least::Warning), _) | (None, Format::Text) => Severity::Warning,
        // A program filters the findings itself.
        (Some(Least::Note), _) | (None, Format::Json | Format::Sarif) => Severity::Note,
    };
    Levels {
        least,
        deny: arguments.deny.iter().cloned().collect(),
        allow: arguments.allow.iter().cloned().collect(),
        lint: arguments.lint,
    }
}

fn description_options(arguments: &CheckArguments) -> DescriptionOptions {
    DescriptionOptions {
        server: arguments.server.clone(),
        overlays: arguments.overlay.clone(),
        ..DescriptionOptions::default()
    }
}

/// Starts counting losses if `--lint` asks for it; counting costs far more than finding faults.
fn loss_counter(arguments: &CheckArguments, format: Format) -> fn() -> LossCounts {
    match format {
        Format::Json if arguments.lint => LossCounts::for_all_projections,
        Format::Text if arguments.lint => LossCounts::for_all_dialects,
        Format::Json | Format::Sarif | Format::Text => LossCounts::default,
    }
}

impl CheckReport {
    fn add_built(&mut self, built: Built, judge: Judge<'_>) -> Result<(), Failure> {
        let Judge { levels, counted, mut baseline } = judge;
        let empty = built.no_tools_finding();
        let Built { toolsets, mut warnings, lacking, .. } = built;
        let n_known = self.documents.len();
        warnings.extend(lacking);
        levels.apply_levels_to_findings(&mut warnings);
        output::print_message(&open::rendered_findings(&warnings));
        let is_warned = warnings.iter().any(|warning| warning.code == "selects-nothing");
        self.findings.append(&mut warnings);
        for toolset in toolsets {
            let mut checked = CheckedDescription::new(toolset, counted())?.with_advice();
            checked.apply_levels_and_baseline(levels, baseline.as_deref_mut());
            self.documents.push(checked);
        }
        let own = self.documents.get_mut(n_known..).unwrap_or_default();
        CheckedDescription::mark_shared_descriptions(own);
        if let Some(empty) = empty {
            self.n_empty += 1;
            let own = self.documents.get(n_known..).unwrap_or_default();
            if !is_warned && !own.iter().any(|document| document.has_findings(levels)) {
                self.findings.push(empty.clone());
                self.empty.push(empty);
            }
        }
        Ok(())
    }

    fn print_no_tools_errors(&self) {
        for Finding { message, help, .. } in &self.empty {
            output::print_message(&format!("error: {message}\nhelp: {help}\n"));
        }
    }

    /// Reports each agent that could take no turn: its model has a setting that callgate itself writes, or a name that no
    /// address holds.
    #[cfg(feature = "agents")]
    fn report_faulty_agents(&mut self, file: &Path, built: &Built) {
        for agent in &built.agents {
            if let Err(error) = callgate_agent::Agent::from_configuration(built, &agent.name) {
                let message = format!("the agent `{}` can take no turn: {error}", agent.name);
                let help = "correct its model";
                self.add_fault(Error::for_file(file, "wrong-value", message, help));
            }
        }
    }

    fn add_fault(&mut self, error: Error) {
        self.findings.extend_from_slice(error.findings());
        self.faults.push_str(&Failure::from(error).0);
    }

    fn write_baseline(&self, file: &Path) -> Result<Verdict, Failure> {
        if !self.faults.is_empty() {
            return Err(Failure(self.faults.clone()));
        }
        let mut baseline = Baseline::default();
        for (file, diagnostic) in self.documents.iter().flat_map(CheckedDescription::diagnostics) {
            baseline.add_finding(sarif::file_uri(&file), diagnostic);
        }
        let n_known = baseline.write(file)?;
        output::print_message_line(&format!(
            "note: {n_known} findings are written to `{}`",
            file.display()
        ));
        Ok(Verdict::Fine)
    }

    fn print_report(&self, format: Format, levels: &Levels, kinds: &Kinds) {
        match format {
            Format::Json => {
                let documents: Vec<_> =
                    self.documents.iter().map(|document| document.to_json(levels)).collect();
                let findings: Vec<_> = self.findings.iter().map(finding_json).collect();
                let edited: Vec<_> =
                    self.edited.iter().flat_map(|(_, edited)| edited).cloned().collect();
                let json = json!({
                    "documents": documents, "configuration": findings, "editedFunctions": edited,
                });
                output::print_result(&format!("{json}\n"));
            }
            Format::Sarif => {
                let causes =
                    self.documents.iter().flat_map(|document| document.shown_causes(levels));
                let causes: Vec<(PathBuf, Cause)> = causes.collect();
                output::print_result(&format!(
                    "{:#}\n",
                    sarif::sarif_log(&causes, &self.findings, kinds)
                ));
            }
            Format::Text => {
                self.print_text_report(levels);
            }
        }
    }

    fn print_text_report(&self, levels: &Levels) {
        let mut first = 0;
        for (file, end) in &self.files {
            let documents = self.documents.get(first..*end).unwrap_or_default();
            for document in documents {
                output::print_styled(&document.to_text(levels));
            }
            let sizes: Vec<_> = documents.iter().map(CheckedDescription::sizes).collect();
            output::print_styled(&token_advice::advice_text(file, &sizes));
            first = *end;
        }
        for (file, text) in &self.sources {
            output::print_result(&format!("{}: {text}\n", file.display()));
        }
        for (file, edited) in self.edited.iter().filter(|(_, edited)| !edited.is_empty()) {
            let n = edited.len();
            let functions = if n == 1 { "function" } else { "functions" };
            output::print_result(&format!("{}: {n} {functions} edited\n", file.display()));
        }
    }
}

fn opened_source_lines(built: &Built) -> impl Iterator<Item = String> {
    built.sources.iter().filter(|source| source.failure.is_none()).map(|source| {
        let OpenedSource { key, name, followed, .. } = source;
        if let Some(IndexCounts { files, documents, pieces, .. }) =
            followed.as_ref().map(|followed| followed.index_counts())
        {
            return format!(
                "the {key} of `{name}`: files: {files}, documents: {documents}, passages: {pieces}"
            );
        }
        let tools = built.executor.entries();
        let n = tools.filter(|entry| entry.toolset() == name).count();
        let tools = if n == 1 { "tool" } else { "tools" };
        format!("the {key} of `{name}` answers: {n} {tools}")
    })
}

/// The tools without an operation that the configuration changes.
fn edited_tools_without_operation(built: &Built) -> Vec<Value> {
    let functions = built.executor.entries().filter(|entry| entry.operation().is_none());
    let edited = functions.filter_map(|entry| {
        let edit = entry.edit()?;
        Some(json!({
            "tool": entry.name().as_str(),
            "formerName": edit.former_name.as_str(),
            "changes": edit.changes.keys(),
        }))
    });
    edited.collect()
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "file": remedy::finding_file_or_flag(finding).display().to_string(),
        "code": finding.code,
        "severity": finding.severity.as_str(),
        "pointer": finding.pointer,
        "line": finding.position.map(|position| position.line),
        "column": finding.position.map(|position| position.column),
        "message": finding.message,
        "help": remedy::finding_remedy(finding),
    })
}
