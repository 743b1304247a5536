//! The places that a call holds until it ends. A copy of the call, such as in a function that runs on, holds none.

use std::sync::{Mutex, PoisonError};

use tokio::sync::OwnedSemaphorePermit;

/// Places at several gates.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<Vec<OwnedSemaphorePermit>>);

impl Held {
    pub(crate) fn add(&mut self, place: OwnedSemaphorePermit) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).push(place);
    }

    /// Frees all places.
    pub(crate) fn leave(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
