//! The credentials that an operation asks for: the security schemes of the description and how they combine.
//! Getting and sending credentials is the business of `auth`; which parameters belong to them is in `withheld`.

pub(crate) mod argument_header;
mod flow;
pub(crate) mod header;
pub(crate) mod needs;
mod scheme;
pub(crate) mod taken;
pub(crate) mod withheld;

use std::{collections::BTreeSet, sync::Arc};

use crate::input::InputLocation;

/// The things that an operation asks for: any one of its alternatives.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Security {
    /// True if the description says anything. Where it does not, a credential may be needed all the same.
    pub is_stated: bool,
    /// True if the operation says it for itself rather than the description for all.
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
    /// The kind.
    pub kind: SecuritySchemeKind,
    /// The document that names it where no document declares it, and that is not the description itself.
    pub file: Option<Arc<str>>,
    /// The place where it is declared, or named where it is declared nowhere: a JSON pointer.
    pub pointer: Arc<str>,
}

/// The kind of security scheme it is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SecuritySchemeKind {
    /// A key at a place: cookie, header or query.
    ApiKey {
        /// The place.
        place: InputLocation,
        /// The name of the parameter there.
        name: Arc<str>,
    },
    /// A signature of AWS, Version 4, which descriptions write as an API key in `Authorization` with
    /// `x-amazon-apigateway-authtype: awsSigv4`.
    AwsSigV4,
    /// The `Authorization` header (RFC 9110 §11.6.2).
    Http {
        /// The authentication scheme in lower case: `basic`, `bearer`.
        scheme: Arc<str>,
        /// The way bearer tokens look, a hint for people.
        bearer_format: Option<Arc<str>>,
    },
    /// A client certificate.
    MutualTls,
    /// OAuth 2.0.
    OAuth2 {
        /// The ways to a token.
        flows: Box<[OAuthFlow]>,
        /// The place where the authorization server describes itself (RFC 8414).
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
    /// The kind of flow.
    pub kind: OAuthFlowKind,
    /// The place where a person agrees.
    pub authorization_url: Option<Arc<str>>,
    /// The place where a device asks for a code (RFC 8628).
    pub device_authorization_url: Option<Arc<str>>,
    /// The place where the token is fetched.
    pub token_url: Option<Arc<str>>,
    /// The place where it is renewed.
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
    /// The same with more schemes in each alternative; where there is none, they are the only one.
    pub(crate) fn and(mut self, more: &[Arc<SecurityScheme>]) -> Self {
        if more.is_empty() {
            return self;
        }
        let mut alternatives = self.alternatives.to_vec();
        if alternatives.is_empty() {
            alternatives.push(Requirement::default());
        }
        for alternative in &mut alternatives {
            let mut schemes = std::mem::take(&mut alternative.schemes).into_vec();
            let known: BTreeSet<_> =
                schemes.iter().map(|known| Arc::clone(&known.scheme.name)).collect();
            let new = more.iter().filter(|scheme| !known.contains(&scheme.name));
            schemes.extend(new.map(|scheme| RequiredScheme {
                scheme: Arc::clone(scheme),
                scopes: Box::default(),
            }));
            alternative.schemes = schemes.into();
        }
        self.alternatives = alternatives.into();
        self.is_stated = true;
        self
    }
}
