//! The time for which a token is used, from its issuer's data. Issuers state it in odd ways and clocks differ. A token
//! that is dropped early costs one request, a token that is kept too long costs calls.

use std::time::Duration;

use callgate_secret::single_flight::Life;
use tokio::time::Instant;

/// The longest time a token is kept, whatever its issuer says: a revoked token should not live for days.
const MAX_LIFETIME: Duration = Duration::from_hours(1);

pub(super) fn life_with_margins(asked_at: Instant, expires_in: Option<f64>) -> Life {
    let life = clamped_lifetime(expires_in);
    let life = life.saturating_sub(ROUNDING.min(life / 2));
    let early = AHEAD.min(life / 5);
    let margin = MARGIN.min(life / 10);
    Life {
        renew_at: asked_at + life.saturating_sub(early),
        end: asked_at + life.saturating_sub(margin),
    }
}

/// The stated lifetime, limited to the range from zero to one hour: threat 34 of `SECURITY.md`.
fn clamped_lifetime(expires_in: Option<f64>) -> Duration {
    match expires_in {
        None => UNSAID,
        Some(seconds) if seconds > 0.0 => {
            Duration::from_secs_f64(seconds.min(MAX_LIFETIME.as_secs_f64()))
        }
        Some(_) => Duration::ZERO,
    }
}

/// The lifetime if the issuer states none: RFC 6749 §5.1 leaves it to the issuer's documentation. Short enough for any
/// issuer; a new request is cheap.
pub(crate) const UNSAID: Duration = Duration::from_mins(5);

/// The time before its expiry at which a long-lived token is renewed. A short-lived token is renewed after four fifths
/// of its lifetime.
const AHEAD: Duration = Duration::from_mins(4);

/// Issuers count whole seconds: a token may expire up to one second early.
const ROUNDING: Duration = Duration::from_secs(1);

/// The safety margin before the expiry of a token: the service's clock may be ahead of the issuer's, and a request may
/// be in flight.
const MARGIN: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expires_in: Option<f64>, renew_after: f64, ends_after: f64) {
        let now = Instant::now();
        let lifetime = life_with_margins(now, expires_in);
        let after = |instant: Instant| instant.duration_since(now).as_secs_f64();
        let found = (after(lifetime.renew_at), after(lifetime.end));
        let is_near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(is_near(found.0, renew_after) && is_near(found.1, ends_after), "{found:?}");
    }

    #[test]
    fn the_renewal_of_a_token_begins_ahead_of_its_expiry() {
        check(Some(3600.0), 3359.0, 3589.0);
        check(Some(1201.0), 960.0, 1190.0);
        check(Some(101.0), 80.0, 90.0);
        check(Some(5.0), 3.2, 3.6);
        check(Some(1.0), 0.4, 0.45);
        check(None, 239.2, 289.0);
    }

    #[test]
    fn the_lifetime_of_a_token_is_limited_to_an_hour() {
        for huge in [3601.0, 1e12, f64::MAX, f64::INFINITY] {
            check(Some(huge), 3359.0, 3589.0);
        }
        for none in [0.0, -5.0, -1e12, f64::NEG_INFINITY, f64::NAN] {
            check(Some(none), 0.0, 0.0);
        }
    }
}
