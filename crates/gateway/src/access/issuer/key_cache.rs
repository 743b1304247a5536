//! Keeps an issuer's keys and renews them before they expire. Many waiting tokens share one fetch, and fetches have a
//! minimum interval: a caller cannot cause more fetches by naming keys that do not exist. A fetch goes on when the waiting
//! callers leave, and ends when this value is dropped.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use callgate_config::BuiltIssuer;
use callgate_secret::single_flight::{
    FetchFailure, FetchReason, Lasting, Life, Pace, SingleFlight,
};
use jsonwebtoken::Algorithm;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use super::{
    super::keys::{Key, Keys},
    Refusal, fetch,
};

#[derive(Debug)]
pub(super) struct KeyCache {
    issuer: BuiltIssuer,
    keys: SingleFlight<Arc<Keys>, FetchFailed>,
    /// Limits the requests that wait for an unknown key.
    waiting: Semaphore,
    renewals: Mutex<JoinSet<()>>,
}

/// The issuer did not return keys; the log says why.
#[derive(Clone, Copy, Debug)]
struct FetchFailed;

impl FetchFailure for FetchFailed {
    fn is_transient(&self) -> bool {
        true
    }
}

enum Step {
    Give(Vec<Arc<Key>>),
    Refuse(Refusal),
    Ask,
    WaitUntil(Instant),
}

impl KeyCache {
    pub(super) fn new(issuer: &BuiltIssuer) -> Self {
        let (keys, waiting) = (SingleFlight::new(PACE), Semaphore::new(MOST_WAITING));
        Self { issuer: issuer.clone(), keys, waiting, renewals: Mutex::default() }
    }

    /// The keys that may have signed a token.
    pub(super) async fn candidate_keys(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Vec<Arc<Key>>, Refusal> {
        // A fetch that began before this token came may be older than its key.
        let wanted = self.keys.n_fetches_begun().saturating_add(1);
        loop {
            match self.next_step(id, algorithm, wanted) {
                Step::Give(keys) => return Ok(keys),
                Step::Refuse(refusal) => return Err(refusal),
                Step::Ask => {
                    self.begin_fetch(FetchReason::Needed);
                    self.keys.wait_until_idle().await;
                }
                Step::WaitUntil(next) => {
                    let _room = self.waiting.try_acquire().map_err(|_| UNKNOWN)?;
                    sleep_until(next).await;
                }
            }
        }
    }

    fn next_step(&self, id: Option<&str>, algorithm: Algorithm, wanted: u64) -> Step {
        let now = Instant::now();
        let usable = self.keys.inspect_value(|held| {
            let is_due = now >= held.life.renew_at;
            (now < held.life.end).then(|| (Arc::clone(&held.value), held.number, is_due))
        });
        let usable = usable.flatten();
        let last = self.keys.last_fetch_end().map(|(number, at)| (number, at + PAUSE));
        let last = last.filter(|(_, next)| *next > now);
        if let Some((keys, number, is_due)) = &usable {
            let matching_keys = keys.candidate_keys(id, algorithm);
            if !matching_keys.is_empty() && *is_due && last.is_none() {
                self.begin_fetch(FetchReason::Ahead);
            }
            if !matching_keys.is_empty() {
                return Step::Give(matching_keys);
            }
            if *number >= wanted {
                return Step::Refuse(UNKNOWN);
            }
        }
        match last {
            Some(_) if self.keys.is_fetch_running() => Step::Ask,
            None => Step::Ask,
            // A fetch failed since this token came, or shortly before.
            Some((ended, next)) if ended >= wanted || usable.is_none() => {
                Step::Refuse(Refusal::Unreachable(next.saturating_duration_since(now)))
            }
            Some((_, next)) => Step::WaitUntil(next),
        }
    }

    fn begin_fetch(&self, reason: FetchReason) {
        let issuer = self.issuer.clone();
        self.keys.fetch_in_task(&(), &self.renewals, reason, |_| async move {
            let keys = fetch::fetch_keys(&issuer).await.map_err(|error| {
                let issuer = &*issuer.config.issuer;
                tracing::warn!(issuer, error, "cannot read the keys of an issuer");
                FetchFailed
            })?;
            Ok((Arc::new(keys), Life::with_early_renewal(FRESH, STALE)))
        });
    }
}

const UNKNOWN: Refusal = Refusal::Invalid("no key of the issuer signed this token");
const PACE: Pace = Pace { pause: PAUSE, stale: Duration::ZERO, lasting: Lasting::Keeps };
/// The age after which keys in use are fetched again.
const FRESH: Duration = Duration::from_mins(5);
/// The longest time that a withdrawn key stays in use while its issuer is down.
const STALE: Duration = Duration::from_hours(1);
/// The minimum interval between fetches.
const PAUSE: Duration = Duration::from_secs(10);
const MOST_WAITING: usize = 64;
