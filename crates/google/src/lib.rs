//! All that is Google's: tokens of its accounts, Secret Manager, Service Directory. Google's own library gets the access
//! tokens of every kind of account; what that library fixes to one address (identity tokens of a key, impersonation by
//! e-mail) is asked for here, over our own transport. Where tokens are put is not known here.

mod account;
mod default_credentials;
mod endpoints;
mod error;
mod id_token;
mod impersonation;
mod key;
mod rest;
mod secret_manager;
mod service_directory;
mod source;
mod token;
mod tokens;

pub use account::{Account, Identity, Impersonation};
pub use endpoints::Endpoints;
pub use error::{Error, ErrorKind};
pub use rest::Rest;
pub use secret_manager::SecretManager;
pub use service_directory::{ServiceDirectory, ServiceEndpoints, ServiceName};
pub use token::Token;
pub use tokens::{CLOUD_PLATFORM, Tokens};
