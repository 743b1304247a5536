//! What an operation asks for by way of credentials: the security schemes of the description and how they combine.
//! Getting and sending credentials is the business of `auth`; which parameters belong to them is in `withheld`.

pub(crate) mod argument_header;
mod flow;
pub(crate) mod header;
pub(crate) mod needs;
mod scheme;
pub(crate) mod withheld;

use std::sync::Arc;

use crate::input::Place;

/// What an operation asks for: any one of its alternatives.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Security {
    /// Whether the description says anything. Where it does not, a credential may be needed all the same.
    pub is_stated: bool,
    /// Whether the operation says it for itself rather than the description for all.
    pub is_own: bool,
    /// The alternatives in the order of the description, each of which is enough. None at all with
    /// [`Security::is_stated`] (`security: []`): the operation is open to everyone.
    pub alternatives: Arc<[Requirement]>,
}

/// Schemes that are needed together; none for `{}`: a call without credentials is one of the alternatives.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Requirement {
    /// All of them are needed.
    pub schemes: Box<[RequiredScheme]>,
}

/// One scheme, and what is asked of its credential.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RequiredScheme {
    /// The scheme.
    pub scheme: Arc<SecurityScheme>,
    /// The scopes (`oauth2`, `openIdConnect`) or roles it must have.
    pub scopes: Box<[Arc<str>]>,
}

/// A security scheme of the description.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SecurityScheme {
    /// The name the description gives it.
    pub name: Arc<str>,
    /// What it is.
    pub kind: SecuritySchemeKind,
    /// The document that names it where no document declares it, and that is not the description itself.
    pub file: Option<Arc<str>>,
    /// Where it is declared, or named where it is declared nowhere: a JSON pointer.
    pub pointer: Arc<str>,
}

/// What kind of security scheme it is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SecuritySchemeKind {
    /// A key at a place: cookie, header or query.
    ApiKey {
        /// The place.
        place: Place,
        /// The name of the parameter there.
        name: Arc<str>,
    },
    /// The `Authorization` header (RFC 9110 §11.6.2).
    Http {
        /// The authentication scheme in lower case: `basic`, `bearer`.
        scheme: Arc<str>,
        /// How bearer tokens look, a hint for people.
        bearer_format: Option<Arc<str>>,
    },
    /// A client certificate.
    MutualTls,
    /// OAuth 2.0.
    OAuth2 {
        /// The ways to a token.
        flows: Box<[OAuthFlow]>,
        /// Where the authorization server describes itself (RFC 8414).
        metadata_url: Option<Arc<str>>,
    },
    /// `OpenID` Connect.
    OpenIdConnect {
        /// The discovery document.
        url: Arc<str>,
    },
    /// Not declared, or declared in a way that cannot be read: nothing meets it.
    Unknown,
}

/// One way to an OAuth 2.0 token.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OAuthFlow {
    /// Which way.
    pub kind: OAuthFlowKind,
    /// Where a person agrees.
    pub authorization_url: Option<Arc<str>>,
    /// Where a device asks for a code (RFC 8628).
    pub device_authorization_url: Option<Arc<str>>,
    /// Where the token is fetched.
    pub token_url: Option<Arc<str>>,
    /// Where it is renewed.
    pub refresh_url: Option<Arc<str>>,
    /// The scopes there are.
    pub scopes: Box<[Arc<str>]>,
}

/// The ways to an OAuth 2.0 token.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum OAuthFlowKind {
    /// `authorizationCode`, in 2.0 `accessCode`
    AuthorizationCode,
    /// `clientCredentials`, in 2.0 `application`
    ClientCredentials,
    /// `deviceAuthorization`
    DeviceAuthorization,
    /// `implicit`
    Implicit,
    /// `password`
    Password,
}

impl Security {
    /// Where the API keys of all alternatives go.
    pub(crate) fn key_places(&self) -> impl Iterator<Item = (Place, &str)> {
        let schemes = self.alternatives.iter().flat_map(|known| known.schemes.iter());
        schemes.filter_map(|required| match &required.scheme.kind {
            SecuritySchemeKind::ApiKey { place, name } => Some((*place, &**name)),
            _ => None,
        })
    }
}
