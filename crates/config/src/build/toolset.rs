//! One toolset: its description's operations, connected to their credentials and to the transport of their calls.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_executor::{ClientSide, SessionValues, Toolset};
use callgate_openapi::{Loaded, Report};
use callgate_settings::Reader;
use callgate_transport::{Refuse, Transport};

use super::{
    authenticators::{Authenticators, MadeAuthenticator},
    authorization,
    built::BuiltToolset,
    context::BuildContext,
    credential_arguments, edits, headers, named_tools,
    operation_loader::{self, Loading, LoadingContext},
    options::load_options,
    refused_tools,
    remote_description::FetchedDescription,
    transports::Sending,
};
use crate::toolset::ToolsetConfig;

/// One toolset: the part for the executor, the part for the report, and the parts that a later build reuses.
#[derive(Debug)]
pub(super) struct ToolsetParts<'a> {
    pub(super) config: &'a ToolsetConfig,
    pub(super) toolset: Option<Toolset>,
    pub(super) built: BuiltToolset,
    pub(super) made: Vec<MadeAuthenticator>,
    pub(super) fetched: Option<FetchedDescription>,
}

/// Builds one toolset; `None` if its description cannot be read.
pub(super) async fn build_toolset<'a>(
    reader: &mut Reader,
    config: &'a ToolsetConfig,
    sending: Sending,
    fetched: Option<Result<FetchedDescription, String>>,
    build_context: &BuildContext<'_>,
) -> Option<ToolsetParts<'a>> {
    let BuildContext { base, environment, .. } = build_context;
    let mut authenticators =
        Authenticators::new(reader, config, sending.authenticator_making(build_context));
    let places = authenticators.own.as_ref().map(|own| own.places()).unwrap_or_default();
    let refuse = || Some(Arc::new(Refuse::new()) as Arc<dyn Transport>);
    let transport =
        reader.effects.fetching_permission().map_or_else(refuse, |_| environment.transport.clone());
    let around = LoadingContext { base, transport, missing: environment.missing, fetched };
    let options = load_options(config, &build_context.names, &places);
    let Loading { version, mut loaded, overlaid, unreadable, fetched } =
        operation_loader::load_operations(reader, config, around, &options).await?;
    let mut callables = authorization::authorized_operations(
        reader,
        config,
        &mut loaded,
        &mut authenticators,
        build_context,
    );
    let Loaded { operations, mut report, .. } = loaded;
    mask_variable_values(reader, &mut report);
    headers::set_fixed_headers(reader, config, &authenticators.headers, &mut callables);
    credential_arguments::report_credential_arguments(reader, config, &callables);
    let secret_arguments = credential_arguments::credential_argument_names(config, &callables);
    edits::report_faulty_edits(reader, config, &report, &callables);
    let settings = named_tools::checked_tool_settings(reader, config, &report, &callables);
    let (tool_shapes, tools) = settings;
    let name = config.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let (execution, time) = (config.execution.default, build_context.client_time);
    let client = ClientSide { execution, tools, time };
    let toolset = sending.calls.map(|transport| Toolset {
        name: name.clone(),
        operations: callables,
        refused: refused_tools::refused_tools(&report),
        transport,
        call: config.call.clone(),
        // The values that other toolsets' credentials read are known after all toolsets are built.
        session_values: SessionValues::default(),
        secret_arguments,
        tool_shapes,
        client,
    });
    let built = BuiltToolset {
        name,
        file: description_file(config, base),
        is_required: config.required,
        version,
        report,
        operations,
        overlaid,
        text: description_text(config, fetched.as_ref()),
        unreadable,
        stale: fetched.as_ref().and_then(|fetched| fetched.stale.clone()),
        most_bytes: config.description_limits.text.bytes,
    };
    Some(ToolsetParts { config, toolset, built, made: authenticators.made, fetched })
}

fn description_file(config: &ToolsetConfig, base: &Path) -> PathBuf {
    let description = &config.description;
    description.resolved_path(base).unwrap_or_else(|| description.file.clone())
}

fn description_text(
    config: &ToolsetConfig,
    fetched: Option<&FetchedDescription>,
) -> Option<Arc<[u8]>> {
    match fetched {
        Some(fetched) => Some(Arc::clone(&fetched.text)),
        None => config.description.held_text(),
    }
}

/// Shows the names of variables in findings, in place of the values that came from them.
fn mask_variable_values(reader: &Reader, report: &mut Report) {
    for diagnostic in &mut report.diagnostics {
        reader.looked_up.replace_values_by_names(&mut diagnostic.message);
        if reader.looked_up.replace_values_by_names(&mut diagnostic.help) {
            diagnostic.remedy = None;
        }
    }
}
