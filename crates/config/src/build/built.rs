//! The result of a build: a ready executor, reports on the descriptions behind it, and the parts that a later build
//! takes over.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_executor::Executor;
use callgate_openapi::{Operation, Overlaid, Report};
use callgate_policy::{Audit, Idempotency, RecordBounds};
use callgate_secret::{Error as SecretError, LocalStores, Secret, SecretReference, SecretStore};
use callgate_tool::SessionName;
use callgate_transport::{Network, Transport};
use callgate_tree::Diagnostic;

use super::{
    access::BuiltAccess, authenticators::Made, connect::Directory, fetched::Fetched,
    policy::Policy, stores::Stores,
};
use crate::{
    file::beginning, finding::Finding, mcp::McpConfig, observe::ReloadConfig,
    serving::ServingConfig, sessions::SessionsConfig,
};

/// A ready executor, and how the descriptions behind it were taken.
///
/// ```no_run
/// # async fn example() -> Result<(), callgate_config::Error> {
/// use callgate_config::{Config, Environment};
/// use callgate_openapi::OperationStatus;
///
/// let config = Config::from_file("callgate.yaml")?;
/// let built = config.build(&Environment::new(), None).await?;
/// for toolset in &built.toolsets {
///     println!("{}: {} refused", toolset.name, toolset.report.count(OperationStatus::Refused));
/// }
/// // Read again: connections and tokens go on.
/// let again = Config::from_file("callgate.yaml")?.build(&Environment::new(), Some(&built)).await?;
/// assert!(again.shares_credentials_with(&built));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Built {
    /// Runs the calls.
    pub executor: Executor,
    /// One entry a toolset, in the order of the configuration.
    pub toolsets: Vec<BuiltToolset>,
    /// The addresses and bounds of a sidecar.
    #[doc(hidden)]
    pub serving: ServingConfig,
    /// Whom a sidecar lets in; none for everybody who reaches it, and in a process that does not serve.
    #[doc(hidden)]
    pub access: Option<BuiltAccess>,
    /// The session values that credentials read, which are credentials themselves: they are shown nowhere.
    pub session_secrets: Vec<SessionName>,
    /// The way answers of requests with an idempotency key are kept; the usual bounds where the configuration says nothing.
    #[doc(hidden)]
    pub idempotency: RecordBounds,
    /// The sidecar's settings for sessions, as the configuration says.
    #[doc(hidden)]
    pub sessions: SessionsConfig,
    /// The listing of tools over MCP, as the configuration says.
    #[doc(hidden)]
    pub mcp: McpConfig,
    /// The secrets of this machine that are named and not there, in a process that serves.
    pub missing_secrets: Vec<SecretReference>,
    /// The logins that are missing or cannot be used, in a process that serves: each says by which command a person logs in.
    pub missing_logins: Vec<String>,
    /// The facts worth knowing about the configuration.
    pub warnings: Vec<Finding>,
    /// The way a sidecar keeps up with its files.
    #[doc(hidden)]
    pub reload: ReloadConfig,
    /// The secrets that the configuration names, each once.
    pub named_secrets: Vec<SecretReference>,
    /// The transport to the servers of each toolset, by its name.
    pub(super) ways: Vec<(String, Arc<dyn Transport>)>,
    pub(super) kept: Reusable,
    pub(super) files: BTreeSet<PathBuf>,
}

impl Built {
    /// Returns true if every credential goes on from another build, with the tokens it keeps. A build that follows
    /// another one tells so what a reload cost.
    pub fn shares_credentials_with(&self, other: &Self) -> bool {
        let made = &self.kept.authenticators;
        made.iter().all(|one| other.kept.authenticators.iter().any(|known| known.is(one)))
    }

    /// The files that were read, or should have been: the configuration's own, descriptions, overlays, documents they
    /// refer to, certificates, recordings. A change of one may change the next build.
    pub fn files(&self) -> &BTreeSet<PathBuf> {
        &self.files
    }

    /// Returns true if a description comes from an address, so that it may change unseen.
    pub fn has_addresses(&self) -> bool {
        !self.kept.fetched.is_empty()
    }

