//! The kinds of credential that an operator can choose, and the creation of their authenticators. The file format of
//! the choice is not known here.

use std::sync::Arc;

use callgate_google::Identity;
use callgate_secret::SecretReference;
use callgate_store::aws::{KeySource, Scope};
use callgate_tool::SessionName;

use crate::{
    authenticator::Authenticator,
    aws_sigv4::AwsSigV4,
    basic::Basic,
    context::AuthContext,
    error::Error,
    google::{Google, GoogleToken},
    none::NoCredential,
    oauth2::{OAuth2, OAuth2Config},
    own::OwnAuthenticator,
    place::ApiKeyLocation,
    placed_credential::PlacedCredential,
    source::CredentialSource,
};

/// One kind of credential with its settings. Holds references to secrets; shows no literal secret.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::{AuthConfig, Error, ApiKeyLocation, AuthContext};
/// # use callgate_secret::LocalStores;
/// # use callgate_transport::Refuse;
/// let value = "env:PETS_KEY".parse().expect("a reference");
/// let config = AuthConfig::ApiKey { place: ApiKeyLocation::Header, name: "X-Api-Key".to_owned(), value };
/// let context = AuthContext::new(Arc::new(LocalStores::new(".")), Arc::new(Refuse::new()));
/// let authenticator = config.build(&context)?;
/// assert_eq!(authenticator.places()[0].environment(), Some("PETS_KEY"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum AuthConfig {
    /// An API key.
    ApiKey {
        /// The location of the key in the request.
        place: ApiKeyLocation,
        /// The header or query parameter.
        name: String,
        /// The key.
        value: SecretReference,
    },
    /// An AWS signature, Version 4.
    AwsSigV4 {
        /// The region and service of the signature.
        scope: Scope,
        /// The source of the keys.
        keys: KeySource,
    },
    /// A user name and a password (RFC 7617).
    Basic {
        /// The user name, without a colon.
        username: SecretReference,
        /// The password, which may be an empty literal.
        password: SecretReference,
    },
    /// A bearer token (RFC 6750).
    Bearer {
        /// The token.
        token: CredentialSource,
    },
    /// A token of a Google account.
    Google {
        /// The account whose token it is.
        identity: Box<Identity>,
        /// The kind of token.
        token: GoogleToken,
    },
    /// No credential.
    None,
    /// A token of an authorization server.
    OAuth2(Box<OAuth2Config>),
    /// An authenticator of the program that embeds callgate: [`AuthConfig::own`].
    #[doc(hidden)]
    Own(OwnAuthenticator),
}

impl AuthConfig {
    /// Places credentials on requests by the program's own authenticator. It satisfies every security scheme that it is
    /// configured for.
    pub fn own(authenticator: impl Authenticator + 'static) -> Self {
        Self::Own(OwnAuthenticator::new(authenticator))
    }

    /// The authenticator of these settings. Fetches no secret and sends nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the name is not that of a header or parameter
    /// that can hold a credential.
    #[doc(hidden)]
    pub fn build(self, context: &AuthContext) -> Result<Arc<dyn Authenticator>, Error> {
        let secrets = Arc::clone(&context.secrets);
        Ok(match self {
            Self::ApiKey { place, name, value } => {
                Arc::new(PlacedCredential::api_key(place, &name, value, secrets)?)
            }
            Self::AwsSigV4 { scope, keys } => Arc::new(AwsSigV4::new(scope, keys, context)),
            Self::Basic { username, password } => Arc::new(Basic::new(username, password, secrets)),
            Self::Bearer { token } => Arc::new(PlacedCredential::bearer(token, secrets)),
            Self::Google { identity, token } => Arc::new(Google::new(*identity, token, context)),
            Self::None => Arc::new(NoCredential),
            Self::OAuth2(config) => Arc::new(OAuth2::new(*config, context.clone())?),
            Self::Own(own) => own.0,
        })
    }
}

impl AuthConfig {
    /// The names of the session values that the credential reads and that inputs could read too: parameters and
    /// variables of the context. Credentials of the session are not among them.
    #[doc(hidden)]
    pub fn session_value_names(&self) -> Vec<SessionName> {
        let sources = match self {
            Self::Bearer { token } => vec![token],
            Self::OAuth2(config) => config.grant.credential_sources(),
            Self::ApiKey { .. }
            | Self::AwsSigV4 { .. }
            | Self::Basic { .. }
            | Self::Google { .. }
            | Self::None
            | Self::Own(_) => Vec::new(),
        };
        sources.into_iter().filter_map(CredentialSource::session_name).collect()
    }
}

#[cfg(test)]
mod tests;
