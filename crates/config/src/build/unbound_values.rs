//! The values of the session that settings of kinds of toolsets read, which decide whose data a call is about. Where a sidecar tells
//! its callers apart, one that no claim and no header binds is a finding: each caller could write the value of another into its
//! session.

use callgate_settings::Reader;
use callgate_tool::{SessionName, SessionSource};

use crate::{
    code::ConfigCode,
    config::Config,
    environment::{Environment, Sidecar},
    sessions::SessionsConfig,
};

/// Reports the values that any caller may set.
pub(super) fn report_unbound_values(
    reader: &mut Reader,
    config: &Config,
    environment: &Environment,
) {
    if environment.sidecar == Sidecar::None || !has_distinct_callers(config) {
        return;
    }
    for toolset in &config.toolsets {
        let sources = toolset.kind.iter().flat_map(|kind| kind.session_sources(&toolset.pointer));
        for (pointer, source) in sources {
            let Some(shown) = unbound_source_text(&source, &config.sessions) else { continue };
            let message = format!("expected a value that no caller sets, got: `{shown}`");
            reader.warn(ConfigCode::OpenSessionValue, pointer, &message, HELP);
        }
    }
}

const HELP: &str = "bind it: `sessions: {claims: {NAME: CLAIM}}`, or `headers` that a front sets";

/// True if there are named principals, or issuers of tokens; the holder of a single token is one runtime.
fn has_distinct_callers(config: &Config) -> bool {
    let access = config.serving.access.as_ref();
    access.is_some_and(|access| {
        let mut principals = access.principals.iter();
        !access.issuers.is_empty() || principals.any(|principal| principal.id != "bearer")
    })
}

/// A source that nothing binds, as it is written.
fn unbound_source_text(source: &SessionSource, sessions: &SessionsConfig) -> Option<String> {
    let holds = |bound: &str, name: &str| SessionName::new(bound).holds(&SessionName::new(name));
    let is_claim = |name: &str| sessions.claims.iter().any(|(bound, _)| holds(bound, name));
    let is_header = |name: &str| sessions.headers.iter().any(|(bound, _)| holds(bound, name));
    let is_bound = match source {
        SessionSource::Context(path) => path.strip_prefix("variables.").is_some_and(is_claim),
        SessionSource::Fixed(_) => true,
        SessionSource::Parameter(name) => is_claim(name) || is_header(name),
        SessionSource::Payload(_) => false,
    };
    (!is_bound).then(|| source.to_string())
}
