//! The facts that are known of one reference: the secret and its age, the last failure, the read that is under way. Decides what a
//! caller is given and whether the store is asked; asks nobody itself.

use std::time::Duration;

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use tokio::time::Instant;

use super::CachePolicy;
use crate::{error::Error, secret::Secret};

type Fetched = Result<Secret, Error>;
type Read = BoxFuture<'static, Fetched>;

/// One reference.
#[derive(Default)]
pub(super) struct Slot {
    held: Option<Held>,
    failed: Option<(Error, Instant)>,
    // Weak, so that a read that nobody waits for any more is dropped and not resumed by a later caller.
    flight: Option<(u64, WeakShared<Read>)>,
    n_flights: u64,
    // When a rejected secret was read again and found to be the same.
    confirmed: Option<Instant>,
}

/// A read under way.
pub(super) struct Flight {
    pub(super) number: u64,
    pub(super) read: Shared<Read>,
}

/// The things that a caller does.
pub(super) enum Step {
    /// Takes this.
    Give(Fetched),
    /// Takes this, and sees to it that the read is driven.
    GiveAndRefresh(Secret, Flight),
    /// Waits for the read.
    Wait(Flight),
}

struct Held {
    secret: Secret,
    fetched: Instant,
    is_rejected: bool,
}

impl Slot {
    /// Decides what a caller at `now` does; `read` makes a read that was not begun yet.
    pub(super) fn step(
        &mut self,
        now: Instant,
        policy: &CachePolicy,
        read: impl FnOnce() -> Read,
    ) -> Step {
        let has_failed_just_now =
            self.failed.as_ref().is_some_and(|(_, at)| now - *at < FAILURE_PAUSE);
        if let Some(held) = self.held.as_ref().filter(|held| !held.is_rejected) {
            let age = now - held.fetched;
            let secret = held.secret.clone();
            let is_given = age < policy.time_to_live || self.is_stale_enough(now, policy);
            let is_left_alone = age < refresh_age(policy) || has_failed_just_now;
            if is_given && (is_left_alone || self.is_flying()) {
                return Step::Give(Ok(secret));
            }
            if is_given {
                return Step::GiveAndRefresh(secret, self.begin(read));
            }
        }
        match self.failed.clone().filter(|_| has_failed_just_now) {
            Some((error, _)) => Step::Give(self.in_place_of(error, now, policy)),
            None => Step::Wait(self.join().unwrap_or_else(|| self.begin(read))),
        }
    }

    /// Writes down how a read ended, once, and answers what those who waited for it are given.
    pub(super) fn settle(
        &mut self,
        number: u64,
        fetched: Fetched,
        policy: &CachePolicy,
    ) -> Fetched {
        let now = Instant::now();
        let is_first = self.flight.take_if(|(flight, _)| *flight == number).is_some();
        match fetched {
            Ok(secret) => {
                if is_first {
                    self.hold(secret.clone(), now);
                }
                Ok(secret)
            }
            Err(error) => {
                if is_first {
                    self.failed = Some((error.clone(), now));
                }
                if is_first && !error.is_transient() {
                    self.held = None;
                }
                self.in_place_of(error, now, policy)
            }
        }
    }

    /// A service rejected this secret: it is read anew, unless that was just done and the store stands by it.
    pub(super) fn reject(&mut self, rejected: &Secret) {
        let is_confirmed = self.confirmed.is_some_and(|at| at.elapsed() < CONFIRMED_PAUSE);
        if let Some(held) = &mut self.held
            && !is_confirmed
            && held.secret.is_same_value(rejected)
        {
            held.is_rejected = true;
        }
    }

    fn hold(&mut self, secret: Secret, now: Instant) {
        let rejected = self.held.take().filter(|held| held.is_rejected);
        let is_same = rejected.is_some_and(|held| held.secret.is_same_value(&secret));
        self.confirmed = is_same.then_some(now);
        self.held = Some(Held { secret, fetched: now, is_rejected: false });
        self.failed = None;
    }

    /// The answer when the store cannot be read: the secret that is held, if it is not too old, or the failure.
    fn in_place_of(&self, error: Error, now: Instant, policy: &CachePolicy) -> Fetched {
        let bound = policy.time_to_live.saturating_add(policy.stale);
        let held = self.held.as_ref().filter(|held| now - held.fetched < bound);
        match held.filter(|_| error.is_transient()) {
            Some(held) => Ok(held.secret.clone()),
            None => Err(error),
        }
    }

    /// Returns true if the store was down not long ago and the secret may be given all the same, without waiting for
    /// the store.
    fn is_stale_enough(&self, now: Instant, policy: &CachePolicy) -> bool {
        let failed = self.failed.as_ref().filter(|(_, at)| now - *at < policy.time_to_live);
        failed.is_some_and(|(error, _)| self.in_place_of(error.clone(), now, policy).is_ok())
    }

    fn is_flying(&self) -> bool {
        self.join().is_some()
    }

    fn join(&self) -> Option<Flight> {
        let (number, read) = self.flight.as_ref()?;
        Some(Flight { number: *number, read: read.upgrade()? })
    }

    fn begin(&mut self, read: impl FnOnce() -> Read) -> Flight {
        self.n_flights = self.n_flights.wrapping_add(1);
        let flight = Flight { number: self.n_flights, read: read().shared() };
        // A read that has not begun can be upgraded; one that is over was settled.
        self.flight = flight.read.downgrade().map(|read| (flight.number, read));
        flight
    }
}

/// The age from which a secret is read ahead.
fn refresh_age(policy: &CachePolicy) -> Duration {
    policy.time_to_live / 5 * 4
}

/// See [`CachedStore::FAILURE_PAUSE`](super::CachedStore::FAILURE_PAUSE).
pub(super) const FAILURE_PAUSE: Duration = Duration::from_secs(2);

/// The time for which a secret that the store stands by is not read again however often a service rejects it: a wrong
/// key must not become a storm on the store.
const CONFIRMED_PAUSE: Duration = Duration::from_secs(10);
