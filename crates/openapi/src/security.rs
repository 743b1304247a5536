//! The credentials that an operation requires: the security schemes of the description and their combinations. `auth`
//! gets and sends credentials; `withheld` finds the parameters that belong to them.

pub(crate) mod argument_header;
pub(crate) mod credential_places;
pub(crate) mod header;
pub(crate) mod requirements;
mod scheme;
pub(crate) mod withholding_rules;

use std::{collections::BTreeSet, sync::Arc};

use crate::input::InputLocation;

/// The credentials that an operation requires: any one of its alternatives.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Security {
    /// True if the description states requirements. Otherwise a credential may still be needed.
    pub is_stated: bool,
    /// True if the operation itself states the requirements; false if they are the description's for all operations.
    pub is_own: bool,
    /// The alternatives in the order of the description; each of them is sufficient. Empty with [`Security::is_stated`]
    /// (`security: []`): the operation is open to everyone.
    pub alternatives: Arc<[Requirement]>,
}

/// Schemes that are required together; empty for `{}`: a call without credentials is one of the alternatives.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Requirement {
    /// The schemes, all of which are required.
    pub schemes: Box<[RequiredScheme]>,
}

/// One scheme, and the requirements on its credential.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RequiredScheme {
    /// The scheme.
    pub scheme: Arc<SecurityScheme>,
    /// The scopes (`oauth2`, `openIdConnect`) or roles that the credential must have.
    pub scopes: Box<[Arc<str>]>,
}

/// A security scheme of the description.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SecurityScheme {
    /// The scheme's name in the description.
    pub name: Arc<str>,
    /// The kind of the scheme.
    pub kind: SecuritySchemeKind,
    /// If no document declares the scheme: the document that names it, unless that is the description itself.
    pub file: Option<Arc<str>>,
    /// The JSON pointer of the declaration; if there is none, of the place that names the scheme.
    pub pointer: Arc<str>,
}

/// The kind of a security scheme.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SecuritySchemeKind {
    /// A key at a location: cookie, header or query.
    ApiKey {
        /// The location of the key.
        place: InputLocation,
        /// The name of the parameter at that location.
        name: Arc<str>,
    },
    /// An AWS signature, Version 4, which descriptions write as an API key in `Authorization` with
    /// `x-amazon-apigateway-authtype: awsSigv4`.
    AwsSigV4,
    /// The `Authorization` header (RFC 9110 §11.6.2).
    Http {
        /// The authentication scheme in lower case: `basic`, `bearer`.
        scheme: Arc<str>,
        /// The format of bearer tokens, a hint for people.
        bearer_format: Option<Arc<str>>,
    },
    /// A client certificate.
    MutualTls,
    /// OAuth 2.0.
    OAuth2 {
        /// The ways to a token.
        flows: Box<[OAuthFlow]>,
        /// The URL of the authorization server's metadata (RFC 8414).
        metadata_url: Option<Arc<str>>,
    },
    /// `OpenID` Connect.
    OpenIdConnect {
        /// The discovery document.
        url: Arc<str>,
    },
    /// A scheme that is not declared, or declared in a form that cannot be read: no credential satisfies it.
    Unknown,
}

/// One way to an OAuth 2.0 token.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OAuthFlow {
    /// The kind of flow.
    pub kind: OAuthFlowKind,
    /// The page where a person agrees.
    pub authorization_url: Option<Arc<str>>,
    /// The endpoint where a device requests a code (RFC 8628).
    pub device_authorization_url: Option<Arc<str>>,
    /// The token endpoint.
    pub token_url: Option<Arc<str>>,
    /// The endpoint that renews the token.
    pub refresh_url: Option<Arc<str>>,
    /// The available scopes.
    pub scopes: Box<[Arc<str>]>,
}

/// The kinds of OAuth 2.0 flows.
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
    /// Adds schemes to each alternative; without alternatives they become the only one.
    pub(crate) fn with_schemes(mut self, more: &[Arc<SecurityScheme>]) -> Self {
        if more.is_empty() {
            return self;
        }
        let mut alternatives = self.alternatives.to_vec();
        if alternatives.is_empty() {
            alternatives.push(Requirement::default());
        }
        for alternative in &mut alternatives {
            let mut schemes = std::mem::take(&mut alternative.schemes).into_vec();
            let required_names: BTreeSet<_> = schemes
                .iter()
                .map(|required_scheme| Arc::clone(&required_scheme.scheme.name))
                .collect();
            let new = more.iter().filter(|scheme| !required_names.contains(&scheme.name));
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
