//! One toolset: its description's operations, connected to their credentials and to the transport of their calls.

use std::sync::Arc;

use callgate_auth::AuthContext;
use callgate_executor::{ClientSide, SessionValues, Toolset};
use callgate_openapi::{Loaded, Report};
use callgate_settings::Reader;
use callgate_transport::{Refuse, Transport};

use super::{
    authenticators::{Authenticators, Made, Making},
    authorization,
    built::BuiltToolset,
    context::BuildContext,
    credential_arguments, edits,
    fetched::Fetched,
    headers,
    loading::{self, Loading, Surroundings},
    named_tools,
    options::options,
    refused_tools,
    sending::Sending,
};
use crate::toolset::ToolsetConfig;

/// One toolset: the part for the executor, the part for the report, and the parts that a later build reuses.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) config: &'a ToolsetConfig,
    pub(super) toolset: Option<Toolset>,
    pub(super) built: BuiltToolset,
    pub(super) made: Vec<Made>,
    pub(super) fetched: Option<Fetched>,
}

/// Builds one toolset; `None` if its description cannot be read.
pub(super) async fn build<'a>(
    reader: &mut Reader,
    config: &'a ToolsetConfig,
    sending: Sending,
    fetched: Option<Result<Fetched, String>>,
    build_context: &BuildContext<'_>,
) -> Option<Parts<'a>> {
    let BuildContext { base, environment, .. } = build_context;
    let context = AuthContext::new(Arc::clone(&build_context.secrets), sending.tokens)
        .with_grants(environment.grants.clone())
        .with_clock(environment.clock.clone());
    let (previous, has_stand_ins) = (build_context.previous, environment.has_stand_ins);
    let making = Making { context, way: sending.way, previous, has_stand_ins };
    let mut authenticators = Authenticators::of(reader, config, making);
    let places = authenticators.own.as_ref().map(|known| known.places()).unwrap_or_default();
    let transport = match reader.effects.fetching() {
        Some(_) => environment.transport.clone(),
        None => Some(Arc::new(Refuse::new()) as Arc<dyn Transport>),
    };
    let around = Surroundings { base, transport, missing: environment.missing, fetched };
    let options = options(config, &build_context.names, &places);
    let Loading { version, mut loaded, overlaid, unreadable, fetched } =
        loading::load(reader, config, around, &options).await?;
    let mut callables =
        authorization::authorized(reader, config, &mut loaded, &mut authenticators, build_context);
    let Loaded { operations, mut report, .. } = loaded;
    hide_variables(reader, &mut report);
    headers::put(reader, config, &authenticators.headers, &mut callables);
    credential_arguments::check(reader, config, &callables);
    let secret_arguments = credential_arguments::names(config, &callables);
    edits::check(reader, config, &report, &callables);
    let (tool_shapes, tools) = named_tools::found(reader, config, &report, &callables);
    let name = config.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let toolset = sending.calls.map(|transport| Toolset {
        name: name.clone(),
        operations: callables,
        refused: refused_tools::of(&report),
        transport,
        call: config.call.clone(),
        // The values that other toolsets' credentials read are known after all toolsets are built.
        session_values: SessionValues::default(),
        secret_arguments,
        tool_shapes,
        client: ClientSide {
            execution: config.execution.default,
            tools,
            time: build_context.client_time,
        },
    });
    let built = BuiltToolset {
        name,
        file: config.description.found(base).unwrap_or_else(|| config.description.file.clone()),
        is_required: config.required,
        version,
        report,
        operations,
        overlaid,
        text: fetched.as_ref().map_or_else(
            || config.description.held_text(),
            |fetched| Some(Arc::clone(&fetched.text)),
        ),
        unreadable,
        stale: fetched.as_ref().and_then(|fetched| fetched.stale.clone()),
        most_bytes: config.description_limits.text.bytes,
    };
    Some(Parts { config, toolset, built, made: authenticators.made, fetched })
}

/// Shows the names of variables in findings, in place of the values that came from them.
fn hide_variables(reader: &Reader, report: &mut Report) {
    for diagnostic in &mut report.diagnostics {
        reader.looked_up.hide(&mut diagnostic.message);
        if reader.looked_up.hide(&mut diagnostic.help) {
            diagnostic.remedy = None;
        }
    }
}
