//! `callgate doctor CONFIG`: checks that every secret is there, every token can be had and every server responds, and
//! shows the time each takes. Calls no operation and shows no value.

use std::path::Path;

use callgate::config::{Built, BuiltToolset, Environment};
use callgate_config::{DescriptionOptions, Examined, Subject};
use callgate_tool::{Value, json};

use super::call::block_on;
use crate::{
    args::DoctorArguments,
    exit::{Failure, Verdict},
    open::open,
    output,
    source::USUAL_FILE,
};

/// Tries everything and reports it in order.
pub(crate) fn run(arguments: &DoctorArguments) -> Result<Verdict, Failure> {
    let file = arguments.file.as_deref().unwrap_or_else(|| Path::new(USUAL_FILE));
    if arguments.file.is_none() && !file.exists() {
        let message = "error: expected a configuration, got none: there is no `./callgate.yaml`";
        let help =
            "name one: `callgate doctor FILE`, or make one: `callgate init NAME FILE|URL --here`";
        return Err(Failure(format!("{message}\nhelp: {help}")));
    }
    let found = examined(file, &DescriptionOptions::default())?;
    if arguments.json {
        output::result(&format!("{}\n", json!({"checks": (found.values())})));
    } else {
        output::result(&found.table());
    }
    Ok(Verdict::of(found.n_faults() > 0))
}

/// The lines of a report.
#[derive(Debug)]
pub(crate) struct Found(Vec<Line>);

/// One line of what was found.
#[derive(Debug)]
struct Line {
    kind: &'static str,
    name: String,
    fault: Option<String>,
    milliseconds: u128,
}

/// Tries everything that the calls of a configuration need.
pub(crate) fn examined(file: &Path, options: &DescriptionOptions) -> Result<Found, Failure> {
    let environment = Environment::new().without_audit().listing_missing();
    let built = open(file, options, &environment)?;
    let all = block_on(built.examine())?;
    let mut lines: Vec<_> = built.toolsets.iter().map(described).collect();
    lines.extend(all.into_iter().map(Line::from));
    // Closes the connections before anything that they depend on.
    drop::<Built>(built);
    Ok(Found(lines))
}

/// The line for the description of a toolset.
fn described(toolset: &BuiltToolset) -> Line {
    let fault = toolset.failure().or(toolset.stale.as_deref()).map(ToOwned::to_owned);
    let name = toolset.file.display().to_string();
    Line { kind: "description", name, fault, milliseconds: 0 }
}

impl From<Examined> for Line {
    fn from(examined: Examined) -> Self {
        let Examined { subject, fault, took, .. } = examined;
        let (kind, name) = match subject {
            Subject::Credential(name) => ("credential", name),
            Subject::Secret(name) => ("secret", name),
            Subject::Server(name) => ("server", name),
            Subject::SessionCredential(name) => {
                ("credential", format!("{name}, which each session brings"))
            }
            _ => ("other", String::new()),
        };
        Self { kind, name, fault, milliseconds: took.as_millis() }
    }
}

impl Found {
    /// The number of lines that would make calls fail.
    pub(crate) fn n_faults(&self) -> usize {
        self.0.iter().filter(|line| line.fault.is_some()).count()
    }

    /// One line for each item, and a summary.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for Line { kind, name, fault, milliseconds } in &self.0 {
            let mark = if fault.is_some() { "fault" } else { "ok" };
            let time = format!("{milliseconds} ms");
            text.push_str(&format!("{mark:<6} {kind:<12} {time:>9}  {name}\n"));
            if let Some(fault) = fault {
                text.push_str(&format!("{:<31}{fault}\n{:<31}help: {}\n", "", "", remedy(kind)));
            }
        }
        let (n, n_faults) = (self.0.len(), self.n_faults());
        text.push_str(&format!("{n} tried, {n_faults} at fault; no operation was called\n"));
        text
    }

    fn values(&self) -> Vec<Value> {
        let value = |line: &Line| {
            let milliseconds = u64::try_from(line.milliseconds).unwrap_or(u64::MAX);
            json!({
                "kind": (line.kind), "name": (line.name.as_str()), "ok": (line.fault.is_none()),
                "fault": (line.fault.clone()), "milliseconds": milliseconds,
            })
        };
        self.0.iter().map(value).collect()
    }
}

/// The remedy for a kind of fault.
fn remedy(kind: &str) -> &'static str {
    match kind {
        "credential" => {
            "correct `auth:` or `credentials:`, or see that the authorization server can be reached"
        }
        "description" => "correct `openapi:`; `callgate check` says more",
        "secret" => "put the secret there, or correct the reference",
        "server" => "see that the service runs there, or correct `server:`",
        _ => "correct it in the configuration",
    }
}
