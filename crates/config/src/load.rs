//! Loads a configuration from files: a configuration file, a bare description with a few options, or the settings of
//! one toolset. Each is a few lines on top of [`Config`].

use std::{path::Path, sync::Arc};

use callgate_transport::Transport;
use callgate_tree::{Limits, Node};

use crate::{
    build::Built,
    code::ConfigCode,
    config::Config,
    description::Description,
    environment::Environment,
    error::Error,
    finding::{Finding, Severity},
    location::Location,
    options::{self, DescriptionOptions},
    text::bytes,
};

/// Builds an executor from a configuration file.
///
/// ```no_run
/// # async fn example() -> Result<(), callgate_config::Error> {
/// let built = callgate_config::load("callgate.yaml".as_ref()).await?;
/// for entry in built.executor.entries() {
///     println!("{}", entry.name());
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error`] with every fault of the file, each with its line and column.
pub async fn load(file: &Path) -> Result<Built, Error> {
    Config::from_file(file)?.build(&Environment::new(), None).await
}

/// Builds an executor from one toolset's settings (the value below `toolsets.NAME`) in a file of their own, like a
/// fixture. The default of `openapi` is `spec.yaml` beside the file; `transport` overrides `upstream`.
///
/// # Errors
/// [`Error`] with every fault of the file, each with its line and column.
pub async fn load_toolset(
    file: &Path,
    transport: Option<Arc<dyn Transport>>,
) -> Result<Built, Error> {
    let environment = Environment { transport, ..Environment::new() };
    Config::from_toolset_file(file)?.build(&environment, None).await
}

/// Builds an executor from a bare description: without a prefix, and without a credential unless an option names one.
///
/// # Errors
/// [`Error`] if the file cannot be read or an option has a fault.
pub async fn load_description(file: &Path, options: &DescriptionOptions) -> Result<Built, Error> {
    let parsed = callgate_openapi::read(&bytes(file)?, &Limits::default());
    let mut config = Config::new().with_file(file);
    config.reader.files.insert(file.to_owned());
    let description = Description::parsed(file.to_owned(), parsed);
    described(config, description, options).build(&Environment::new(), None).await
}

/// Reads a configuration or a bare description, distinguished by the content: a description has `openapi` or `swagger`.
/// An address contains a description, which is requested during the build. The options apply only to bare descriptions.
/// The build reports faults of options.
///
/// # Errors
/// [`Error`] if a file cannot be read, or with options that a configuration does not accept.
pub fn open(location: impl Into<Location>, options: &DescriptionOptions) -> Result<Config, Error> {
    let location = location.into();
    match &location {
        Location::Address(url) => {
            let config = Config::new().with_file(&location.shown());
            Ok(described(config, Description::address(url.clone()), options))
        }
        Location::File(file) => {
            let config = bytes(file).and_then(|text| read(file, &text, options));
            let mut config = config.map_err(|error| error.in_files([file.to_owned()].into()))?;
            config.reader.files.insert(file.to_owned());
            Ok(config)
        }
        Location::Text(name, text) => {
            let mut config = read(name, text, options)?;
            // The file is not read again.
            config.reader.files.remove(name);
            Ok(config)
        }
    }
}

/// The configuration in a text, or one made from the description in it.
fn read(file: &Path, text: &[u8], options: &DescriptionOptions) -> Result<Config, Error> {
    let parsed = callgate_openapi::read(text, &options.description_limits().text);
    match parsed {
        // A mapping that does not declare a description counts as a configuration.
        Ok(parsed) if is_configuration(&parsed.value) => {
            let foreign = options.of_descriptions();
            if !foreign.is_empty() {
                return Err(options_of_a_configuration(file, &foreign));
            }
            drop(parsed);
            let base = file.parent().map(Path::to_owned).unwrap_or_default();
            let mut config = Config::read(text, base, file.to_owned())?;
            options::over_all(&mut config, options);
            Ok(config)
        }
        parsed => {
            let config = Config::new().with_file(file);
            Ok(described(config, Description::parsed(file.to_owned(), parsed), options))
        }
    }
}

fn described(mut config: Config, description: Description, options: &DescriptionOptions) -> Config {
    let toolset = options::toolset(&mut config.reader, description, options);
    config.with_toolset(toolset)
}

fn is_configuration(root: &Node) -> bool {
    let says = |key: &str| root.get(key).is_some();
    let is_described = says("openapi") || says("swagger") || callgate_openapi::is_foreign(root);
    // A mapping with `paths` is a description without a version.
    let is_described = is_described || says("paths");
    says("toolsets") || (root.as_object().is_some() && !is_described)
}

/// The error for options that a configuration has keys for, one finding for each.
fn options_of_a_configuration(file: &Path, names: &[&'static str]) -> Error {
    let finding = |name: &&'static str| Finding {
        file: file.to_owned(),
        code: ConfigCode::DescriptionOption.as_str(),
        severity: Severity::Error,
        pointer: String::new(),
        position: None,
        message: "expected an option that goes with a configuration, got one for bare descriptions"
            .to_owned(),
        help: "write `server:`, `auth:`, `overlays:`, `tls:` and `egress:` into the configuration"
            .to_owned(),
        remedy: None,
        option: Some(name),
    };
    Error::of(names.iter().map(finding).collect())
}
