//! The lines of a log on their way out. A thread writes them, many at a time, so that no request waits for the reader of the
//! log. If nobody reads, lines beyond a bound are lost, and a line says how many.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, SystemTime},
};

use callgate_config::LogFormat;
use tracing::Level;

use super::record::Record;

/// Writes one or more lines of a log, without the end of the last one.
pub type WriteLine = Box<dyn Fn(&str) + Send + Sync>;

pub(super) struct Lines {
    write: WriteLine,
    pub(super) format: LogFormat,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The lines that wait, each with its end.
    text: String,
    n_lost: u64,
    is_urgent: bool,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Phase {
    /// Each line is written by the one who adds it.
    #[default]
    Direct,
    Closing,
    Threaded,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Urgency {
    /// With those of the next moment.
    Later,
    Now,
}

/// The thread that writes lines. Dropping it writes those that wait.
#[derive(Debug)]
pub(super) struct LineThread(Arc<Lines>);

impl Lines {
    pub(super) fn new(format: LogFormat, write: WriteLine) -> Self {
        Self { write, format, state: Mutex::default(), changed: Condvar::new() }
    }

    pub(super) fn add_line(&self, line: &str, urgency: Urgency) {
        let mut state = self.lock_state();
        if state.phase == Phase::Direct {
            drop(state);
            (self.write)(line);
            return;
        }
        if state.text.len() + line.len() > MOST_BYTES {
            state.n_lost += 1;
            return;
        }
        let is_first = state.text.is_empty();
        state.text.push_str(line);
        state.text.push('\n');
        let wakes = is_first || (urgency == Urgency::Now && !state.is_urgent);
        state.is_urgent |= urgency == Urgency::Now;
        drop(state);
        if wakes {
            self.changed.notify_all();
        }
    }

    fn write_until_closed(&self) {
        loop {
            let is_idle =
                |state: &mut State| state.text.is_empty() && state.phase != Phase::Closing;
            let state = self.changed.wait_while(self.lock_state(), is_idle);
            let state = state.unwrap_or_else(PoisonError::into_inner);
            let may_wait = |state: &mut State| !state.is_urgent && state.phase != Phase::Closing;
            let waited = self.changed.wait_timeout_while(state, PAUSE, may_wait);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.text.is_empty() && state.phase == Phase::Closing {
                state.phase = Phase::Direct;
                drop(state);
                self.changed.notify_all();
                return;
            }
            state.is_urgent = false;
            let (text, n_lost) = (mem::take(&mut state.text), mem::take(&mut state.n_lost));
            drop(state);
            (self.write)(text.trim_end_matches('\n'));
            if n_lost > 0 {
                (self.write)(&self.loss_record(n_lost));
            }
        }
    }

    fn loss_record(&self, n_lost: u64) -> String {
        let fields = match self.format {
            LogFormat::Json => format!("\"lines\":{n_lost}"),
            LogFormat::Text => format!("lines={n_lost}"),
        };
        let record = Record {
            at: SystemTime::now(),
            level: Level::WARN,
            target: module_path!(),
            message: "lines of the log are lost: nobody read it for a while",
            fields: &fields,
            spans: &[],
        };
        record.log_line(self.format)
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineThread {
    /// Starts the thread; `None` if the system has none left: each line is then written by the one who adds it.
    pub(super) fn start(lines: &Arc<Lines>) -> Option<Self> {
        lines.lock_state().phase = Phase::Threaded;
        let own = Arc::clone(lines);
        let started = thread::Builder::new()
            .name("callgate-log".to_owned())
            .spawn(move || own.write_until_closed());
        if started.is_err() {
            lines.lock_state().phase = Phase::Direct;
        }
        started.is_ok().then(|| Self(Arc::clone(lines)))
    }
}

impl Drop for LineThread {
    fn drop(&mut self) {
        let mut state = self.0.lock_state();
        state.phase = Phase::Closing;
        self.0.changed.notify_all();
        let is_open = |state: &mut State| state.phase == Phase::Closing;
        // If nobody reads the log, the process ends without its last lines.
        drop(self.0.changed.wait_timeout_while(state, LAST_WORDS, is_open));
    }
}

callgate_secret::opaque!(Lines { format });

/// The time in which lines gather.
const PAUSE: Duration = Duration::from_millis(50);
/// The time for the last lines.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The lines of a busy second.
const MOST_BYTES: usize = 1 << 20;
