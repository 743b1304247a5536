//! Keeps tokens until they must be renewed, and requests each only once however many calls need it. The caller supplies
//! the source of a token; nothing here runs unless a call does, and a failing source is not retried for a while.

mod lifetime;

use std::{pin::pin, time::Duration};

use callgate_secret::{
    Secret,
    single_flight::{
        CachedValue, FetchFailure, FetchReason, Lasting, Life, Pace, SingleFlight, SingleFlights,
    },
};
use http::HeaderValue;
use tokio::time::{Instant, timeout};

use crate::{
    error::{self, Error},
    place,
    refusal::CredentialRefusal,
};
pub(crate) use lifetime::UNSAID;

/// The owner of a token: a hash, so that the look-up keeps no secrets.
pub(crate) type Key = [u8; 32];

#[derive(Clone, Debug)]
pub(crate) struct IssuedToken {
    pub(crate) token: Secret,
    /// The lifetime in seconds according to the issuer; `None` if the issuer does not say.
    pub(crate) expires_in: Option<f64>,
    /// The time of the request: the token's life may have begun then.
    pub(crate) asked_at: Instant,
}

/// The version of a token: the operator's secrets at the time of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecretsVersion(Vec<Secret>);

#[derive(Debug)]
pub(crate) struct TokenCache {
    tokens: SingleFlights<Key, CachedToken, Error, SecretsVersion>,
}

#[derive(Clone, Debug)]
struct CachedToken {
    secret: Secret,
    /// The header that calls send, made once for all of them; `None` if no header can hold the token.
    header: Option<HeaderValue>,
    /// The time of the last check that the operator's secrets are those of the request.
    checked_at: Instant,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self { tokens: SingleFlights::new(PACE, MAX_TOKENS) }
    }
}

impl TokenCache {
    /// The token of `key`, by `fetch` only if the cache has no valid one. A caller that waits takes over a dropped fetch.
    /// Fails like `fetch`, now or a moment ago.
    pub(crate) async fn cached_or_fetched_token(
        &self,
        key: &Key,
        version: &SecretsVersion,
        fetch: impl Future<Output = Result<IssuedToken, Error>> + Send,
    ) -> Result<Secret, Error> {
        let slot = self.tokens.slot_or_new(key);
        slot.inspect_value(|held| {
            if held.inputs == *version {
                held.value.checked_at = Instant::now();
            }
        });
        Ok(slot.get(version, |reason| fetch_token(reason, fetch)).await?.secret)
    }

    /// The token of `key` and the header that holds it, if they can be used without further work.
    pub(crate) fn fresh_token(&self, key: &Key) -> Option<(Secret, HeaderValue)> {
        self.tokens.existing_slot(key)?.inspect_value(|held| {
            let (now, token) = (Instant::now(), &held.value);
            let is_kept = now < held.life.renew_at && now < token.checked_at + UNCHECKED;
            is_kept.then(|| Some((token.secret.clone(), token.header.clone()?)))?
        })?
    }

    /// The token of `key` while it is valid, even if the operator's secrets changed.
    pub(crate) fn valid_token(&self, key: &Key) -> Option<Secret> {
        valid_token_in(&*self.tokens.existing_slot(key)?)
    }

    pub(crate) fn token_age(&self, key: &Key) -> Option<Duration> {
        self.tokens.existing_slot(key)?.inspect_value(|held| held.fetched_at.elapsed())
    }

    /// Reacts to the service's refusal of one of these secrets. Returns true if another token can be requested.
    pub(crate) fn handle_refusal(
        &self,
        key: &Key,
        refused: &[Secret],
        refusal: CredentialRefusal,
    ) -> bool {
        self.tokens
            .existing_slot(key)
            .is_none_or(|slot| forget_refused_token(&slot, refused, refusal))
    }

    /// Reacts to a refusal when the caller no longer knows the key.
    pub(crate) fn handle_keyless_refusal(
        &self,
        refused: &[Secret],
        refusal: CredentialRefusal,
    ) -> bool {
        let holder = self
            .tokens
            .find(|slot| valid_token_in(slot).is_some_and(|token| is_among(&token, refused)));
        holder.is_none_or(|slot| forget_refused_token(&slot, refused, refusal))
    }
}

