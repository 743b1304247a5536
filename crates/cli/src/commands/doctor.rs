//! `callgate doctor CONFIG`: reports what `check` finds in a configuration and its descriptions, and checks that every secret
//! is there, every token can be had, every server, issuer, collector and webhook responds, and the store of state can be used, with the
//! time each takes. Calls no operation and shows no value.

mod state;

use std::path::Path;

use callgate::{
    config::{Built, BuiltToolset, Environment, Finding},
    openapi::Severity,
};
use callgate_config::{DescriptionOptions, Examined, Kinds, Subject, Summary};
use callgate_gateway::examine_issuers_collector;
use callgate_tool::{Value, json};

use super::call::block_on;
use crate::{
    args::DoctorArguments,
    effects,
    exit::{Failure, Verdict},
    file_argument::named_or_usual_file,
    open::{build_silently, loader_with_effects},
    output, remedy,
};

pub(crate) fn run(arguments: &DoctorArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let file = named_or_usual_file(arguments.file.as_deref(), "callgate doctor FILE")?;
    let report = examine_file(file, &DescriptionOptions::default(), kinds)?;
    if arguments.json {
        output::print_result(&format!("{}\n", json!({"checks": (report.json_lines())})));
    } else {
        output::print_result(&report.table());
    }
    Ok(Verdict::findings_if(report.n_faults() > 0))
}

pub(crate) struct DoctorReport(Vec<Line>);

struct Line {
    mark: Mark,
    kind: &'static str,
    name: String,
    /// The code of the finding, where the line is about one.
    code: Option<&'static str>,
    /// The fault, and its remedy.
    message: Option<(String, String)>,
    milliseconds: u128,
}

callgate_tool::named! {
    enum Mark {
        /// Calls fail.
        Fault = "fault",
        /// Calls work, and something is worth knowing.
        Note = "note",
        Ok = "ok",
    }
}

pub(crate) fn examine_file(
    file: &Path,
    options: &DescriptionOptions,
    kinds: &Kinds,
) -> Result<DoctorReport, Failure> {
    let environment =
        Environment::new().without_audit().listing_missing().with_sidecar_examination();
    let built =
        build_silently(file, options, &loader_with_effects(kinds, effects::DOCTOR), &environment)?;
    let summary = built.summary();
    let mut lines: Vec<_> = built.toolsets.iter().map(toolset_line).collect();
    // A source that does not answer has a finding.
    let sources = built.sources.iter().filter(|source| source.failure.is_none());
    lines.extend(sources.map(|source| ok_line(source.key, &source.name)));
    lines.extend(block_on(built.examine())?.into_iter().map(Line::from));
    lines.extend(block_on(examine_issuers_collector(&built))?.into_iter().map(Line::from));
    lines.extend(state::state_line(file, &built));
    let unreported_findings =
        summary.findings.iter().filter(|finding| !has_finding_message(finding, &lines));
    let finding_lines: Vec<_> = unreported_findings
        .map(|finding| Line::from_finding(finding, built.warnings.contains(finding)))
        .collect();
    lines.extend(finding_lines);
    lines.extend(other_findings_line(file, &summary));
    // Closes the connections before anything that they depend on.
    drop::<Built>(built);
    Ok(DoctorReport(lines))
}

fn toolset_line(toolset: &BuiltToolset) -> Line {
    let first_finding = toolset.findings().into_iter().find(|_| toolset.failure().is_some());
    let name = toolset.file.display().to_string();
    let stale = toolset.stale.clone().map(|why| (why, STALE.to_owned()));
    let (code, message) = match first_finding {
        Some(finding) => {
            (Some(finding.code), Some((finding.message.clone(), remedy::finding_remedy(&finding))))
        }
        None => (None, stale),
    };
    let mark = if message.is_some() { Mark::Fault } else { Mark::Ok };
    Line { mark, kind: "description", name, code, message, milliseconds: 0 }
}

fn ok_line(kind: &'static str, name: &str) -> Line {
    let name = name.to_owned();
    Line { mark: Mark::Ok, kind, name, code: None, message: None, milliseconds: 0 }
}

/// True if a line has the sentence of a finding already.
fn has_finding_message(finding: &Finding, lines: &[Line]) -> bool {
    let says =
        |line: &Line| line.message.as_ref().is_some_and(|(said, _)| *said == finding.message);
    lines.iter().any(says)
}

/// The line about the findings that `check` shows and that keep no call from working.
fn other_findings_line(file: &Path, summary: &Summary) -> Option<Line> {
    let n: usize = summary.others.values().sum();
    let codes: Vec<_> = summary.others.iter().map(|(code, n)| format!("{n} {code}")).collect();
    let file = file.display().to_string();
    (n > 0).then(|| Line {
        mark: Mark::Note,
        kind: "findings",
        message: Some((codes.join(", "), format!("`callgate check {file}` shows them"))),
        name: file,
        code: None,
        milliseconds: 0,
    })
}

