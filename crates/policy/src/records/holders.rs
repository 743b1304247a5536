//! The requests of this process that are running, by their holders' names, so that a record whose holder has left is
//! recognised in every store. Another process's holders are not known here.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The name of a holder: of its process, and its number there.
pub(super) type Holder = [u8; 16];

#[derive(Debug)]
pub(super) struct Running {
    process: u64,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    last: u64,
    open: BTreeSet<u64>,
}

#[derive(Debug)]
pub(super) struct Place {
    running: Arc<Running>,
    number: u64,
}

impl Running {
    pub(super) fn place(self: &Arc<Self>) -> Place {
        let mut places = self.places();
        places.last = places.last.wrapping_add(1);
        let number = places.last;
        places.open.insert(number);
        Place { running: Arc::clone(self), number }
    }

    /// Returns true if the holder is one of this process and runs no more.
    pub(super) fn has_left(&self, holder: &Holder) -> bool {
        let (process, number) = holder.split_at(8);
        let number = number.try_into().map(u64::from_le_bytes);
        process == self.process.to_le_bytes()
            && number.is_ok_and(|number| !self.places().open.contains(&number))
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws the name of the process.
impl Default for Running {
    fn default() -> Self {
        Self { process: RandomState::new().build_hasher().finish(), places: Mutex::default() }
    }
}

impl Place {
    pub(super) fn holder(&self) -> Holder {
        let mut holder = [0; 16];
        let (process, number) = holder.split_at_mut(8);
        process.copy_from_slice(&self.running.process.to_le_bytes());
        number.copy_from_slice(&self.number.to_le_bytes());
        holder
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.running.places().open.remove(&self.number);
    }
}
