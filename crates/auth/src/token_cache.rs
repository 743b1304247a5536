//! Keeps tokens until they must be renewed, and asks for each only once however many calls need it. Where a token comes
//! from is the caller's business; nothing here runs when no call does, and a failing source is left alone for a while.

mod lifetime;

use std::{pin::pin, time::Duration};

use callgate_secret::{
    Secret,
    single_flight::{Asking, Failure, Held, Lasting, Life, Pace, SingleFlight, SingleFlights},
};
use http::HeaderValue;
use tokio::time::{Instant, timeout};

use crate::{
    error::{self, Error},
    place,
    refusal::Refusal,
};
pub(crate) use lifetime::UNSAID;

/// Whom a token is for: a hash, so that nothing secret is kept to look it up.
pub(crate) type Key = [u8; 32];

/// A token as it was issued.
#[derive(Clone, Debug)]
pub(crate) struct Issued {
    pub(crate) token: Secret,
    /// The time for which the issuer says it lives, in seconds; nothing where it does not say.
    pub(crate) expires_in: Option<f64>,
    /// The time when it was asked for: its life may have begun then.
    pub(crate) asked_at: Instant,
}

/// The version of a token: the operator's secrets as they were when it was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Version(Vec<Secret>);

/// The tokens of one credential.
#[derive(Debug)]
pub(crate) struct TokenCache {
    tokens: SingleFlights<Key, Token, Error, Version>,
}

#[derive(Clone, Debug)]
struct Token {
    secret: Secret,
    /// As calls carry it, made once for all of them; none where no header can hold it.
    header: Option<HeaderValue>,
    /// The time when the operator's secrets were last seen to be those it was asked for with.
    checked_at: Instant,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self { tokens: SingleFlights::new(PACE, MAX_TOKENS) }
    }
}

impl TokenCache {
    /// The token of `key`, from `fetch` where the cache has none that is good; else `fetch` is
    /// not begun. Dropping the future stops the fetch; who
    /// waits for it then fetches in its place.
    ///
    /// # Errors
    /// What `fetch` failed with, now or a moment ago.
    pub(crate) async fn token(
        &self,
        key: &Key,
        version: &Version,
        fetch: impl Future<Output = Result<Issued, Error>> + Send,
    ) -> Result<Secret, Error> {
        let slot = self.tokens.of(key);
        slot.held(|held| {
            if held.inputs == *version {
                held.value.checked_at = Instant::now();
            }
        });
        Ok(slot.get(version, |asking| asked(asking, fetch)).await?.secret)
    }

    /// The token of `key` and the header that holds it, where there is nothing to be done for it.
    pub(crate) fn kept(&self, key: &Key) -> Option<(Secret, HeaderValue)> {
        self.tokens.known(key)?.held(|held| {
            let (now, token) = (Instant::now(), &held.value);
            let is_kept = now < held.life.renew_at && now < token.checked_at + UNCHECKED;
            is_kept.then(|| Some((token.secret.clone(), token.header.clone()?)))?
        })?
    }

    /// The token of `key` while it is good, whatever became of the operator's secrets.
    pub(crate) fn good(&self, key: &Key) -> Option<Secret> {
        good(&*self.tokens.known(key)?)
    }

    /// The time since the token of `key` was had, where there is one.
    pub(crate) fn age(&self, key: &Key) -> Option<Duration> {
        self.tokens.known(key)?.held(|held| held.fetched_at.elapsed())
    }

    /// The service refused one of these secrets. Answers whether another token can be had.
    pub(crate) fn refused(&self, key: &Key, refused: &[Secret], refusal: Refusal) -> bool {
        self.tokens.known(key).is_none_or(|slot| is_replaced(&slot, refused, refusal))
    }

    /// The same for a caller that no longer knows the key.
    pub(crate) fn refused_somewhere(&self, refused: &[Secret], refusal: Refusal) -> bool {
        let holder =
            self.tokens.find(|slot| good(slot).is_some_and(|token| is_of(&token, refused)));
        holder.is_none_or(|slot| is_replaced(&slot, refused, refusal))
    }
}

