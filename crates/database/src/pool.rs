//! The connections of one login to a server: at most so many, lent to one transaction at a time. A connection comes back only when its
//! transaction has ended; otherwise what it runs is cancelled on the server, and it is closed.

mod run;

use std::{
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use callgate_session::QueuePermit;
use tokio::{
    runtime::Handle,
    task::JoinSet,
    time::{Instant, sleep, timeout, timeout_at},
};

pub(crate) use self::run::{Conditions, Ending, Origin, PendingTransaction};
use crate::{
    error::{Error, ErrorKind},
    shares::Shares,
    transaction::{Failure, Transaction},
};

/// The way to the connections of a server.
pub(crate) trait Dial: fmt::Debug + Send + Sync + 'static {
    type Connection: Pooled;

    /// Opens a connection. The caller sets the time limit.
    fn open(&self) -> impl Future<Output = Result<Self::Connection, Error>> + Send;

    /// Ends on the server what a connection runs, and closes it. The caller sets the time limit.
    fn cancel_and_close(&self, connection: Self::Connection) -> impl Future<Output = ()> + Send;
}

/// A connection that is lent to one transaction after another.
pub(crate) trait Pooled: Send + 'static {
    /// True if the connection is known to be closed.
    fn is_closed(&mut self) -> bool;

    /// True if the server may still run something of the connection.
    fn may_still_run(&mut self) -> bool;

    /// Runs a transaction.
    fn run(
        &mut self,
        transaction: &Transaction,
        conditions: Conditions<'_>,
    ) -> impl Future<Output = Ending> + Send;
}

/// The connections of one login.
pub(crate) struct Pool<D: Dial> {
    inner: Arc<Inner<D>>,
}

struct Inner<D: Dial> {
    dialling: D,
    shares: Shares,
    idle: Mutex<Idle<D::Connection>>,
    /// Cancellations under way, and the closing of idle connections.
    tasks: Mutex<JoinSet<()>>,
}

struct Idle<C> {
    /// Each with the time of its last use. The last one was used last.
    connections: Vec<(Instant, C)>,
    is_watched: bool,
}

/// A connection on loan.
pub(crate) struct Loan<D: Dial> {
    /// `None` once it was given back.
    connection: Option<D::Connection>,
    permit: Option<QueuePermit>,
    /// True if it served a transaction before.
    pub(crate) is_reused: bool,
    /// True if it serves nobody else.
    pub(crate) is_for_one: bool,
    pool: Pool<D>,
}

impl<D: Dial> Pool<D> {
    pub(crate) fn new(dialling: D, most: usize) -> Self {
        let idle = Mutex::new(Idle { connections: Vec::new(), is_watched: false });
        let tasks = Mutex::default();
        Self { inner: Arc::new(Inner { dialling, shares: Shares::new(most), idle, tasks }) }
    }

    /// An idle connection, or a new one.
    pub(crate) async fn borrow(
        &self,
        principal: &str,
        deadline: Instant,
    ) -> Result<Loan<D>, Failure> {
        let permit = self.inner.shares.permit_by(deadline, principal).await?;
        let connection = self.inner.idle().take();
        match connection {
            Some(connection) => Ok(self.lend(connection, permit, true)),
            None => self.open(permit, deadline).await,
        }
    }

    /// A new connection. Idle ones are closed: one of them was found to be unusable.
    pub(crate) async fn borrow_new(
        &self,
        principal: &str,
        deadline: Instant,
    ) -> Result<Loan<D>, Failure> {
        let permit = self.inner.shares.permit_by(deadline, principal).await?;
        self.close_idle();
        self.open(permit, deadline).await
    }

    /// Closes the idle connections.
    pub(crate) fn close_idle(&self) {
        let idle = mem::take(&mut self.inner.idle().connections);
        drop(idle);
    }

    /// The way to the connections.
    pub(crate) fn dialling(&self) -> &D {
        &self.inner.dialling
    }

