//! Files as a way to a configuration: a configuration file, a bare description with a few options, or the settings of one
//! toolset. Each is a few lines on top of [`Config`].

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_auth::{AuthConfig, CredentialSource};
use callgate_transport::{AddressRange, Transport};
use callgate_tree::{Limits, Node};

use crate::{
    build::Built,
    config::Config,
    description::{Description, ParsedText},
    environment::Environment,
    error::Error,
    reader::{Reader, secret::source},
    server::ServerUrl,
    text::bytes,
    tls::{CertificateSource, TlsConfig},
    toolset::ToolsetConfig,
};

/// What may be said about a bare description on the command line.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name the options they give")]
pub struct DescriptionOptions {
    /// The server that overrides the description's.
    pub server: Option<String>,
    /// The overlays that correct the description, in their order.
    pub overlays: Vec<PathBuf>,
    /// A bearer token: a secret reference or `$session.credentials.NAME`.
    pub bearer: Option<String>,
    /// The certificates that are trusted instead of the machine's: files, or PEM or base64 of DER as they stand.
    pub ca: Vec<String>,
    /// Ranges of addresses that may be called whoever named them: `10.0.0.0/8`.
    pub egress_allow: Vec<String>,
}

/// Builds an executor from a configuration file.
///
/// # Errors
/// [`Error`] with every fault of the file, each with its line and column.
pub async fn load(file: &Path) -> Result<Built, Error> {
    Config::from_file(file)?.build(&Environment::new(), None).await
}

/// Builds an executor from one toolset's settings (the value below `toolsets.NAME`) in a file of their own, as a
/// fixture has them. Where `openapi` is missing it is `spec.yaml` beside the file; `transport` overrides `upstream`.
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

/// Builds an executor from a bare description: no prefix, no credential unless one is named.
///
/// # Errors
/// [`Error`] when the file cannot be read or an option is at fault.
pub async fn load_description(file: &Path, options: &DescriptionOptions) -> Result<Built, Error> {
    let parsed = callgate_tree::read(&bytes(file)?, &Limits::default());
    described(file, parsed, options).build(&Environment::new(), None).await
}

/// Reads a file that is a configuration or a bare description, told apart by what stands in it: a description has
/// `openapi` or `swagger`. The options are for bare descriptions only. Faults of options are told when it is built.
///
/// # Errors
/// [`Error`] where the file cannot be read, or with options that a configuration does not take.
pub fn open(file: &Path, options: &DescriptionOptions) -> Result<Config, Error> {
    let text = bytes(file).map_err(|error| error.in_files([file.to_owned()].into()))?;
    let parsed = callgate_tree::read(&text, &Limits::default());
    match parsed {
        // A mapping that says nowhere that it is a description is taken for a configuration.
        Ok(parsed) if is_configuration(&parsed.value) => {
            if options.are_given() {
                return Err(options_of_a_configuration(file));
            }
            drop(parsed);
            Config::from_file(file)
        }
        parsed => Ok(described(file, parsed, options)),
    }
}

fn described(file: &Path, parsed: ParsedText, options: &DescriptionOptions) -> Config {
    let mut config = Config::new().with_file(file);
    config.reader.files.insert(file.to_owned());
    let reader = &mut config.reader;
    let ca = options.ca.iter().map(CertificateSource::new);
    let toolset = ToolsetConfig {
        overlays: options.overlays.clone(),
        server: server(reader, options),
        egress: egress(reader, options),
        tls: TlsConfig::trusting(ca),
        ..ToolsetConfig::new(Description::parsed(file.to_owned(), parsed))
    };
    let auth = bearer(reader, options);
    config.with_toolset(toolset.with_auth(auth))
}

impl DescriptionOptions {
    fn are_given(&self) -> bool {
        let has_one = self.server.is_some() || self.bearer.is_some();
        let lists = [&self.ca, &self.egress_allow];
        has_one || !self.overlays.is_empty() || lists.into_iter().any(|list| !list.is_empty())
    }
}

fn server(reader: &mut Reader, options: &DescriptionOptions) -> Option<ServerUrl> {
    let server = ServerUrl::new(options.server.as_deref()?).map_err(|error| {
        let help = "for example `https://api.example.com/v1`";
        reader.complain("wrong-value", "", error.to_string(), help);
    });
    server.ok()
}

fn bearer(reader: &mut Reader, options: &DescriptionOptions) -> AuthConfig {
    let Some(bearer) = &options.bearer else { return AuthConfig::None };
    match source(bearer) {
        Ok(token) => {
            if let CredentialSource::Secret(reference) = &token {
                reader.references.push((String::new(), reference.scheme().to_owned()));
            }
            AuthConfig::Bearer { token }
        }
        Err(message) => {
            reader.complain("secret-reference", "", message, "for example `env:TOKEN`");
            AuthConfig::None
        }
    }
}

fn egress(reader: &mut Reader, options: &DescriptionOptions) -> Vec<AddressRange> {
    let mut ranges = Vec::new();
    for text in &options.egress_allow {
        match text.parse::<AddressRange>() {
            Ok(range) => ranges.push(range),
            Err(error) => {
                reader.complain("wrong-value", "", error.to_string(), "for example `10.0.0.0/8`");
            }
        }
    }
    ranges
}

fn is_configuration(root: &Node) -> bool {
    let says = |key: &str| root.get(key).is_some();
    says("toolsets") || (root.as_object().is_some() && !says("openapi") && !says("swagger"))
}

fn options_of_a_configuration(file: &Path) -> Error {
    let message = "`--server`, `--bearer`, `--overlay`, `--ca` and `--egress-allow` are for bare descriptions, and this is a configuration";
    let help = "write `server:`, `auth:`, `overlays:`, `tls:` and `egress:` into the configuration";
    Error::whole(file, "description-option", message.to_owned(), help)
}
