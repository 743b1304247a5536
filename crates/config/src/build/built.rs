//! The result of a build: a ready executor, reports on its descriptions, and the parts that a later build reuses.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_executor::Executor;
use callgate_kind::{KeptToolset, OpenedSource};
use callgate_openapi::{Operation, Overlaid, Report};
use callgate_policy::{Approvals, Audit, Idempotency, RecordBounds, Webhook};
use callgate_secret::{Error as SecretError, LocalStores, Secret, SecretReference, SecretStore};
use callgate_session::Store;
use callgate_settings::{ConfigDigest, Finding, file_beginning};
use callgate_tool::SessionName;
use callgate_transport::{Network, Transport};
use callgate_tree::Diagnostic;

use super::{
    access::BuiltAccess, agents::BuiltAgent, authenticators::MadeAuthenticator, connect::Directory,
    policy::Policy, remote_description::FetchedDescription, stores::Stores, webhook::Notified,
};
use crate::{
    mcp::McpConfig,
    observe::{ReloadConfig, TelemetryConfig},
    serving::ServingConfig,
    sessions::SessionsConfig,
    state::StateConfig,
    unused_option::UnusedOption,
};

/// A ready executor, and the results of reading its descriptions.
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
    /// The executor that runs the calls.
    pub executor: Executor,
    /// One entry for each toolset with a description, in the order of the configuration.
    pub toolsets: Vec<BuiltToolset>,
    /// The sources of toolsets that may be away, or whose contents change.
    #[doc(hidden)]
    pub sources: Vec<OpenedSource>,
    /// The addresses and limits of a sidecar.
    #[doc(hidden)]
    pub serving: ServingConfig,
    /// The callers that a sidecar accepts. `None` if it accepts everybody who reaches it, and in a process that does
    /// not serve.
    #[doc(hidden)]
    pub access: Option<BuiltAccess>,
    /// The agents, in the order of their names.
    #[doc(hidden)]
    pub agents: Vec<BuiltAgent>,
    /// The session values that credentials read. They are credentials themselves: they are never shown.
    pub session_secrets: Vec<SessionName>,
    /// The limits on kept responses of requests with an idempotency key; the defaults if the configuration sets none.
    #[doc(hidden)]
    pub idempotency: RecordBounds,
    /// The sidecar's configured settings for sessions.
    #[doc(hidden)]
    pub sessions: SessionsConfig,
    /// The configured place of a sidecar's state.
    #[doc(hidden)]
    pub state_config: Option<StateConfig>,
    /// The configured listing of tools over MCP.
    #[doc(hidden)]
    pub mcp: McpConfig,
    /// The configured collector of a sidecar's traces.
    #[doc(hidden)]
    pub telemetry: TelemetryConfig,
    /// The secrets of this machine that are named but missing, in a process that serves.
    pub missing_secrets: Vec<SecretReference>,
    /// The missing or unusable logins, in a process that serves: each names the command by which a person logs in.
    pub missing_logins: Vec<String>,
    /// The findings about missing secrets and logins, in a process that serves or examines what would be served.
    #[doc(hidden)]
    pub lacking: Vec<Finding>,
    /// Noteworthy findings about the configuration.
    pub warnings: Vec<Finding>,
    /// The way a sidecar reacts to changes of its files.
    #[doc(hidden)]
    pub reload: ReloadConfig,
    /// The secrets that the configuration names, without repetitions.
    pub named_secrets: Vec<SecretReference>,
    /// The options that some toolsets have no use for.
    #[doc(hidden)]
    pub unused_options: Vec<UnusedOption>,
    /// The folder that relative paths of the configuration start at.
    #[doc(hidden)]
    pub base: PathBuf,
    /// The file that findings about the configuration name.
    pub(super) origin: PathBuf,
    /// The transport to the servers of each toolset, by the toolset's name.
    pub(super) ways: Vec<(String, Arc<dyn Transport>)>,
    /// The origins of services that tools without descriptions need, with the ways there.
    pub(super) services: Vec<(String, Arc<dyn Transport>)>,
    /// The service that learns of calls that wait for an approval.
    pub(super) notified: Option<Notified>,
    pub(super) kept: Reusable,
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) digest: ConfigDigest,
}

impl Built {
    /// Returns true if every credential is reused from another build, with the tokens it keeps. A build after a reload
    /// can thus report the cost of the reload.
    pub fn shares_credentials_with(&self, other: &Self) -> bool {
        let made = &self.kept.authenticators;
        made.iter().all(|one| {
            other
                .kept
                .authenticators
                .iter()
                .any(|other_authenticator| other_authenticator.is_same(one))
        })
    }

    /// The files that were read, or should have been: the configuration's own, descriptions, overlays, documents they
    /// refer to, certificates, recordings. A change to one of them may change the next build.
    pub fn files(&self) -> &BTreeSet<PathBuf> {
        &self.files
    }

    /// A digest of the texts that the build read: the configuration, descriptions with what they refer to, overlays. Builds
    /// with the same digest serve the same tools, unless a program or a variable of the environment makes a difference.
    #[doc(hidden)]
    pub fn digest(&self) -> ConfigDigest {
        self.digest
    }

    /// Returns true if a description comes from an address, so that it may change unnoticed.
    pub fn has_addresses(&self) -> bool {
        !self.kept.fetched.is_empty()
    }

