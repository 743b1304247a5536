//! Places credentials on a finished request: the last step before it is sent. Knows neither arguments nor descriptions;
//! the values come from a secret store or from the session, and a request without its credential is never sent.

mod all;
mod authenticator;
mod aws_sigv4;
mod basic;
mod challenge;
mod config;
mod context;
mod error;
mod form;
mod google;
mod none;
mod oauth2;
mod own;
mod place;
mod placed_credential;
mod plain_header;
mod refusal;
mod session_header;
mod source;
mod source_form;
mod stand_in;
mod token_cache;
mod unavailable;

pub use all::combined_authenticator;
pub use authenticator::{Authenticator, Authorization};
pub use challenge::{Challenge, challenges};
pub use config::AuthConfig;
pub use context::AuthContext;
pub use error::{Error, ErrorKind};
pub use form::CredentialForm;
pub use google::GoogleToken;
pub use oauth2::{
    BegunLogin, ClientAuthentication, DescribedMetadata, DeviceLogin, LoggedIn, LoggedOut, Login,
    LoginEndpoints, LoginWays, OAuth2Client, OAuth2Config, OAuth2Grant, PrivateKeyJwt,
    SigningAlgorithm, SubjectToken, TokenEndpoint,
};
pub use own::OwnAuthenticator;
pub use place::{ApiKeyLocation, CredentialPlace, place_masks};
pub use plain_header::plain_header_authenticator;
pub use refusal::CredentialRefusal;
pub use session_header::session_header_authenticator;
pub use source::CredentialSource;
#[doc(hidden)]
pub use source_form::{parse_credential_source, read_credential_source};
pub use stand_in::with_masks_for_unset;
pub use unavailable::unavailable_authenticator;
