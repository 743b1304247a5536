//! The grant of a person as it is kept from one process to the next: the tokens, and the time they were issued. Times
//! are times of day, since processes share no other clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use callgate_secret::Secret;
use serde::{Deserialize, Serialize};

use super::token_response::TokenResponse;

#[derive(Clone, Debug)]
pub(super) struct StoredGrant {
    pub(super) access_token: Secret,
    pub(super) refresh_token: Option<Secret>,
    pub(super) scopes: Vec<String>,
    /// Milliseconds since 1970.
    issued_at: u64,
    /// Milliseconds since 1970; `None` if the server does not say.
    expires_at: Option<u64>,
}

#[derive(Debug, Deserialize, Serialize)]
struct GrantText<T> {
    version: u32,
    access_token: T,
    refresh_token: Option<T>,
    scopes: Vec<String>,
    issued_at: u64,
    expires_at: Option<u64>,
}

impl StoredGrant {
    /// The grant in a response to a request at `asked_at`, with the values of that request: a server that sends no new
    /// refresh token leaves the old one in force (RFC 6749 §6), and a server that names no scopes granted the requested
    /// ones (§5.1).
    pub(super) fn new(
        answered: TokenResponse,
        asked_at: SystemTime,
        refresh_token: Option<Secret>,
        scopes: &[String],
    ) -> Self {
        let issued_at = milliseconds_since_epoch(asked_at);
        Self {
            access_token: answered.token,
            refresh_token: answered.refresh_token.or(refresh_token),
            scopes: answered.scopes.unwrap_or_else(|| scopes.to_vec()),
            issued_at,
            expires_at: answered
                .expires_in
                .map(|seconds| issued_at.saturating_add(lifetime_milliseconds(seconds))),
        }
    }

    /// Reads a kept text; `None` if it is not a grant of this version.
    pub(super) fn from_stored_text(text: &Secret) -> Option<Self> {
        let text: GrantText<String> = serde_json::from_str(text.expose()).ok()?;
        let GrantText { version, access_token, refresh_token, scopes, issued_at, expires_at } =
            text;
        (version == VERSION).then(|| Self {
            access_token: Secret::new(access_token),
            refresh_token: refresh_token.map(Secret::new),
            scopes,
            issued_at,
            expires_at,
        })
    }

    pub(super) fn stored_text(&self) -> Secret {
        let text = serde_json::to_string(&GrantText {
            version: VERSION,
            access_token: self.access_token.expose(),
            refresh_token: self.refresh_token.as_ref().map(Secret::expose),
            scopes: self.scopes.clone(),
            issued_at: self.issued_at,
            expires_at: self.expires_at,
        });
        Secret::new(text.unwrap_or_default())
    }

    /// The lifetime of the access token, from the time of the request; `None` if it is unknown.
    pub(super) fn token_lifetime(&self) -> Option<Duration> {
        let life = self.expires_at?.saturating_sub(self.issued_at);
        Some(Duration::from_millis(life))
    }

    /// The remaining lifetime; `None` if it is unknown. A clock that was set back does not extend it beyond the full
    /// lifetime.
    pub(super) fn remaining_life(&self, now: SystemTime) -> Option<Duration> {
        let left = self.expires_at?.saturating_sub(milliseconds_since_epoch(now));
        Some(Duration::from_millis(left).min(self.token_lifetime()?))
    }

    /// Returns true if the token need not be renewed yet: every process renews before the expiry, so that no call waits.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        let times = self.remaining_life(now).zip(self.token_lifetime());
        times.is_none_or(|(left, life)| left > AHEAD.min(life / 5))
    }

    pub(super) fn is_still_usable(&self, now: SystemTime) -> bool {
        let times = self.remaining_life(now).zip(self.token_lifetime());
        times.is_none_or(|(left, life)| left > MARGIN.min(life / 10))
    }
}

fn milliseconds_since_epoch(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A lifetime in milliseconds, from the number that a server sent.
fn lifetime_milliseconds(seconds: f64) -> u64 {
    let seconds = seconds.clamp(0.0, LONGEST_SECONDS);
    let life = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    u64::try_from(life.as_millis()).unwrap_or_default()
}

const VERSION: u32 = 1;

/// The time before its expiry at which a token is renewed, as in `token_cache`.
const AHEAD: Duration = Duration::from_mins(4);
const MARGIN: Duration = Duration::from_secs(10);

/// The longest lifetime, ten years: some servers say that a token never expires.
const LONGEST_SECONDS: f64 = 315_360_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn held(expires_in: Option<f64>) -> StoredGrant {
        let answered = TokenResponse {
            token: Secret::new("canary-access".to_owned()),
            expires_in,
            refresh_token: None,
            scopes: None,
        };
        let before = Some(Secret::new("canary-refresh".to_owned()));
        StoredGrant::new(answered, at(1000), before, &["read".to_owned()])
    }

    #[test]
    fn a_stored_grant_is_read_again_and_never_printed() {
        let held = held(Some(60.0));
        let read = StoredGrant::from_stored_text(&held.stored_text()).unwrap();
        assert!(read.access_token.is_same_value(&held.access_token));
        assert_eq!(read.refresh_token.unwrap().expose(), "canary-refresh", "the old one stays");
        assert_eq!((read.scopes, read.expires_at), (vec!["read".to_owned()], Some(1_060_000)));
        assert!(!format!("{held:?} {:?}", held.stored_text()).contains("canary"), "{held:?}");
        for other in ["", "{}", "{\"version\":2}"] {
            assert!(
                StoredGrant::from_stored_text(&Secret::new(other.to_owned())).is_none(),
                "{other}"
            );
        }
    }

    #[track_caller]
    fn check(expires_in: Option<f64>, now: u64, fresh: bool, good: bool) {
        let held = held(expires_in);
        let found = (held.is_fresh(at(now)), held.is_still_usable(at(now)));
        assert_eq!(found, (fresh, good), "{expires_in:?} at {now}");
    }

    #[test]
    fn a_stored_grant_is_renewed_before_its_token_expires() {
        check(Some(100.0), 1000, true, true);
        check(Some(100.0), 1079, true, true);
        check(Some(100.0), 1081, false, true);
        check(Some(100.0), 1091, false, false);
        check(Some(3600.0), 1000 + 3300, true, true);
        check(Some(3600.0), 1000 + 3361, false, true);
        check(None, 1_000_000, true, true);
        for none in [0.0, -5.0, f64::NAN] {
            check(Some(none), 1000, false, false);
        }
        assert_eq!(
            held(Some(60.0)).remaining_life(at(0)),
            Some(Duration::from_mins(1)),
            "set back"
        );
    }
}
