//! Values by their keys, up to a limit.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use tokio::time::Instant;

use super::{FetchFailure, Pace, SingleFlight, lock_mutex};

/// Values of one kind, each fetched separately.
pub struct SingleFlights<K, V, E, I = ()> {
    pace: Pace,
    most: usize,
    slots: Mutex<BTreeMap<K, Slot<V, E, I>>>,
}

type Slot<V, E, I> = Arc<SingleFlight<V, E, I>>;

impl<K: Ord + Clone, V: Clone, E: FetchFailure, I: Clone + PartialEq> SingleFlights<K, V, E, I> {
    /// An empty collection that keeps at most `most` values that nobody waits for.
    pub fn new(pace: Pace, most: usize) -> Self {
        Self { pace, most, slots: Mutex::default() }
    }

    /// The value of this key, which may not be fetched yet.
    pub fn slot_or_new(&self, key: &K) -> Slot<V, E, I> {
        let mut slots = lock_mutex(&self.slots);
        if let Some(slot) = slots.get(key) {
            return Arc::clone(slot);
        }
        self.make_room(&mut slots);
        let slot = Arc::new(SingleFlight::new(self.pace));
        slots.insert(key.clone(), Arc::clone(&slot));
        slot
    }

    /// The value of this key, if anybody asked for it before.
    pub fn existing_slot(&self, key: &K) -> Option<Slot<V, E, I>> {
        lock_mutex(&self.slots).get(key).cloned()
    }

    /// The first value for which `holds` returns true.
    pub fn find(&self, holds: impl Fn(&SingleFlight<V, E, I>) -> bool) -> Option<Slot<V, E, I>> {
        lock_mutex(&self.slots).values().find(|slot| holds(slot)).cloned()
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        lock_mutex(&self.slots).len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops values that have ended; if that is not enough, those that end first. Values in use stay.
    fn make_room(&self, slots: &mut BTreeMap<K, Slot<V, E, I>>) {
        if slots.len() < self.most {
            return;
        }
        let end = |slot: &Slot<V, E, I>| slot.inspect_value(|held| held.life.end);
        let now = Instant::now();
        slots.retain(|_, slot| {
            Arc::strong_count(slot) > 1 || end(slot).is_some_and(|end| now < end)
        });
        let excess = slots.len().saturating_sub(self.most - self.most / 8);
        let idle = slots.iter().filter(|(_, slot)| Arc::strong_count(slot) == 1);
        let mut ends: Vec<_> = idle.map(|(key, slot)| (end(slot), key.clone())).collect();
        ends.sort_unstable();
        for (_, key) in ends.into_iter().take(excess) {
            slots.remove(&key);
        }
    }
}

crate::opaque!([K, V, E, I] SingleFlights<K, V, E, I> as "SingleFlights", { pace, most });
