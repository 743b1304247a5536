//! The thread that uses the file. It answers waiting requests together: their changes are one transaction, and wait once
//! for the disk. If one of them fails, each is tried by itself.

use std::{
    sync::{Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use callgate_session::{Error, ErrorKind, QueuePermit};
use tokio::sync::{mpsc, oneshot};

use super::{
    request::{Answer, Request},
    table::Table,
};
use crate::error;

/// The handle of the thread. The file is closed once it is dropped.
pub(super) struct Worker {
    requests: Option<mpsc::Sender<Job>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Job {
    request: Request,
    answer: oneshot::Sender<Result<Answer, Error>>,
    /// What the job takes of the file, until it is done.
    permit: QueuePermit,
}

impl Worker {
    pub(super) fn start(table: Table) -> Result<Self, Error> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let thread = thread::Builder::new().name("callgate-state".to_owned());
        let thread = thread.spawn(move || serve_requests(table, receiver)).map_err(|source| {
            Error::new(ErrorKind::Unavailable, "no thread for the file of state can be started")
                .with_source(source)
        })?;
        Ok(Self { requests: Some(sender), thread: Mutex::new(Some(thread)) })
    }

    pub(super) async fn ask_worker(
        &self,
        request: Request,
        permit: QueuePermit,
    ) -> Result<Answer, Error> {
        let (answer, answered) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or_else(error::closed_file)?;
        requests.send(Job { request, answer, permit }).await.map_err(|_| error::closed_file())?;
        answered.await.map_err(|_| error::closed_file())?
    }
}

fn serve_requests(mut table: Table, mut requests: mpsc::Receiver<Job>) {
    let mut swept = i64::MIN;
    while let Some(first) = requests.blocking_recv() {
        let mut jobs = vec![first];
        while jobs.len() < TOGETHER
            && let Ok(job) = requests.try_recv()
        {
            jobs.push(job);
        }
        let now = jobs.iter().map(|job| job.request.now()).max().unwrap_or_default();
        let answers = answer_in_transaction(&mut table, &jobs);
        for (job, answer) in jobs.into_iter().zip(answers) {
            // A caller that has left needs no answer.
            drop(job.answer.send(answer));
            drop(job.permit);
        }
        if now.saturating_sub(swept) >= SWEEP_MS {
            swept = now;
            if let Err(failure) = table.remove_ended(now) {
                tracing::warn!(%failure, "ended records are not removed from the file of state");
            }
        }
    }
}

/// The answers to requests, of which all changes or none are in the file.
fn answer_in_transaction(table: &mut Table, jobs: &[Job]) -> Vec<Result<Answer, Error>> {
    if !jobs.iter().any(|job| job.request.is_change()) {
        return jobs.iter().map(|job| table.answer_request(&job.request)).collect();
    }
    let is_durable = jobs.iter().any(|job| job.request.needs_durability());
    let done = table.begin_transaction(is_durable).map_err(error::request_error).and_then(|()| {
        let answers: Vec<_> = jobs.iter().map(|job| table.answer_request(&job.request)).collect();
        if let Some(failure) = answers.iter().find_map(file_failure) {
            return Err(failure);
        }
        table.commit().map_err(error::request_error).map(|()| answers)
    });
    match done {
        Ok(answers) => answers,
        Err(failure) => {
            table.roll_back();
            match jobs {
                [_] => vec![Err(failure)],
                _ => jobs.chunks(1).flat_map(|job| answer_in_transaction(table, job)).collect(),
            }
        }
    }
}

/// The failure of the file itself, after which the transaction cannot be used.
fn file_failure(answer: &Result<Answer, Error>) -> Option<Error> {
    let failure = answer.as_ref().err()?;
    std::error::Error::source(failure)?;
    Some(Error::new(failure.kind(), failure.to_string()))
}

/// Waits until the file is closed, so that it can be opened again.
impl Drop for Worker {
    fn drop(&mut self) {
        self.requests = None;
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        drop(thread.map(JoinHandle::join));
    }
}

callgate_secret::opaque!(Worker = "Worker");

/// The most requests that wait in memory.
const WAITING: usize = 1024;
/// The most requests that wait for the disk together.
const TOGETHER: usize = 256;
const SWEEP_MS: i64 = 1_000;
