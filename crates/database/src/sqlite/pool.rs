//! The connections to one file: how many there are, and who has one. A connection is used on a thread that may block; after a
//! cancellation it is closed.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    task::{self, JoinError},
    time::{self, Instant},
};

use super::{call::Call, connection::Session, snapshot::Snapshot};
use crate::{
    endpoint::Connecting,
    settings::DatabaseLimits,
    shares::{OPERATOR, Shares},
    transaction::{Access, Failure},
};

/// The connections to one file.
pub(super) struct Pool {
    file: PathBuf,
    limits: DatabaseLimits,
    is_read_only: bool,
    shares: Shares,
    idle: Mutex<Vec<Session>>,
    snapshot: Mutex<Snapshot>,
}

/// Whose use of a connection it is, and when it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage<'a> {
    pub(super) principal: &'a str,
    pub(super) deadline: Instant,
    /// The most steps of the engine.
    pub(super) steps: Option<u64>,
}

impl Pool {
    pub(super) fn new(file: PathBuf, settings: &Connecting) -> Self {
        Self {
            file,
            limits: settings.limits.clone(),
            is_read_only: settings.is_read_only,
            shares: Shares::new(settings.limits.connections),
            idle: Mutex::default(),
            snapshot: Mutex::default(),
        }
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn limits(&self) -> &DatabaseLimits {
        &self.limits
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// A use that belongs to no call.
    pub(super) fn operator_usage(&self) -> Usage<'static> {
        self.preparation_usage(OPERATOR)
    }

    /// A use that prepares a statement of a principal.
    pub(super) fn preparation_usage<'a>(&self, principal: &'a str) -> Usage<'a> {
        Usage { principal, deadline: Instant::now() + self.limits.timeout, steps: None }
    }

    /// The state that was read and allowed at load. Held for moments, never across a statement.
    pub(super) fn snapshot(&self) -> MutexGuard<'_, Snapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with a connection, until the deadline or until the future is dropped.
    pub(super) async fn use_connection<T: Send + 'static>(
        self: &Arc<Self>,
        access: Access,
        usage: Usage<'_>,
        work: impl FnOnce(&mut Session) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Usage { principal, deadline, steps } = usage;
        let permit = self.shares.permit_by(deadline, principal).await?;
        let call = Arc::new(Call::new(deadline).with_most_steps(steps));
        let cancel = CancelOnDrop(Arc::clone(&call));
        let pool = Arc::clone(self);
        let mut thread = task::spawn_blocking(move || {
            let _permit = permit;
            pool.run_on_session(access, &call, work)
        });
        if let Ok(ended) = time::timeout_at(deadline, &mut thread).await {
            return flatten_join_result(ended);
        }
        let is_cancelled = cancel.0.cancel_before_commit();
        match time::timeout(ENDING, thread).await {
            Ok(ended) => flatten_join_result(ended),
            // The thread closes the connection when the statement ends, which rolls back.
            Err(_) if is_cancelled => Err(Failure::TimedOut { is_rolled_back: true }),
            Err(_) => Err(Failure::Lost { may_be_committed: true }),
        }
    }

    fn run_on_session<T>(
        &self,
        access: Access,
        call: &Arc<Call>,
        work: impl FnOnce(&mut Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut session = match self.take_idle(access) {
            Some(session) => session,
            None => self.open(access, call.deadline())?,
        };
        session.begin_call(call)?;
        let result = work(&mut session).map_err(|failure| match failure {
            // The call ended the wait for a lock.
            Failure::Conflict if call.has_to_end() => Failure::TimedOut { is_rolled_back: true },
            Failure::TimedOut { .. } if !call.has_to_end() && call.has_no_steps_left() => {
                Failure::ReadsTooMany { rows: None }
            }
            other => other,
        });
        if call.finish_and_is_reusable() && session.end_call() {
            self.idle().push(session);
        }
        result
    }

    fn open(&self, access: Access, deadline: Instant) -> Result<Session, Failure> {
        let open = |access| Session::open(&self.file, access, &self.limits, deadline);
        let opened = open(access);
        if self.is_read_only || !matches!(opened, Err(Failure::Unavailable { .. })) {
            return opened;
        }
        // After a crash of another process its change is rolled back by whoever may write.
        open(Access::Write)?.schema_version()?;
        open(access)
    }

    /// An idle connection to the file that is there now.
    fn take_idle(&self, access: Access) -> Option<Session> {
        loop {
            let session = {
                let mut idle = self.idle();
                let at = idle.iter().rposition(|session| session.access() == access)?;
                idle.remove(at)
            };
            if !session.is_file_replaced() {
                return Some(session);
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

callgate_secret::opaque!(Pool { is_read_only, limits });

struct CancelOnDrop(Arc<Call>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel_before_commit();
    }
}

fn flatten_join_result<T>(ended: Result<Result<T, Failure>, JoinError>) -> Result<T, Failure> {
    ended.unwrap_or(Err(Failure::Other { code: None }))
}

/// The time that a cancelled statement has to end, and a commit that had begun.
const ENDING: Duration = Duration::from_millis(150);