impl Line {
    /// The line of a finding; a warning about the configuration makes no call fail.
    fn from_finding(finding: &Finding, is_warning: bool) -> Self {
        let is_note = is_warning && finding.severity != Severity::Error;
        Self {
            mark: if is_note { Mark::Note } else { Mark::Fault },
            kind: kind_of_code(finding.code),
            name: remedy::finding_file_or_flag(finding).display().to_string(),
            code: Some(finding.code),
            message: Some((finding.message.clone(), remedy::finding_remedy(finding))),
            milliseconds: 0,
        }
    }
}

impl From<Examined> for Line {
    fn from(examined: Examined) -> Self {
        let Examined { subject, came, fault, took, .. } = examined;
        let (kind, name, code) = match subject {
            Subject::Collector(name) => ("collector", name, None),
            Subject::Issuer(name) => ("issuer", name, None),
            Subject::Credential(name) => ("credential", name, None),
            Subject::Secret(name) => ("secret", name, Some("missing-secret")),
            Subject::SecretUse(name) => ("secret", name, None),
            Subject::Server(name) => ("server", name, None),
            Subject::SessionCredential(name) => {
                ("credential", format!("{name}, which each session brings"), None)
            }
            Subject::Webhook(name) => ("webhook", name, None),
            Subject::State(name) => ("state", name, Some("state")),
            _ => ("other", String::new(), None),
        };
        let mark = if fault.is_some() { Mark::Fault } else { Mark::Ok };
        let name = came.map_or_else(|| name.clone(), |came| format!("{name}: {came}"));
        let code = code.filter(|_| fault.is_some());
        let message = fault.map(|fault| (fault, fault_help(kind, code).to_owned()));
        Self { mark, kind, name, code, message, milliseconds: took.as_millis() }
    }
}

impl DoctorReport {
    pub(crate) fn n_faults(&self) -> usize {
        self.0.iter().filter(|line| line.mark == Mark::Fault).count()
    }

    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for Line { mark, kind, name, code, message, milliseconds } in &self.0 {
            let mark = mark.as_str();
            let time = format!("{milliseconds} ms");
            text.push_str(&format!("{mark:<6} {kind:<12} {time:>9}  {name}\n"));
            if let Some((message, help)) = message {
                let code = code.map(|code| format!(" [{code}]")).unwrap_or_default();
                text.push_str(&format!("{:<31}{message}{code}\n{:<31}help: {help}\n", "", ""));
            }
        }
        let (n, n_faults) = (self.0.len(), self.n_faults());
        text.push_str(&format!("{n} tried, {n_faults} at fault; no operation was called\n"));
        text
    }

    fn json_lines(&self) -> Vec<Value> {
        let value = |line: &Line| {
            let milliseconds = u64::try_from(line.milliseconds).unwrap_or(u64::MAX);
            let is_fault = line.mark == Mark::Fault;
            let message = line.message.as_ref().map(|(message, _)| message.clone());
            let (fault, note) = if is_fault { (message, None) } else { (None, message) };
            json!({
                "kind": (line.kind), "name": (line.name.as_str()), "ok": (!is_fault),
                "code": (line.code), "fault": fault, "note": note, "milliseconds": milliseconds,
            })
        };
        self.0.iter().map(value).collect()
    }
}

fn kind_of_code(code: &str) -> &'static str {
    match code {
        "foreign-server" | "foreign-token-endpoint" | "missing-credential" | "missing-login" => {
            "credential"
        }
        "missing-secret" => "secret",
        "no-server" => "server",
        "state" => "state",
        "unreachable-connection" => "connection",
        "unreachable-database" => "database",
        _ => "configuration",
    }
}

fn fault_help(kind: &str, code: Option<&str>) -> &'static str {
    match kind {
        "collector" => {
            "see that the collector runs there and takes OTLP over HTTP, or correct `telemetry:`"
        }
        "credential" => {
            "correct `auth:` or `credentials:`, or see that the authorization server can be reached"
        }
        "issuer" => {
            "see that this machine reaches the issuer, or correct its entry of `access.jwt`: until then its tokens are refused"
        }
        "secret" if code.is_none() => {
            "put a secret there that can be used like this, or correct the reference"
        }
        "secret" => "put the secret there, or correct the reference",
        "server" => "see that the service runs there, or correct `server:`",
        "webhook" => "see that the service runs there, or correct `approvals: {webhook: {url: …}}`",
        "state" => {
            "see that the folder is there and belongs to the sidecar's user, or that the server runs and is reached, or correct `state:`"
        }
        _ => "correct it in the configuration",
    }
}

const STALE: &str = "look why it does not answer";
