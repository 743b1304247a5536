//! The trait behind which credentials are put on requests. Knows no kind of credential.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::Secret;
use callgate_tool::Session;
use http::{Request, Response};

use crate::{error::Error, place::CredentialPlace, refusal::Refusal};

/// Puts the credentials of one kind on requests. Runs last, on the finished request, so that a signer can sign all of
/// it; it never sees arguments.
///
/// ```
/// use bytes::Bytes;
/// use callgate_auth::{ApiKeyLocation, Authenticator, Authorization, CredentialPlace, Error};
/// use callgate_tool::Session;
/// use http::{HeaderValue, Request};
///
/// /// Names the tenant that the program serves.
/// #[derive(Debug)]
/// struct Tenant(HeaderValue, CredentialPlace);
///
/// impl Tenant {
///     fn new(tenant: HeaderValue) -> Result<Self, Error> {
///         Ok(Self(tenant, CredentialPlace::new(ApiKeyLocation::Header, "X-Tenant")?))
///     }
/// }
///
/// #[async_trait::async_trait]
/// impl Authenticator for Tenant {
///     async fn authorize(
///         &self,
///         request: &mut Request<Bytes>,
///         _: &Session,
///     ) -> Result<Authorization, Error> {
///         let mut tenant = self.0.clone();
///         tenant.set_sensitive(true);
///         request.headers_mut().insert("x-tenant", tenant);
///         Ok(Authorization::placed(self.places()))
///     }
///
///     fn places(&self) -> Vec<CredentialPlace> {
///         vec![self.1.clone()]
///     }
/// }
/// ```
#[async_trait]
pub trait Authenticator: Debug + Send + Sync {
    /// Puts the credentials on the request, replacing whatever lies in their places, and answers what it put where.
    ///
    /// # Errors
    /// A session that lacks a value and an operator's secret that is missing or unusable are told apart by
    /// [`Error::kind`]. The request must then not be sent.
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error>;

    /// The place where [`Authenticator::authorize`] would put credentials. Fetches none.
    fn places(&self) -> Vec<CredentialPlace>;

    /// Told that the service refused a request with what `authorization` says was put on it; answers whether to
    /// authorize the same request once more may help. Called at most once a call, and by none but the one who
    /// authorized. A kind whose credential does not change has nothing else to offer.
    async fn refused(&self, _: &Authorization, _: Refusal, _: &Session) -> bool {
        false
    }

    /// Reads the credential's fault out of an answer of 4xx, where services that take this kind of credential state it;
    /// in our words, for whoever runs callgate.
    fn explain(&self, _: &Response<Bytes>) -> Option<String> {
        None
    }

    /// The place in the session of the user's own token that is put on requests, or is shown for what is put there: the name of a
    /// parameter, or one of `$context.…` and `$session.…`. `None` where every credential is the operator's.
    fn session_parameter(&self) -> Option<String> {
        None
    }

    /// The operator's credential for whoever runs callgate: the references of its secrets, or the name of the credential that
    /// tokens are asked for by, with the age of the token. Never a value. `None` where there is nothing to name.
    fn described(&self) -> Option<String> {
        None
    }

    /// The reason why no request is let through, where that is known before one is made.
    fn obstacle(&self) -> Option<&Error> {
        None
    }
}

/// The authenticator's account of a request that it authorized.
///
/// ```
/// use callgate_auth::{Authorization, CredentialPlace};
/// use callgate_secret::Secret;
///
/// // The answer of an authenticator that put a token in the header.
/// let places = vec![CredentialPlace::authorization("Bearer ")];
/// let authorization = Authorization::placed(places).with_secrets([Secret::new("t0k3n".to_owned())]);
/// assert_eq!(authorization.placed[0].name(), "authorization");
/// assert!(!format!("{authorization:?}").contains("t0k3n"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Authorization {
    /// The places that now hold credentials, in the order they were filled.
    pub placed: Vec<CredentialPlace>,
    /// The secrets themselves, so that whoever reads the answer can take out what a service echoes.
    pub secrets: Vec<Secret>,
}

impl Authorization {
    /// Credentials were put in these places.
    pub fn placed(placed: Vec<CredentialPlace>) -> Self {
        Self { placed, secrets: Vec::new() }
    }

    /// The same with the secrets that were put there.
    #[must_use]
    pub fn with_secrets(mut self, secrets: impl IntoIterator<Item = Secret>) -> Self {
        self.secrets.extend(secrets);
        self
    }
}
