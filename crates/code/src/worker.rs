//! The processes that run programs. One that has run a program of a principal runs those of no other; a fresh one waits, so that a program
//! does not wait for the start of a process.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Mutex, OnceLock, PoisonError},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, ChildStdout, Command},
    runtime::{self, Handle},
};

use crate::{
    frame::{Frames, MOST_READ, MOST_TO_WORKER, frame_bytes},
    message::{Order, Report},
};

/// The argument with which the program is started that runs code.
pub const WORKER_ARGUMENT: &str = "code-worker";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names the program that runs code: started with [`WORKER_ARGUMENT`], it calls `run_worker` and ends. The first name counts,
/// for the whole process.
pub fn set_worker_program(program: impl Into<PathBuf>) {
    PROGRAM.get_or_init(|| program.into());
}

pub(crate) fn worker_program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// The idle processes of a toolset.
#[derive(Debug)]
pub(crate) struct Workers {
    program: PathBuf,
    idle: Mutex<Vec<Worker>>,
}

/// A process that runs programs. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    frames: Frames,
    /// The principal whose programs it runs; `None` for a fresh one.
    principal: Option<String>,
    n_programs: usize,
    /// The runtime that its pipes belong to.
    runtime: runtime::Id,
}

/// The reason why a worker is of no use any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Broken {
    /// It ended: by a signal, or by its limits.
    Ended,
    /// It said something that is no message.
    Malformed,
}

impl Workers {
    pub(crate) fn new(program: &Path) -> Self {
        Self { program: program.to_owned(), idle: Mutex::default() }
    }

    /// A process for a program of this principal.
    pub(crate) fn take_or_start_worker(&self, principal: &str) -> io::Result<Worker> {
        let mut worker = match self.take_idle(principal) {
            Some(worker) => worker,
            None => self.start_worker()?,
        };
        worker.principal = Some(principal.to_owned());
        if !self.has_unused_idle_worker() {
            // Without one, the next program waits for its start.
            self.start_worker().into_iter().for_each(|fresh| self.keep_worker(fresh));
        }
        Ok(worker)
    }

    /// Keeps a process after a program that ended as it should.
    pub(crate) fn give_back(&self, mut worker: Worker) {
        worker.n_programs += 1;
        if worker.n_programs < MOST_PROGRAMS {
            self.keep_worker(worker);
        }
    }

    fn take_idle(&self, principal: &str) -> Option<Worker> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let here = Handle::current().id();
        idle.retain_mut(|worker| {
            worker.runtime == here && matches!(worker.child.try_wait(), Ok(None))
        });
        let position = |principal: Option<&str>| {
            idle.iter().position(|worker| worker.principal.as_deref() == principal)
        };
        let at = position(Some(principal)).or_else(|| position(None))?;
        Some(idle.remove(at))
    }

    fn has_unused_idle_worker(&self) -> bool {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.iter().any(|worker| worker.principal.is_none())
    }

    fn keep_worker(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= MOST_IDLE {
            let oldest = idle.iter().position(|worker| worker.principal.is_some());
            drop(idle.remove(oldest.unwrap_or_default()));
        }
        idle.push(worker);
    }

    fn start_worker(&self) -> io::Result<Worker> {
        let mut command = Command::new(&self.program);
        command.arg(WORKER_ARGUMENT).env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (frames, principal, n_programs) = (Frames::default(), None, 0);
        let runtime = Handle::current().id();
        Ok(Worker { child, input, output, frames, principal, n_programs, runtime })
    }
}

impl Worker {
    /// The next report. If the future is dropped, what has arrived is kept.
    pub(crate) async fn receive_report(&mut self) -> Result<Report, Broken> {
        loop {
            match self.frames.next_frame() {
                Ok(Some(frame)) => return Report::from_value(frame).ok_or(Broken::Malformed),
                Ok(None) => {}
                Err(_) => return Err(Broken::Malformed),
            }
            self.frames.buffer.reserve(MOST_READ);
            match self.output.read_buf(&mut self.frames.buffer).await {
                Ok(0) | Err(_) => return Err(Broken::Ended),
                Ok(_) => {}
            }
        }
    }

    /// The number of the program that it runs, or runs next.
    pub(crate) fn program_number(&self) -> u64 {
        self.n_programs as u64
    }

    /// True if it has said nothing that is not taken yet.
    pub(crate) fn has_no_unread_output(&self) -> bool {
        self.frames.buffer.is_empty()
    }

    /// Sends an order; `false` if it is longer than a worker reads.
    pub(crate) async fn send_order(&mut self, order: &Order) -> Result<bool, Broken> {
        let Some(bytes) = frame_bytes(|out| order.write_to(out), MOST_TO_WORKER) else {
            return Ok(false);
        };
        self.input.write_all(&bytes).await.map_err(|_| Broken::Ended)?;
        Ok(true)
    }
}

/// The processes that wait for programs: each takes a few megabytes.
const MOST_IDLE: usize = 4;
/// The programs of one process, so that what it loses of memory and time is bounded.
const MOST_PROGRAMS: usize = 100;
