//! The places that a call holds until it ends. Whoever copied the call, a function that runs on, say, holds none of them.

use std::sync::{Mutex, PoisonError};

use tokio::sync::OwnedSemaphorePermit;

/// Places at several gates.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<Vec<OwnedSemaphorePermit>>);

impl Held {
    /// Holds one place more.
    pub(crate) fn add(&mut self, place: OwnedSemaphorePermit) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).push(place);
    }

    /// Frees all of them.
    pub(crate) fn leave(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
