//! The lines printed at the start: what is served, where, which tools, what is missing, and the findings that `callgate
//! check` reports for the same configuration. For a log in JSON they are records with fields.

use callgate_config::{Built, Finding, Summary};
use callgate_executor::Entry;
use callgate_tool::{Object, Tool, Value, json};
use tracing::Level;

use crate::{
    functions, listen::Listener, observe::json_record, peer::ListenerKind, source::Source,
};

/// The build that a sidecar starts with.
pub(super) struct Start<'b> {
    pub(super) built: &'b Built,
    pub(super) summary: Summary,
}

pub(super) fn banner_lines(
    source: &Source,
    Start { built, summary }: &Start<'_>,
    listeners: &[Listener],
    console: Option<&str>,
) -> Vec<String> {
    let mut lines = vec![
        serving_line(source),
        addresses_line(listeners),
        toolsets_line(built),
        tools_line(built, summary),
        credentials_line(built, summary),
    ];
    lines.extend(finding_lines(source, summary));
    lines.extend(console.map(|address| format!("console: {address}")));
    lines.push(manual_line(listeners));
    lines
}

/// What the lines say, as records of a log in JSON: one of what is served, and one of each finding.
pub(super) fn banner_records(
    source: &Source,
    Start { built, summary }: &Start<'_>,
    listeners: &[Listener],
    console: Option<&str>,
) -> Vec<String> {
    let record = |level, message: &str, fields: Value| {
        let fields = if let Value::Object(fields) = fields { fields } else { Object::new() };
        json_record(level, module_path!(), message, fields)
    };
    // Nobody can correct the demo.
    let most = source.path_or_address().map_or(0, |_| MOST_FINDINGS);
    let findings = summary.findings.iter().take(most);
    let findings =
        findings.map(|finding| record(Level::WARN, &finding.message, finding_fields(finding)));
    let mut fields = start_fields(source, built, listeners, summary);
    if let (Some(address), Some(fields)) = (console, fields.as_object_mut()) {
        fields.insert("console", address.into());
    }
    let served = record(Level::INFO, &addresses_line(listeners), fields);
    std::iter::once(served).chain(findings).collect()
}

fn finding_fields(finding: &Finding) -> Value {
    let position = finding.position;
    json!({
        "code": (finding.code), "file": (finding.file.display().to_string()),
        "line": (position.map(|position| position.line)),
        "column": (position.map(|position| position.column)),
        "pointer": (&*finding.pointer), "help": (&*finding.help),
    })
}

/// The record of a log in JSON for a sidecar that did not start: the reason, what to do, and the findings of a configuration.
#[doc(hidden)]
pub fn failure_record(message: &str, help: &str, findings: &[Finding]) -> String {
    let findings = findings.iter().take(MOST_FINDINGS).map(|finding| {
        let mut fields = finding_fields(finding);
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("message".to_owned(), finding.message.as_str().into());
        }
        fields
    });
    let mut fields = Object::from_iter([("version".to_owned(), VERSION.into())]);
    if !help.is_empty() {
        fields.insert("help".to_owned(), help.into());
    }
    let findings: Vec<_> = findings.collect();
    if !findings.is_empty() {
        fields.insert("findings".to_owned(), findings.into());
    }
    json_record(Level::ERROR, module_path!(), message, fields)
}

fn start_fields(
    source: &Source,
    built: &Built,
    listeners: &[Listener],
    summary: &Summary,
) -> Value {
    let of = |kind| addresses_of(listeners, kind).map(Value::from).collect::<Vec<_>>();
    let toolsets = toolset_names(built).into_iter().map(Value::from).collect::<Vec<_>>();
    let unread = unread_toolsets(built).into_iter().map(Value::from).collect::<Vec<_>>();
    let Summary { n_degraded, n_refused, others, .. } = summary;
    let (n_exposed, n_tokens) = tool_and_token_counts(built, summary);
    let secrets = built.missing_secrets.iter().map(|secret| Value::from(secret.to_string()));
    let logins = built.missing_logins.iter().map(|login| Value::from(login.as_str()));
    let others = others.iter().map(|(code, n)| ((*code).to_owned(), Value::from(*n)));
    json!({
        "version": VERSION,
        "file": (source.path_or_address().map(|file| file.display().to_string())),
        "listen": (of(ListenerKind::Calls)), "admin": (of(ListenerKind::Admin)),
        "toolsets": toolsets, "unread": unread,
        "tools": {
            "exposed": n_exposed, "degraded": (*n_degraded), "refused": (*n_refused),
            "tokens": n_tokens,
        },
        "missing": {
            "secrets": (secrets.collect::<Vec<_>>()), "logins": (logins.collect::<Vec<_>>()),
            "schemes": (missing_schemes(summary)),
        },
        "findings": (summary.findings.len()), "otherFindings": (others.collect::<Object>()),
    })
}

