//! Replaces the tokens when Google's library is not built in: every request fails with an error that gives the reason.

use std::{
    future::{Ready, ready},
    sync::Arc,
};

use callgate_secret::SecretStore;

use crate::{
    account::Identity,
    error::{self, Error},
    rest::Rest,
    token::Token,
};

/// The scope of everything in Google Cloud.
pub const CLOUD_PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";

/// Refuses every token.
#[derive(Debug)]
#[non_exhaustive]
pub struct Tokens;

impl Tokens {
    /// Creates tokens that are always refused.
    pub fn new(_: Identity, _: Rest, _: Arc<dyn SecretStore>) -> Self {
        Self
    }

    /// Ignores the scopes.
    #[must_use]
    pub fn with_scopes(self, _: Vec<String>) -> Self {
        self
    }

    /// Refuses the access token.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration), always.
    pub fn access_token(&self) -> Ready<Result<Token, Error>> {
        ready(Err(error::not_built_in()))
    }

    /// Refuses the identity token.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration), always.
    pub fn request_id_token(&self, _: &str) -> Ready<Result<Token, Error>> {
        ready(Err(error::not_built_in()))
    }

    /// Does nothing, because no token is kept.
    pub fn forget(&self) {}
}