type Slot = SingleFlight<CachedToken, Error, SecretsVersion>;

fn valid_token_in(slot: &Slot) -> Option<Secret> {
    slot.inspect_value(|held| (Instant::now() < held.life.end).then(|| held.value.secret.clone()))?
}

fn is_among(token: &Secret, secrets: &[Secret]) -> bool {
    secrets.iter().any(|secret| secret.expose() == token.expose())
}

/// Threat 38 of `SECURITY.md`: a token is replaced once. If its replacement is refused too, the replacement is kept for
/// a while, since the token is not the cause: otherwise every call would request a token.
fn forget_refused_token(slot: &Slot, refused: &[Secret], refusal: CredentialRefusal) -> bool {
    let is_left = slot.inspect_value(|held| {
        let is_young = held.fetched_at.elapsed() < replacement_pause(held);
        let is_left = is_young && (held.is_replacement || refusal == CredentialRefusal::Unnamed);
        is_left && is_among(&held.value.secret, refused)
    });
    if is_left == Some(true) {
        return false;
    }
    slot.forget_if(|held| is_among(&held.value.secret, refused));
    true
}

/// The time for which a token is not replaced again. It must be shorter than the token's lifetime, or the token would
/// never be replaced.
fn replacement_pause(held: &CachedValue<CachedToken, SecretsVersion>) -> Duration {
    let life = held.life.end.saturating_duration_since(held.fetched_at);
    if life.is_zero() { BACK_OFF } else { BACK_OFF.min(life / 3) }
}

/// A token from its issuer; an early renewal is not waited for long.
async fn fetch_token(
    reason: FetchReason,
    fetch: impl Future<Output = Result<IssuedToken, Error>> + Send,
) -> Result<(CachedToken, Life), Error> {
    let fetch = pin!(fetch);
    let result = match reason {
        FetchReason::Needed => fetch.await,
        FetchReason::Ahead => {
            let result = timeout(AHEAD_OF_TIME, fetch).await;
            result.unwrap_or_else(|_| Err(error::token_endpoint_slow()))
        }
    };
    let outcome = if result.is_ok() { "issued" } else { "failed" };
    metrics::counter!("callgate_token_requests_total", "outcome" => outcome).increment(1);
    match result {
        Ok(IssuedToken { token: secret, expires_in, asked_at }) => {
            log_token_lifetime(expires_in);
            let header = place::bearer_header(&secret);
            let token = CachedToken { secret, header, checked_at: Instant::now() };
            Ok((token, lifetime::life_with_margins(asked_at, expires_in)))
        }
        Err(error) => {
            tracing::warn!(%error, "no fresh token");
            Err(error)
        }
    }
}

fn log_token_lifetime(expires_in: Option<f64>) {
    tracing::debug!(?expires_in, "a token was had");
}

pub(crate) fn description_with_age(name: &str, age: Option<Duration>) -> String {
    match age {
        Some(age) => format!("{name}, which is {} s old", age.as_secs()),
        None => name.to_owned(),
    }
}

#[doc(hidden)]
impl FetchFailure for Error {
    fn is_transient(&self) -> bool {
        Self::is_transient(self)
    }
}

impl SecretsVersion {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        Self(secrets.into_iter().collect())
    }
}

impl PartialEq for SecretsVersion {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs.into_iter().all(|(a, b)| a.expose() == b.expose())
    }
}

/// A source that failed is not retried for a while, unless the operator changes a secret. Its last token
/// stays valid until it expires.
const PACE: Pace = Pace { pause: BACK_OFF, stale: Duration::ZERO, lasting: Lasting::Keeps };
const BACK_OFF: Duration = Duration::from_secs(10);

/// The time for which a token is used without reading the operator's secrets again. A rotated secret may be noticed a
/// second late, since the old token remains valid until then.
const UNCHECKED: Duration = Duration::from_secs(1);

/// The time for which one call waits for a new token while the old one is still valid.
const AHEAD_OF_TIME: Duration = Duration::from_secs(3);

/// The number of kept tokens: one for each user of a large deployment, some tens of mebibytes.
const MAX_TOKENS: usize = 10_000;

#[cfg(test)]
mod tests;
