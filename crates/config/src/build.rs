//! From checked values to a ready executor: reads the descriptions and recordings the configuration names, loads
//! them, and connects each toolset to its credential and its transport.

mod noted;
mod stores;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_auth::{Authenticator, CredentialPlace, Place as CredentialPart, Supplies};
use callgate_executor::{Executor, SessionValues, Toolset};
use callgate_openapi::{Document, LoadOptions, Loaded, Operation, Overlaid, Place, Report};
use callgate_secret::{Error as SecretError, LocalStores, Secret, SecretReference, SecretStore};
use callgate_transport::{Recording, Refuse, Replay, Transport};
use callgate_tree::{Diagnostic, Node, Parsed};

use crate::{
    argument_headers, authorization,
    checked::{ToolsetConfig, Upstream},
    connect::{Clients, Connections},
    finding::Finding,
    output, overlays,
    reader::Reader,
    recordings, references, selection,
};

pub(crate) use stores::stores;

/// A ready executor, and how the descriptions behind it were taken.
#[derive(Debug)]
#[non_exhaustive]
pub struct Built {
    /// Runs the calls.
    pub executor: Executor,
    /// One entry a toolset, in the order of the configuration.
    pub toolsets: Vec<BuiltToolset>,
    /// What is worth knowing about the configuration.
    pub warnings: Vec<Finding>,
    /// The stores of its secrets.
    pub(crate) secrets: Arc<dyn SecretStore>,
}

impl Built {
    /// The secret behind a reference that the operator writes outside of the configuration: in the `credentials` of a
    /// session file, say. Relative paths of `file:` start at `base`; other secrets are those of the configuration's stores.
    ///
    /// # Errors
    /// As [`SecretStore::get`].
    pub async fn secret(
        &self,
        reference: &SecretReference,
        base: &Path,
    ) -> Result<Secret, SecretError> {
        match reference {
            SecretReference::File { .. } => LocalStores::new(base).get(reference).await,
            _ => self.secrets.get(reference).await,
        }
    }
}

/// How one description was taken.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltToolset {
    /// The toolset's name; empty for a bare description.
    pub name: String,
    /// The description's file.
    pub file: PathBuf,
    /// The version it says it is written in: `3.0.3`; empty when it could not be read.
    pub version: String,
    /// What became of each operation. Its diagnostics have no positions yet: [`BuiltToolset::locate`] finds them.
    pub report: Report,
    /// The operations that are offered: `Report::examine` builds their schemas and adds what it finds.
    pub operations: Vec<Arc<Operation>>,
    /// The description before and after its overlays, where there are any.
    pub overlaid: Option<Overlaid>,
    text: Option<String>,
}

impl BuiltToolset {
    /// The text of the description.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn text(&self) -> io::Result<Vec<u8>> {
        match &self.text {
            Some(text) => Ok(text.clone().into_bytes()),
            None => fs::read(&self.file),
        }
    }

    /// Finds the places of diagnostics in `text`, the description's own. What an overlay brought has none.
    pub fn locate(&self, text: &[u8], diagnostics: &mut [Diagnostic]) {
        match &self.overlaid {
            Some(overlaid) => overlaid.locate(text, diagnostics),
            None => callgate_tree::locate(text, diagnostics),
        }
    }
}

/// One toolset: what the executor takes and what the report says.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) toolset: Option<Toolset>,
    pub(crate) built: BuiltToolset,
}

/// A description's text after reading: its tree, or why there is none.
pub(crate) type ParsedText = Result<Parsed<Node>, Vec<Diagnostic>>;

/// Loads one toolset from its description's text. What is wrong with the configuration is a complaint; what is wrong with
/// the description is in its report.
pub(crate) fn toolset(
    reader: &mut Reader,
    config: &ToolsetConfig,
    mut parsed: ParsedText,
    connections: &Connections,
) -> Parts {
    let (transport, tokens) = transports(reader, config, connections);
    let supplies = Supplies::new(Arc::clone(&connections.secrets), tokens);
    let own = own_authenticator(reader, config, &supplies);
    let places = own.as_ref().map(|known| known.places()).unwrap_or_default();
    let described = parsed.as_mut().ok().map(|parsed| &mut parsed.value);
    let overlaid = described.and_then(|root| overlays::applied(reader, config, root));
    let (version, mut loaded) = loaded(parsed, config, &options(config, &places));
    let callables = authorization::authorized(
        reader,
        config,
        &mut loaded,
        (own, &supplies, connections.show_certificate(config)),
    );
    let Loaded { operations, report, .. } = loaded;
    argument_headers::check(reader, config, &callables);
    selection::warn(reader, config, &report);
    let tool_shapes = output::by_tool(reader, config, &operations);
    let name = config.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let built = BuiltToolset {
        name,
        file: config.openapi.clone(),
        version,
        report,
        operations,
        overlaid,
        text: config.text.clone(),
    };
    let toolset = transport.map(|transport| Toolset {
        operations: callables,
        transport,
        limits: config.limits,
        redirects: config.redirects,
        session_values: SessionValues::default(),
        shape: config.shape.clone(),
        tool_shapes,
    });
    Parts { toolset, built }
}