    /// Requests the descriptions at addresses again, and returns true if one has changed. An address that does not
    /// respond counts as unchanged.
    pub async fn is_outdated(&self) -> bool {
        for fetched in &self.kept.fetched {
            if fetched.is_outdated().await {
                return true;
            }
        }
        false
    }

    /// The store of what outlives a call; `None` where each part keeps it in memory.
    #[doc(hidden)]
    pub fn state_store(&self) -> Option<&Arc<dyn Store>> {
        self.kept.policy.state.as_ref()
    }

    /// The audit file of calls, with the calls that an earlier process left open; `None` without the key `audit`.
    pub fn audit(&self) -> Option<&Arc<Audit>> {
        self.kept.policy.audit.as_ref()
    }

    /// The calls that wait for an approval; `None` where no call needs one.
    pub fn approvals(&self) -> Option<&Arc<Approvals>> {
        self.kept.policy.approvals.as_ref()
    }

    /// The webhook of approvals; `None` in a process that does not serve.
    #[doc(hidden)]
    pub fn webhook(&self) -> Option<&Webhook> {
        self.kept.policy.webhook.as_ref()
    }

    /// Directs the webhook to the service of this configuration, once it is certain that the configuration holds.
    pub(super) fn set_webhook_target(&self, target: Option<callgate_policy::WebhookTarget>) {
        if let Some(webhook) = self.webhook() {
            webhook.set_target(target);
        }
    }

    /// The records of calls by their idempotency keys; `None` without the key `idempotency`.
    pub fn idempotency(&self) -> Option<&Arc<Idempotency>> {
        self.kept.policy.idempotency.as_ref()
    }

    /// The current secret behind a reference in the configuration.
    ///
    /// # Errors
    /// The errors of [`SecretStore::get`].
    pub async fn own_secret(&self, reference: &SecretReference) -> Result<Secret, SecretError> {
        self.kept.stores.get(reference).await
    }

    /// The secret behind a reference that the operator writes outside the configuration, such as in the `credentials`
    /// of a session file. Relative paths of `file:` start at `base`; other secrets come from the configuration's
    /// stores.
    ///
    /// # Errors
    /// The errors of [`SecretStore::get`].
    pub async fn secret(
        &self,
        reference: &SecretReference,
        base: &Path,
    ) -> Result<Secret, SecretError> {
        match reference {
            SecretReference::File { .. } if self.kept.stores.may_read(reference) => {
                self.kept.stores.secret_or_mask(LocalStores::new(base).get(reference).await)
            }
            _ => self.kept.stores.get(reference).await,
        }
    }
}

/// The result of reading one description.
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
    /// The description's file, or its address without a query; empty for a text that a program supplies.
    pub file: PathBuf,
    /// The version that the description declares: `3.0.3`; empty if the description could not be read.
    pub version: String,
    /// The status of each operation. The diagnostics have no positions yet: [`BuiltToolset::locate`] finds them.
    pub report: Report,
    /// The offered operations: `Report::examine` builds their schemas and adds its findings.
    #[doc(hidden)]
    pub operations: Vec<Arc<Operation>>,
    /// The description before and after its overlays, if there are any.
    #[doc(hidden)]
    pub overlaid: Option<Overlaid>,
    /// True if the operator requires the toolset: without it nothing is served.
    pub is_required: bool,
    /// The reason why the description of an earlier build is in use: its address does not respond.
    pub stale: Option<String>,
    /// The reason why the text of the description is not available.
    pub(super) unreadable: Option<String>,
    pub(super) text: Option<Arc<[u8]>>,
    /// The size limit for reading the file.
    pub(super) most_bytes: usize,
}

/// The parts that a later build reuses if their settings are equal.
#[derive(Debug)]
pub(super) struct Reusable {
    pub(super) authenticators: Vec<MadeAuthenticator>,
    pub(super) directories: Vec<Directory>,
    pub(super) network: Network,
    pub(super) policy: Policy,
    pub(super) stores: Arc<Stores>,
    pub(super) fetched: Vec<FetchedDescription>,
    pub(super) kinds: Vec<KeptToolset>,
}

impl BuiltToolset {
    /// The reason why there are no tools: the description is not available, or the text is not a description.
    pub fn failure(&self) -> Option<&str> {
        let first = || self.report.diagnostics.first().map(|first| first.message.as_str());
        let is_none = self.version.is_empty();
        let unread = || is_none.then(|| first().unwrap_or("expected an OpenAPI description"));
        self.unreadable.as_deref().or_else(unread)
    }

    /// The text of the description.
    ///
    /// # Errors
    /// The file can no longer be read.
    pub fn text(&self) -> io::Result<Vec<u8>> {
        match &self.text {
            Some(text) => Ok(text.to_vec()),
            None => file_beginning(&self.file, self.most_bytes),
        }
    }

    /// Finds the positions of diagnostics in `text`, the description's own. A node that an overlay added has none.
    pub fn locate(&self, text: &[u8], diagnostics: &mut [Diagnostic]) {
        match &self.overlaid {
            Some(overlaid) => overlaid.fill_original_positions(text, diagnostics),
            None => callgate_tree::fill_positions(text, diagnostics),
        }
    }
}
