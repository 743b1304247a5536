//! From a configuration to a ready executor: the only code that turns descriptions into callable tools. Parts of an
//! earlier build whose settings are equal are reused: tokens, connections, secrets.

mod access;
mod approvals;
mod audit;
mod authenticators;
mod authorization;
mod built;
mod connect;
mod context;
mod credential_arguments;
mod edit_faults;
mod edits;
mod examination;
mod fetched;
mod functions;
mod headers;
mod innermost;
mod loading;
mod logins;
mod mcp_tools;
mod named_tools;
mod options;
mod other_names;
mod overlays;
mod policy;
mod recordings;
mod references;
mod refused_tools;
mod sending;
mod session_values;
mod sidecar;
mod state;
mod stores;
mod summary;
mod tls;
mod toolset;
mod webhook;

use std::{collections::BTreeSet, sync::Arc};

use callgate_executor::{Builder, ErrorKind, Executor, Toolset};
use callgate_secret::{SecretReference, SecretStore};
use callgate_session::Store;
use callgate_tool::SessionName;
use callgate_transport::TlsSettings;
use futures_util::future::BoxFuture;
use tokio::runtime;

use self::{
    access::Sources, connect::Connections, context::BuildContext, functions::BuiltFunction,
    other_names::OtherNames, policy::Policy, stores::Stores, toolset::Parts,
};
use crate::{
    code::ConfigCode,
    config::Config,
    environment::{Environment, Sidecar},
    error::Error,
    finding::Severity,
    reader::Reader,
    serving::ServingConfig,
    toolset::ToolsetConfig,
};

pub use self::{
    access::{BuiltAccess, BuiltIssuer, BuiltPrincipal},
    built::{Built, BuiltToolset},
    examination::{Examined, Subject, examined},
    logins::{BuiltLogin, logins},
    summary::Summary,
};

impl Config {
    /// Builds an executor. Reads the files that the configuration names, connects the stores of secrets, and reads from
    /// them the secrets that secure connections. It sends no other requests, except for documents on origins listed
    /// under `references`. With the previous build (`previous`), unchanged parts are reused: tokens, connections, and
    /// the secrets that stores keep.
    ///
    /// Parsing a large description occupies the caller's task.
    ///
    /// # Errors
    /// [`Error`] with every fault, each with its line and column if the configuration was read from a text.
    pub async fn build(
        &self,
        environment: &Environment,
        previous: Option<&Built>,
    ) -> Result<Built, Error> {
        self.boxed_build(environment, previous).await
    }

