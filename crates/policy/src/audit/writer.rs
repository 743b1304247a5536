//! Writes lines on a thread of its own, as many at a time as have come: whoever waits for one waits for a single write, and a
//! slow disk keeps no call that does not wait.

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

/// Lines on their way into a file. When it is dropped, what is on its way is written and the file is closed.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    /// Closed when the thread has ended.
    ended: Mutex<Receiver<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    more: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<Waited>,
    is_closed: bool,
}

/// The members of a line, and who is told whether it is written.
#[derive(Debug)]
struct Waited(String, oneshot::Sender<bool>);

/// The content of the file before the first line of a process.
#[derive(Debug)]
pub(super) struct Beginning {
    pub(super) file: AuditFile,
    pub(super) head: Head,
    /// The text behind the last whole line.
    pub(super) torn: Vec<u8>,
    /// True if the last line lacks its line break.
    pub(super) is_unbroken: bool,
}

impl Writer {
    /// Begins to write.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub(super) fn new(key: ChainKey, beginning: Beginning) -> Result<Self, Error> {
        let shared = Arc::<Shared>::default();
        let (end, ended) = mpsc::channel::<()>();
        let (own, path) = (Arc::clone(&shared), beginning.file.path().to_owned());
        let mut desk = Desk::new(key, beginning);
        let thread = thread::Builder::new().name("callgate-audit".to_owned());
        let started = thread.spawn(move || {
            while let Some(lines) = own.take() {
                desk.write(lines);
            }
            drop(desk);
            drop(end);
        });
        started.map_err(|source| error::unreadable(&path, source))?;
        Ok(Self { shared, ended: Mutex::new(ended) })
    }

    /// Takes a line, which is written after all those before it. Whoever holds the receiver is told whether it was; nobody
    /// is where too many lines wait.
    pub(super) fn add(&self, members: String) -> oneshot::Receiver<bool> {
        let (tell, told) = oneshot::channel();
        let mut waiting = self.shared.lock();
        if waiting.lines.len() < MOST_WAITING {
            waiting.lines.push(Waited(members, tell));
            let is_first = waiting.lines.len() == 1;
            drop(waiting);
            if is_first {
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
        // The thread sends nothing: it has ended, or it takes too long.
        ended.recv_timeout(LONGEST_END).ok();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lines that have come; none when no more come.
    fn take(&self) -> Option<Vec<Waited>> {
        let is_idle = |waiting: &mut Waiting| waiting.lines.is_empty() && !waiting.is_closed;
        let waiting = self.more.wait_while(self.lock(), is_idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        let lines = std::mem::take(&mut waiting.lines);
        (!lines.is_empty()).then_some(lines)
    }
}

/// The state of the thread.
struct Desk {
    key: ChainKey,
    file: AuditFile,
    head: Head,
    /// The reason why a line stands before the next one that says how the file goes on.
    opening: Option<Opening>,
    is_failing: bool,
}

/// The way a file goes on.
#[derive(Default)]
struct Opening {
    reason: &'static str,
    /// The text that is written of a line that is not whole.
    torn: Vec<u8>,
    is_unbroken: bool,
    n_lost: usize,
}

impl Opening {
    fn of_recovery() -> Self {
        Self { reason: "recovery", ..Self::default() }
    }
}

impl Desk {
    fn new(key: ChainKey, beginning: Beginning) -> Self {
        let Beginning { file, head, torn, is_unbroken } = beginning;
        let opening = Opening { reason: "start", torn, is_unbroken, n_lost: 0 };
        Self { key, file, head, opening: Some(opening), is_failing: false }
    }

    /// Writes lines at once, and tells of each whether it is in the file.
    fn write(&mut self, lines: Vec<Waited>) {
        self.renew();
        let (mut text, mut head, mut ends) = (String::new(), self.head, Vec::new());
        if let Some(opening) = &self.opening {
            if !opening.torn.is_empty() || opening.is_unbroken {
                text.push('\n');
            }
            let Opening { reason, torn, n_lost, .. } = opening;
            let members = members::opened(reason, &head.code, torn, *n_lost);
            head.add(&self.key, &members, &mut text);
            ends.push((text.len(), head));
        }
        for Waited(members, _) in &lines {
            head.add(&self.key, members, &mut text);
            ends.push((text.len(), head));
        }
        let (n_written, failure) = self.file.append(text.as_bytes());
        let n_whole = ends.partition_point(|(end, _)| *end <= n_written);
        let n_opening = usize::from(self.opening.is_some());
        let n_told = n_whole.saturating_sub(n_opening);
        let n_lost = lines.len() - n_told;
        self.tell(n_lost > 0, failure.as_ref());
        self.settle(&ends, n_whole, n_lost, text.as_bytes().get(..n_written).unwrap_or_default());
        for (at, Waited(_, tell)) in lines.into_iter().enumerate() {
            // Whoever left wants to know nothing.
            tell.send(at < n_told).ok();
        }
    }

    /// Says in the log once that lines are lost, why, and once that they are written again.
    fn tell(&mut self, is_failing: bool, failure: Option<&io::Error>) {
        match (self.is_failing, is_failing) {
            (false, true) => tell_failing(&self.file, failure),
            (true, false) => {
                tracing::info!(file = %self.file.path().display(), "the audit file is written again");
            }
            _ => {}
        }
        self.is_failing = is_failing;
    }

    /// Takes in what was written: whole lines, and maybe a part of the next one.
    fn settle(&mut self, ends: &[(usize, Head)], n_whole: usize, n_lost: usize, written: &[u8]) {
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
        let mut opening = opening.unwrap_or_else(Opening::of_recovery);
        if opening.is_unbroken && !part.is_empty() {
            // The line break that the last line lacked is there now.
            part = part.get(1..).unwrap_or_default();
            opening.is_unbroken = false;
        }
        opening.torn.extend_from_slice(part);
        opening.n_lost += n_lost;
        self.opening = Some(opening);
    }

    /// Goes on in a new file where the last one was moved away.
    fn renew(&mut self) {
        match self.file.renew() {
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

fn tell_failing(file: &AuditFile, failure: Option<&io::Error>) {
    let cause = failure.map(tracing::field::display);
    tracing::warn!(
        file = %file.path().display(),
        cause,
        "the audit file cannot be written: make room, or mend its disk or its rights; it is tried again at each call"
    );
}

/// A disk that takes longer is not waited for by a process that ends.
const LONGEST_END: Duration = Duration::from_secs(5);
/// More lines than come while a disk is slow for some seconds.
const MOST_WAITING: usize = 1 << 16;
