//! `callgate init NAME FILE|URL`: makes a profile, or `./callgate.yaml`, for a description: its location, the settings from
//! flags, and a credential for each security scheme, by reference. On a terminal it asks for settings without flags;
//! elsewhere it never waits.

mod credential;
#[cfg(feature = "_database")]
mod database;
mod deployment;
mod questions;
mod settings;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate::config::{Built, BuiltToolset, Environment};
use callgate_config::{Kinds, Location, create_private_folder};
use callgate_openapi::SecurityScheme;
use callgate_tool::{Value, json, nearest};

use self::{questions::Questions, settings::Settings};
use crate::{
    args::InitArguments,
    commands::tools::command_example::for_tool_of_configuration,
    effects,
    exit::{Failure, Verdict},
    file_argument::{USUAL_FILE, file_location},
    folders, needs,
    open::{description_options, loader_with_effects, open_for_calls, with_cache_and_extractor},
    output,
    partial_file::{Readers, write_file_atomically},
    yaml,
};

pub(crate) fn run(arguments: &InitArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    #[cfg(feature = "_database")]
    if arguments.database {
        return database::write_database_config(arguments);
    }
    if let Some(way) = arguments.deploy {
        return deployment::write_deployment_folder(arguments, way);
    }
    let file = new_configuration_file(arguments)?;
    let toolset = build_toolset(arguments, kinds)?;
    let schemes = schemes_of_operations(&toolset);
    let asking = Questions::new_if_terminal();
    let mut credentials = flag_credentials(arguments, &schemes)?;
    let given = &arguments.source.description;
    for scheme in &schemes {
        if credentials.contains_key(&*scheme.name) {
            continue;
        }
        let asked = match credential::flag_credential(given, &schemes, scheme) {
            Some(text) => Some(
                credential::credential_value(scheme, text)
                    .map_err(|message| reference_failure(&message))?,
            ),
            None => {
                asking.as_ref().and_then(|asking| asking.ask_credential(scheme, &arguments.name))
            }
        };
        credentials.extend(asked.map(|value| (scheme.name.to_string(), value)));
    }
    credential::add_login_scopes(&mut credentials, &toolset.operations);
    let server = flag_or_asked_server(arguments, &toolset, asking.as_ref())?;
    let settings = Settings { arguments, server, credentials: &credentials };
    let settings = settings.toolset_settings(&file_location(&arguments.source.file)?)?;
    let name = arguments.name.replace('-', "_");
    let toolsets = Value::Object([(name, settings)].into_iter().collect());
    let text = format!("{HEAD}{}", yaml::yaml_text(&json!({"toolsets": toolsets})));
    let built = build_configuration(&text, &file, kinds)?;
    write_configuration(&file, &text, arguments.force)
        .map_err(|error| write_failure(&file, &error))?;
    print_next_steps(arguments, &file, &built)?;
    if credentials
        .values()
        .any(|credential_value| credential_value.get("oauth2_authorization_code").is_some())
    {
        let name = if arguments.here { "" } else { &arguments.name };
        output::print_result(&format!("{}\n", format!("callgate login {name}").trim_end()));
    }
    for scheme in schemes.iter().filter(|scheme| !credentials.contains_key(&*scheme.name)) {
        output::print_message_line(&missing_credential_note(scheme));
    }
    Ok(Verdict::Fine)
}

/// The file to write, which must not exist.
fn new_configuration_file(arguments: &InitArguments) -> Result<PathBuf, Failure> {
    let file = if arguments.here {
        PathBuf::from(USUAL_FILE)
    } else {
        let folder = folders::profiles_folder().ok_or_else(|| {
            let message = "error: expected a home to keep profiles in, got none";
            Failure(format!(
                "{message}\nhelp: set `XDG_CONFIG_HOME`, or write `./callgate.yaml` with `--here`"
            ))
        })?;
        folders::profile_file(&folder, &arguments.name)
    };
    if file.exists() && !arguments.force {
        return Err(write_failure(&file, &io::ErrorKind::AlreadyExists.into()));
    }
    Ok(file)
}

fn build_toolset(arguments: &InitArguments, kinds: &Kinds) -> Result<BuiltToolset, Failure> {
    let mut options = description_options(&arguments.source.description);
    // They are only written down.
    (options.bearer, options.api_key, options.basic) = (None, None, None);
    let file = &arguments.source.file;
    let loader = loader_with_effects(kinds, effects::INIT);
    let built = open_for_calls(file, &options, &loader, &Environment::new().without_audit())?;
    let mut toolsets = built.toolsets.into_iter();
    match (toolsets.next(), toolsets.next()) {
        (Some(toolset), None) if toolset.name.is_empty() => Ok(toolset),
        _ => {
            let message =
                format!("error: expected a description, got a configuration: `{}`", file.display());
            Err(Failure(format!(
                "{message}\nhelp: a configuration needs no profile: name it as FILE"
            )))
        }
    }
}

fn schemes_of_operations(toolset: &BuiltToolset) -> Vec<Arc<SecurityScheme>> {
    let mut schemes: Vec<Arc<SecurityScheme>> = Vec::new();
    for operation in &toolset.operations {
        let alternatives = operation.security.alternatives.iter();
        for requirement in alternatives.flat_map(|alternative| &alternative.schemes) {
            if !schemes.iter().any(|scheme| scheme.name == requirement.scheme.name) {
                schemes.push(Arc::clone(&requirement.scheme));
            }
        }
    }
    schemes
}

