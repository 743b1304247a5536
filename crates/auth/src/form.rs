//! The things that kinds of credential have in common: the form in which they reach a service, which decides what security schemes
//! they meet, what they cost a call, and the scopes they are known to have.

use crate::config::AuthConfig;

/// The way a credential shows itself to a service.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever matches security schemes must handle a new one"
)]
pub enum CredentialForm {
    /// A user name and a password in the `Authorization` header.
    Basic,
    /// A key as it is, at a place of its own.
    Key,
    /// Nothing.
    None,
    /// A form that only the program knows whose authenticator it is.
    Own,
    /// A signature of the request.
    Signature,
    /// A bearer token in the `Authorization` header.
    Token,
}

impl AuthConfig {
    /// The form in which the credential reaches a service.
    #[doc(hidden)]
    pub fn form(&self) -> CredentialForm {
        match self {
            Self::ApiKey { .. } => CredentialForm::Key,
            Self::AwsSigV4 { .. } => CredentialForm::Signature,
            Self::Basic { .. } => CredentialForm::Basic,
            Self::Bearer { .. } | Self::Google { .. } | Self::OAuth2(_) => CredentialForm::Token,
            Self::None => CredentialForm::None,
            Self::Own(_) => CredentialForm::Own,
        }
    }

    /// The cost of the credential for a call, to be compared with others: 0 is nothing, 1 a value that is put in its place,
    /// 2 a token that is asked for now and then.
    #[doc(hidden)]
    pub fn cost(&self) -> u32 {
        match self {
            Self::ApiKey { .. }
            | Self::AwsSigV4 { .. }
            | Self::Basic { .. }
            | Self::Bearer { .. } => 1,
            Self::None => 0,
            Self::Google { .. } | Self::OAuth2(_) | Self::Own(_) => 2,
        }
    }

    /// The scopes the credential has; `None` where nobody says.
    #[doc(hidden)]
    pub fn scopes(&self) -> Option<&[String]> {
        match self {
            // What a Google account may do is said by its roles.
            Self::ApiKey { .. }
            | Self::AwsSigV4 { .. }
            | Self::Basic { .. }
            | Self::Bearer { .. }
            | Self::Google { .. }
            | Self::None
            | Self::Own(_) => None,
            // Without any the server gives what it gives by default.
            Self::OAuth2(config) => Some(&*config.scopes).filter(|scopes| !scopes.is_empty()),
        }
    }
}