    /// The build in a box. The compiler builds an `async fn` again in each crate that awaits it; a future in a box is
    /// built once.
    fn boxed_build<'a>(
        &'a self,
        environment: &'a Environment,
        previous: Option<&'a Built>,
    ) -> BoxFuture<'a, Result<Built, Error>> {
        Box::pin(self.build_parts(environment, previous))
    }

    async fn build_parts(
        &self,
        environment: &Environment,
        previous: Option<&Built>,
    ) -> Result<Built, Error> {
        let mut reader = self.reader.clone();
        let base = environment.base.as_deref().unwrap_or(&self.base);
        let earlier = previous;
        let previous = previous.map(|built| &built.kept);
        let known = previous.map(|kept| &kept.stores);
        let stores = stores::stores(&mut reader, self, base, environment, known).await;
        let build_context = BuildContext {
            base,
            environment,
            secrets: Arc::<Stores>::clone(&stores),
            has_certificate: self.tls.identity.is_some(),
            previous: previous.map(|kept| &*kept.authenticators).unwrap_or_default(),
            client_time: self.sessions.client_time,
            names: OtherNames::of(self, environment),
        };
        let sending = sending::sending(&mut reader, self, &build_context, previous);
        let (sending, connections) = Box::pin(sending).await;
        let mut parts = Vec::new();
        let transports = sending.iter().map(|sending| Arc::clone(&sending.descriptions));
        let transports: Vec<_> = transports.collect();
        let known = previous.map(|kept| &*kept.fetched).unwrap_or_default();
        let cache = environment.cache.as_deref();
        let fetched = fetched::all(&self.toolsets, &transports, known, cache).await;
        let sent = sending.into_iter().zip(fetched);
        for (config, (sending, fetched)) in self.toolsets.iter().zip(sent) {
            if config.description.is_some() {
                let built = toolset::build(&mut reader, config, sending, fetched, &build_context);
                parts.extend(Box::pin(built).await);
            }
        }
        session_values::put(&mut reader, &self.toolsets, &mut parts);
        let access = access(&mut reader, self, &build_context, &connections, &stores).await;
        sidecar::check(&mut reader, self, environment);
        let is_sidecar = environment.sidecar != Sidecar::None;
        let missing = if is_sidecar {
            sidecar::missing(self, &reader.secrets, &stores).await
        } else {
            Vec::new()
        };
        let known = previous.map(|kept| &kept.policy);
        let rules = approvals::rules(&mut reader, self, &parts);
        let policy = policy::policy(&mut reader, self, &build_context, rules, known).await;
        let notified = webhook::of(&mut reader, self, &build_context, &connections.network).await;
        let earlier = earlier.map(|built| built.executor.clone());
        let config = self;
        let assembly =
            Assembly { config, environment, parts, connections, stores, policy, earlier };
        let built = assembly.finished(reader)?;
        let missing_logins = if is_sidecar { logins::faults(&built).await } else { Vec::new() };
        let (missing_secrets, mut lacking): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
        let file = &self.origin.file;
        lacking.extend(missing_logins.iter().map(|login| sidecar::missing_login(file, login)));
        // Only now is it certain that the configuration holds.
        if let Some(webhook) = built.webhook() {
            webhook.aim(notified.as_ref().map(|known| known.target.clone()));
        }
        let serving = self.serving.found(base);
        let access = access.map(|access| approvals::with_tool_names(access, self, &built));
        Ok(Built { serving, access, missing_secrets, missing_logins, lacking, notified, ..built })
    }

    /// Builds an executor like [`Config::build`], from a program that has no runtime: a `main` that is not `async`.
    ///
    /// # Errors
    /// The errors of [`Config::build`]; and an error if the caller runs in a runtime, which blocking would stop.
    pub fn build_blocking(
        &self,
        environment: &Environment,
        previous: Option<&Built>,
    ) -> Result<Built, Error> {
        let refused = |message: &str, help| {
            Error::whole(&self.origin.file, ConfigCode::Runtime.as_str(), message.to_owned(), help)
        };
        if runtime::Handle::try_current().is_ok() {
            let message = "expected a thread outside of an asynchronous runtime, got one inside";
            return Err(refused(message, "await `Config::build` there"));
        }
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            refused(&format!("cannot start a runtime: {error}"), "await `Config::build` in one")
        })?;
        runtime.block_on(self.boxed_build(environment, previous))
    }
}

/// The callers that a serving process accepts; only their issuers where what would be served is examined.
async fn access(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    connections: &Connections,
    stores: &Arc<Stores>,
) -> Option<BuiltAccess> {
    let BuildContext { base, environment, .. } = build_context;
    let access = config.serving.access.as_ref()?;
    let is_serving = environment.listeners.is_some();
    if !is_serving && (environment.sidecar == Sidecar::None || access.issuers.is_empty()) {
        return None;
    }
    let secrets: Arc<dyn SecretStore> = Arc::<Stores>::clone(stores);
    if is_serving {
        // Tokens are read here and kept: a token that is rotated in its file is read again when the file changes.
        let tokens = access.principals.iter().flat_map(|principal| &principal.tokens);
        reader.files.extend(tokens.filter_map(|token| stores.file(&token.secret)));
    }
    let tls = if access.issuers.is_empty() || reader.has_faults() {
        TlsSettings::new()
    } else {
        tls::of_store(reader, &config.tls, base, &secrets).await
    };
    let (network, own) = (&connections.network, environment.transport.clone());
    let sources = Sources { secrets, network, own, tls };
    if !is_serving {
        return Some(access::issuers_of(access, &sources));
    }
    Some(access::built(reader, access, &sources).await)
}

/// Keeps results where the earlier executor does, or in the store.
fn keeping_results(
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

/// The finished parts of an executor, before they are combined.
struct Assembly<'a> {
    config: &'a Config,
    /// The parts that the program supplies.
    environment: &'a Environment,
    parts: Vec<Parts<'a>>,
    connections: Connections,
    stores: Arc<Stores>,
    policy: Policy,
    /// The executor of an earlier build, which keeps results.
    earlier: Option<Executor>,
}

