//! One token with its renewal: who asks for it while others wait, what they take when it fails, and when it is tried
//! again.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use callgate_secret::Secret;
use http::HeaderValue;
use tokio::time::{Instant, timeout};

use super::{Issued, Version, lifetime::Lifetime};
use crate::{
    error::{self, Error},
    place,
    refusal::Refusal,
};

/// The place of one token.
#[derive(Debug, Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    /// Held by who asks for the token; the others wait for it, or go on with the token there is.
    renewal: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    token: Option<Token>,
    failure: Option<Failure>,
    /// The number of times it has been asked for, up to the last answer.
    round: u64,
    /// True if a token was refused and no other has been had since.
    is_refused: bool,
}

#[derive(Clone, Debug)]
struct Token {
    value: Secret,
    /// As calls carry it, made once for all of them; none where no header can hold it.
    header: Option<HeaderValue>,
    version: Version,
    /// The time when the operator's secrets were last seen to be those it was asked for with.
    checked_at: Instant,
    lifetime: Lifetime,
    issued_at: Instant,
    round: u64,
    /// True if it replaces one that was refused.
    is_replacement: bool,
}

#[derive(Clone, Debug)]
struct Failure {
    error: Error,
    version: Version,
    at: Instant,
    round: u64,
    asking: Asking,
}

/// The token that a request for one is to replace.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Asking {
    /// The old one was still good: little time was spent.
    Ahead,
    /// None.
    Needed,
}

/// The state of a slot, as a call finds it.
#[derive(Debug)]
enum Found {
    /// A token that is good, and whether it is time to renew it.
    Good(Secret, Renewal),
    Failed(Error),
    Nothing,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Renewal {
    Due,
    NotDue,
}

impl Failure {
    /// Returns true if it holds for a call that has no token: an issuer that was away for a moment may be back.
    fn is_final(&self) -> bool {
        self.asking == Asking::Needed || !self.error.is_transient()
    }
}

impl Token {
    /// The time for which it is not replaced again. Longer than its life would be for ever.
    fn rest(&self) -> Duration {
        let life = self.lifetime.end.saturating_duration_since(self.issued_at);
        if life.is_zero() { BACK_OFF } else { BACK_OFF.min(life / 3) }
    }
}

impl Slot {
    pub(super) async fn token(
        &self,
        version: &Version,
        fetch: impl Future<Output = Result<Issued, Error>> + Send,
    ) -> Result<Secret, Error> {
        match self.found(version) {
            Found::Good(token, Renewal::NotDue) => return Ok(token),
            Found::Good(token, Renewal::Due) => {
                return Ok(self.renewed(version, fetch).await.unwrap_or(token));
            }
            Found::Failed(error) => return Err(error),
            Found::Nothing => {}
        }
        let arrived = self.state().round;
        let _renewing = self.renewal.lock().await;
        if let Some(result) = self.since(arrived, version) {
            return result;
        }
        self.settle(version, Asking::Needed, fetch.await)
    }

    /// A token ahead of time. Nobody waits for it but the one call that asks; where that fails the old one is still good.
    async fn renewed(
        &self,
        version: &Version,
        fetch: impl Future<Output = Result<Issued, Error>> + Send,
    ) -> Option<Secret> {
        let _renewing = self.renewal.try_lock().ok()?;
        // Another call may have renewed it since this one looked.
        if let Found::Good(token, Renewal::NotDue) = self.found(version) {
            return Some(token);
        }
        let result = timeout(AHEAD_OF_TIME, fetch).await;
        let result = result.unwrap_or_else(|_| Err(error::token_endpoint_slow()));
        self.settle(version, Asking::Ahead, result).ok()
    }

    /// The token and its header, while neither its age nor the operator's secrets have to be looked at.
    pub(super) fn kept(&self) -> Option<(Secret, HeaderValue)> {
        let (state, now) = (self.state(), Instant::now());
        let is_kept =
            |token: &&Token| now < token.lifetime.renew_at && now < token.checked_at + UNCHECKED;
        let token = state.token.as_ref().filter(is_kept)?;
        Some((token.value.clone(), token.header.clone()?))
    }

    pub(super) fn good(&self) -> Option<Secret> {
        let state = self.state();
        let token = state.token.as_ref().filter(|token| Instant::now() < token.lifetime.end);
        token.map(|token| token.value.clone())
    }