    /// A connection that prepares statements and reads the catalog, and why there is none.
    pub(crate) async fn borrow_for_catalog(&self, principal: &str) -> Result<Loan<D>, Error> {
        let permit = self.inner.shares.permit(principal).await.ok_or_else(busy_error)?;
        let connection = self.inner.idle().take();
        if let Some(connection) = connection {
            return Ok(self.lend(connection, permit, true));
        }
        let opened = timeout(OPEN_TIME, self.inner.dialling.open()).await;
        Ok(self.lend(opened.map_err(|_| unavailable_error())??, permit, false))
    }

    async fn open(&self, permit: QueuePermit, deadline: Instant) -> Result<Loan<D>, Failure> {
        let until = deadline.min(Instant::now() + OPEN_TIME);
        match timeout_at(until, Box::pin(self.inner.dialling.open())).await {
            Ok(Ok(connection)) => Ok(self.lend(connection, permit, false)),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(Failure::Unavailable { reason: "no connection in time".to_owned() }),
        }
    }

    fn lend(&self, connection: D::Connection, permit: QueuePermit, is_reused: bool) -> Loan<D> {
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

    fn keep(&self, connection: D::Connection) {
        let mut idle = self.inner.idle();
        idle.connections.push((Instant::now(), connection));
        let is_watched = mem::replace(&mut idle.is_watched, true);
        drop(idle);
        if !is_watched {
            self.spawn(close_idle_periodically(Arc::downgrade(&self.inner)));
        }
    }

    /// Cancels what a connection runs, until the server has ended it, and closes the connection. The permit is dropped last,
    /// so that the server never has more connections than it should.
    async fn cancel_and_close(self, _permit: QueuePermit, connection: D::Connection) {
        drop(timeout(CANCEL_TIME, self.inner.dialling.cancel_and_close(connection)).await);
    }
}

impl<D: Dial> Inner<D> {
    fn idle(&self) -> MutexGuard<'_, Idle<D::Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Pooled> Idle<C> {
    fn take(&mut self) -> Option<C> {
        self.connections.retain_mut(|(_, connection)| !connection.is_closed());
        self.connections.pop().map(|(_, connection)| connection)
    }

    /// Closes what was not used for a while; returns the number of the others.
    fn close_old(&mut self) -> usize {
        self.connections
            .retain_mut(|(used, connection)| used.elapsed() < IDLE_TIME && !connection.is_closed());
        self.is_watched = !self.connections.is_empty();
        self.connections.len()
    }
}

/// Closes idle connections until there is none.
async fn close_idle_periodically<D: Dial>(inner: Weak<Inner<D>>) {
    loop {
        sleep(IDLE_TIME / 2).await;
        let Some(inner) = inner.upgrade() else { return };
        if inner.idle().close_old() == 0 {
            return;
        }
    }
}

impl<D: Dial> Loan<D> {
    pub(crate) fn connection(&mut self) -> Result<&mut D::Connection, Failure> {
        self.connection.as_mut().ok_or(Failure::Lost { may_be_committed: false })
    }

    /// Gives the connection back. Its transaction has ended, with the server's word.
    pub(crate) fn give_back(mut self) {
        if let Some(mut connection) = self.connection.take()
            && !connection.is_closed()
            && !self.is_for_one
        {
            // First, so that a waiting call finds it.
            self.pool.keep(connection);
        }
    }
}

impl<D: Dial> Drop for Loan<D> {
    fn drop(&mut self) {
        let (connection, permit) = (self.connection.take(), self.permit.take());
        let (Some(mut connection), Some(permit)) = (connection, permit) else { return };
        if connection.may_still_run() {
            self.pool.spawn(self.pool.clone().cancel_and_close(permit, connection));
        }
    }
}

impl<D: Dial> Clone for Pool<D> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<D: Dial> fmt::Debug for Pool<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("dialling", &self.inner.dialling).finish_non_exhaustive()
    }
}

fn busy_error() -> Error {
    Error::new(ErrorKind::Busy, "every connection is in use")
}

fn unavailable_error() -> Error {
    Error::new(ErrorKind::Unavailable, "no connection to the database in time")
}

/// The time limit of a new connection with its login.
const OPEN_TIME: Duration = Duration::from_secs(10);

/// The time after which an idle connection is closed.
const IDLE_TIME: Duration = Duration::from_mins(1);

/// The time limit of a cancellation. The server's own time limit ends what outlives it.
const CANCEL_TIME: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
