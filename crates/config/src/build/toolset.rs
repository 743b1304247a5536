//! One toolset: its description's operations, connected to their credentials and to what sends their calls.

use std::sync::Arc;

use callgate_auth::{Authenticator, CredentialPlace, Place as CredentialPart, Supplies};
use callgate_executor::Toolset;
use callgate_openapi::{LoadOptions, Loaded, Place};
use callgate_transport::{Clock, Refuse, Transport};

use crate::{
    argument_headers,
    authenticators::{Authenticators, Made, Way},
    authorization,
    built::BuiltToolset,
    connect::{self, Clients, Connections},
    headers,
    loading::Loading,
    output,
    reader::Reader,
    recordings, selection,
    session_values::Readings,
    toolset::ToolsetConfig,
    upstream::Upstream,
};

/// One toolset: what the executor takes, what the report says, and what a later build goes on with.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) toolset: Option<Toolset>,
    pub(super) built: BuiltToolset,
    pub(super) made: Vec<Made>,
}

/// What every toolset is built with.
#[derive(Debug)]
pub(super) struct Workshop<'a> {
    pub(super) connections: Connections,
    /// The program's own transport.
    pub(super) transport: Option<Arc<dyn Transport>>,
    pub(super) clock: Clock,
    /// What credentials read of a session.
    pub(super) readings: Readings<'a>,
    /// The authenticators of the last build.
    pub(super) previous: &'a [Made],
}

/// Builds one toolset; `None` where its description cannot be read.
pub(super) async fn build(
    reader: &mut Reader,
    config: &ToolsetConfig,
    workshop: &mut Workshop<'_>,
) -> Option<Parts> {
    let base = workshop.connections.base.clone();
    let mut loading = Loading::begin(reader, config, &base, workshop.transport.clone())?;
    let (file, overlaid) = (loading.file.clone(), loading.overlaid.take());
    let sending = sending(reader, config, workshop).await;
    let supplies = Supplies::new(Arc::clone(&workshop.connections.secrets), sending.tokens);
    let supplies = supplies.with_clock(workshop.clock.clone());
    let mut authenticators = Authenticators::new(supplies, sending.way, workshop.previous);
    let own = own_authenticator(reader, config, &mut authenticators);
    let places = own.as_ref().map(|known| known.places()).unwrap_or_default();
    let (version, mut loaded) = loading.finish(config, &options(config, &places)).await;
    let shows_certificate = workshop.connections.show_certificate(config);
    let credentials = (own, &mut authenticators, shows_certificate);
    let mut callables = authorization::authorized(reader, config, &mut loaded, credentials);
    let Loaded { operations, report, .. } = loaded;
    headers::put(reader, config, &mut authenticators, &mut callables);
    argument_headers::check(reader, config, &callables);
    selection::warn(reader, config, &report);
    let tool_shapes = output::by_tool(reader, config, &operations);
    let session_values = workshop.readings.of_toolset(reader, config, &operations);
    let toolset = sending.calls.map(|transport| Toolset {
        operations: callables,
        transport,
        limits: config.limits,
        redirects: config.redirects,
        session_values,
        shape: config.shape.clone(),
        tool_shapes,
    });
    let built = BuiltToolset {
        name: config.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        file: file.unwrap_or_default(),
        version,
        report,
        operations,
        overlaid,
        text: config.description.held_text(),
        most_bytes: config.description_limits.text.bytes,
    };
    Some(Parts { toolset, built, made: authenticators.into_made() })
}

fn options(config: &ToolsetConfig, places: &[CredentialPlace]) -> LoadOptions {
    let place = |known: &CredentialPlace| match known.place() {
        CredentialPart::Cookie => Place::Cookie,
        CredentialPart::Query => Place::Query,
        _ => Place::Header,
    };
    let trusted = config.credentials.origins.iter();
    LoadOptions {
        toolset: config.prefix.clone(),
        server: config.server.as_ref().map(|server| server.as_str().to_owned()),
        server_variables: config.server_variables.clone(),
        session_inputs: config.session_inputs,
        defaults: config.defaults,
        body_media: config.body_media.clone(),
        argument_headers: argument_headers::options(&config.argument_headers),
        selection: config.selection.clone(),
        credential_places: places
            .iter()
            .map(|known| (place(known), known.name().to_owned()))
            .chain(headers::names(config).map(|name| (Place::Header, name.to_owned())))
            .collect(),
        trusted_origins: trusted.map(|url| url.origin().ascii_serialization()).collect(),
        ..LoadOptions::default()
    }
}

/// What `auth:` says.
fn own_authenticator(
    reader: &mut Reader,
    config: &ToolsetConfig,
    authenticators: &mut Authenticators<'_>,
) -> Option<Arc<dyn Authenticator>> {
    let made = authenticators.make(config.credentials.auth.clone()?);
    if let Err(error) = &made {
        let pointer = format!("{}/auth", config.pointer);
        reader.complain("credential", pointer, error.to_string(), "correct the credential");
    }
    made.ok()
}

/// How calls are sent, and how tokens are asked for.
struct Sending {
    calls: Option<Arc<dyn Transport>>,
    tokens: Arc<dyn Transport>,
    way: Way,
}

async fn sending(
    reader: &mut Reader,
    config: &ToolsetConfig,
    workshop: &mut Workshop<'_>,
) -> Sending {
    if let Some(transport) = &workshop.transport {
        let way = Some(connect::Way::Own(Arc::clone(transport)));
        let (calls, tokens) = (Some(Arc::clone(transport)), Arc::clone(transport));
        return Sending { calls, tokens, way };
    }
    let pointer = format!("{}/upstream", config.pointer);
    let base = &workshop.connections.base;
    let recorded = match &config.upstream {
        Upstream::Http => {
            let Clients { calls, tokens, way } = workshop.connections.clients(reader, config).await;
            return Sending { calls: Some(calls), tokens, way: Some(way) };
        }
        Upstream::Replay(directory) => base.join(directory),
        Upstream::ReplayBeside => {
            let file = config.description.found(base).unwrap_or_default();
            file.parent().map(|folder| folder.join("cases")).unwrap_or_default()
        }
    };
    let calls = recordings::transport(reader, pointer, &recorded);
    let tokens = calls.clone().unwrap_or_else(|| Arc::new(Refuse::new()));
    Sending { calls, tokens, way: None }
}
