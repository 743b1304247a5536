//! The connections of one login: at most so many, lent to one transaction at a time. A connection comes back only when its
//! transaction has ended; otherwise what it runs is cancelled on the server, and it is closed.

use std::{
    fmt, mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{Instant, sleep, timeout, timeout_at},
};

use super::{connection::Connection, dial::Dialling};
use crate::{error::Error, transaction::Failure};

/// The connections of one login.
#[derive(Clone)]
pub(super) struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    dialling: Dialling,
    permits: Arc<Semaphore>,
    idle: Mutex<Idle>,
    /// Cancellations under way, and the closing of idle connections.
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct Idle {
    /// The last one was used last.
    connections: Vec<Connection>,
    is_watched: bool,
}

/// A connection on loan.
pub(super) struct Loan {
    /// `None` once it was given back.
    connection: Option<Connection>,
    permit: Option<OwnedSemaphorePermit>,
    /// True if it served a transaction before.
    pub(super) is_reused: bool,
    /// True if it serves nobody else.
    pub(super) is_for_one: bool,
    pool: Pool,
}

impl Pool {
    pub(super) fn new(dialling: Dialling, most: usize) -> Self {
        let permits = Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
        let (idle, tasks) = (Mutex::default(), Mutex::default());
        Self { inner: Arc::new(Inner { dialling, permits, idle, tasks }) }
    }

    /// An idle connection, or a new one.
    pub(super) async fn loan(&self, deadline: Instant) -> Result<Loan, Failure> {
        let permit = self.permit(deadline).await?;
        let connection = self.inner.idle().take();
        match connection {
            Some(connection) => Ok(self.lend(connection, permit, true)),
            None => self.open(permit, deadline).await,
        }
    }

    /// Looks up names of statements in these schemas, on connections that are opened from now on: idle ones are closed.
    pub(super) fn look_up_in<'a>(&self, schemas: impl Iterator<Item = &'a str>) {
        self.inner.dialling.look_up_in(schemas);
        let idle = mem::take(&mut self.inner.idle().connections);
        drop(idle);
    }

    /// A new connection. Idle ones are closed: one of them was found to be unusable.
    pub(super) async fn fresh(&self, deadline: Instant) -> Result<Loan, Failure> {
        let permit = self.permit(deadline).await?;
        let idle = mem::take(&mut self.inner.idle().connections);
        drop(idle);
        self.open(permit, deadline).await
    }

    /// A connection for what is not a call, and why there is none.
    pub(super) async fn reader(&self) -> Result<Loan, Error> {
        let permit = Arc::clone(&self.inner.permits).acquire_owned().await;
        let permit = permit.map_err(|_| unavailable())?;
        let connection = self.inner.idle().take();
        if let Some(connection) = connection {
            return Ok(self.lend(connection, permit, true));
        }
        let opened = timeout(OPEN_TIME, self.inner.dialling.open()).await;
        Ok(self.lend(opened.map_err(|_| unavailable())??, permit, false))
    }

    async fn permit(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, Failure> {
        let permit = Arc::clone(&self.inner.permits).acquire_owned();
        match timeout_at(deadline, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => {
                Err(Failure::Unavailable { reason: "every connection is in use".to_owned() })
            }
        }
    }

    async fn open(&self, permit: OwnedSemaphorePermit, deadline: Instant) -> Result<Loan, Failure> {
        let until = deadline.min(Instant::now() + OPEN_TIME);
        match timeout_at(until, self.inner.dialling.open()).await {
            Ok(Ok(connection)) => Ok(self.lend(connection, permit, false)),
            Ok(Err(error)) => Err(Failure::Unavailable { reason: error.to_string() }),
            Err(_) => Err(Failure::Unavailable { reason: "no connection in time".to_owned() }),
        }
    }

    fn lend(&self, connection: Connection, permit: OwnedSemaphorePermit, is_reused: bool) -> Loan {
        let (connection, permit, pool) = (Some(connection), Some(permit), self.clone());
        Loan { connection, permit, is_reused, is_for_one: false, pool }
    }

    /// Runs something beside the calls, until its end or that of the runtime.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // A caller may drop its future after the runtime has ended.
        let Ok(runtime) = Handle::try_current() else { return };
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn_on(task, &runtime);
    }

    fn keep(&self, mut connection: Connection) {
        connection.idle_since = Instant::now();
        let mut idle = self.inner.idle();
        idle.connections.push(connection);
        let is_watched = mem::replace(&mut idle.is_watched, true);
        drop(idle);
        if !is_watched {
            self.spawn(watch(Arc::downgrade(&self.inner)));
        }
    }

    /// Cancels what a connection runs, until the server has ended it, and closes the connection. The permit is dropped last,
    /// so that the server never has more connections than it should.
    async fn cancel(self, _permit: OwnedSemaphorePermit, connection: Connection) {
        let token = connection.client.cancel_token();
        let mut ended = pin!(connection.roll_back());
        let cancelled = async {
            // A cancellation that arrives between two statements ends neither.
            while {
                drop(self.inner.dialling.cancel(&token).await);
                timeout(CANCEL_PAUSE, &mut ended).await.is_err()
            } {}
        };
        drop(timeout(CANCEL_TIME, cancelled).await);
    }
}

impl Inner {
    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    fn take(&mut self) -> Option<Connection> {
        self.connections.retain(|connection| !connection.is_closed());
        self.connections.pop()
    }

    /// Closes what was not used for a while; returns the number of the others.
    fn close_old(&mut self) -> usize {
        let is_young = |connection: &Connection| connection.idle_since.elapsed() < IDLE_TIME;
        self.connections.retain(|connection| !connection.is_closed() && is_young(connection));
        self.is_watched = !self.connections.is_empty();
        self.connections.len()
    }
}

/// Closes idle connections until there is none.
async fn watch(inner: Weak<Inner>) {
    loop {
        sleep(IDLE_TIME / 2).await;
        let Some(inner) = inner.upgrade() else { return };
        if inner.idle().close_old() == 0 {
            return;
        }
    }
}

impl Loan {
    /// The connection.
    pub(super) fn connection(&mut self) -> Result<&mut Connection, Failure> {
        self.connection.as_mut().ok_or(Failure::Lost { may_be_committed: false })
    }

    /// Gives the connection back. Its transaction has ended, with the server's word.
    pub(super) fn give_back(mut self) {
        if let Some(connection) = self.connection.take()
            && !connection.is_closed()
            && !self.is_for_one
        {
            // First, so that a waiting call finds it.
            self.pool.keep(connection);
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let (connection, permit) = (self.connection.take(), self.permit.take());
        let (Some(connection), Some(permit)) = (connection, permit) else { return };
        let is_ended_by_server = connection.is_closed() && !connection.meter.is_over();
        if !is_ended_by_server {
            self.pool.spawn(self.pool.clone().cancel(permit, connection));
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("dialling", &self.inner.dialling).finish_non_exhaustive()
    }
}

fn unavailable() -> Error {
    Error::new(crate::error::ErrorKind::Unavailable, "no connection to the database in time")
}

/// The time limit of a new connection with its login.
const OPEN_TIME: Duration = Duration::from_secs(10);

/// The time after which an idle connection is closed.
const IDLE_TIME: Duration = Duration::from_mins(1);

/// The time limit of a cancellation. The server's own time limit ends what outlives it.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// The time after which a cancellation is sent again.
const CANCEL_PAUSE: Duration = Duration::from_millis(100);