    /// Asks the addresses of descriptions whether there are other versions by now. One that does not answer has none.
    pub async fn is_outdated(&self) -> bool {
        for fetched in &self.kept.fetched {
            if fetched.is_outdated().await {
                return true;
            }
        }
        false
    }

    /// The file that calls are written down in, with the calls that an earlier process left open; none without the key
    /// `audit`.
    pub fn audit(&self) -> Option<&Arc<Audit>> {
        self.kept.policy.audit.as_ref()
    }

    /// The facts that are known of calls by their idempotency keys; none without the key `idempotency`.
    pub fn idempotency(&self) -> Option<&Arc<Idempotency>> {
        self.kept.policy.idempotency.as_ref()
    }

    /// The secret behind a reference that stands in the configuration, as it is now.
    ///
    /// # Errors
    /// As [`SecretStore::get`].
    pub async fn own_secret(&self, reference: &SecretReference) -> Result<Secret, SecretError> {
        self.kept.stores.get(reference).await
    }

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
            SecretReference::File { .. } => {
                self.kept.stores.or_stand_in(LocalStores::new(base).get(reference).await)
            }
            _ => self.kept.stores.get(reference).await,
        }
    }
}

/// The way one description was taken.
///
/// ```
/// use callgate_config::{BuiltToolset, Config, Description, Environment, ServerUrl, ToolsetConfig};
/// use callgate_openapi::OperationStatus;
///
/// let text = "
/// openapi: 3.1.0
/// info: {title: Pets, version: '1'}
/// paths: {/pets: {get: {}}}";
/// let server = ServerUrl::new("https://api.example.com")?;
/// let pets = ToolsetConfig::new(Description::text(text)).with_server(server);
/// let built = Config::new().with_toolset(pets).build_blocking(&Environment::new(), None)?;
/// let BuiltToolset { version, report, .. } = &built.toolsets[0];
/// assert_eq!(version, "3.1.0");
/// assert_eq!(report.count(OperationStatus::Refused), 0);
/// assert!(built.toolsets[0].failure().is_none());
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltToolset {
    /// The toolset's name; empty for a bare description.
    pub name: String,
    /// The description's file, or its address without a query; empty for a text of a program.
    pub file: PathBuf,
    /// The version it says it is written in: `3.0.3`; empty when it could not be read.
    pub version: String,
    /// The fate of each operation. Its diagnostics have no positions yet: [`BuiltToolset::locate`] finds them.
    pub report: Report,
    /// The operations that are offered: `Report::examine` builds their schemas and adds what it finds.
    #[doc(hidden)]
    pub operations: Vec<Arc<Operation>>,
    /// The description before and after its overlays, where there are any.
    #[doc(hidden)]
    pub overlaid: Option<Overlaid>,
    /// True if the operator says that nothing is served without it.
    pub is_required: bool,
    /// The reason why the description of an earlier build is in use: its address does not answer.
    pub stale: Option<String>,
    /// The reason why the text of the description could not be had.
    pub(super) unreadable: Option<String>,
    pub(super) text: Option<Arc<[u8]>>,
    /// More of the file is not read.
    pub(super) most_bytes: usize,
}

/// The parts that a later build takes over, where its settings are the same.
#[derive(Debug)]
pub(super) struct Reusable {
    pub(super) authenticators: Vec<Made>,
    pub(super) directories: Vec<Directory>,
    pub(super) network: Network,
    pub(super) policy: Policy,
    pub(super) stores: Arc<Stores>,
    pub(super) fetched: Vec<Fetched>,
}

impl BuiltToolset {
    /// The reason why there are no tools: the description cannot be had, or is none.
    pub fn failure(&self) -> Option<&str> {
        let first = || self.report.diagnostics.first().map(|first| first.message.as_str());
        let is_none = self.version.is_empty();
        let unread = || is_none.then(|| first().unwrap_or("expected an OpenAPI description"));
        self.unreadable.as_deref().or_else(unread)
    }

    /// The text of the description.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn text(&self) -> io::Result<Vec<u8>> {
        match &self.text {
            Some(text) => Ok(text.to_vec()),
            None => beginning(&self.file, self.most_bytes),
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
