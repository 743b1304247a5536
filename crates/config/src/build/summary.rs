//! The findings about a built configuration that keep calls from working, and the counts of its tools. `callgate check`,
//! `doctor` and `serve` report them in these sentences, so that none of the three is content where another one is not.

use std::collections::BTreeMap;

use callgate_openapi::{Code, OperationStatus, Report};
use callgate_settings::{Finding, SettingCode};
use callgate_tree::{Diagnostic, Severity};

use super::built::{Built, BuiltToolset};
use crate::code::ConfigCode;

/// The tools and the findings of a configuration, with the schemas of every tool built.
///
/// ```
/// use callgate_config::{Config, Description, Environment, ToolsetConfig};
///
/// let text = "
/// openapi: 3.1.0
/// info: {title: Pets, version: '1'}
/// paths: {/pets: {get: {}}}";
/// let pets = ToolsetConfig::new(Description::text(text));
/// let built = Config::new().with_toolset(pets).build_blocking(&Environment::new(), None)?;
/// let summary = built.summary();
/// assert_eq!((summary.n_exposed, summary.findings[0].code), (1, "no-server"));
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The findings of [`Built::findings`]; if there are none and no tool is offered, the finding that says so.
    pub findings: Vec<Finding>,
    /// The other warnings and errors in descriptions, counted by their codes: what they concern works less well, or is not
    /// offered.
    pub others: BTreeMap<&'static str, usize>,
    /// The number of operations that are offered as described.
    pub n_exposed: usize,
    /// The number of operations that are offered although something was lost, or that cannot be called.
    pub n_degraded: usize,
    /// The number of operations that are not offered.
    pub n_refused: usize,
    /// The estimated number of tokens of all their declarations.
    pub n_tokens: usize,
}

impl Built {
    /// The findings that keep calls from working: those about the configuration, secrets and
    /// logins that a sidecar lacks, descriptions that cannot be read, sources of toolsets that cannot be reached, and
    /// operations that lack a credential or a server.
    pub fn findings(&self) -> Vec<Finding> {
        let of_toolsets = self.toolsets.iter().flat_map(BuiltToolset::findings);
        let own = self.warnings.iter().chain(&self.lacking).cloned();
        let unreachable = self.sources.iter().filter_map(|source| source.unreachable.clone());
        own.chain(unreachable).chain(of_toolsets).collect()
    }

    /// Counts the tools and the findings. Builds every declaration, which takes as long as loading the descriptions.
    #[doc(hidden)]
    pub fn summary(&self) -> Summary {
        self.summary_with_reports(|_, _| {})
    }

    /// The summary; `examined` gets the report of each toolset after every declaration was built, and their tokens.
    #[doc(hidden)]
    pub fn summary_with_reports(&self, mut examined: impl FnMut(Report, usize)) -> Summary {
        let mut summary = Summary { findings: self.findings(), ..Summary::default() };
        for toolset in &self.toolsets {
            let (report, n_tokens) = toolset.examined_report();
            summary.add_toolset(toolset, &report, n_tokens);
            examined(report, n_tokens);
        }
        if summary.findings.is_empty() && summary.others.is_empty() {
            summary.findings.extend(self.no_tools_finding());
        }
        summary
    }

    /// The finding about a configuration that offers no tool, although nothing in it is wrong.
    #[doc(hidden)]
    pub fn no_tools_finding(&self) -> Option<Finding> {
        if self.executor.entries().next().is_some() {
            return None;
        }
        let is_unselected = |toolset: &BuiltToolset| toolset.report.not_selected > 0;
        let help = if self.toolsets.iter().any(is_unselected) {
            "let `tools:` of the toolset select some operations: it leaves out all that there are"
        } else if self.toolsets.is_empty() {
            "name a toolset with a description, or with functions, under `toolsets:`"
        } else {
            "put an operation under `paths:`, `/pets: {get: {…}}`, or name another description"
        };
        let shown = self.origin.display();
        let code = ConfigCode::NoTools.as_str();
        let message =
            format!("`{shown}` offers no tool: expected one operation at least, got none");
        Some(Finding::new(&self.origin, Severity::Error, code, message).with_help(help))
    }
}

impl Summary {
    fn add_toolset(&mut self, toolset: &BuiltToolset, report: &Report, n_tokens: usize) {
        self.n_tokens += n_tokens;
        self.n_exposed += report.count(OperationStatus::Exposed);
        self.n_degraded += report.count(OperationStatus::Degraded);
        self.n_refused += report.count(OperationStatus::Refused);
        let is_failure = toolset.failure().is_some();
        let is_other = |diagnostic: &&Diagnostic| {
            diagnostic.severity >= Severity::Warning && !prevents_calls(diagnostic) && !is_failure
        };
        for diagnostic in report.diagnostics.iter().filter(is_other) {
            *self.others.entry(diagnostic.code.as_str()).or_insert(0) += 1;
        }
    }
}

impl BuiltToolset {
    /// The report with the findings of building every declaration, and the tokens of all declarations. It takes as long as
    /// loading the description.
    #[doc(hidden)]
    pub fn examined_report(&self) -> (Report, usize) {
        let (mut report, mut n_tokens) = (self.report.clone(), 0);
        report.add_schema_findings(&self.operations, |_, tool| n_tokens += tool.tokens());
        (report, n_tokens)
    }

    /// The findings that keep calls of this toolset from working: its description cannot be read, or operations lack a
    /// credential or a server. The code, the message and the help are those of its report.
    pub fn findings(&self) -> Vec<Finding> {
        if let Some(why) = &self.unreadable {
            return vec![self.unreadable_description(why)];
        }
        let is_failure = self.version.is_empty();
        let prevents = |diagnostic: &&Diagnostic| {
            prevents_calls(diagnostic) || (is_failure && diagnostic.severity == Severity::Error)
        };
        let mut diagnostics: Vec<_> =
            self.report.diagnostics.iter().filter(prevents).cloned().collect();
        if diagnostics.iter().any(|diagnostic| diagnostic.position.is_none())
            && let Ok(text) = self.text()
        {
            self.locate(&text, &mut diagnostics);
        }
        diagnostics.into_iter().map(|diagnostic| self.finding_of_diagnostic(diagnostic)).collect()
    }

    fn unreadable_description(&self, why: &str) -> Finding {
        let code = SettingCode::UnreadableFile.as_str();
        Finding::new(&self.file, Severity::Error, code, why).with_help(UNREADABLE)
    }

    /// A finding of the description, with its file: the description, or one that it refers to.
    fn finding_of_diagnostic(&self, diagnostic: Diagnostic) -> Finding {
        let file = match diagnostic.file.as_deref() {
            None => self.file.clone(),
            Some(address) if address.starts_with("https:") => address.into(),
            Some(name) => self.file.with_file_name(name),
        };
        Finding::of_diagnostic(file, diagnostic)
    }
}

/// True if the operations of a finding are offered and every call of them is refused.
fn prevents_calls(diagnostic: &Diagnostic) -> bool {
    PREVENTING.iter().any(|code| diagnostic.code == *code)
}

/// The findings about operations that are offered and cannot be called.
const PREVENTING: [Code; 4] =
    [Code::ForeignServer, Code::ForeignTokenEndpoint, Code::MissingCredential, Code::NoServer];

/// The remedy for a description that cannot be read.
pub(super) const UNREADABLE: &str = "name a file that exists, or an address that answers";
