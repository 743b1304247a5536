//! Opens the toolsets that are of a kind: what each needs from the configuration is gathered here, and the rest is `kind`'s. Services
//! of Google's are called as the account of this machine without `auth`.

use std::sync::Arc;

use callgate_auth::{AuthConfig, Authenticator, GoogleToken};
use callgate_google::Identity;
use callgate_kind::{
    EditedBackend, KeptToolset, KindSettings, OpenedSource, Opening, ServiceCalls,
    SharedSurroundings, TextModels, Ways, open_toolsets,
};
use callgate_session::Store;
use callgate_settings::Reader;
use callgate_transport::Transport;

use super::{
    authenticators::{Authenticators, MadeAuthenticator},
    connect::Connections,
    context::BuildContext,
    own_tools, session_values,
    transports::Sending,
};
use crate::{code::ConfigCode, config::Config, toolset::ToolsetConfig};

/// The parts of a build that the toolsets of all kinds need.
#[derive(Debug)]
pub(super) struct KindContext<'a> {
    pub(super) build_context: &'a BuildContext<'a>,
    pub(super) connections: &'a Connections,
    pub(super) models: TextModels,
    pub(super) state: Option<&'a Arc<dyn Store>>,
    /// The toolsets as the last build opened them.
    pub(super) earlier: &'a [KeptToolset],
}

/// The opened toolsets of a build, by the use of their parts.
#[derive(Debug, Default)]
pub(super) struct KindParts {
    pub(super) tools: Vec<EditedBackend>,
    pub(super) sources: Vec<OpenedSource>,
    /// The origins of services that calls need, each with the way there.
    pub(super) services: Vec<(String, Arc<dyn Transport>)>,
    pub(super) kept: Vec<KeptToolset>,
    pub(super) authenticators: Vec<MadeAuthenticator>,
}

/// The ways to send the requests of the toolsets that are of a kind.
pub(super) fn kind_sendings(toolsets: &[ToolsetConfig], all: &[Sending]) -> Vec<Option<Sending>> {
    let sending = |(toolset, sending): (&ToolsetConfig, &Sending)| {
        toolset.kind.as_ref().map(|_| sending.clone())
    };
    toolsets.iter().zip(all).map(sending).collect()
}

/// Opens all toolsets of a kind.
pub(super) async fn open_toolsets_of_kinds(
    reader: &mut Reader,
    config: &Config,
    KindContext { build_context, connections, models, state, earlier }: KindContext<'_>,
    sending: Vec<Option<Sending>>,
) -> KindParts {
    let environment = build_context.environment;
    let (mut parts, mut openings) = (KindParts::default(), Vec::new());
    for (toolset, sending) in config.toolsets.iter().zip(sending) {
        let (Some(settings), Some(sending)) = (&toolset.kind, sending) else { continue };
        let (ways, made) = source_ways(reader, toolset, &**settings, sending, build_context);
        parts.authenticators.extend(made);
        let common = own_tools::common_settings(toolset);
        let earlier = earlier.iter().find(|earlier| earlier.name == common.name);
        openings.push(Opening { common, settings, ways, earlier });
    }
    let shared = SharedSurroundings {
        origin: &config.origin.file,
        base: build_context.base,
        effects: environment.effects_of_kinds(reader.effects),
        missing: environment.missing,
        extractor: environment.extractor.as_ref(),
        session_values: session_values::masked_session_value_names(config),
        network: connections.network.clone(),
        models,
        secrets: Arc::clone(&build_context.secrets),
        state: state.cloned(),
    };
    let (opened, kept) = Box::pin(open_toolsets(reader, openings, &shared)).await;
    parts.kept = kept;
    for toolset in opened {
        parts.tools.extend(toolset.tools);
        parts.sources.extend(toolset.source);
        for (origin, way) in toolset.services {
            if parts.services.iter().all(|(listed, _)| *listed != origin) {
                parts.services.push((origin, way));
            }
        }
    }
    parts
}

/// The ways of a toolset to its source, with the authenticators that were made for them.
fn source_ways(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    settings: &dyn KindSettings,
    sending: Sending,
    build_context: &BuildContext<'_>,
) -> (Ways, Vec<MadeAuthenticator>) {
    let tls = sending.secured.clone();
    if settings.called_service() == ServiceCalls::None {
        let (transport, authenticator, credentials) = (None, None, Vec::new());
        return (Ways { transport, authenticator, credentials, tls }, Vec::new());
    }
    let mut made =
        Authenticators::new(reader, toolset, sending.authenticator_making(build_context));
    let pointer = format!("{}/{}", toolset.pointer, settings.key());
    let authenticator = own_or_google_authenticator(reader, toolset, &mut made, &pointer);
    let mut credentials = Vec::new();
    for config in settings.credentials() {
        credentials.extend(make_authenticator(reader, &mut made, config, &pointer));
    }
    (Ways { transport: sending.calls, authenticator, credentials, tls }, made.made)
}

/// The credential of all calls; `None` if it has a fault, which is reported. `pointer` is the place of the service's key.
fn own_or_google_authenticator(
    reader: &mut Reader,
    toolset: &ToolsetConfig,
    made: &mut Authenticators<'_>,
    pointer: &str,
) -> Option<Arc<dyn Authenticator>> {
    match (&made.own, &toolset.credentials.auth) {
        (Some(own), _) => Some(Arc::clone(own)),
        (None, None) => {
            let token = GoogleToken::Access { scopes: Vec::new() };
            let usual = AuthConfig::Google { identity: Box::<Identity>::default(), token };
            make_authenticator(reader, made, usual, pointer)
        }
        // The fault of the credential is reported.
        (None, Some(_)) => None,
    }
}

/// An authenticator; a fault of it is reported at this place.
fn make_authenticator(
    reader: &mut Reader,
    made: &mut Authenticators<'_>,
    config: AuthConfig,
    pointer: &str,
) -> Option<Arc<dyn Authenticator>> {
    let made = made.make_or_reuse(config);
    let complain = |error: callgate_auth::Error| {
        let help = "correct the credential";
        reader.report_fault(ConfigCode::Credential, pointer, error.to_string(), help);
    };
    made.map_err(complain).ok()
}
