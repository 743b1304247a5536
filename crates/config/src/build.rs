//! From a configuration to a ready executor: the only code that turns descriptions into tools that can be called. What is
//! kept of an earlier build goes on where its settings are the same: tokens, connections, secrets.

mod toolset;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use callgate_executor::{Builder, Executor, Toolset};
use callgate_transport::Network;
use tokio::runtime;

use crate::{
    built::{Built, Kept},
    config::{Config, Origin},
    connect::Connections,
    environment::Environment,
    error::Error,
    finding::Severity,
    reader::Reader,
    session_values::Readings,
    stores::{self, Stores},
    tls::Secured,
    upstream::Upstream,
};
use toolset::{Parts, Workshop};

impl Config {
    /// Builds an executor. Reads the files that the configuration names, connects the stores of secrets, and asks these for
    /// what secures connections; calls nothing else, but documents on origins listed under `references`. With the build
    /// before it (`previous`), what did not change goes on: tokens, connections, and the secrets that stores keep.
    ///
    /// Reading a large description takes its time on the caller's task.
    ///
    /// # Errors
    /// [`Error`] with every fault, each with its line and column where the configuration was read from a text.
    pub async fn build(
        &self,
        environment: &Environment,
        previous: Option<&Built>,
    ) -> Result<Built, Error> {
        let mut reader = self.reader.clone();
        let base = environment.base.as_deref().unwrap_or(&self.base);
        let previous = previous.map(|built| &built.kept);
        let stores = {
            let known = previous.map(|kept| &kept.stores);
            stores::stores(&mut reader, &self.secrets, (base, environment), known).await
        };
        stores.check(&mut reader);
        let mut workshop = self.workshop(base, environment, &stores, previous);
        if self.connects(environment) {
            workshop.connections.load_root(&mut reader, &self.tls).await;
        }
        let mut parts = Vec::new();
        for config in &self.toolsets {
            let built = toolset::build(&mut reader, config, &mut workshop);
            parts.extend(Box::pin(built).await);
        }
        finished(reader, parts, &self.origin, (workshop.connections, stores))
    }

    /// Builds an executor, as [`Config::build`] does, from a program that has no runtime: a `main` that is not `async`.
    ///
    /// # Errors
    /// As [`Config::build`]; and where the caller runs in a runtime, which a wait would stop.
    pub fn build_blocking(
        &self,
        environment: &Environment,
        previous: Option<&Built>,
    ) -> Result<Built, Error> {
        let refused = |message: &str, help| {
            Error::whole(&self.origin.file, "runtime", message.to_owned(), help)
        };
        if runtime::Handle::try_current().is_ok() {
            let message = "expected a thread outside of an asynchronous runtime, got one inside";
            return Err(refused(message, "await `Config::build` there"));
        }
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            refused(&format!("cannot start a runtime: {error}"), "await `Config::build` in one")
        })?;
        runtime.block_on(self.build(environment, previous))
    }

    /// Whether any toolset connects to its service itself.
    fn connects(&self, environment: &Environment) -> bool {
        let connects = self.toolsets.iter().any(|toolset| toolset.upstream == Upstream::Http);
        connects && environment.transport.is_none()
    }

    fn workshop<'a>(
        &'a self,
        base: &Path,
        environment: &Environment,
        stores: &Arc<Stores>,
        previous: Option<&'a Kept>,
    ) -> Workshop<'a> {
        let connections = Connections {
            base: base.to_owned(),
            secrets: Arc::<Stores>::clone(stores),
            root: Secured::default(),
            has_certificate: self.tls.identity.is_some(),
            network: previous.map_or_else(Network::new, |kept| kept.network.clone()),
            known: previous.map(|kept| kept.directories.clone()).unwrap_or_default(),
            directories: Vec::new(),
        };
        Workshop {
            connections,
            transport: environment.transport.clone(),
            clock: environment.clock.clone(),
            readings: Readings::of(&self.toolsets),
            previous: previous.map(|kept| &*kept.authenticators).unwrap_or_default(),
        }
    }
}

fn finished(
    mut reader: Reader,
    parts: Vec<Parts>,
    origin: &Origin,
    (connections, stores): (Connections, Arc<Stores>),
) -> Result<Built, Error> {
    let (mut ready, mut toolsets, mut authenticators) = (Vec::new(), Vec::new(), Vec::new());
    for Parts { toolset, built, made } in parts {
        ready.extend(toolset);
        toolsets.push(built);
        authenticators.extend(made);
    }
    names_are_unique(&mut reader, &ready);
    let warnings = reader.into_findings(&origin.file, &origin.text);
    if warnings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Error::of(warnings));
    }
    let executor = ready.into_iter().fold(Executor::builder(), Builder::toolset).build();
    let executor = executor.map_err(|error| {
        let help = "give each tool its own name";
        Error::whole(&origin.file, "duplicate-tool", error.to_string(), help)
    })?;
    let Connections { network, directories, .. } = connections;
    let kept = Kept { authenticators, directories, network, stores };
    Ok(Built { executor, toolsets, warnings, kept })
}

fn names_are_unique(reader: &mut Reader, toolsets: &[Toolset]) {
    let mut known = BTreeSet::new();
    for callable in toolsets.iter().flat_map(|toolset| &toolset.operations) {
        let operation = &callable.operation;
        if !known.insert(&operation.tool_name) {
            let message = format!("two toolsets have a tool `{}`", operation.tool_name);
            let help = "give each toolset its own `prefix`";
            reader.complain("duplicate-tool", "/toolsets", message, help);
        }
    }
}
