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
    /// The last ones that have sent nothing while the store may say that they run.
    unsent: BTreeSet<u64>,
}

#[derive(Debug)]
pub(super) struct Registration {
    holders: Arc<Holders>,
    number: u64,
    /// True if the store may have a record of the holder, and only this process knows that nothing was sent.
    pub(super) is_unsent: bool,
}

impl Holders {
    pub(super) fn register(self: &Arc<Self>) -> Registration {
        let mut numbers = self.lock_numbers();
        numbers.last = numbers.last.wrapping_add(1);
        let number = numbers.last;
        numbers.open.insert(number);
        Registration { holders: Arc::clone(self), number, is_unsent: true }
    }

    /// Returns true if the holder still runs; `None` for one of another process.
    pub(super) fn is_running_here(&self, holder: &Holder) -> Option<bool> {
        let number = self.number_in_process(holder)?;
        Some(self.lock_numbers().open.contains(&number))
    }

    /// Returns true if the holder is gone and is known to have sent nothing.
    pub(super) fn has_left_unsent(&self, holder: &Holder) -> bool {
        self.number_in_process(holder)
            .is_some_and(|number| self.lock_numbers().unsent.contains(&number))
    }

    fn number_in_process(&self, holder: &Holder) -> Option<u64> {
        let (process, number) = holder.split_at(8);
        let number = number.try_into().map(u64::from_le_bytes).ok()?;
        (process == self.process.to_le_bytes()).then_some(number)
    }

    fn lock_numbers(&self) -> MutexGuard<'_, Numbers> {
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
        let mut numbers = self.holders.lock_numbers();
        numbers.open.remove(&self.number);
        if self.is_unsent {
            numbers.unsent.insert(self.number);
            if numbers.unsent.len() > MOST_UNSENT {
                numbers.unsent.pop_first();
            }
        }
    }
}

/// More than calls are begun while a store is away; of earlier ones nobody knows whether they were sent.
const MOST_UNSENT: usize = 65_536;
