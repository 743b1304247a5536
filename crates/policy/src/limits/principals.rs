//! The bounds of principals, each made when the principal first calls and forgotten when nothing of it is used up.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use callgate_tool::Principal;
use tokio::time::Instant;

use super::{Bound, Bounded};
use crate::gate::{Gate, Queue};

/// The part left to each principal.
#[derive(Debug)]
pub(crate) struct Principals {
    bound: Bound,
    queue: Queue,
    known: Mutex<BTreeMap<Option<String>, Known>>,
}

#[derive(Debug)]
struct Known {
    bounded: Arc<Bounded>,
    used: Instant,
}

impl Principals {
    /// Nobody has called yet.
    pub(crate) fn new(bound: Bound, queue: Queue) -> Self {
        Self { bound, queue, known: Mutex::default() }
    }

    /// Returns true if they are bounded so.
    pub(crate) fn is(&self, bound: Bound, queue: Queue) -> bool {
        self.bound == bound && self.queue == queue
    }

    /// The part left to a principal; nothing where too many are calling.
    pub(crate) fn find(&self, principal: Option<&Principal>) -> Option<Arc<Bounded>> {
        let name = principal.map(|principal| principal.id().to_owned());
        let now = Instant::now();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get_mut(&name) {
            found.used = now;
            return Some(Arc::clone(&found.bounded));
        }
        if known.len() >= MOST {
            known.retain(|_, known| !known.is_forgotten(now));
        }
        if known.len() >= MOST {
            return None;
        }
        let bounded = Arc::new(Bounded::new(self.bound, self.queue, None));
        known.insert(name, Known { bounded: Arc::clone(&bounded), used: now });
        Some(bounded)
    }
}

impl Known {
    /// Returns true if a new one would be the same: nobody is in, and what was used up is there again.
    fn is_forgotten(&self, now: Instant) -> bool {
        let Bounded { bucket, gate } = &*self.bounded;
        let refill = bucket.as_ref().map_or(Duration::ZERO, |bucket| bucket.refill());
        let is_idle = gate.as_ref().is_none_or(|gate: &Arc<Gate>| gate.is_idle());
        // Who looked it up and did not enter yet holds it.
        Arc::strong_count(&self.bounded) == 1 && is_idle && now.duration_since(self.used) >= refill
    }
}

/// More than call at the same time anywhere; a made-up name costs a few hundred bytes.
const MOST: usize = 10_000;
