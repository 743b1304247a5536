//! The trait of everything that places credentials on requests. Knows no kind of credential.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::Secret;
use callgate_tool::{FingerprintHasher, Session};
use http::{Request, Response};

use crate::{error::Error, place::CredentialPlace, refusal::CredentialRefusal};

/// Places the credentials of one kind on requests. Runs last, on the finished request, so that a signer can sign all of
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
///         Ok(Authorization::from_places(self.places()))
///     }
///
///     fn places(&self) -> Vec<CredentialPlace> {
///         vec![self.1.clone()]
///     }
/// }
/// ```
#[async_trait]
pub trait Authenticator: Debug + Send + Sync {
    /// Places the credentials on the request, replaces the current content of their places, and returns the places.
    ///
    /// # Errors
    /// [`Error::kind`] distinguishes a value that the session lacks from an operator's secret that is missing or
    /// unusable. After an error the request must not be sent.
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error>;

    /// The places where [`Authenticator::authorize`] would put credentials. Fetches none.
    fn places(&self) -> Vec<CredentialPlace>;

    /// The places as the request of a session shows them, where a value of the session that is no secret goes to one.
    ///
    /// # Errors
    /// The error of [`Authenticator::authorize`], if the session lacks such a value.
    #[doc(hidden)]
    fn shown_places(&self, _: &Session) -> Result<Vec<CredentialPlace>, Error> {
        Ok(self.places())
    }

    /// Reacts to a service's refusal of a request with the credentials in `authorization`; returns true if authorizing
    /// the request again may help. Called at most once per call, and only by the caller of `authorize`. The default
    /// returns false, which is right for a credential that does not change.
    async fn handle_refusal(&self, _: &Authorization, _: CredentialRefusal, _: &Session) -> bool {
        false
    }

    /// Explains the refusal of the credential from a 4xx response, for kinds of credential whose services state the
    /// reason; in our words, for the operator.
    fn explain(&self, _: &Response<Bytes>) -> Option<String> {
        None
    }

    /// The place in the session of the user's own token that is placed on requests or exchanged for the placed token:
    /// the name of a parameter, or one of `$context.…` and `$session.…`. `None` if every credential is the operator's.
    fn session_parameter(&self) -> Option<String> {
        None
    }

    /// Adds to a call's fingerprint whose credential would be placed, so that what one person's call left behind answers
    /// no call of another person. An operator's own credential adds nothing. By default the whole session is added.
    #[doc(hidden)]
    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        hasher.add_session(session);
    }

    /// Describes the operator's credential to the operator: the references of its secrets, or the name of the
    /// credential that tokens are requested with, with the age of the token. Never a value. `None` if there is nothing
    /// to name.
    fn credential_reference_description(&self) -> Option<String> {
        None
    }

    /// The reason why every request is refused, if it is known before a request is made.
    fn obstacle(&self) -> Option<&Error> {
        None
    }
}

/// The result of [`Authenticator::authorize`] for one request.
///
/// ```
/// use callgate_auth::{Authorization, CredentialPlace};
/// use callgate_secret::Secret;
///
/// // The answer of an authenticator that put a token in the header.
/// let places = vec![CredentialPlace::authorization("Bearer ")];
/// let authorization = Authorization::from_places(places).with_secrets([Secret::new("t0k3n".to_owned())]);
/// assert_eq!(authorization.placed[0].name(), "authorization");
/// assert!(!format!("{authorization:?}").contains("t0k3n"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Authorization {
    /// The places that now hold credentials, in the order they were filled.
    pub placed: Vec<CredentialPlace>,
    /// The placed secrets, so that the reader of the response can remove those that a service echoes.
    pub secrets: Vec<Secret>,
}

impl Authorization {
    /// An authorization with credentials in these places.
    pub fn from_places(placed: Vec<CredentialPlace>) -> Self {
        Self { placed, secrets: Vec::new() }
    }

    /// Adds the secrets that were placed.
    #[must_use]
    pub fn with_secrets(mut self, secrets: impl IntoIterator<Item = Secret>) -> Self {
        self.secrets.extend(secrets);
        self
    }
}
