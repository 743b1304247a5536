//! The keys that sign a request: named by the operator, or found where AWS puts them for a process. They are kept for a
//! while, and read again when a service rejects them.

use std::{sync::Arc, time::Duration};

use callgate_secret::{
    Error, ErrorKind, SecretReference, SecretStore,
    single_flight::{Lasting, Life, Pace, SingleFlight},
};
use callgate_transport::Transport;

use super::{access_key::AwsKeys, finder::Finder, metadata, web_identity};

/// The source of the keys.
///
/// ```
/// # use std::sync::Arc;
/// #
/// use callgate_secret::{Error, LocalStores};
/// use callgate_store::aws::{AwsKeySource, KeySource, NamedKeys};
/// # use callgate_transport::Transport;
///
/// # async fn keys(named: Option<NamedKeys>, transport: Arc<dyn Transport>) -> Result<(), Error> {
/// let source = match named {
///     Some(named) => KeySource::Named(Box::new(named)),
///     None => KeySource::Environment { region: "eu-west-1".to_owned() },
/// };
/// let source = AwsKeySource::new(source, Arc::new(LocalStores::new(".")), transport);
/// println!("signed with {:?}", source.keys().await?.access_key_id);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "named or found, there is no third way")]
pub enum KeySource {
    /// The places where AWS puts keys, in this order: the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
    /// `AWS_SESSION_TOKEN`; a web identity (`AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`, which EKS sets); a
    /// container's endpoint (`AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `_FULL_URI`, which ECS and EKS set); the
    /// instance's metadata, version 2 (unless `AWS_EC2_METADATA_DISABLED` is `true`). Shared profiles are not read.
    Environment {
        /// The region of the token service.
        region: String,
    },
    /// The secrets that the operator names.
    Named(Box<NamedKeys>),
}

/// References to the parts of the operator's access key.
///
/// ```
/// # use std::sync::Arc;
/// #
/// # use callgate_secret::LocalStores;
/// use callgate_store::aws::{AwsKeySource, KeySource, NamedKeys};
/// # use callgate_transport::Refuse;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("id"), "AKIDEXAMPLE")?;
/// # std::fs::write(folder.path().join("key"), "s3cr3t")?;
/// # let (local, transport) = (Arc::new(LocalStores::new(folder.path())), Arc::new(Refuse::new()));
/// let named = NamedKeys {
///     access_key_id: "file:id".parse()?,
///     secret_access_key: "file:key".parse()?,
///     session_token: None,
/// };
/// let source = AwsKeySource::new(KeySource::Named(Box::new(named)), local, transport);
/// assert_eq!(source.keys().await?.access_key_id.expose(), "AKIDEXAMPLE");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NamedKeys {
    /// The access key's id.
    pub access_key_id: SecretReference,
    /// The secret key.
    pub secret_access_key: SecretReference,
    /// The session token that makes a temporary key valid.
    pub session_token: Option<SecretReference>,
}

/// Finds keys and keeps them for a while.
#[derive(Debug)]
pub struct AwsKeySource {
    source: KeySource,
    finder: Finder,
    held: SingleFlight<AwsKeys, Error>,
}

impl AwsKeySource {
    /// A source that reads variables and files through `local` and requests keys from endpoints over `transport`.
    /// Creating it reads and sends nothing.
    pub fn new(
        source: KeySource,
        local: Arc<dyn SecretStore>,
        transport: Arc<dyn Transport>,
    ) -> Self {
        Self { source, finder: Finder { local, transport }, held: SingleFlight::new(PACE) }
    }

    /// The current keys.
    ///
    /// # Errors
    /// The errors of [`SecretStore::get`]; `NotFound` if no source has keys.
    pub async fn keys(&self) -> Result<AwsKeys, Error> {
        self.held.get(&(), async |_| self.find_keys().await).await
    }

    /// Other keys than `rejected`, which a service rejected; `None` if there are no others.
    ///
    /// # Errors
    /// The errors of [`AwsKeySource::keys`].
    pub async fn keys_other_than(&self, rejected: &AwsKeys) -> Result<Option<AwsKeys>, Error> {
        self.held.forget_if(|held| held.value.is_same(rejected));
        let keys = self.keys().await?;
        Ok((!keys.is_same(rejected)).then_some(keys))
    }

    async fn find_keys(&self) -> Result<(AwsKeys, Life), Error> {
        match &self.source {
            KeySource::Named(named) => {
                let local = &self.finder.local;
                let session_token = match &named.session_token {
                    Some(reference) => Some(local.get(reference).await?),
                    None => None,
                };
                let access_key_id = local.get(&named.access_key_id).await?;
                let secret_access_key = local.get(&named.secret_access_key).await?;
                Ok((
                    AwsKeys { access_key_id, secret_access_key, session_token },
                    Life::from_duration(Duration::ZERO),
                ))
            }
            KeySource::Environment { region } => {
                find_keys_by_default_chain(&self.finder, region).await
            }
        }
    }
}

async fn find_keys_by_default_chain(
    finder: &Finder,
    region: &str,
) -> Result<(AwsKeys, Life), Error> {
    if let Some(access_key_id) = finder.read_nonempty_variable("AWS_ACCESS_KEY_ID").await? {
        let secret_access_key = finder.read_nonempty_variable("AWS_SECRET_ACCESS_KEY").await?;
        let secret_access_key = secret_access_key.ok_or_else(no_keys_error)?;
        let session_token = finder.read_nonempty_variable("AWS_SESSION_TOKEN").await?;
        return Ok((
            AwsKeys { access_key_id, secret_access_key, session_token },
            Life::from_duration(Duration::ZERO),
        ));
    }
    if let Some(keys) = web_identity::web_identity_keys(finder, region).await? {
        return Ok((keys, Life::from_duration(WEB_IDENTITY_LIFE)));
    }
    if let Some(keys) = metadata::container_keys(finder).await? {
        return Ok((keys, Life::from_duration(METADATA_LIFE)));
    }
    let keys = metadata::instance_keys(finder).await?;
    keys.map(|keys| (keys, Life::from_duration(METADATA_LIFE))).ok_or_else(no_keys_error)
}

fn no_keys_error() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "there are no keys of AWS: neither in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, nor by \
         `AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`, nor from a container's endpoint or the instance's metadata; \
         shared profiles are not read",
    )
}

/// No pause after a failure: the reader of secrets, which uses these keys, pauses after a store failed.
const PACE: Pace =
    Pace { pause: Duration::ZERO, stale: Duration::ZERO, lasting: Lasting::Withdraws };

/// We request keys for one hour: `DurationSeconds`.
const WEB_IDENTITY_LIFE: Duration = Duration::from_mins(45);

/// New keys are available at least five minutes before the old ones expire (Amazon EC2 User Guide, "Retrieve security
/// credentials"), and reading them costs one request within the machine.
const METADATA_LIFE: Duration = Duration::from_mins(4);

#[cfg(test)]
mod tests;
