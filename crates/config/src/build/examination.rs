//! Tests everything that calls will need, without a call: every named secret, every token, a connection to every
//! server. The results contain references, kinds and origins, never a value.

use std::{error::Error as StdError, sync::Arc, time::Duration};

use bytes::Bytes;
use callgate_auth::{AuthConfig, AuthContext, CredentialSource, TokenEndpoint};
use callgate_kind::message_with_root_cause;
use callgate_openapi::Server;
use callgate_policy::{WebhookKey, WebhookTarget};
use callgate_secret::{Secret, SecretReference};
use callgate_session::Sealer;
use callgate_tool::{NamedBy, Session};
use callgate_transport::{Refuse, Transport};
use http::{Request, Uri};
use tokio::time::{Instant, timeout};
use url::Url;

use super::{built::Built, webhook::Notified};

/// The result of one test.
#[derive(Debug)]
#[non_exhaustive]
pub struct Examined {
    /// The tested thing.
    pub subject: Subject,
    /// What came, if that is worth knowing.
    pub came: Option<String>,
    /// The reason why calls that need it fail; `None` if the test succeeded.
    pub fault: Option<String>,
    /// The duration of the test.
    pub took: Duration,
}

/// A thing that calls need.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Subject {
    /// The collector of traces, by the address that spans go to.
    Collector(String),
    /// A credential that another server issues, by its kind and that server.
    Credential(String),
    /// An issuer of callers' tokens, by its name.
    Issuer(String),
    /// A secret, by its reference.
    Secret(String),
    /// The use of a secret that was read, by its reference.
    SecretUse(String),
    /// A server, by its origin.
    Server(String),
    /// A credential that each session supplies.
    SessionCredential(String),
    /// The service that learns of calls that wait for an approval, by its origin: its path may be confidential.
    Webhook(String),
    /// The store of `state`, by its file or its address.
    State(String),
}

impl Built {
    /// Tests every secret, every credential, every server and the store of state, one after another.
    #[doc(hidden)]
    pub async fn examine(&self) -> Vec<Examined> {
        let mut all = Vec::new();
        for reference in &self.named_secrets {
            all.push(self.examine_secret(reference).await);
        }
        self.examine_credentials(&mut all).await;
        for (origin, server, transport) in self.distinct_origins_with_transports() {
            let subject = Subject::Server(origin.clone());
            let uri = format!("{origin}/").parse().unwrap_or_default();
            all.push(
                examine_without_answer(subject, transport.connect(&uri, server.named_by)).await,
            );
        }
        for (origin, transport) in &self.services {
            let uri = format!("{origin}/").parse().unwrap_or_default();
            let connected = transport.connect(&uri, NamedBy::Operator);
            all.push(examine_without_answer(Subject::Server(origin.clone()), connected).await);
        }
        if let Some(Notified { target: WebhookTarget { url, transport, .. }, .. }) = &self.notified
        {
            let origin = url.origin().ascii_serialization();
            let uri = format!("{origin}/").parse().unwrap_or_default();
            let connected = transport.connect(&uri, NamedBy::Operator);
            all.push(examine_without_answer(Subject::Webhook(origin), connected).await);
        }
        if let Some(trial) = &self.kept.policy.trial {
            let (name, trying) = trial.begin_trial();
            all.push(examine_subject(Subject::State(name), trying).await);
        }
        all
    }

    /// Reads a secret, and tests one that can be read the way it is used.
    async fn examine_secret(&self, reference: &SecretReference) -> Examined {
        let subject = Subject::Secret(reference.to_string());
        let read = examine_without_answer(subject, self.own_secret(reference)).await;
        if read.fault.is_some() {
            return read;
        }
        let subject = Subject::SecretUse(reference.to_string());
        let used = examine_with_timeout(subject, self.check_secret_use(reference)).await;
        if used.fault.is_some() { used } else { read }
    }

    /// Tests a secret the way it is used: to sign for the webhook, to seal state, as a credential.
    ///
    /// # Errors
    /// The fault of the secret.
    async fn check_secret_use(
        &self,
        reference: &SecretReference,
    ) -> Result<Option<String>, String> {
        let secret =
            self.own_secret(reference).await.map_err(|error| message_with_root_cause(&error))?;
        self.check_secret_as_key(reference, &secret)?;
        let stores = Arc::clone(&self.kept.stores);
        let context = AuthContext::new(stores, Arc::new(Refuse::new()));
        for credential in self.credentials_with_only_secret(reference) {
            let authenticator = credential.build(&context).map_err(|error| error.to_string())?;
            let (mut request, session) = (placeholder_request(), Session::default());
            let authorized = authenticator.authorize(&mut request, &session).await;
            authorized.map_err(|error| message_with_root_cause(&error))?;
        }
        Ok(None)
    }

