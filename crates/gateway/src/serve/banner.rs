//! The six lines printed at the start: what is served, where, which tools, and what is missing.

use callgate_config::Built;
use callgate_executor::Entry;
use callgate_openapi::OperationStatus;
use callgate_tool::Tool;

use crate::{functions, listen::Listener, peer::Door, source::Source};

/// The lines.
pub(super) fn lines(source: &Source, built: &Built, listeners: &[Listener]) -> [String; 6] {
    [
        served(source),
        addresses(listeners),
        toolsets(built),
        tools(built),
        credentials(built),
        manual(listeners),
    ]
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
    let of = |door| {
        let of_door = listeners.iter().filter(|listener| listener.door() == door);
        of_door.map(Listener::shown).collect::<Vec<_>>().join(", ")
    };
    let admin = of(Door::Admin);
    let admin = if admin.is_empty() { admin } else { format!("; admin on {admin}") };
    format!("listening on {}{admin}", of(Door::Calls))
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

fn tools(built: &Built) -> String {
    let count = |status| built.toolsets.iter().map(|toolset| toolset.report.count(status)).sum();
    let [exposed, degraded, refused]: [usize; 3] =
        [OperationStatus::Exposed, OperationStatus::Degraded, OperationStatus::Refused].map(count);
    let exposed = exposed + functions::count(built);
    let tools = built.executor.entries().filter_map(Entry::declaration);
    let n_tokens: usize = tools.map(Tool::tokens).sum();
    format!(
        "tools: {exposed} exposed, {degraded} degraded, {refused} refused; about {n_tokens} tokens of declarations"
    )
}

fn credentials(built: &Built) -> String {
    let missing: Vec<_> = built.missing_secrets.iter().map(ToString::to_string).collect();
    let logins = &built.missing_logins;
    if missing.is_empty() && !logins.is_empty() {
        return format!("credentials missing: {}", logins.join("; "));
    }
    if missing.is_empty() {
        return "credentials: none is missing".to_owned();
    }
    let missing = missing.join(", ");
    let logins: String = logins.iter().map(|login| format!("; {login}")).collect();
    format!("credentials missing: {missing}{logins}")
}

fn manual(listeners: &[Listener]) -> String {
    let first = listeners.first().map(Listener::shown).unwrap_or_default();
    format!("manual: `callgate::manual`; every path: {first}/openapi.json")
}

/// The most names on one line.
const MOST_NAMES: usize = 8;
