//! Combines the parts of a build into a ready executor, unless a finding stops it.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use callgate_executor::{Builder, ErrorKind, Executor, Toolset};
use callgate_kind::KindCode;
use callgate_secret::SecretReference;
use callgate_session::Store;
use callgate_settings::{Finding, Reader, Severity};
use callgate_tool::SessionName;
use callgate_transport::Transport;

use super::{
    agent_tools, approvals,
    authenticators::MadeAuthenticator,
    built::{self, Built, BuiltToolset},
    connect::Connections,
    functions,
    kinds::KindParts,
    mcp_tools,
    own_tools::{self, OwnTool},
    policy::Policy,
    remote_description::FetchedDescription,
    stores::Stores,
    toolset::ToolsetParts,
    unique_names,
};
use crate::{
    code::ConfigCode, config::Config, environment::Environment, error::Error,
    serving::ServingConfig,
};

/// An executor without tools, with what runs around its calls.
fn executor_builder(
    config: &Config,
    environment: &Environment,
    earlier: Option<&Executor>,
    policy: &Policy,
) -> Builder {
    let builder = Executor::builder().synonyms(configured_synonyms(config));
    let builder = with_result_store(builder, earlier, policy.state.as_ref());
    let builder = environment.middleware.iter().cloned().fold(builder, Builder::shared_middleware);
    policy.add_middleware(builder)
}

/// Keeps results where the earlier executor does, or in the store.
fn with_result_store(
    builder: Builder,
    earlier: Option<&Executor>,
    state: Option<&Arc<dyn Store>>,
) -> Builder {
    match (earlier, state) {
        (Some(earlier), _) => builder.results_of(earlier),
        (None, Some(state)) => builder.results(Arc::clone(state)),
        (None, None) => builder,
    }
}

/// The tools of all toolsets, but for functions.
pub(super) struct Tools<'a> {
    pub(super) parts: Vec<ToolsetParts<'a>>,
    pub(super) kinds: KindParts,
}

/// The parts of all toolsets with descriptions, by their use.
#[derive(Default)]
struct GatheredParts {
    ready: Vec<Toolset>,
    toolsets: Vec<BuiltToolset>,
    authenticators: Vec<MadeAuthenticator>,
    fetched: Vec<FetchedDescription>,
}

impl GatheredParts {
    fn from_parts(parts: Vec<ToolsetParts<'_>>) -> Self {
        let mut all = Self::default();
        for ToolsetParts { toolset, built, made, fetched, .. } in parts {
            all.ready.extend(toolset);
            all.toolsets.push(built);
            all.authenticators.extend(made);
            all.fetched.extend(fetched);
        }
        all
    }
}

/// The finished parts of an executor, before they are combined.
pub(super) struct Assembly<'a> {
    pub(super) config: &'a Config,
    /// The parts that the program supplies.
    pub(super) environment: &'a Environment,
    pub(super) tools: Tools<'a>,
    pub(super) connections: Connections,
    pub(super) stores: Arc<Stores>,
    pub(super) policy: Policy,
    /// The executor of an earlier build, which keeps results.
    pub(super) earlier: Option<Executor>,
}

