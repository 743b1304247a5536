//! Builds configurations for tests: from texts, without files, and from a test that is asynchronous or not.

use crate::prelude::*;
use std::thread;

use callgate::config::{Error, Kinds, Loader};

/// All kinds of toolsets, and exported tools as sources of them.
pub(crate) fn kinds() -> Kinds {
    config::kinds().with_source(callgate_ces::Exports)
}

/// Reads configurations that may have toolsets of all kinds, and name exported tools.
pub(crate) fn loader() -> Loader {
    Loader::new().with_kinds(kinds())
}

/// Builds on a thread of its own: the caller may be in a runtime.
pub(crate) fn build(config: &Config) -> Result<Built, Error> {
    build_in(config, &Environment::new())
}

/// Builds in an environment.
pub(crate) fn build_in(config: &Config, environment: &Environment) -> Result<Built, Error> {
    thread::scope(|scope| {
        let built = scope.spawn(|| config.build_blocking(environment, None));
        built.join().expect("no panic while building")
    })
}

/// Builds from the text of a configuration.
pub(crate) fn configured(text: &str) -> Result<Built, Error> {
    build(&Config::from_text(text, "")?)
}

/// The findings of a build, failed or not.
pub(crate) fn findings(built: Result<Built, Error>) -> Vec<Finding> {
    match built {
        Ok(built) => built.warnings,
        Err(error) => error.findings().to_vec(),
    }
}

/// The findings as lines, each with its place; secrets that are written down are no news.
pub(crate) fn found(built: Result<Built, Error>) -> Vec<String> {
    let mut findings = findings(built);
    findings.retain(|found| found.code != "literal-secret");
    let kind = |severity| if severity == Severity::Error { "error" } else { "warning" };
    let line = |found: &Finding| {
        format!("{} {}: {}; {}", kind(found.severity), found.pointer, found.message, found.help)
    };
    findings.iter().map(line).collect()
}

/// Builds from a description, which may lack its head, and the settings of a toolset.
pub(crate) fn toolset(description: &str, settings: &str) -> Result<Built, Error> {
    build(&toolset_config(description, settings)?)
}

/// A configuration of one toolset: a description and settings.
pub(crate) fn toolset_config(description: &str, settings: &str) -> Result<Config, Error> {
    let mut config = Config::from_toolset_text(settings, "")?;
    for toolset in &mut config.toolsets {
        toolset.description = Description::text(describe(description));
    }
    Ok(config)
}

/// Builds from the text of a configuration whose toolsets all have this description.
pub(crate) fn configured_with(description: &str, text: &str) -> Result<Built, Error> {
    let mut config = Config::from_text(text, "")?;
    for toolset in &mut config.toolsets {
        toolset.description = Description::text(describe(description));
    }
    build(&config)
}

/// The members of toolsets whose server is not that of a description, each with a tool and its arguments.
pub(crate) fn services() -> [(Value, &'static str, Value); 2] {
    let connection =
        json!({"connection": CONNECTION, "actions": [{"entity": "Case", "operation": "list"}]});
    let vertex = json!({"vertex": {"engine": format!("{SEARCHED}/engines/shop")}});
    [(connection, "Case-list", json!({})), (vertex, "search", json!({"query": "backup"}))]
}

/// The result of a call of a toolset of these members and further ones, as a text with its journal.
pub(crate) async fn result_of_service(
    folder: &Path,
    (members, tool, arguments): &(Value, &str, Value),
    further: &Value,
) -> String {
    let mut toolset = members.clone();
    toolset["auth"] = json!({"bearer": {"token": "literal:canary"}});
    for (name, value) in further.as_object().unwrap() {
        toolset[name.as_str()] = value.clone();
    }
    let text = json!({"toolsets": {"it": toolset}}).to_string();
    let config = loader().text(text, folder).unwrap();
    // A connection is asked for its actions before there are tools.
    let built = match config.build(&Environment::new(), None).await {
        Ok(built) => built,
        Err(error) => return format!("{error:?}"),
    };
    let arguments = arguments.as_object().unwrap().clone();
    let call = ToolCall::new("1", format!("it-{tool}"), arguments);
    format!("{:?}", built.executor.call(&call, &Session::default()).await)
}
