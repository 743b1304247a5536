//! Tokens of a Google account in the `Authorization` header: an access token for Google's own services, an identity
//! token for services behind Google's front (Cloud Run, Identity-Aware Proxy) or any other service that checks one.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_google::{Identity, Rest, Token, Tokens};
use callgate_secret::Secret;
use callgate_tool::{FingerprintHasher, Session};
use http::{Request, Uri};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::{
    authenticator::{Authenticator, Authorization},
    context::AuthContext,
    error::{self, Error},
    place::CredentialPlace,
    refusal::CredentialRefusal,
    token_cache::description_with_age,
    token_cache::{IssuedToken, Key, SecretsVersion, TokenCache},
};

/// The token of a Google account that is placed on requests.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::AuthContext;
/// use callgate_auth::{AuthConfig, GoogleToken};
/// use callgate_google::Identity;
/// # use callgate_secret::MemoryStore;
/// # use callgate_transport::Refuse;
///
/// # let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
/// // A service on Cloud Run takes identity tokens for its own origin.
/// let token = GoogleToken::Id { audience: None };
/// let auth = AuthConfig::Google { identity: Box::new(Identity::default()), token };
/// let authenticator = auth.build(&context)?;
/// assert_eq!(authenticator.places()[0].prefix(), "Bearer ");
/// # Ok::<(), callgate_auth::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum GoogleToken {
    /// An access token for these scopes; without scopes, for everything in Google Cloud.
    Access {
        /// The scopes.
        scopes: Vec<String>,
    },
    /// An identity token.
    Id {
        /// The audience of the token. If it is `None`, scheme and host of the request's server, as Cloud Run expects it.
        audience: Option<String>,
    },
}

#[derive(Debug)]
pub(crate) struct Google {
    tokens: Tokens,
    /// `None` for access tokens.
    audience: Option<Audience>,
    cache: TokenCache,
}

#[derive(Debug)]
enum Audience {
    Server,
    Set(String),
}

impl Google {
    pub(crate) fn new(identity: Identity, token: GoogleToken, context: &AuthContext) -> Self {
        let rest = Rest::new(Arc::clone(&context.transport)).with_clock(context.clock.clone());
        let tokens = Tokens::new(identity, rest, Arc::clone(&context.secrets));
        let (scopes, audience) = match token {
            GoogleToken::Access { scopes } => (scopes, None),
            GoogleToken::Id { audience } => {
                (Vec::new(), Some(audience.map_or(Audience::Server, Audience::Set)))
            }
        };
        Self { tokens: tokens.with_scopes(scopes), audience, cache: TokenCache::default() }
    }

    async fn fetch_token(&self, uri: &Uri) -> Result<Secret, Error> {
        let audience = self.audience.as_ref().map(|audience| match audience {
            Audience::Server => default_audience(uri),
            Audience::Set(audience) => audience.clone(),
        });
        let key = audience_digest_key(audience.as_deref());
        let fetch = async {
            let asked_at = Instant::now();
            let token = match &audience {
                Some(audience) => self.tokens.request_id_token(audience).await,
                None => self.tokens.access_token().await,
            };
            token
                .map(|token| issued_token(token, asked_at))
                .map_err(|refused| error::google_error(&refused))
        };
        self.cache.cached_or_fetched_token(&key, &SecretsVersion::default(), fetch).await
    }
}

#[async_trait]
impl Authenticator for Google {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        _: &Session,
    ) -> Result<Authorization, Error> {
        let token = self.fetch_token(request.uri()).await?;
        let place = CredentialPlace::authorization(PREFIX);
        place.put(request, token.expose())?;
        Ok(Authorization::from_places(vec![place]).with_secrets([token]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![CredentialPlace::authorization(PREFIX)]
    }

    fn credential_reference_description(&self) -> Option<String> {
        let age = match self.audience {
            None => self.cache.token_age(&audience_digest_key(None)),
            Some(_) => None,
        };
        Some(description_with_age("the token of the Google account", age))
    }

    async fn handle_refusal(
        &self,
        placed: &Authorization,
        refusal: CredentialRefusal,
        _: &Session,
    ) -> bool {
        let may_help = self.cache.handle_keyless_refusal(&placed.secrets, refusal);
        if may_help {
            self.tokens.forget();
        }
        may_help
    }

    fn add_credential_owner(&self, _: &Session, _: &mut FingerprintHasher) {}
}

/// Scheme and host of a request, which Cloud Run expects as the audience of its service.
fn default_audience(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("https");
    let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    format!("{scheme}://{}", authority.strip_suffix(default_port).unwrap_or(authority))
}

fn audience_digest_key(audience: Option<&str>) -> Key {
    Sha256::digest(audience.unwrap_or_default()).into()
}

fn issued_token(token: Token, asked_at: Instant) -> IssuedToken {
    IssuedToken { token: token.value, expires_in: Some(token.lifetime.as_secs_f64()), asked_at }
}

const PREFIX: &str = "Bearer ";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, expected: &str) {
        assert_eq!(default_audience(&uri.parse().unwrap()), expected);
    }

    #[test]
    fn an_identity_token_is_for_the_servers_origin() {
        check("https://pets-x.a.run.app/v1/pets?a=1", "https://pets-x.a.run.app");
        check("https://pets-x.a.run.app:443/", "https://pets-x.a.run.app");
        check("http://127.0.0.1:8080/", "http://127.0.0.1:8080");
    }
}