    /// Tests a secret as a key, where it is one: of signatures for the webhook, or of sealed state.
    fn check_secret_as_key(
        &self,
        reference: &SecretReference,
        secret: &Secret,
    ) -> Result<(), String> {
        let mut signing = self.notified.iter().flat_map(|service| &service.secrets);
        if signing.any(|signing_reference| signing_reference == reference) {
            WebhookKey::new(secret).map_err(|error| error.to_string())?;
        }
        let states = self.state_config.iter();
        let mut sealing = states.flat_map(|state| state.key.iter().chain(&state.old_keys));
        if sealing.any(|sealing_reference| sealing_reference == reference) {
            Sealer::with_key(secret).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The credentials of toolsets and models that need this secret and no other server, each with this secret alone.
    fn credentials_with_only_secret(&self, reference: &SecretReference) -> Vec<AuthConfig> {
        let authenticators = self.kept.authenticators.iter();
        let toolset_credentials = authenticators.map(|made| made.settings_and_authenticator().0);
        let model_credentials = self.agents.iter().map(|agent| &agent.model.config.auth);
        let credentials = toolset_credentials.chain(model_credentials);
        credentials
            .filter_map(|credential| credential_with_only_secret(credential, reference))
            .collect()
    }

    async fn examine_credentials(&self, all: &mut Vec<Examined>) {
        for made in &self.kept.authenticators {
            let (config, authenticator) = made.settings_and_authenticator();
            let Some(name) = issued_credential_name(config) else { continue };
            let subject = match authenticator.session_parameter() {
                Some(place) => Subject::SessionCredential(place),
                None => Subject::Credential(name),
            };
            if all.iter().any(|examination| examination.subject == subject) {
                continue;
            }
            if matches!(subject, Subject::SessionCredential(_)) {
                all.push(Examined { subject, came: None, fault: None, took: Duration::ZERO });
                continue;
            }
            let mut request = placeholder_request();
            let session = Session::default();
            all.push(
                examine_without_answer(subject, authenticator.authorize(&mut request, &session))
                    .await,
            );
        }
    }

    /// The servers of all operations with their transports, each origin once per party that named it.
    fn distinct_origins_with_transports(&self) -> Vec<(String, &Server, &Arc<dyn Transport>)> {
        let reached = self.toolsets.iter().filter_map(|toolset| {
            let way = self.ways.iter().find(|(name, _)| *name == toolset.name);
            way.map(|(_, transport)| (toolset, transport))
        });
        // Operations without a server are a finding of their description.
        let all = reached.flat_map(|(toolset, transport)| {
            toolset.operations.iter().map(move |operation| (&*operation.server, transport))
        });
        let mut servers: Vec<(String, &Server, &Arc<dyn Transport>)> = Vec::new();
        for (server, transport) in all.filter(|(server, _)| !server.is_missing) {
            let origin = server.url.origin().ascii_serialization();
            let is_same = |(entry, other): (&String, &Server)| {
                *entry == origin && other.named_by == server.named_by
            };
            if !servers.iter().any(|(entry, other, _)| is_same((entry, other))) {
                servers.push((origin, server, transport));
            }
        }
        servers
    }
}

/// Tests one thing of a sidecar, for as long as a person would wait: what came, or the reason why calls fail.
#[doc(hidden)]
pub async fn examine_subject(
    subject: Subject,
    trying: impl Future<Output = Result<String, String>>,
) -> Examined {
    examine_with_timeout(subject, async { trying.await.map(Some) }).await
}

/// Tests one thing, for as long as a person would wait: what came, if that is worth knowing.
async fn examine_with_timeout(
    subject: Subject,
    trying: impl Future<Output = Result<Option<String>, String>>,
) -> Examined {
    let started = Instant::now();
    let ended = timeout(MOST_TIME, trying).await.unwrap_or_else(|_| Err(SLOW.to_owned()));
    let (came, fault) = match ended {
        Ok(came) => (came, None),
        Err(fault) => (None, Some(fault)),
    };
    Examined { subject, came, fault, took: started.elapsed() }
}

/// Tests one thing, for as long as a person would wait.
async fn examine_without_answer<T, E: StdError + 'static>(
    subject: Subject,
    trying: impl Future<Output = Result<T, E>>,
) -> Examined {
    let trying =
        async { trying.await.map(|_| None).map_err(|error| message_with_root_cause(&error)) };
    examine_with_timeout(subject, trying).await
}

/// A request that shows where a credential goes.
fn placeholder_request() -> Request<Bytes> {
    let mut request = Request::new(Bytes::new());
    *request.uri_mut() = Uri::from_static("https://server.invalid/");
    request
}

/// The credential with a usable text for its other secret; `None` if it does not have this one, or needs a server.
fn credential_with_only_secret(
    config: &AuthConfig,
    reference: &SecretReference,
) -> Option<AuthConfig> {
    let usable = || SecretReference::literal(Secret::new("usable".to_owned()));
    match config {
        AuthConfig::ApiKey { value, .. } if value == reference => Some(config.clone()),
        AuthConfig::Basic { username, .. } if username == reference => {
            Some(AuthConfig::Basic { username: username.clone(), password: usable() })
        }
        AuthConfig::Basic { password, .. } if password == reference => {
            Some(AuthConfig::Basic { username: usable(), password: password.clone() })
        }
        AuthConfig::Bearer { token: CredentialSource::Secret(token) } if token == reference => {
            Some(config.clone())
        }
        _ => None,
    }
}

/// The name of a credential that another server issues; `None` if the credential is only its secrets.
fn issued_credential_name(config: &AuthConfig) -> Option<String> {
    match config {
        AuthConfig::OAuth2(config) => Some(match &config.endpoint {
            TokenEndpoint::DescribedUrl(url)
            | TokenEndpoint::Issuer(url)
            | TokenEndpoint::Url(url) => {
                format!("{} of {}", config.name, url_origin(url))
            }
            _ => config.name.clone(),
        }),
        AuthConfig::Google { .. } => Some("a token of a Google account".to_owned()),
        AuthConfig::AwsSigV4 { scope, .. } => Some(format!("keys of AWS for {}", scope.service)),
        AuthConfig::Own(_) => Some("a credential of the program's own".to_owned()),
        // Its secret is tested separately; a session's token cannot be tested.
        AuthConfig::Bearer { token: CredentialSource::Secret(_) } => None,
        AuthConfig::Bearer { .. } => Some(String::new()),
        _ => None,
    }
}

/// The origin of an address: a query may contain confidential data.
fn url_origin(url: &str) -> String {
    url.parse::<Url>().map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

/// The time limit for one test, as long as a person would wait.
const MOST_TIME: Duration = Duration::from_secs(15);

const SLOW: &str = "nothing came within 15 seconds";
