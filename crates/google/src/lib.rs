//! Everything specific to Google: tokens of its accounts, Secret Manager, Service Directory. Google's own library gets
//! the access tokens of every kind of account. Tokens that this library requests only at one fixed address (identity
//! tokens of a key, impersonation by e-mail) are requested here, over our own transport. This crate does not know where
//! tokens are placed in requests. Without the feature `google` that library is not built in, and no account has tokens.

#![cfg_attr(
    not(feature = "google"),
    expect(dead_code, reason = "code that only tokens need is compiled and tested with them")
)]

#[cfg(not(feature = "google"))]
mod absent;
mod account;
#[cfg(feature = "google")]
mod default_credentials;
mod endpoints;
mod error;
#[cfg(feature = "google")]
mod id_token;
#[cfg(feature = "google")]
mod impersonation;
#[cfg(feature = "google")]
mod key;
mod rest;
mod secret_manager;
mod service_directory;
mod token;
#[cfg(feature = "google")]
mod token_source;
#[cfg(feature = "google")]
mod tokens;

#[cfg(not(feature = "google"))]
pub use absent::{CLOUD_PLATFORM, Tokens};
pub use account::{Account, Identity, Impersonation};
pub use endpoints::Endpoints;
pub use error::{Error, ErrorKind};
pub use rest::Rest;
pub use secret_manager::SecretManager;
pub use service_directory::{ServiceDirectory, ServiceEndpoints, ServiceName};
pub use token::Token;
#[cfg(feature = "google")]
pub use tokens::{CLOUD_PLATFORM, Tokens};
