//! Runs a transaction on a connection of a pool, and once more on a new one if the connection was closed before anything was run.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::{Instant, timeout_at};

use super::{Dial, Loan, Pool, Pooled as _};
use crate::transaction::{Failure, StepResult, Transaction};

/// The end of an attempt to run a transaction.
pub(crate) enum Ending {
    /// The statement may still run: it must be ended, and the connection closed.
    Broken(Result<Vec<StepResult>, Failure>),
    /// The transaction has ended, and the connection can be used again.
    Ended(Result<Vec<StepResult>, Failure>),
    /// Nothing was run, because the connection or what it had prepared is not there any more.
    NotBegun(Failure),
}

/// The conditions of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions<'a> {
    pub(crate) deadline: Instant,
    #[cfg_attr(
        not(feature = "mysql"),
        expect(dead_code, reason = "PostgreSQL leaves nothing behind")
    )]
    pub(crate) origin: Origin,
    /// Says afterwards that the commit was sent, should nobody wait for the end.
    pub(crate) is_committing: &'a AtomicBool,
}

/// The author of a transaction's statements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(not(feature = "mysql"), expect(dead_code, reason = "PostgreSQL leaves nothing behind"))]
pub(crate) enum Origin {
    /// Callgate, whose statements leave nothing behind in the session.
    Callgate,
    /// The operator or a model, whose statements may take locks and set variables.
    Operator,
}

/// A transaction that is to be run.
#[derive(Clone, Copy)]
pub(crate) struct PendingTransaction<'a> {
    pub(crate) transaction: &'a Transaction,
    pub(crate) deadline: Instant,
    pub(crate) origin: Origin,
    /// True if its connection serves nobody else.
    pub(crate) is_for_one: bool,
}

impl<D: Dial> Pool<D> {
    pub(crate) async fn run_with_retry(
        &self,
        asked: PendingTransaction<'_>,
    ) -> Result<Vec<StepResult>, Failure> {
        let principal = &asked.transaction.principal;
        let loan = self.borrow(principal, asked.deadline).await?;
        let is_reused = loan.is_reused;
        match loan.attempt(asked).await {
            // The server closed the connection, or forgot what it had prepared.
            Err(_) if is_reused => {
                let loan = self.borrow_new(principal, asked.deadline).await?;
                loan.attempt(asked).await.unwrap_or_else(Err)
            }
            other => other.unwrap_or_else(Err),
        }
    }
}

impl<D: Dial> Loan<D> {
    /// One attempt; the outer failure says that nothing was run.
    async fn attempt(
        mut self,
        asked: PendingTransaction<'_>,
    ) -> Result<Result<Vec<StepResult>, Failure>, Failure> {
        let PendingTransaction { transaction, deadline, origin, is_for_one } = asked;
        let is_committing = AtomicBool::new(false);
        let conditions = Conditions { deadline, origin, is_committing: &is_committing };
        let ran = self.connection()?.run(transaction, conditions);
        match timeout_at(deadline, ran).await {
            Ok(Ending::Ended(came)) => {
                self.is_for_one = is_for_one || came.as_ref().is_err_and(is_end_of_connection);
                self.give_back();
                Ok(came)
            }
            Ok(Ending::Broken(came)) => Ok(came),
            Ok(Ending::NotBegun(failure)) => Err(failure),
            // The loan is dropped, which ends what runs.
            Err(_) => Ok(Err(Failure::TimedOut {
                is_rolled_back: !is_committing.load(Ordering::Relaxed),
            })),
        }
    }
}

/// True if nobody else gets the connection: its statement ran out of time, its server said what is no answer, or it has prepared
/// statements over a table that changed.
fn is_end_of_connection(failure: &Failure) -> bool {
    matches!(failure, Failure::TimedOut { .. } | Failure::Lost { .. } | Failure::Stale)
}
