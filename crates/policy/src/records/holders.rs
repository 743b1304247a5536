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
pub(super) struct Holders {
    process: u64,
    numbers: Mutex<Numbers>,
}

#[derive(Debug, Default)]
struct Numbers {
    last: u64,
    open: BTreeSet<u64>,
}

#[derive(Debug)]
pub(super) struct Registration {
    holders: Arc<Holders>,
    number: u64,
}

impl Holders {
    pub(super) fn register(self: &Arc<Self>) -> Registration {
        let mut numbers = self.numbers();
        numbers.last = numbers.last.wrapping_add(1);
        let number = numbers.last;
        numbers.open.insert(number);
        Registration { holders: Arc::clone(self), number }
    }

    /// Returns true if the holder is one of this process and runs no more, or if it is one of another process and the
    /// records are this process's alone.
    pub(super) fn has_left(&self, holder: &Holder, is_shared: bool) -> bool {
        let (process, number) = holder.split_at(8);
        if process != self.process.to_le_bytes() {
            return !is_shared;
        }
        let number = number.try_into().map(u64::from_le_bytes);
        number.is_ok_and(|number| !self.numbers().open.contains(&number))
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws the name of the process.
impl Default for Holders {
    fn default() -> Self {
        Self { process: RandomState::new().build_hasher().finish(), numbers: Mutex::default() }
    }
}

impl Registration {
    pub(super) fn holder(&self) -> Holder {
        let mut holder = [0; 16];
        let (process, number) = holder.split_at_mut(8);
        process.copy_from_slice(&self.holders.process.to_le_bytes());
        number.copy_from_slice(&self.number.to_le_bytes());
        holder
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.holders.numbers().open.remove(&self.number);
    }
}
