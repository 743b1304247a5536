//! The limits of principals. Each is made at the principal's first call and forgotten when none of it is used.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use callgate_tool::Principal;
use tokio::time::Instant;

use super::{Bound, LimitState};
use crate::gate::{Gate, Queue};

#[derive(Debug)]
pub(crate) struct Principals {
    bound: Bound,
    queue: Queue,
    limits: Mutex<BTreeMap<Option<String>, PrincipalLimit>>,
}

#[derive(Debug)]
struct PrincipalLimit {
    bounded: Arc<LimitState>,
    used: Instant,
}

impl Principals {
    pub(crate) fn new(bound: Bound, queue: Queue) -> Self {
        Self { bound, queue, limits: Mutex::default() }
    }

    pub(crate) fn has_settings(&self, bound: Bound, queue: Queue) -> bool {
        self.bound == bound && self.queue == queue
    }

    /// The limit left to a principal; `None` if too many principals call.
    pub(crate) fn limit_unless_too_many_principals(
        &self,
        principal: Option<&Principal>,
    ) -> Option<Arc<LimitState>> {
        let name = principal.map(|principal| principal.id().to_owned());
        let now = Instant::now();
        let mut principal_limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(principal_limit) = principal_limits.get_mut(&name) {
            principal_limit.used = now;
            return Some(Arc::clone(&principal_limit.bounded));
        }
        if principal_limits.len() >= MOST {
            principal_limits.retain(|_, principal_limit| !principal_limit.can_be_forgotten(now));
        }
        if principal_limits.len() >= MOST {
            return None;
        }
        let bounded = Arc::new(LimitState::new(self.bound, self.queue, None));
        principal_limits.insert(name, PrincipalLimit { bounded: Arc::clone(&bounded), used: now });
        Some(bounded)
    }
}

impl PrincipalLimit {
    /// Returns true if a new limit would be equal: no call holds a permit, and the rate has recovered.
    fn can_be_forgotten(&self, now: Instant) -> bool {
        let LimitState { bucket, gate } = &*self.bounded;
        let refill = bucket.as_ref().map_or(Duration::ZERO, |bucket| bucket.full_refill_time());
        let is_idle = gate.as_ref().is_none_or(|gate: &Arc<Gate>| gate.is_idle());
        // A call that has found the limit and not yet entered holds a reference.
        Arc::strong_count(&self.bounded) == 1 && is_idle && now.duration_since(self.used) >= refill
    }
}

/// More principals than call at a time anywhere; a made-up name costs a few hundred bytes.
const MOST: usize = 10_000;