impl Assembly<'_> {
    fn finished(self, mut reader: Reader) -> Result<Built, Error> {
        let Self { config, environment, parts, connections, stores, policy, earlier } = self;
        let named_secrets = distinct(&reader.secrets);
        let (mut ready, mut toolsets) = (Vec::new(), Vec::new());
        let (mut authenticators, mut fetched) = (Vec::new(), Vec::new());
        for Parts { toolset, built, made, fetched: own, .. } in parts {
            ready.extend(toolset);
            toolsets.push(built);
            authenticators.extend(made);
            fetched.extend(own);
        }
        let session_secrets = session_secrets(&ready);
        let ways = ready.iter().map(|known| (known.name.clone(), Arc::clone(&known.transport)));
        let ways = ways.collect();
        let functions = functions::built(&mut reader, config);
        names_are_unique(&mut reader, &config.toolsets, &ready, &functions);
        let mcp = mcp_tools::resolved(&mut reader, config, &ready, &functions);
        approvals::check_approves(&mut reader, config, environment, &ready, &functions);
        let files = std::mem::take(&mut reader.files);
        let digest = reader.texts.digest();
        let warnings = reader.into_findings(&config.origin.file, &config.origin.text);
        if warnings.iter().any(|finding| finding.severity == Severity::Error) {
            return Err(Error::of(warnings).in_files(files));
        }
        let builder = Executor::builder().synonyms(synonyms(config));
        let builder = keeping_results(builder, earlier.as_ref(), policy.state.as_ref());
        let builder =
            environment.middleware.iter().cloned().fold(builder, Builder::shared_middleware);
        let builder = ready.into_iter().fold(policy.around(builder), Builder::toolset);
        let builder = functions.into_iter().fold(builder, functions::add);
        let executor =
            environment.tools.iter().cloned().fold(builder, Builder::shared_backend).build();
        let executor = executor.map_err(|error| faulty_tool(config, &error))?;
        let Connections { network, directories, .. } = connections;
        let kept =
            built::Reusable { authenticators, directories, network, policy, stores, fetched };
        Ok(Built {
            executor,
            toolsets,
            session_secrets,
            idempotency: config.idempotency.unwrap_or_default(),
            sessions: config.sessions.clone(),
            state_config: config.state.clone(),
            mcp,
            telemetry: config.telemetry.clone(),
            base: config.base.clone(),
            serving: ServingConfig::default(),
            access: None,
            missing_secrets: Vec::new(),
            missing_logins: Vec::new(),
            lacking: Vec::new(),
            warnings,
            reload: config.reload.clone(),
            named_secrets,
            origin: config.origin.file.clone(),
            ways,
            notified: None,
            kept,
            files,
            digest,
        })
    }
}

fn faulty_tool(config: &Config, error: &callgate_executor::Error) -> Error {
    let (code, help) = match error.kind() {
        ErrorKind::DuplicateTool => (ConfigCode::DuplicateTool, "give each tool its own name"),
        _ => (ConfigCode::OwnTool, "correct the tool that the program adds"),
    };
    Error::whole(&config.origin.file, code.as_str(), error.to_string(), help)
}

fn synonyms(config: &Config) -> impl Iterator<Item = (&str, &[String])> {
    config.synonyms.iter().map(|(word, others)| (word.as_str(), others.as_slice()))
}

/// The session values that credentials read, without repetitions.
fn session_secrets(toolsets: &[Toolset]) -> Vec<SessionName> {
    let masked = toolsets.iter().flat_map(|toolset| &toolset.session_values.masked);
    let masked: BTreeSet<_> = masked.cloned().collect();
    masked.into_iter().collect()
}

fn distinct(references: &[SecretReference]) -> Vec<SecretReference> {
    let mut distinct: Vec<SecretReference> = Vec::new();
    for reference in references {
        if !distinct.contains(reference) {
            distinct.push(reference.clone());
        }
    }
    distinct
}

fn names_are_unique(
    reader: &mut Reader,
    configs: &[ToolsetConfig],
    toolsets: &[Toolset],
    functions: &[BuiltFunction],
) {
    let reported = edits::taken_names(reader, configs, toolsets, functions);
    let mut known = BTreeSet::new();
    for callable in toolsets.iter().flat_map(|toolset| &toolset.operations) {
        let operation = &callable.operation;
        if !known.insert(&operation.tool_name) && !reported.contains(&operation.tool_name) {
            let message = format!("two toolsets have a tool `{}`", operation.tool_name);
            let help = "give each toolset its own `prefix`";
            reader.complain(ConfigCode::DuplicateTool, "/toolsets", message, help);
        }
    }
}
