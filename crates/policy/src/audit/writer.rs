//! Writes lines on a separate thread, all waiting lines at once: each caller waits for a single write, and a slow disk does
//! not delay calls that do not wait.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    chain::{ChainKey, Head},
    file::AuditFile,
    members,
};
use crate::error::{self, Error};

/// Lines on their way into a file. On drop, the waiting lines are written and the file is closed.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    /// Closes when the thread has ended.
    ended: Mutex<Receiver<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    more: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<QueuedLine>,
    n_bytes: usize,
    is_urgent: bool,
    /// True if the thread looks for lines by itself, within `DELAY`.
    is_awake: bool,
    is_closed: bool,
}

/// The members of a line, and the sender that reports whether it is written.
#[derive(Debug)]
struct QueuedLine(String, oneshot::Sender<bool>);

#[derive(Debug)]
pub(super) struct Beginning {
    pub(super) file: AuditFile,
    pub(super) head: Head,
    /// The text after the last whole line.
    pub(super) torn: Vec<u8>,
    /// True if the last line lacks its line break.
    pub(super) is_unbroken: bool,
}

impl Writer {
    /// Starts the thread that writes. Fails if the system cannot start a thread.
    pub(super) fn new(key: ChainKey, beginning: Beginning) -> Result<Self, Error> {
        let shared = Arc::<Shared>::default();
        let (end, ended) = mpsc::channel::<()>();
        let (own, path) = (Arc::clone(&shared), beginning.file.path().to_owned());
        let mut state = WriterState::new(key, beginning);
        let thread = thread::Builder::new().name("callgate-audit".to_owned());
        let started = thread.spawn(move || {
            while let Some(lines) = own.wait_for_lines() {
                state.write_lines(lines);
            }
            drop(state);
            drop(end);
        });
        started.map_err(|source| error::unreadable_file_error(&path, source))?;
        Ok(Self { shared, ended: Mutex::new(ended) })
    }

    /// Adds a line after all earlier ones. The receiver gets whether it was written; nothing if too many lines wait.
    pub(super) fn add_line(&self, members: String) -> oneshot::Receiver<bool> {
        self.push_line(members, true)
    }

    /// Adds a line for which nothing waits. It is written with the next one, or a little later.
    pub(super) fn add_line_later(&self, members: String) {
        drop(self.push_line(members, false));
    }

    fn push_line(&self, members: String, is_urgent: bool) -> oneshot::Receiver<bool> {
        let (tell, told) = oneshot::channel();
        let mut queue = self.shared.lock();
        if queue.lines.len() < MOST_WAITING && queue.n_bytes < MOST_BYTES {
            queue.n_bytes += members.len();
            let wakes = if is_urgent {
                !std::mem::replace(&mut queue.is_urgent, true)
            } else {
                queue.lines.is_empty() && !queue.is_awake
            };
            queue.lines.push(QueuedLine(members, tell));
            drop(queue);
            if wakes {
                self.shared.more.notify_one();
            }
        }
        told
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.more.notify_one();
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        // The thread sends nothing: this returns when it has ended or takes too long.
        ended.recv_timeout(LONGEST_END).ok();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The waiting lines; `None` when no more can come.
    fn wait_for_lines(&self) -> Option<Vec<QueuedLine>> {
        let mut queue = self.lock();
        queue.is_awake = true;
        let has_time = |queue: &mut Queue| !queue.is_urgent && !queue.is_closed;
        let waited = self.more.wait_timeout_while(queue, DELAY, has_time);
        drop(waited);
        // Calls that are about to add a line share this write; where no thread waits for a processor, this returns at once.
        thread::yield_now();
        let mut queue = self.lock();
        queue.is_awake = false;
        let is_idle = |queue: &mut Queue| queue.lines.is_empty() && !queue.is_closed;
        let queue = self.more.wait_while(queue, is_idle);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        queue.is_urgent = false;
        queue.n_bytes = 0;
        let lines = std::mem::take(&mut queue.lines);
        (!lines.is_empty()).then_some(lines)
    }
}

struct WriterState {
    key: ChainKey,
    file: AuditFile,
    head: Head,
    /// The line that must come before the next one and says how the file continues.
    opening: Option<Opening>,
    is_failing: bool,
}

#[derive(Default)]
struct Opening {
    reason: &'static str,
    /// The written part of an incomplete line.
    torn: Vec<u8>,
    is_unbroken: bool,
    n_lost: usize,
}

impl WriterState {
    fn new(key: ChainKey, beginning: Beginning) -> Self {
        let Beginning { file, head, torn, is_unbroken } = beginning;
        let opening = Opening { reason: "start", torn, is_unbroken, n_lost: 0 };
        Self { key, file, head, opening: Some(opening), is_failing: false }
    }

