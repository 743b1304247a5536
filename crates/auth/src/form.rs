//! Properties that all kinds of credential have: the form in which they reach a service, which decides which security
//! schemes they satisfy; their cost for a call; and their known scopes.

use crate::config::AuthConfig;

/// The form in which a credential reaches a service.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum CredentialForm {
    /// A user name and a password in the `Authorization` header.
    Basic,
    /// A key as it is, in its own place.
    Key,
    /// No credential.
    None,
    /// A form that only the program that owns the authenticator knows.
    Own,
    /// A signature of the request.
    Signature,
    /// A bearer token in the `Authorization` header.
    Token,
}

impl AuthConfig {
    /// The form in which the credential reaches a service.
    #[doc(hidden)]
    pub fn credential_form(&self) -> CredentialForm {
        match self {
            Self::ApiKey { .. } => CredentialForm::Key,
            Self::AwsSigV4 { .. } => CredentialForm::Signature,
            Self::Basic { .. } => CredentialForm::Basic,
            Self::Bearer { .. } | Self::Google { .. } | Self::OAuth2(_) => CredentialForm::Token,
            Self::None => CredentialForm::None,
            Self::Own(_) => CredentialForm::Own,
        }
    }

    /// The relative cost of the credential for a call: 0 for none, 1 for a stored value, 2 for a token that is
    /// requested from time to time.
    #[doc(hidden)]
    pub fn relative_cost(&self) -> u32 {
        match self {
            Self::ApiKey { .. }
            | Self::AwsSigV4 { .. }
            | Self::Basic { .. }
            | Self::Bearer { .. } => 1,
            Self::None => 0,
            Self::Google { .. } | Self::OAuth2(_) | Self::Own(_) => 2,
        }
    }

    /// The scopes of the credential; `None` if they are unknown.
    #[doc(hidden)]
    pub fn scopes(&self) -> Option<&[String]> {
        match self {
            // The roles of a Google account determine its permissions.
            Self::ApiKey { .. }
            | Self::AwsSigV4 { .. }
            | Self::Basic { .. }
            | Self::Bearer { .. }
            | Self::Google { .. }
            | Self::None
            | Self::Own(_) => None,
            // Without requested scopes the server grants its defaults.
            Self::OAuth2(config) => Some(&*config.scopes).filter(|scopes| !scopes.is_empty()),
        }
    }
}
