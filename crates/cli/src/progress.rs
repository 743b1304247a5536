//! Says on a terminal that something is still being done, once it takes longer than anybody waits without asking.

use std::{
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::ProgressBar;

use crate::output;

/// The time for which nothing is shown.
const QUIET: Duration = Duration::from_secs(1);
/// The interval at which the sign of life moves.
const TICK: Duration = Duration::from_millis(100);

/// A sign of life on standard error, from a second after it was asked for until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Shows `message` when it takes long; nothing where nobody watches.
    pub(crate) fn shown(message: String) -> Self {
        if !output::is_watched() {
            return Self(None);
        }
        let (done, waiting) = channel();
        let shown = thread::spawn(move || {
            if waiting.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(message);
            while waiting.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self(Some((done, shown)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, shown)) = self.0.take() {
            drop(done);
            // Its line is cleared before anything else is written; if it broke, there is nothing to clear.
            shown.join().unwrap_or_default();
        }
    }
}
