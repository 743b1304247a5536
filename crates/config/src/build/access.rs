//! From `access:` to the data that authenticates callers: tokens are read, and issuers get a transport for requesting
//! their keys. No request is sent to an issuer here: an unreachable issuer locks out no other callers.

use std::{sync::Arc, time::Duration};

use callgate_kind::KindCode;
use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_settings::Reader;
use callgate_transport::{Client, ClientSettings, Network, TlsSettings, Transport};

use crate::serving::{AccessConfig, AltName, IssuerConfig, PrincipalConfig, Rights, Token};

/// The callers that a sidecar accepts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltAccess {
    /// Principals that are named in the configuration.
    pub principals: Vec<BuiltPrincipal>,
    /// Issuers whose subjects are principals.
    pub issuers: Vec<BuiltIssuer>,
}

impl BuiltAccess {
    /// True if a caller may have the rights of an operator.
    pub fn has_admin(&self) -> bool {
        self.principals.iter().any(|principal| principal.rights.is_admin)
            || self.issuers.iter().any(|issuer| issuer.config.rights.is_admin)
    }
}

/// A principal that is named in the configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltPrincipal {
    /// A unique id.
    pub id: String,
    /// The tokens of the principal; each of them is accepted.
    pub tokens: Vec<Secret>,
    /// The name in the principal's certificate (SAN).
    pub certificate: Option<AltName>,
    /// The toolsets and rights of the principal.
    pub rights: Rights,
}

/// An issuer, and the transport to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltIssuer {
    /// The settings of the issuer.
    pub config: IssuerConfig,
    /// The transport for requests to the issuer.
    pub transport: Arc<dyn Transport>,
    tls: TlsSettings,
}

#[derive(Debug)]
pub(super) struct Sources<'a> {
    pub(super) secrets: Arc<dyn SecretStore>,
    pub(super) network: &'a Network,
    pub(super) own: Option<Arc<dyn Transport>>,
    /// The default TLS settings of connections.
    pub(super) tls: TlsSettings,
}

/// Two values are equal if their settings and connections are: then data fetched for one is valid for the other.
impl PartialEq for BuiltIssuer {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config && self.tls == other.tls
    }
}

/// Reads every token and prepares the transport to every issuer.
pub(super) async fn build_access(
    reader: &mut Reader,
    config: &AccessConfig,
    sources: &Sources<'_>,
) -> BuiltAccess {
    let mut principals = Vec::new();
    for principal in &config.principals {
        principals.push(build_principal(reader, principal, &sources.secrets).await);
    }
    BuiltAccess { principals, ..build_issuer_access(config, sources) }
}

/// Prepares the transport to every issuer, and reads no token.
pub(super) fn build_issuer_access(config: &AccessConfig, sources: &Sources<'_>) -> BuiltAccess {
    let issuers = config.issuers.iter().map(|config| build_issuer(config, sources)).collect();
    BuiltAccess { principals: Vec::new(), issuers }
}

async fn build_principal(
    reader: &mut Reader,
    config: &PrincipalConfig,
    secrets: &Arc<dyn SecretStore>,
) -> BuiltPrincipal {
    let mut tokens = Vec::new();
    for token in &config.tokens {
        match read_token(token, secrets).await {
            Ok(secret) => tokens.push(secret),
            Err(message) => {
                let help = token_remedy(&token.secret);
                reader.report_fault(KindCode::Secret, &token.pointer, message, help);
            }
        }
    }
    let PrincipalConfig { id, certificate, rights, .. } = config.clone();
    BuiltPrincipal { id, tokens, certificate, rights }
}

/// The way to make a token where `reference` says that it is.
fn token_remedy(reference: &SecretReference) -> String {
    match reference.environment() {
        Some(name) => {
            format!("callers show this token: `export {name}=$(openssl rand -hex 32)` makes one")
        }
        None => format!(
            "callers show this token: write one of 32 characters or more where `{reference}` says"
        ),
    }
}

async fn read_token(token: &Token, secrets: &Arc<dyn SecretStore>) -> Result<Secret, String> {
    let secret = tokio::time::timeout(TIMEOUT, secrets.get(&token.secret)).await;
    let secret = secret.map_err(|_| "the secret store does not answer".to_owned())?;
    let secret = secret.map_err(|error| error.to_string())?;
    // A text that is not a token cannot be sent by any caller; an empty one can be sent by every caller.
    let length = secret.expose_as_token().map_err(|error| error.to_string())?.len();
    if length < SHORTEST {
        return Err(format!("expected a token of {SHORTEST} characters at least, got: {length}"));
    }
    Ok(secret)
}

fn build_issuer(config: &IssuerConfig, sources: &Sources<'_>) -> BuiltIssuer {
    let tls = sources.tls.clone();
    let transport = sources.own.clone().unwrap_or_else(|| {
        let settings = ClientSettings { tls: tls.clone(), ..ClientSettings::default() };
        Arc::new(Client::over_network(sources.network, settings))
    });
    BuiltIssuer { config: config.clone(), transport, tls }
}

/// The timeout of a store; a slower one counts as unavailable.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The minimum length of a token; shorter ones can be guessed.
const SHORTEST: usize = 16;
