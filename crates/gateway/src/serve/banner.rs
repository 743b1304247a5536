//! The lines printed at the start: what is served, where, which tools, what is missing, and the findings that `callgate
//! check` reports for the same configuration.

use callgate_config::{Built, Finding, Summary};
use callgate_executor::Entry;
use callgate_tool::Tool;

use crate::{functions, listen::Listener, peer::ListenerKind, source::Source};

pub(super) fn lines(source: &Source, built: &Built, listeners: &[Listener]) -> Vec<String> {
    let summary = built.summary();
    let mut lines = vec![
        served(source),
        addresses(listeners),
        toolsets(built),
        tools(built, &summary),
        credentials(built, &summary),
    ];
    lines.extend(findings(source, &summary));
    lines.push(manual(listeners));
    lines
}

fn served(source: &Source) -> String {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    match source.path() {
        Some(file) => format!("callgate {VERSION} serves {}", file.display()),
        None => format!(
            "callgate {VERSION} serves the built-in demo, which answers from recordings: there is no ./callgate.yaml"
        ),
    }
}

fn addresses(listeners: &[Listener]) -> String {
    let of = |kind| {
        let of_kind = listeners.iter().filter(|listener| listener.kind() == kind);
        of_kind.map(Listener::shown).collect::<Vec<_>>().join(", ")
    };
    let admin = of(ListenerKind::Admin);
    let admin = if admin.is_empty() { admin } else { format!("; admin on {admin}") };
    format!("listening on {}{admin}", of(ListenerKind::Calls))
}

fn toolsets(built: &Built) -> String {
    let described = built.toolsets.iter().map(|toolset| toolset.name.as_str());
    let all: Vec<_> = described.chain(functions::toolsets(built)).collect();
    let n_toolsets = all.len();
    let names = all.into_iter().filter(|name| !name.is_empty());
    let names: Vec<_> = names.take(MOST_NAMES).collect();
    let n_unread = built.toolsets.iter().filter(|toolset| toolset.failure().is_some()).count();
    let unread = match n_unread {
        0 => String::new(),
        n_unread => format!("; {n_unread} cannot be read, and the log says why"),
    };
    let more = if n_toolsets > MOST_NAMES { ", …" } else { "" };
    if names.is_empty() {
        return format!("toolsets: {n_toolsets}{unread}");
    }
    format!("toolsets: {n_toolsets} ({}{more}){unread}", names.join(", "))
}

fn tools(built: &Built, summary: &Summary) -> String {
    let Summary { n_exposed, n_degraded, n_refused, n_tokens, .. } = summary;
    let n_exposed = n_exposed + functions::count(built);
    let functions = functions::all(built).filter_map(Entry::declaration);
    let n_tokens = n_tokens + functions.map(Tool::tokens).sum::<usize>();
    format!(
        "tools: {n_exposed} exposed, {n_degraded} degraded, {n_refused} refused; about {n_tokens} tokens of declarations"
    )
}

fn credentials(built: &Built, summary: &Summary) -> String {
    let secrets: Vec<_> = built.missing_secrets.iter().map(ToString::to_string).collect();
    let secrets = secrets.join(", ");
    let is_scheme = |finding: &&Finding| finding.code == MISSING_CREDENTIAL;
    let schemes = match summary.findings.iter().filter(is_scheme).count() {
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
fn findings(source: &Source, summary: &Summary) -> Vec<String> {
    // Nobody can correct the demo.
    let Some(file) = source.path() else { return Vec::new() };
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

fn manual(listeners: &[Listener]) -> String {
    let first = listeners.first().map(Listener::shown).unwrap_or_default();
    format!("manual: `callgate::manual`; every path: {first}/openapi.json")
}

/// The code of findings about security schemes without a credential.
const MISSING_CREDENTIAL: &str = "missing-credential";
const MOST_FINDINGS: usize = 20;
const MOST_NAMES: usize = 8;