impl Assembly<'_> {
    pub(super) fn into_built(self, mut reader: Reader) -> Result<Built, Error> {
        let Self { config, environment, tools, connections, stores, policy, earlier } = self;
        let Tools { parts, kinds } = tools;
        let named_secrets = distinct_references(&reader.secrets);
        let GatheredParts { ready, toolsets, mut authenticators, fetched } =
            GatheredParts::from_parts(parts);
        authenticators.extend(kinds.authenticators);
        let (session_secrets, ways) = (masked_session_names(&ready), transports_by_toolset(&ready));
        let functions = functions::build_functions(&mut reader, config);
        let own: Vec<_> =
            config.toolsets.iter().flat_map(own_tools::own_tools_of_toolset).collect();
        check_tool_names(&mut reader, config, environment, &ready, &own);
        let mcp = mcp_tools::mcp_config_with_tool_names(&mut reader, config, &ready, &own);
        approvals::check_approves_entries(&mut reader, config, environment, &ready, &own);
        let (files, digest) = (std::mem::take(&mut reader.files), reader.texts.digest());
        let warnings = warnings_or_error(reader, config, &files)?;
        let builder = executor_builder(config, environment, earlier.as_ref(), &policy);
        let builder = ready.into_iter().fold(builder, Builder::toolset);
        let builder = kinds.tools.into_iter().fold(builder, |builder, tool| tool.add_to(builder));
        let builder = functions.into_iter().fold(builder, functions::add_function);
        let builder = environment.tools.iter().cloned().fold(builder, Builder::shared_backend);
        let executor = builder.build().map_err(|error| own_tool_error(config, &error))?;
        let kept = built::Reusable {
            authenticators,
            directories: connections.directories,
            network: connections.network,
            policy,
            stores,
            fetched,
            kinds: kinds.kept,
        };
        Ok(Built {
            executor,
            toolsets,
            sources: kinds.sources,
            session_secrets,
            idempotency: config.idempotency.unwrap_or_default(),
            sessions: config.sessions.clone(),
            state_config: config.state.clone(),
            mcp,
            telemetry: config.telemetry.clone(),
            base: config.base.clone(),
            serving: ServingConfig::default(),
            access: None,
            agents: Vec::new(),
            missing_secrets: Vec::new(),
            missing_logins: Vec::new(),
            lacking: Vec::new(),
            warnings,
            reload: config.reload.clone(),
            named_secrets,
            unused_options: config.unused_options.clone(),
            origin: config.origin.file.clone(),
            ways,
            services: kinds.services,
            notified: None,
            kept,
            files,
            digest,
        })
    }
}

/// The findings about a configuration without a fault.
fn warnings_or_error(
    reader: Reader,
    config: &Config,
    files: &BTreeSet<PathBuf>,
) -> Result<Vec<Finding>, Error> {
    let findings = reader.into_findings(&config.origin.file, &config.origin.text);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Error::from_findings(findings).with_files(files.clone()));
    }
    Ok(findings)
}

/// Reports names that several tools have, and what agents name and no tool is called.
fn check_tool_names(
    reader: &mut Reader,
    config: &Config,
    environment: &Environment,
    toolsets: &[Toolset],
    own: &[OwnTool],
) {
    unique_names::report_duplicate_names(reader, &config.toolsets, toolsets, own);
    let operations = toolsets.iter().flat_map(|toolset| &toolset.operations);
    let operations = operations.map(|callable| callable.operation.tool_name.as_str());
    let of_program = environment.tools.iter().map(|tool| tool.name().as_str());
    let names = operations.chain(own.iter().map(|tool| tool.name.as_str())).chain(of_program);
    let described = config.toolsets.iter().filter(|toolset| toolset.description.is_some());
    let is_whole = described.count() == toolsets.len();
    agent_tools::report_unmatched_entries(reader, config, &names.collect(), is_whole);
}

/// The transport to the servers of each toolset, by the toolset's name.
fn transports_by_toolset(toolsets: &[Toolset]) -> Vec<(String, Arc<dyn Transport>)> {
    let way = |toolset: &Toolset| (toolset.name.clone(), Arc::clone(&toolset.transport));
    toolsets.iter().map(way).collect()
}

fn own_tool_error(config: &Config, error: &callgate_executor::Error) -> Error {
    let (code, help) = match error.kind() {
        ErrorKind::DuplicateTool => {
            (KindCode::DuplicateTool.as_str(), "give each tool its own name")
        }
        _ => (ConfigCode::OwnTool.as_str(), "correct the tool that the program adds"),
    };
    Error::for_file(&config.origin.file, code, error.to_string(), help)
}

fn configured_synonyms(config: &Config) -> impl Iterator<Item = (&str, &[String])> {
    config.synonyms.iter().map(|(word, others)| (word.as_str(), others.as_slice()))
}

/// The session values that credentials read, without repetitions.
fn masked_session_names(toolsets: &[Toolset]) -> Vec<SessionName> {
    let masked = toolsets.iter().flat_map(|toolset| &toolset.session_values.masked);
    let masked: BTreeSet<_> = masked.cloned().collect();
    masked.into_iter().collect()
}

fn distinct_references(references: &[SecretReference]) -> Vec<SecretReference> {
    let mut distinct: Vec<SecretReference> = Vec::new();
    for reference in references {
        if !distinct.contains(reference) {
            distinct.push(reference.clone());
        }
    }
    distinct
}
