//! `callgate init NAME FILE --deploy WAY`: a folder with the files that run a configuration in containers, on Kubernetes or by systemd. All
//! but one are those of the sources, unchanged; the one that is made names the secrets and files of the configuration.

mod names;
mod templates;
mod unit;

use std::{collections::BTreeMap, fs, path::Path};

use callgate::openapi::TextLimits;
use callgate_tool::{Object, Value, json};
use callgate_tree::read;

use self::names::{Names, rename_files};
use super::{write_configuration, write_failure};
use crate::{
    args::{DeployWay, InitArguments},
    commands::tools::command_words::shell_quoted_word,
    exit::{Failure, Verdict},
    file_argument::USUAL_FILE,
    open::read_file_bytes,
    output, yaml,
};

pub(super) fn write_deployment_folder(
    arguments: &InitArguments,
    way: DeployWay,
) -> Result<Verdict, Failure> {
    let given = &arguments.source.file;
    let file = if given.is_dir() { given.join(USUAL_FILE) } else { given.clone() };
    let config = read_configuration(&file)?;
    let names = Names::of_configuration(&config);
    refuse_literals(&file, &names)?;
    for note in missing_key_notes(way, &config, &names) {
        output::print_message_line(note);
    }
    // A socket of systemd is the address of a configuration that names none.
    let has_address = config.contains_key("listen");
    let made = match way {
        DeployWay::Compose => ("compose.override.yaml", compose_override(&names, &file)),
        DeployWay::Kubernetes => ("values.yaml", chart_values(config, &names, &file)),
        DeployWay::Systemd => ("callgate.service.d/secrets.conf", unit::systemd_drop_in(&names)),
    };
    let made =
        [(made.0, &*made.1)].into_iter().chain(templates::deployment_files(way).iter().copied());
    for (name, text) in made.filter(|(name, _)| !(has_address && *name == unit::SOCKET)) {
        let path = Path::new(&arguments.name).join(name);
        write_configuration(&path, text, arguments.force)
            .map_err(|error| write_failure(&path, &error))?;
    }
    let folder = &shell_quoted_word(&arguments.name);
    let steps = match way {
        DeployWay::Compose => {
            format!("docker compose --project-directory {folder} up --detach --wait\n")
        }
        DeployWay::Kubernetes => format!(
            "helm upgrade --install callgate {folder}/callgate --values {folder}/values.yaml\n"
        ),
        DeployWay::Systemd => unit::install_commands(folder, &file, &names, has_address),
    };
    output::print_result(&steps);
    Ok(Verdict::Fine)
}

fn read_configuration(file: &Path) -> Result<Object, Failure> {
    let config = read(&read_file_bytes(file)?, &TextLimits::default()).ok();
    match config.map(|config| config.value.to_value()) {
        Some(Value::Object(config)) if config.contains_key("toolsets") => Ok(config),
        _ => Err(Failure::with_help(
            &format!("expected a callgate configuration: `{}`", file.display()),
            "make one of a description: `callgate init NAME FILE --here`",
        )),
    }
}

/// Refuses secrets that are written down, in the configuration or in a file that goes with it: what is made is read by many. Refuses
/// names, too, that a file of the deployment would read as something else.
fn refuse_literals(file: &Path, names: &Names) -> Result<(), Failure> {
    let base = file.parent().unwrap_or_else(|| Path::new(""));
    let beside = names.texts.iter().map(|text| base.join(text)).filter(|path| path.is_file());
    let beside = beside.filter_map(|path| {
        let read = read(&read_file_bytes(&path).ok()?, &TextLimits::default()).ok()?;
        let literals = Names::of_configuration(read.value.to_value().as_object()?).literals;
        Some((path, literals))
    });
    let own = (file.to_owned(), names.literals.clone());
    for (path, literals) in std::iter::once(own).chain(beside) {
        if let Some(pointer) = literals.first() {
            let error = format!(
                "expected references to secrets, got one that is written down: `{pointer}` of `{}`",
                path.display()
            );
            let help = "write `env:NAME` or `directory:NAME` in place of `literal:…`, and run this again: what is made says where the value goes";
            return Err(Failure::with_help(&error, help));
        }
    }
    match names.first_unusual_name() {
        None => Ok(()),
        Some(name) => Err(Failure::with_help(
            &format!(
                "expected a name of letters, digits, `_`, `-` and `.` for a variable or a secret, got: `{name}`"
            ),
            "rename it in the configuration",
        )),
    }
}

