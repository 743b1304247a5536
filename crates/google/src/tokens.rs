//! The tokens of one account, either its own or those of an account it impersonates. Callers keep identity tokens and
//! tokens of other accounts; the account's own access token is kept here.

use std::{sync::Arc, time::Duration};

use callgate_secret::{
    Secret, SecretReference, SecretStore, read_untrimmed_key_file,
    single_flight::{Lasting, Life, Pace, SingleFlight},
};

use crate::{
    account::{Account, Identity},
    default_credentials,
    error::{self, Error},
    id_token,
    impersonation::Principal,
    key::Credentials,
    rest::Rest,
    token::Token,
    token_source::{Origin, TokenSource},
};

/// The scope of everything in Google Cloud, which CES requests when no scope is set.
pub const CLOUD_PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";

/// Gets tokens of one Google account.
#[derive(Debug)]
pub struct Tokens {
    identity: Identity,
    scopes: Vec<String>,
    rest: Rest,
    secrets: Arc<dyn SecretStore>,
    origin: SingleFlight<Arc<Origin>, Error>,
    source: SingleFlight<Arc<TokenSource>, Error>,
}

impl Tokens {
    /// Creates the tokens of an account. Access tokens are for everything in Google Cloud unless scopes are set.
    pub fn new(identity: Identity, rest: Rest, secrets: Arc<dyn SecretStore>) -> Self {
        let scopes = vec![CLOUD_PLATFORM.to_owned()];
        let origin = SingleFlight::new(Pace { pause: Duration::ZERO, ..PACE });
        Self { identity, scopes, rest, secrets, origin, source: SingleFlight::new(PACE) }
    }

    /// Requests access tokens for other scopes; an empty list keeps the current scope.
    #[must_use]
    pub fn with_scopes(mut self, scopes: Vec<String>) -> Self {
        if !scopes.is_empty() {
            self.scopes = scopes;
        }
        self
    }

    /// An access token (RFC 6749 §1.4).
    ///
    /// # Errors
    /// Every [`ErrorKind`](crate::ErrorKind).
    pub async fn access_token(&self) -> Result<Token, Error> {
        let own = self.fetch_own_token().await?;
        match self.impersonated_principal(&own.value) {
            Some(principal) => principal.request_access_token(&self.scopes).await,
            None => Ok(own),
        }
    }

    /// An identity token (`OpenID` Connect Core §2) for an audience.
    ///
    /// # Errors
    /// Every [`ErrorKind`](crate::ErrorKind).
    pub async fn request_id_token(&self, audience: &str) -> Result<Token, Error> {
        if self.identity.impersonation.is_some() {
            let own = self.fetch_own_token().await?;
            if let Some(principal) = self.impersonated_principal(&own.value) {
                return principal.request_id_token(audience).await;
            }
        }
        let origin = self.cached_origin().await?;
        id_token::fetch_id_token(&self.rest, &self.identity.endpoints, &origin, audience).await
    }

    /// Forgets the kept token after a service refused it: the key is read again, and the next token is a new one.
    pub fn forget(&self) {
        self.source.forget_if(|_| true);
        self.origin.forget_if(|_| true);
    }

    fn impersonated_principal<'a>(&'a self, own_token: &'a Secret) -> Option<Principal<'a>> {
        let Self { rest, identity: Identity { impersonation, endpoints, .. }, .. } = self;
        let impersonation = impersonation.as_ref()?;
        Some(Principal { rest, endpoints, impersonation, own_token })
    }

    /// The account's own access token, from the library that keeps it.
    async fn fetch_own_token(&self) -> Result<Token, Error> {
        let source = self.cached_token_source().await?;
        match source.access_token().await {
            Ok(value) => Token::new(value.expose().to_owned(), KEPT),
            Err(error) => {
                // The library repeats a permanent refusal for ever; a new source requests a token again after a pause.
                let origin = self.origin.inspect_value(|held| Arc::clone(&held.value));
                let error =
                    self.no_credentials_error_if_no_metadata_server(error, origin.as_deref());
                if self
                    .source
                    .replace_by_failure_if(error.clone(), |held| Arc::ptr_eq(&held.value, &source))
                {
                    self.origin.forget_if(|_| true);
                }
                Err(error)
            }
        }
    }

    /// Explains a failure of the metadata server on a machine without one: no credentials are configured.
    fn no_credentials_error_if_no_metadata_server(
        &self,
        error: Error,
        origin: Option<&Origin>,
    ) -> Error {
        let is_of_machine = origin.is_none_or(Option::is_none);
        let is_usual = self.identity.account == Account::Default;
        if is_usual && is_of_machine && error.is_transient() {
            return error::no_default_credentials();
        }
        error
    }

    async fn cached_token_source(&self) -> Result<Arc<TokenSource>, Error> {
        let started = async |_| {
            let origin = self.cached_origin().await?;
            // An account that impersonates another needs only the permission to request the tokens of that account.
            let own = [CLOUD_PLATFORM.to_owned()];
            let scopes =
                if self.identity.impersonation.is_some() { &own[..] } else { &self.scopes };
            let metadata = self.identity.endpoints.metadata.as_ref();
            Ok((Arc::new(TokenSource::start(&origin, scopes, metadata)?), Life::without_end()))
        };
        self.source.get(&(), started).await
    }

    async fn cached_origin(&self) -> Result<Arc<Origin>, Error> {
        let read = async |_| Ok((Arc::new(self.read_origin().await?), Life::without_end()));
        self.origin.get(&(), read).await
    }

    async fn read_origin(&self) -> Result<Origin, Error> {
        let (text, place) = match &self.identity.account {
            Account::Machine => return Ok(None),
            Account::Key(reference) => (self.read_key(reference).await?, format!("`{reference}`")),
            Account::File(path) => {
                let text = read_untrimmed_key_file(path);
                let text =
                    text.map_err(|source| error::unreadable_file(path.display(), &source))?;
                (text, format!("`{}`", path.display()))
            }
            Account::Default => match default_credentials::read_default_credentials()? {
                Some((path, text)) => (text, format!("`{}`", path.display())),
                None => return Ok(None),
            },
        };
        Credentials::parse(text.expose(), &place).map(Some)
    }

    async fn read_key(&self, reference: &SecretReference) -> Result<Secret, Error> {
        self.secrets
            .get(reference)
            .await
            .map_err(|source| error::unreadable_key_error(reference, source))
    }
}

/// The library renews tokens four minutes before they expire, so each token it returns is valid for at least this long.
const KEPT: Duration = Duration::from_secs(10);

const PACE: Pace =
    Pace { pause: Duration::from_secs(10), stale: Duration::ZERO, lasting: Lasting::Withdraws };