/// The text of a toolset's description.
pub(crate) fn description(reader: &mut Reader, config: &ToolsetConfig) -> Option<Vec<u8>> {
    if let Some(text) = &config.text {
        return Some(text.clone().into_bytes());
    }
    let text = fs::read(&config.openapi);
    if let Err(error) = &text {
        let message = format!("cannot read `{}`: {error}", config.openapi.display());
        let pointer = format!("{}/openapi", config.pointer);
        reader.complain("unreadable-file", pointer, message, "name a file that exists");
    }
    text.ok()
}

/// The version and the operations of a description; a text that is none has a report without operations.
fn loaded(parsed: ParsedText, config: &ToolsetConfig, options: &LoadOptions) -> (String, Loaded) {
    let read = parsed.and_then(|parsed| {
        let document = Document::within(parsed.value, config.description_limits)?;
        Ok((document, parsed.diagnostics))
    });
    match read {
        Ok((mut document, mut diagnostics)) => {
            diagnostics.append(&mut references::supply(&mut document, config));
            let mut loaded = callgate_openapi::load(&document, options);
            loaded.report.diagnostics.splice(0..0, diagnostics);
            (document.version().to_string(), loaded)
        }
        Err(diagnostics) => {
            let mut loaded = Loaded::default();
            loaded.report.diagnostics = diagnostics;
            (String::new(), loaded)
        }
    }
}

fn options(config: &ToolsetConfig, places: &[CredentialPlace]) -> LoadOptions {
    let place = |known: &CredentialPlace| match known.place() {
        CredentialPart::Cookie => Place::Cookie,
        CredentialPart::Query => Place::Query,
        _ => Place::Header,
    };
    LoadOptions {
        toolset: config.prefix.clone(),
        server: config.server.clone(),
        server_variables: config.server_variables.clone(),
        session_inputs: config.session_inputs,
        body_media: config.body_media.clone(),
        argument_headers: argument_headers::options(&config.argument_headers),
        selection: config.selection.clone(),
        credential_places: places
            .iter()
            .map(|known| (place(known), known.name().to_owned()))
            .collect(),
        trusted_origins: config.credentials.origins.clone(),
        ..LoadOptions::default()
    }
}

/// What `auth:` says.
fn own_authenticator(
    reader: &mut Reader,
    config: &ToolsetConfig,
    supplies: &Supplies,
) -> Option<Arc<dyn Authenticator>> {
    let built = config.credentials.auth.clone()?.build(supplies);
    if let Err(error) = &built {
        let pointer = format!("{}/auth", config.pointer);
        reader.complain("credential", pointer, error.to_string(), "correct the credential");
    }
    built.ok()
}

/// How calls are sent and how tokens are asked for.
fn transports(
    reader: &mut Reader,
    config: &ToolsetConfig,
    connections: &Connections,
) -> (Option<Arc<dyn Transport>>, Arc<dyn Transport>) {
    let calls = match &config.upstream {
        Upstream::Given(transport) => Some(Arc::clone(transport)),
        Upstream::Http => {
            let Clients { calls, tokens } = connections.clients(reader, config);
            return (Some(calls), tokens);
        }
        Upstream::Replay(directory) => recorded(reader, config, directory),
    };
    let tokens = calls.clone().unwrap_or_else(|| Arc::new(Refuse::new()));
    (calls, tokens)
}

fn recorded(
    reader: &mut Reader,
    config: &ToolsetConfig,
    directory: &Path,
) -> Option<Arc<dyn Transport>> {
    let pointer = format!("{}/upstream", config.pointer);
    match recordings::read(directory) {
        Ok(recorded) => replay(reader, pointer, recorded),
        Err((file, error)) => {
            let message = format!("cannot read `{}`: {error}", file.display());
            reader.complain("unreadable-file", pointer, message, "name a directory of cases");
            None
        }
    }
}

fn replay(
    reader: &mut Reader,
    pointer: String,
    recorded: Vec<Recording>,
) -> Option<Arc<dyn Transport>> {
    match Replay::new(recorded) {
        Ok(replay) => Some(Arc::new(replay)),
        Err(error) => {
            let message = format!("cannot replay: {error}");
            reader.complain("unreadable-file", pointer, message, "correct the recording");
            None
        }
    }
}