/// The keys that the configuration lacks to be reached from beyond its container.
fn missing_key_notes(
    way: DeployWay,
    config: &Object,
    names: &Names,
) -> impl Iterator<Item = &'static str> {
    let needed: &[(&str, &str)] = match way {
        DeployWay::Compose => &[
            ("listen", "note: add `listen: 0.0.0.0:8410`: nobody reaches a container's loopback"),
            ("hosts", "note: add `hosts: [localhost]`: requests for another `Host` get 421"),
            ("access", "note: add `access: {bearer: env:NAME}`, the token of callers"),
        ],
        DeployWay::Kubernetes => {
            &[("access", "note: add `access: {bearer: env:NAME}`, the token of callers")]
        }
        DeployWay::Systemd if names.secrets.is_empty() => &[],
        DeployWay::Systemd => &[(
            "secrets",
            "note: add `secrets: {directory: /run/credentials/callgate.service}`, where the unit has its secrets",
        )],
    };
    needed.iter().filter(|(key, _)| !config.contains_key(key)).map(|(_, note)| *note)
}

/// The folder of the configuration, its variables, and its secrets as files.
fn compose_override(names: &Names, file: &Path) -> String {
    let full = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = full.parent().unwrap_or_else(|| Path::new("/")).display().to_string();
    let inside = format!("/etc/callgate/{}", file_name(file));
    let variables = names.variables.iter().map(|name| {
        let text = format!("${{{name}:?set {name} in the environment or in .env}}");
        (name.clone(), Value::from(text))
    });
    let secrets = names
        .secrets
        .iter()
        .map(|name| (name.clone(), json!({"file": (format!("./secrets/{name}"))})));
    let mut service = json!({
        "command": ["serve", (inside.clone())],
        "volumes": [(format!("{folder}:/etc/callgate:ro"))],
        "healthcheck": {"test": ["CMD", "/usr/bin/callgate", "health", inside]},
        "environment": (Value::Object(variables.collect())),
    });
    let mut whole = Object::default();
    if let Some(service) = service.as_object_mut().filter(|_| !names.secrets.is_empty()) {
        let listed: Vec<_> = names.secrets.iter().cloned().map(Value::from).collect();
        service.insert("secrets", Value::from(listed));
        whole.insert("secrets", Value::Object(secrets.collect()));
    }
    whole.insert("services", json!({"callgate": service}));
    format!("{MADE}{}", yaml::yaml_text(&Value::Object(whole)))
}

/// The values of the chart: the configuration without its addresses, and the texts of the files that it names.
fn chart_values(mut config: Object, names: &Names, file: &Path) -> String {
    for key in ["admin", "listen"] {
        if !matches!(config.get(key), Some(Value::Object(_))) {
            config.remove(key);
        }
    }
    let base = file.parent().unwrap_or_else(|| Path::new(""));
    let mut files = BTreeMap::new();
    let mut renamed = BTreeMap::new();
    for written in &names.texts {
        let path = base.join(written);
        let text = if path.is_file() { fs::read_to_string(&path).ok() } else { None };
        if let Some(text) = text {
            let name = file_name(&path);
            renamed.insert(written.clone(), format!("/etc/callgate/{name}"));
            files.insert(name, Value::from(text));
        }
    }
    let mut config = Value::Object(config);
    rename_files(&mut config, &renamed);
    let env = names.variables.iter().map(|name| {
        json!({"name": (name.clone()), "valueFrom": {"secretKeyRef": {"name": "callgate-env", "key": (name.clone())}}})
    });
    let mut values = json!({
        "config": config,
        "files": (Value::Object(files.into_iter().collect())),
        "env": (Value::from(env.collect::<Vec<_>>())),
    });
    if let Some(values) = values.as_object_mut().filter(|_| !names.secrets.is_empty()) {
        values.insert("secrets", json!(["callgate"]));
    }
    format!("{MADE}{}", yaml::yaml_text(&values))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

const MADE: &str =
    "# Made by `callgate init`. Secrets are named here by reference; none is written down.\n";