fn flag_credentials(
    arguments: &InitArguments,
    schemes: &[Arc<SecurityScheme>],
) -> Result<BTreeMap<String, Value>, Failure> {
    let mut credentials = BTreeMap::new();
    for text in &arguments.credential {
        let Some((name, text)) = text.split_once('=') else {
            return Err(reference_failure("expected `SCHEME=REFERENCE`, got a text without `=`"));
        };
        let Some(scheme) = schemes.iter().find(|scheme| &*scheme.name == name) else {
            let scheme_names = || schemes.iter().map(|scheme| &*scheme.name);
            let help = match nearest(name, scheme_names()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => {
                    format!(
                        "the description has: `{}`",
                        scheme_names().collect::<Vec<_>>().join("`, `")
                    )
                }
            };
            let message = format!("no operation asks for the security scheme `{name}`");
            let help = if schemes.is_empty() {
                "leave it out: no operation of the description asks for a credential".to_owned()
            } else {
                help
            };
            return Err(Failure::with_help(&message, &help));
        };
        let value = credential::credential_value(scheme, text)
            .map_err(|message| reference_failure(&message))?;
        credentials.insert(name.to_owned(), value);
    }
    Ok(credentials)
}

fn reference_failure(message: &str) -> Failure {
    let help =
        "write where the secret is, not the secret: `key=env:API_KEY`, `login=USER:env:PASSWORD`";
    Failure::with_help(message, help)
}

fn flag_or_asked_server(
    arguments: &InitArguments,
    toolset: &BuiltToolset,
    asking: Option<&Questions>,
) -> Result<Option<String>, Failure> {
    let is_missing = toolset.operations.iter().any(|operation| operation.server.is_missing);
    if arguments.source.description.server.is_some() || !is_missing {
        return Ok(arguments.source.description.server.clone());
    }
    match asking.and_then(Questions::ask_server) {
        Some(server) => Ok(Some(server)),
        None => Err(Failure(
            "error: the description names no server that calls can go to\nhelp: name it with `--server https://HOST`"
                .to_owned(),
        )),
    }
}

/// Builds the new configuration, so that a faulty one is never written.
fn build_configuration(text: &str, file: &Path, kinds: &Kinds) -> Result<Built, Failure> {
    let base = file.parent().map(Path::to_owned).unwrap_or_default();
    let environment = with_cache_and_extractor(Environment::new().without_audit());
    let config = loader_with_effects(kinds, effects::INIT).text(text, base);
    Ok(config.and_then(|config| config.build_blocking(&environment, None))?)
}

fn write_configuration(file: &Path, text: &str, force: bool) -> io::Result<()> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_folder(folder)?;
    }
    if !force && (file.exists() || file.is_symlink()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    write_file_atomically(file, text.as_bytes(), Readers::Anyone)
}

fn write_failure(file: &Path, error: &io::Error) -> Failure {
    let file = file.display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        let help = "take another name, or write over it with `--force`";
        return Failure::with_help(&format!("`{file}` is there already"), help);
    }
    let help = "name a folder that can be written to";
    Failure::with_help(&format!("cannot write `{file}`: {error}"), help)
}

fn print_next_steps(arguments: &InitArguments, file: &Path, built: &Built) -> Result<(), Failure> {
    let name = if arguments.here { "." } else { &arguments.name };
    let counts = built.toolsets.iter().map(|toolset| toolset.operations.len());
    let tools = match counts.sum::<usize>() {
        1 => "1 tool is".to_owned(),
        n_tools => format!("{n_tools} tools are"),
    };
    let mut text = format!("{tools} in `{}`\ncallgate tools {name}\n", file.display());
    if let Some(entry) = built.executor.entries().next() {
        let example = for_tool_of_configuration(&built.executor, entry, Path::new(name))?;
        let line = match example.line {
            Ok(line) if line.ends_with(DRY_RUN) => line,
            Ok(line) => line + DRY_RUN,
            // Its page gives the reason why it has no call that works as it is printed.
            Err(_) => format!("callgate tools {name} {}", entry.name()),
        };
        text.push_str(&format!("{line}\n"));
    }
    output::print_result(&text);
    Ok(())
}

fn missing_credential_note(scheme: &SecurityScheme) -> String {
    let name = &scheme.name;
    let form = credential::suggested_form(scheme);
    let Some(form) = form.filter(|_| needs::credential_flag(scheme).is_some()) else {
        return format!(
            "note: the security scheme `{name}` has no credential; see `credentials:` in config/full.yaml"
        );
    };
    format!(
        "note: the security scheme `{name}` has no credential; give it with `--credential {name}={form}`"
    )
}

const DRY_RUN: &str = " --dry-run";

const HEAD: &str =
    "# Made by `callgate init`. Secrets are named here by reference; none is written down.\n";

fn location_unless_stdin(location: &Location) -> Result<&Location, Failure> {
    match location {
        Location::Text(..) => {
            let message =
                "error: expected a file or an address, got standard input, which no file can name";
            Err(Failure(format!("{message}\nhelp: write it to a file")))
        }
        location => Ok(location),
    }
}