    /// Writes lines at once, and reports for each whether it is in the file.
    fn write_lines(&mut self, lines: Vec<QueuedLine>) {
        self.renew_if_moved();
        let (mut text, mut head, mut ends) = (String::new(), self.head, Vec::new());
        if let Some(opening) = &self.opening {
            if !opening.torn.is_empty() || opening.is_unbroken {
                text.push('\n');
            }
            let Opening { reason, torn, n_lost, .. } = opening;
            let members = members::file_start_members(reason, &head.code, torn, *n_lost);
            head.append_line(&self.key, &members, &mut text);
            ends.push((text.len(), head));
        }
        for QueuedLine(members, _) in &lines {
            head.append_line(&self.key, members, &mut text);
            ends.push((text.len(), head));
        }
        let (n_written, failure) = self.file.append(text.as_bytes());
        let n_whole = ends.partition_point(|(end, _)| *end <= n_written);
        let n_opening = usize::from(self.opening.is_some());
        let n_told = n_whole.saturating_sub(n_opening);
        let n_lost = lines.len() - n_told;
        self.log_change_of_failing(n_lost > 0, failure.as_ref());
        self.record_written(
            &ends,
            n_whole,
            n_lost,
            text.as_bytes().get(..n_written).unwrap_or_default(),
        );
        for (at, QueuedLine(_, tell)) in lines.into_iter().enumerate() {
            // A caller that has left needs no report.
            tell.send(at < n_told).ok();
        }
    }

    /// Logs once that lines are lost and why, and once that they are written again.
    fn log_change_of_failing(&mut self, is_failing: bool, failure: Option<&io::Error>) {
        match (self.is_failing, is_failing) {
            (false, true) => warn_of_unwritable_file(&self.file, failure),
            (true, false) => {
                tracing::info!(file = %self.file.path().display(), "the audit file is written again");
            }
            _ => {}
        }
        self.is_failing = is_failing;
    }

    /// Records what was written: whole lines, and perhaps a part of the next one.
    fn record_written(
        &mut self,
        ends: &[(usize, Head)],
        n_whole: usize,
        n_lost: usize,
        written: &[u8],
    ) {
        let mut opening = self.opening.take();
        let last = n_whole.checked_sub(1).and_then(|at| ends.get(at));
        let end = last.map_or(0, |(end, _)| *end);
        if let Some((_, head)) = last {
            self.head = *head;
            opening = None;
        }
        let mut part = written.get(end..).unwrap_or_default();
        if n_lost == 0 {
            return;
        }
        let mut opening =
            opening.unwrap_or_else(|| Opening { reason: "recovery", ..Opening::default() });
        if opening.is_unbroken && !part.is_empty() {
            // The missing line break of the last line is now written.
            part = part.get(1..).unwrap_or_default();
            opening.is_unbroken = false;
        }
        opening.torn.extend_from_slice(part);
        opening.n_lost += n_lost;
        self.opening = Some(opening);
    }

    /// Continues in a new file if the last one was moved away.
    fn renew_if_moved(&mut self) {
        match self.file.reopen_if_moved() {
            Ok(false) => {}
            Ok(true) => {
                let n_lost = self.opening.as_ref().map_or(0, |opening| opening.n_lost);
                let opening = Opening { reason: "rotation", n_lost, ..Opening::default() };
                self.opening = Some(opening);
            }
            Err(error) => tracing::warn!(%error, "the audit file cannot be opened again"),
        }
    }
}

fn warn_of_unwritable_file(file: &AuditFile, failure: Option<&io::Error>) {
    let cause = failure.map(tracing::field::display);
    tracing::warn!(
        file = %file.path().display(),
        cause,
        "the audit file cannot be written: make room, or mend its disk or its rights; it is tried again at each call"
    );
}

/// A process that ends does not wait longer for a disk.
const LONGEST_END: Duration = Duration::from_secs(5);
/// The longest time for which a line that nothing waits for is held back, so that it shares the write of the next one.
const DELAY: Duration = Duration::from_millis(5);
/// More lines than can come while a disk is slow for some seconds.
const MOST_WAITING: usize = 1 << 16;
const MOST_BYTES: usize = 64 << 20;