fn serving_line(source: &Source) -> String {
    match source.path_or_address() {
        Some(file) => format!("callgate {VERSION} serves {}", file.display()),
        None => format!(
            "callgate {VERSION} serves the built-in demo, which answers from recordings: there is no ./callgate.yaml"
        ),
    }
}

fn addresses_line(listeners: &[Listener]) -> String {
    let of = |kind| addresses_of(listeners, kind).collect::<Vec<_>>().join(", ");
    let admin = of(ListenerKind::Admin);
    let admin = if admin.is_empty() { admin } else { format!("; admin on {admin}") };
    format!("listening on {}{admin}", of(ListenerKind::Calls))
}

fn addresses_of(listeners: &[Listener], kind: ListenerKind) -> impl Iterator<Item = String> {
    listeners.iter().filter(move |listener| listener.kind() == kind).map(Listener::display_address)
}

fn toolset_names(built: &Built) -> Vec<&str> {
    let described = built.toolsets.iter().map(|toolset| toolset.name.as_str());
    described.chain(functions::function_only_toolsets(built)).collect()
}

fn toolsets_line(built: &Built) -> String {
    let all = toolset_names(built);
    let n_toolsets = all.len();
    let names = all.into_iter().filter(|name| !name.is_empty());
    let names: Vec<_> = names.take(MOST_NAMES).collect();
    let unread = match unread_toolsets(built).len() {
        0 => String::new(),
        n_unread => format!("; {n_unread} cannot be read, and the log says why"),
    };
    let more = if n_toolsets > MOST_NAMES { ", …" } else { "" };
    if names.is_empty() {
        return format!("toolsets: {n_toolsets}{unread}");
    }
    format!("toolsets: {n_toolsets} ({}{more}){unread}", names.join(", "))
}

fn unread_toolsets(built: &Built) -> Vec<&str> {
    let toolsets = built.toolsets.iter().filter(|toolset| toolset.failure().is_some());
    let sources = built.sources.iter().filter(|source| source.failure.is_some());
    let toolsets = toolsets.map(|toolset| toolset.name.as_str());
    toolsets.chain(sources.map(|source| source.name.as_str())).collect()
}

fn tools_line(built: &Built, summary: &Summary) -> String {
    let Summary { n_degraded, n_refused, .. } = summary;
    let (n_exposed, n_tokens) = tool_and_token_counts(built, summary);
    format!(
        "tools: {n_exposed} exposed, {n_degraded} degraded, {n_refused} refused; about {n_tokens} tokens of declarations"
    )
}

/// The exposed tools and the tokens of all declarations, with those of functions.
fn tool_and_token_counts(built: &Built, summary: &Summary) -> (usize, usize) {
    let functions = functions::function_entries(built).filter_map(Entry::declaration);
    let n_tokens = summary.n_tokens + functions.map(Tool::tokens).sum::<usize>();
    (summary.n_exposed + functions::function_count(built), n_tokens)
}

fn missing_schemes(summary: &Summary) -> usize {
    summary.findings.iter().filter(|finding| finding.code == MISSING_CREDENTIAL).count()
}

fn credentials_line(built: &Built, summary: &Summary) -> String {
    let secrets: Vec<_> = built.missing_secrets.iter().map(ToString::to_string).collect();
    let secrets = secrets.join(", ");
    let schemes = match missing_schemes(summary) {
        0 => String::new(),
        1 => "1 security scheme".to_owned(),
        n => format!("{n} security schemes"),
    };
    let logins = built.missing_logins.iter().cloned();
    let missing = std::iter::once(secrets).chain(logins).chain([schemes]);
    let missing: Vec<_> = missing.filter(|part| !part.is_empty()).collect();
    match &*missing {
        [] => "credentials: none is missing".to_owned(),
        missing => format!("credentials missing: {}", missing.join("; ")),
    }
}

/// The findings that keep calls from working, a line for each, and the codes of the others.
fn finding_lines(source: &Source, summary: &Summary) -> Vec<String> {
    // Nobody can correct the demo.
    let Some(file) = source.path_or_address() else { return Vec::new() };
    let shown = summary.findings.iter().take(MOST_FINDINGS);
    let mut lines: Vec<_> = shown.map(ToString::to_string).collect();
    let n_more = summary.findings.len().saturating_sub(MOST_FINDINGS);
    let more = (n_more > 0).then(|| format!("{n_more} more findings"));
    let others = summary.others.iter().map(|(code, n)| format!("{n} {code}"));
    let others: Vec<_> = more.into_iter().chain(others).collect();
    if !others.is_empty() {
        let (others, file) = (others.join(", "), file.display());
        lines.push(format!("findings: {others}; `callgate check {file}` shows them"));
    }
    lines
}

fn manual_line(listeners: &[Listener]) -> String {
    let first = listeners.first().map(Listener::display_address).unwrap_or_default();
    format!("manual: `callgate::manual`; every path: {first}/openapi.json")
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The code of findings about security schemes without a credential.
const MISSING_CREDENTIAL: &str = "missing-credential";
const MOST_FINDINGS: usize = 20;
const MOST_NAMES: usize = 8;
