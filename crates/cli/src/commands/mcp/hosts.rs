//! The lines that a host's file needs to start callgate: the command with absolute paths, since a host starts it in a folder of
//! its own, and a placeholder for each environment variable that it reads, since a host passes on none of its own. No value of a
//! variable is read. Formats: the documentation of each host, 2026-11.

use std::{collections::BTreeSet, env, path::Path};

use callgate_config::{Location, MAX_FILE_BYTES, read_file};
use callgate_secret::SecretReference;
use callgate_tool::{Object, Value, json};
use callgate_tree::{Limits, Node};

use crate::{
    args::{
        ConnectionArguments, DescriptionArguments, McpArguments, McpHost, RequestArguments,
        SourceArguments,
    },
    exit::Failure,
    file_argument::file_location,
};

pub(crate) fn mcp_host_configuration(
    host: McpHost,
    arguments: &McpArguments,
) -> Result<String, Failure> {
    // Complete, so that a new flag must be written here, too.
    let McpArguments { source, session, print_config: _ } = arguments;
    let SourceArguments { file, description } = source;
    let location = file_location(file)?;
    let named = match &location {
        Location::Address(url) => url.to_string(),
        Location::File(file) => canonical_path(file)?,
        Location::Text(..) => {
            let message = "error: expected a file or an address, got standard input, which the host speaks on";
            return Err(Failure(format!("{message}\nhelp: write it to a file")));
        }
    };
    let program = env::current_exe();
    let program = program.map_or_else(|_| "callgate".to_owned(), |path| path.display().to_string());
    let mut line = vec!["mcp".to_owned(), named];
    if let Some(session) = session {
        line.extend(["--session".to_owned(), canonical_path(session)?]);
    }
    let flags = flag_words(description)?;
    let variables = variable_names(&location, session.as_deref(), &flags);
    line.extend(flags);
    let name = file.file_stem().map_or_else(|| "callgate".into(), |stem| stem.to_string_lossy());
    Ok(match host {
        McpHost::Codex => toml_lines(&name, &program, &line, &variables),
        McpHost::Vscode => json_configuration("servers", &name, &program, &line, &variables),
        McpHost::Claude | McpHost::Cursor | McpHost::Gemini | McpHost::Windsurf => {
            json_configuration("mcpServers", &name, &program, &line, &variables)
        }
    })
}

fn canonical_path(path: &Path) -> Result<String, Failure> {
    path.canonicalize().map(|path| path.display().to_string()).map_err(|error| {
        let shown = path.display();
        Failure(format!("error: cannot read `{shown}`: {error}\nhelp: name a file that exists"))
    })
}

fn json_configuration(
    key: &str,
    name: &str,
    program: &str,
    line: &[String],
    variables: &[String],
) -> String {
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
fn toml_lines(name: &str, program: &str, line: &[String], variables: &[String]) -> String {
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

/// The flags beside the file and the session, each a word with its value behind it.
fn flag_words(given: &DescriptionArguments) -> Result<Vec<String>, Failure> {
    // Each is complete, so that a new flag must be written here, too.
    let DescriptionArguments { server, overlay, bearer, api_key, basic, connection, requests } =
        given;
    let ConnectionArguments { ca, egress_allow } = connection;
    let RequestArguments { headers, timeout, limits } = requests;
    let overlays: Vec<_> = overlay.iter().map(|file| file.display().to_string()).collect();
    let as_given: Change = |text| Ok(text.to_owned());
    let rows: [(&str, &[String], Change); 10] = [
        ("--server", server.as_slice(), as_given),
        ("--overlay", &overlays, |file| canonical_path(file.as_ref())),
        ("--bearer", bearer.as_slice(), absolute_reference),
        ("--api-key", api_key.as_slice(), absolute_reference),
        ("--basic", basic.as_slice(), with_absolute_reference),
        ("--ca", ca, absolute_certificates),
        ("--egress-allow", egress_allow, as_given),
        ("--header", headers, with_absolute_reference),
        ("--timeout", timeout.as_slice(), as_given),
        ("--limits", limits, as_given),
    ];
    let mut flags = Vec::new();
    for (name, values, change) in rows {
        for value in values {
            flags.extend([name.to_owned(), change(value)?]);
        }
    }
    Ok(flags)
}

/// Makes the value of a flag independent of the folder.
type Change = fn(&str) -> Result<String, Failure>;

/// Makes the reference behind the first colon absolute, and keeps the spaces before it.
fn with_absolute_reference(text: &str) -> Result<String, Failure> {
    let Some((name, value)) = text.split_once(':') else { return Ok(text.to_owned()) };
    let reference = value.trim_start();
    let spaces = value.strip_suffix(reference).unwrap_or_default();
    Ok(format!("{name}:{spaces}{}", absolute_reference(reference)?))
}

fn absolute_reference(reference: &str) -> Result<String, Failure> {
    match reference.strip_prefix("file:") {
        Some(path) => Ok(format!("file:{}", canonical_path(path.trim().as_ref())?)),
        None => Ok(reference.to_owned()),
    }
}

/// A file of certificates is named by its path, or by a reference.
fn absolute_certificates(named: &str) -> Result<String, Failure> {
    let is_reference = named.parse::<SecretReference>().is_ok();
    if is_reference { absolute_reference(named) } else { canonical_path(named.as_ref()) }
}

/// The names of the variables that flags, a configuration and the credentials of a session file read, sorted.
fn variable_names(location: &Location, session: Option<&Path>, flags: &[String]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for flag in flags {
        // `--header` and `--basic` have a name and a colon before the reference.
        let behind = flag.split_once(':').map(|(_, reference)| reference.trim_start());
        names.extend([Some(flag.as_str()), behind].into_iter().flatten().filter_map(variable_name));
    }
    if let Location::File(file) = location
        && let Some(root) = read_tree(file).filter(is_configuration)
    {
        add_variable_names(&root, &mut names);
    }
    // The other members of a session file are values.
    let session = session.and_then(read_tree);
    if let Some(credentials) = session.as_ref().and_then(|root| root.get("credentials")) {
        add_variable_names(credentials, &mut names);
    }
    names.into_iter().collect()
}

/// The tree of a file; the start of the command reports one that cannot be read.
fn read_tree(file: &Path) -> Option<Node> {
    let text = read_file(file, MAX_FILE_BYTES).ok()?;
    callgate_tree::read(&text, &Limits::default()).ok().map(|read| read.value)
}

/// Text of a description is never a reference.
fn is_configuration(root: &Node) -> bool {
    root.get("toolsets").is_some() && root.get("openapi").is_none() && root.get("swagger").is_none()
}

fn add_variable_names(root: &Node, names: &mut BTreeSet<String>) {
    let (mut left, mut seen) = (vec![root], BTreeSet::new());
    while let Some(node) = left.pop() {
        // An alias of YAML leads to one object many times.
        if node.as_object().is_some_and(|object| !seen.insert(object.address())) {
            continue;
        }
        names.extend(node.as_str().and_then(variable_name));
        left.extend(node.as_array().unwrap_or_default());
        left.extend(
            node.as_object()
                .into_iter()
                .flat_map(callgate_tree::Object::iter)
                .map(|(_, node)| node),
        );
    }
}

fn variable_name(text: &str) -> Option<String> {
    let reference = text.trim().parse::<SecretReference>().ok()?;
    reference.environment().map(ToOwned::to_owned)
}

/// The placeholder for a secret that belongs in the host's file; nothing here reads the secret.
const VALUE: &str = "…";
