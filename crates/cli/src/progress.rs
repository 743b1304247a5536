//! Shows on a terminal that work is still going on, once it takes long.

use std::{
    path::Path,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// The time before anything is shown.
const QUIET: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A progress sign on standard error, shown after a second until it is dropped; nothing without a terminal.
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Shows a file that is checked, if it takes long.
    pub(crate) fn start_for_check(file: &Path) -> Self {
        Self::start_spinner("{spinner} checking {msg}", file.display().to_string())
    }

    pub(crate) fn start_for_call() -> Self {
        Self::start_spinner("{spinner} waiting for the service, {elapsed}", String::new())
    }

    fn start_spinner(template: &'static str, message: String) -> Self {
        if !output::is_stderr_terminal() {
            return Self(None);
        }
        let (done, waiting) = channel();
        let shown = thread::spawn(move || {
            if waiting.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let mut bar = ProgressBar::new_spinner().with_message(message);
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar = bar.with_style(style);
            }
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
            // The line is cleared before anything else is written; if the thread broke, there is nothing to clear.
            shown.join().unwrap_or_default();
        }
    }
}
