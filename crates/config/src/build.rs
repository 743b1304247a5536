//! From a configuration to a ready executor: the only code that turns descriptions into callable tools. Parts of an
//! earlier build whose settings are equal are reused: tokens, connections, secrets.

mod access;
mod agent_tools;
mod agents;
mod approvals;
mod assembly;
mod audit;
mod authenticators;
mod authorization;
mod built;
mod connect;
mod context;
mod credential_arguments;
mod edits;
mod examination;
mod functions;
mod headers;
mod kinds;
mod logins;
mod mcp_tools;
mod named_tools;
mod operation_loader;
mod options;
mod other_names;
mod overlays;
mod own_tools;
mod policy;
mod recordings;
mod references;
mod refused_tools;
mod remote_description;
mod server_variables;
mod session_values;
mod sidecar;
mod state;
mod stores;
mod summary;
mod tls;
mod toolset;
mod transports;
mod unbound_values;
mod unique_names;
mod unused_settings;
mod webhook;

use std::sync::Arc;

use callgate_secret::{SecretReference, SecretStore};
use callgate_settings::Reader;
use callgate_transport::{Refuse, TlsSettings, Transport};
use futures_util::future::BoxFuture;
use tokio::runtime;

use self::{
    access::Sources,
    assembly::{Assembly, Tools},
    connect::Connections,
    context::BuildContext,
    kinds::KindContext,
    other_names::OtherNames,
    remote_description::FetchedDescription,
    stores::Stores,
    toolset::ToolsetParts,
    transports::Sending,
};
use crate::{
    code::ConfigCode,
    config::Config,
    environment::{Environment, Sidecar},
    error::Error,
};

pub use self::{
    access::{BuiltAccess, BuiltIssuer, BuiltPrincipal},
    agents::BuiltAgent,
    built::{Built, BuiltToolset},
    examination::{Examined, Subject, examine_subject},
    logins::{BuiltLogin, authorization_code_logins},
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
        Box::pin(self.build_unboxed(environment, previous))
    }

    async fn build_unboxed(
        &self,
        environment: &Environment,
        previous: Option<&Built>,
    ) -> Result<Built, Error> {
        let mut reader = self.reader.clone();
        let base = environment.base.as_deref().unwrap_or(&self.base);
        let earlier = previous.map(|built| built.executor.clone());
        let previous = previous.map(|built| &built.kept);
        let former = previous.map(|kept| &kept.stores);
        let stores = stores::connect_stores(&mut reader, self, base, environment, former).await;
        let context = BuildContext {
            base,
            environment,
            secrets: Arc::<Stores>::clone(&stores),
            has_certificate: self.tls.identity.is_some(),
            previous: previous.map(|kept| &*kept.authenticators).unwrap_or_default(),
            client_time: self.sessions.client_time,
            names: OtherNames::new(self, environment),
        };
        let sending = transports::build_transports(&mut reader, self, &context, previous);
        let (sending, connections) = Box::pin(sending).await;
        let kind_sendings = kinds::kind_sendings(&self.toolsets, &sending);
        let former = previous.map(|kept| &*kept.fetched).unwrap_or_default();
        let parts = self.build_described_toolsets(&mut reader, sending, former, &context).await;
        let access = build_caller_access(&mut reader, self, &context, &connections, &stores).await;
        sidecar::report_unservable_settings(&mut reader, self, environment);
        unbound_values::report_unbound_values(&mut reader, self, environment);
        unused_settings::warn_of_unused_settings(&mut reader, self);
        let is_sidecar = environment.sidecar != Sidecar::None;
        let named: &[SecretReference] = if is_sidecar { &reader.secrets } else { &[] };
        let missing = sidecar::missing_local_secrets(self, named, &stores).await;
        let rules = approvals::approval_rules(&mut reader, self, &parts);
        let former = previous.map(|kept| &kept.policy);
        let policy = policy::build_policy(&mut reader, self, &context, rules, former).await;
        let network = &connections.network;
        let (agents, models) = agents::build_agents(&mut reader, self, &context, network).await;
        let instructions = agents.iter().map(|agent| (&*agent.name, &*agent.instructions));
        session_values::check_agent_instructions(&mut reader, self, instructions);
        let notified = webhook::build_notified_service(&mut reader, self, &context, network).await;
        let opening = KindContext {
            build_context: &context,
            connections: &connections,
            models,
            state: policy.state.as_ref(),
            earlier: previous.map(|kept| &*kept.kinds).unwrap_or_default(),
        };
        let kinds = kinds::open_toolsets_of_kinds(&mut reader, self, opening, kind_sendings).await;
        let tools = Tools { parts, kinds };
        let assembly =
            Assembly { config: self, environment, tools, connections, stores, policy, earlier };
        let built = assembly.into_built(reader)?;
        let missing_logins =
            if is_sidecar { logins::login_faults(&built).await } else { Vec::new() };
        let (missing_secrets, mut lacking): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
        let file = &self.origin.file;
        lacking
            .extend(missing_logins.iter().map(|login| sidecar::missing_login_finding(file, login)));
        built.set_webhook_target(notified.as_ref().map(|service| service.target.clone()));
        let access = access.map(|access| approvals::with_resolved_tool_names(access, self, &built));
        let serving = self.serving.with_resolved_files(base);
        let built = Built { serving, access, agents, notified, ..built };
        Ok(Built { missing_secrets, missing_logins, lacking, ..built })
    }

    /// The toolsets with descriptions.
    async fn build_described_toolsets(
        &self,
        reader: &mut Reader,
        sending: Vec<Sending>,
        previous_descriptions: &[FetchedDescription],
        build_context: &BuildContext<'_>,
    ) -> Vec<ToolsetParts<'_>> {
        let mut parts = Vec::new();
        let fetching = reader.effects.fetching_permission();
        let transports = sending.iter().map(|sending| match fetching {
            Some(_) => Arc::clone(&sending.descriptions),
            None => Arc::new(Refuse::new()) as Arc<dyn Transport>,
        });
        let transports: Vec<_> = transports.collect();
        let cache = build_context.environment.cache.as_deref();
        let fetched = remote_description::fetch_descriptions(
            &self.toolsets,
            &transports,
            previous_descriptions,
            cache,
        )
        .await;
        let sent = sending.into_iter().zip(fetched);
        for (config, (sending, fetched)) in self.toolsets.iter().zip(sent) {
            if config.description.is_some() {
                let built = toolset::build_toolset(reader, config, sending, fetched, build_context);
                parts.extend(Box::pin(built).await);
            }
        }
        session_values::set_session_values(reader, self, &mut parts);
        session_values::check_kind_session_values(reader, self);
        parts
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
            Error::for_file(
                &self.origin.file,
                ConfigCode::Runtime.as_str(),
                message.to_owned(),
                help,
            )
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
async fn build_caller_access(
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
        reader.files.extend(tokens.filter_map(|token| stores.secret_file(&token.secret)));
    }
    let tls = if access.issuers.is_empty() || reader.has_faults() {
        TlsSettings::new()
    } else {
        tls::load_tls_settings(reader, &config.tls, base, &secrets).await
    };
    let (network, own) = (&connections.network, environment.transport.clone());
    let sources = Sources { secrets, network, own, tls };
    if !is_serving {
        return Some(access::build_issuer_access(access, &sources));
    }
    Some(access::build_access(reader, access, &sources).await)
}
