//! From `access:` to what callers are let in by: tokens are read, and issuers get a way to be asked for their keys. No
//! issuer is asked here: one that cannot be reached keeps nobody else out.

use std::{sync::Arc, time::Duration};

use callgate_secret::{Secret, SecretStore};
use callgate_transport::{Client, ClientSettings, Network, TlsSettings, Transport};

use crate::{
    code::ConfigCode,
    reader::Reader,
    serving::{AccessConfig, AltName, IssuerConfig, PrincipalConfig, Rights, Token},
};

/// Whom a sidecar lets in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltAccess {
    /// Principals that are named in the configuration.
    pub principals: Vec<BuiltPrincipal>,
    /// Issuers whose subjects are principals.
    pub issuers: Vec<BuiltIssuer>,
}

/// A principal that is named in the configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltPrincipal {
    /// An id that nobody else has.
    pub id: String,
    /// Its tokens; any of them will do.
    pub tokens: Vec<Secret>,
    /// The name in its certificate (SAN).
    pub certificate: Option<AltName>,
    /// The toolsets and rights it has.
    pub rights: Rights,
}

/// An issuer, and the way to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltIssuer {
    /// Its settings.
    pub config: IssuerConfig,
    /// Asks it.
    pub transport: Arc<dyn Transport>,
    tls: TlsSettings,
}

/// The place where tokens and keys are.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    pub(super) secrets: Arc<dyn SecretStore>,
    pub(super) network: &'a Network,
    /// The program's own transport, where it brings one.
    pub(super) own: Option<Arc<dyn Transport>>,
    /// The TLS settings of connections where nothing else is said.
    pub(super) tls: TlsSettings,
}

/// True if both are asked in one way, so that what is known of one holds for the other.
impl PartialEq for BuiltIssuer {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config && self.tls == other.tls
    }
}

/// Reads every token and prepares the way to every issuer.
pub(super) async fn built(
    reader: &mut Reader,
    config: &AccessConfig,
    sources: &Sources<'_>,
) -> BuiltAccess {
    let mut principals = Vec::new();
    for principal in &config.principals {
        principals.push(built_principal(reader, principal, &sources.secrets).await);
    }
    let issuers = config.issuers.iter().map(|config| built_issuer(config, sources)).collect();
    BuiltAccess { principals, issuers }
}

async fn built_principal(
    reader: &mut Reader,
    config: &PrincipalConfig,
    secrets: &Arc<dyn SecretStore>,
) -> BuiltPrincipal {
    let mut tokens = Vec::new();
    for token in &config.tokens {
        match read(token, secrets).await {
            Ok(secret) => tokens.push(secret),
            Err(message) => {
                let help =
                    "callers show this token: `export NAME=$(openssl rand -hex 32)` makes one";
                reader.complain(ConfigCode::Secret, &token.pointer, message, help);
            }
        }
    }
    let PrincipalConfig { id, certificate, rights, .. } = config.clone();
    BuiltPrincipal { id, tokens, certificate, rights }
}

async fn read(token: &Token, secrets: &Arc<dyn SecretStore>) -> Result<Secret, String> {
    let secret = tokio::time::timeout(TIMEOUT, secrets.get(&token.secret)).await;
    let secret = secret.map_err(|_| "the secret store does not answer".to_owned())?;
    let secret = secret.map_err(|error| error.to_string())?;
    // What is no token could be shown by nobody; an empty one by everybody.
    let length = secret.expose_as_token().map_err(|error| error.to_string())?.len();
    if length < SHORTEST {
        return Err(format!("expected a token of {SHORTEST} characters at least, got: {length}"));
    }
    Ok(secret)
}

fn built_issuer(config: &IssuerConfig, sources: &Sources<'_>) -> BuiltIssuer {
    let tls = sources.tls.clone();
    let transport = sources.own.clone().unwrap_or_else(|| {
        let settings = ClientSettings { tls: tls.clone(), ..ClientSettings::default() };
        Arc::new(Client::over(sources.network, settings))
    });
    BuiltIssuer { config: config.clone(), transport, tls }
}

/// A store that takes longer is down.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Shorter ones are guessed.
const SHORTEST: usize = 16;
