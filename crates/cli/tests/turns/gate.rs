//! A place where a reply stops until the test lets it go on.

use crate::prelude::*;

#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_closed: bool,
    n_reached: usize,
}

impl Gate {
    pub(crate) fn close(&self) {
        let mut state = self.state.lock().unwrap();
        (state.is_closed, state.n_reached) = (true, 0);
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().is_closed = false;
        self.changed.notify_all();
    }

    /// Waits while the gate is closed.
    pub(crate) fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.n_reached += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| state.is_closed).unwrap());
    }

    /// Waits until somebody stands at the gate.
    pub(crate) fn until_reached(&self) {
        let state = self.state.lock().unwrap();
        let wait = Duration::from_secs(20);
        let waited = self.changed.wait_timeout_while(state, wait, |state| state.n_reached == 0);
        assert!(!waited.unwrap().1.timed_out(), "nobody reached the gate");
    }
}