    /// The time since the token was had.
    pub(super) fn age(&self) -> Option<Duration> {
        self.state().token.as_ref().map(|token| token.issued_at.elapsed())
    }

    /// The time when the token is of no use any more; in the past where there is none.
    pub(super) fn end(&self) -> Option<Instant> {
        self.state().token.as_ref().map(|token| token.lifetime.end)
    }

    /// Threat 38 of `SECURITY.md`: a token is replaced once. One that replaces a refused one and is refused as well is kept for a
    /// while, since the fault is not the token's: else every call would ask for a token.
    pub(super) fn refused(&self, refused: &[Secret], refusal: Refusal) -> bool {
        let mut state = self.state();
        let Some(token) = &state.token else { return true };
        if refused.iter().all(|known| known.expose() != token.value.expose()) {
            return true;
        }
        let is_young = token.issued_at.elapsed() < token.rest();
        if is_young && (token.is_replacement || refusal == Refusal::Unnamed) {
            return false;
        }
        state.token = None;
        state.is_refused = true;
        true
    }

    fn found(&self, version: &Version) -> Found {
        let mut state = self.state();
        let now = Instant::now();
        if let Some(token) = state.token.as_mut().filter(|token| token.version.is(version)) {
            token.checked_at = now;
        }
        let rests = |failure: &&Failure| failure.version.is(version) && now < failure.at + BACK_OFF;
        let failure = state.failure.as_ref().filter(rests);
        match (&state.token, failure) {
            (Some(token), failure) if now < token.lifetime.end => {
                // With another secret there is another token to be had; the old one is good until then.
                let is_due = now >= token.lifetime.renew_at || !token.version.is(version);
                let is_due = is_due && failure.is_none();
                Found::Good(
                    token.value.clone(),
                    if is_due { Renewal::Due } else { Renewal::NotDue },
                )
            }
            (_, Some(failure)) if failure.is_final() => Found::Failed(failure.error.clone()),
            _ => Found::Nothing,
        }
    }

    /// The outcome of the asking that a call waited for. A token that lives no moment serves those who waited for it.
    fn since(&self, arrived: u64, version: &Version) -> Option<Result<Secret, Error>> {
        let state = self.state();
        let token = state.token.as_ref().filter(|token| token.version.is(version));
        let token =
            token.filter(|token| token.round > arrived || Instant::now() < token.lifetime.renew_at);
        let failure = state.failure.as_ref().filter(|failure| failure.version.is(version));
        let failure = failure.filter(|failure| failure.round > arrived && failure.is_final());
        match (token, failure) {
            (Some(token), _) => Some(Ok(token.value.clone())),
            (None, Some(failure)) => Some(Err(failure.error.clone())),
            (None, None) => None,
        }
    }

    fn settle(
        &self,
        version: &Version,
        asking: Asking,
        result: Result<Issued, Error>,
    ) -> Result<Secret, Error> {
        let mut state = self.state();
        let (version, at) = (version.clone(), Instant::now());
        let round = state.round.saturating_add(1);
        state.round = round;
        let outcome = if result.is_ok() { "issued" } else { "failed" };
        metrics::counter!("callgate_token_requests_total", "outcome" => outcome).increment(1);
        match result {
            Ok(Issued { token: value, expires_in, asked_at }) => {
                tell_had(expires_in);
                state.token = Some(Token {
                    header: place::bearer_header(&value),
                    value: value.clone(),
                    version,
                    checked_at: at,
                    lifetime: Lifetime::new(asked_at, expires_in),
                    issued_at: at,
                    round,
                    is_replacement: state.is_refused,
                });
                state.is_refused = false;
                state.failure = None;
                Ok(value)
            }
            Err(error) => {
                tracing::warn!(%error, "no fresh token");
                state.failure = Some(Failure { error: error.clone(), version, at, round, asking });
                Err(error)
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell_had(expires_in: Option<f64>) {
    tracing::debug!(?expires_in, "a token was had");
}

/// The time for which a source that failed is left alone, unless the operator changes a secret (security §4).
const BACK_OFF: Duration = Duration::from_secs(10);

/// The time for which a token is given without reading the operator's secrets again: that one was rotated is soon
/// enough noticed by a call a second later, since the old token is good until then.
const UNCHECKED: Duration = Duration::from_secs(1);

/// The time for which one call waits for a token while the old one is still good.
const AHEAD_OF_TIME: Duration = Duration::from_secs(3);