type Slot = SingleFlight<Token, Error, Version>;

fn good(slot: &Slot) -> Option<Secret> {
    slot.held(|held| (Instant::now() < held.life.end).then(|| held.value.secret.clone()))?
}

fn is_of(token: &Secret, secrets: &[Secret]) -> bool {
    secrets.iter().any(|known| known.expose() == token.expose())
}

/// Threat 38 of `SECURITY.md`: a token is replaced once. One that replaces a refused one and is refused as well is kept for a
/// while, since the fault is not the token's: else every call would ask for a token.
fn is_replaced(slot: &Slot, refused: &[Secret], refusal: Refusal) -> bool {
    let is_left = slot.held(|held| {
        let is_young = held.fetched_at.elapsed() < rest(held);
        let is_left = is_young && (held.is_replacement || refusal == Refusal::Unnamed);
        is_left && is_of(&held.value.secret, refused)
    });
    if is_left == Some(true) {
        return false;
    }
    slot.forget_if(|held| is_of(&held.value.secret, refused));
    true
}

/// The time for which a token is not replaced again. Longer than its life would be for ever.
fn rest(held: &Held<Token, Version>) -> Duration {
    let life = held.life.end.saturating_duration_since(held.fetched_at);
    if life.is_zero() { BACK_OFF } else { BACK_OFF.min(life / 3) }
}

/// A token from its issuer; one that is asked for ahead of time is not waited for long.
async fn asked(
    asking: Asking,
    fetch: impl Future<Output = Result<Issued, Error>> + Send,
) -> Result<(Token, Life), Error> {
    let fetch = pin!(fetch);
    let result = match asking {
        Asking::Needed => fetch.await,
        Asking::Ahead => {
            let result = timeout(AHEAD_OF_TIME, fetch).await;
            result.unwrap_or_else(|_| Err(error::token_endpoint_slow()))
        }
    };
    let outcome = if result.is_ok() { "issued" } else { "failed" };
    metrics::counter!("callgate_token_requests_total", "outcome" => outcome).increment(1);
    match result {
        Ok(Issued { token: secret, expires_in, asked_at }) => {
            tell_had(expires_in);
            let header = place::bearer_header(&secret);
            let token = Token { secret, header, checked_at: Instant::now() };
            Ok((token, lifetime::life(asked_at, expires_in)))
        }
        Err(error) => {
            tracing::warn!(%error, "no fresh token");
            Err(error)
        }
    }
}

fn tell_had(expires_in: Option<f64>) {
    tracing::debug!(?expires_in, "a token was had");
}

/// A name of a token with its age, where that is known.
pub(crate) fn aged(name: &str, age: Option<Duration>) -> String {
    match age {
        Some(age) => format!("{name}, which is {} s old", age.as_secs()),
        None => name.to_owned(),
    }
}

impl Failure for Error {
    fn is_transient(&self) -> bool {
        Self::is_transient(self)
    }
}

impl Version {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        Self(secrets.into_iter().collect())
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs.into_iter().all(|(a, b)| a.expose() == b.expose())
    }
}

/// A source that failed is left alone for a while, unless the operator changes a secret (security §4). Its last token is good until
/// it ends.
const PACE: Pace = Pace { pause: BACK_OFF, stale: Duration::ZERO, lasting: Lasting::Keeps };
const BACK_OFF: Duration = Duration::from_secs(10);

/// The time for which a token is given without reading the operator's secrets again: that one was rotated is soon
/// enough noticed by a call a second later, since the old token is good until then.
const UNCHECKED: Duration = Duration::from_secs(1);

/// The time for which one call waits for a token while the old one is still good.
const AHEAD_OF_TIME: Duration = Duration::from_secs(3);

/// One token a user of a large deployment, some tens of mebibytes.
const MAX_TOKENS: usize = 10_000;

#[cfg(test)]
mod tests;
