//! The lines that a host's file needs to start callgate: the command with absolute paths, and a placeholder for each
//! environment variable that it reads. Formats: the documentation of each host, 2026-11.

mod flags;
mod variables;

use std::{env, path::Path};

use callgate_config::Location;
use callgate_tool::{Object, Value, json};

use self::{flags::flags, variables::variables};
use crate::{
    args::{McpArguments, McpHost, SourceArguments},
    exit::Failure,
    file_argument::location,
    open::failure,
};

pub(crate) fn lines(host: McpHost, arguments: &McpArguments) -> Result<String, Failure> {
    // Complete, so that a new flag must be written here, too.
    let McpArguments { source, session, print_config: _ } = arguments;
    let SourceArguments { file, description } = source;
    let location = location(file).map_err(|error| failure(&error))?;
    let named = match &location {
        Location::Address(url) => url.to_string(),
        Location::File(file) => full(file)?,
        Location::Text(..) => {
            let message = "error: expected a file or an address, got standard input, which the host speaks on";
            return Err(Failure(format!("{message}\nhelp: write it to a file")));
        }
    };
    let program = env::current_exe();
    let program = program.map_or_else(|_| "callgate".to_owned(), |path| path.display().to_string());
    let mut line = vec!["mcp".to_owned(), named];
    if let Some(session) = session {
        line.extend(["--session".to_owned(), full(session)?]);
    }
    let flags = flags(description)?;
    let variables = variables(&location, session.as_deref(), &flags);
    line.extend(flags);
    let name = file.file_stem().map_or_else(|| "callgate".into(), |stem| stem.to_string_lossy());
    Ok(match host {
        McpHost::Codex => toml(&name, &program, &line, &variables),
        McpHost::Vscode => file_of("servers", &name, &program, &line, &variables),
        McpHost::Claude | McpHost::Cursor | McpHost::Gemini | McpHost::Windsurf => {
            file_of("mcpServers", &name, &program, &line, &variables)
        }
    })
}

fn full(path: &Path) -> Result<String, Failure> {
    path.canonicalize().map(|path| path.display().to_string()).map_err(|error| {
        let shown = path.display();
        Failure(format!("error: cannot read `{shown}`: {error}\nhelp: name a file that exists"))
    })
}

fn file_of(key: &str, name: &str, program: &str, line: &[String], variables: &[String]) -> String {
    let mut server = Object::new();
    server.insert("command", program.into());
    server.insert("args", json!(line));
    if !variables.is_empty() {
        let given = variables.iter().map(|variable| (variable.clone(), Value::from(VALUE)));
        server.insert("env", Value::Object(given.collect()));
    }
    let servers = Object::from_iter([(name.to_owned(), Value::Object(server))]);
    let file = Value::Object(Object::from_iter([(key.to_owned(), Value::Object(servers))]));
    format!("{file:#}\n")
}

/// Strings in TOML are written like those in JSON.
fn toml(name: &str, program: &str, line: &[String], variables: &[String]) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let mut text = format!("[mcp_servers.{}]\ncommand = {}\n", quoted(name), quoted(program));
    text.push_str(&format!("args = {}\n", json!(line)));
    let given: Vec<String> =
        variables.iter().map(|name| format!("{name} = {}", quoted(VALUE))).collect();
    if !given.is_empty() {
        text.push_str(&format!("env = {{ {} }}\n", given.join(", ")));
    }
    text
}

/// The placeholder for a secret that belongs in the host's file; nothing here reads the secret.
const VALUE: &str = "…";
