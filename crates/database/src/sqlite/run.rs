//! A transaction: its steps one after another, each checked before the next, and a commit only when all hold.

use super::{
    connection::{Control, Session},
    failure,
    pool::Pool,
    rows::Bounds,
};
use crate::transaction::{Access, Expects, Failure, ReviewedDigest, Step, StepResult, Transaction};

/// Runs a transaction. Nothing of it stays unless every step came to what it expects.
pub(super) fn run(
    session: &mut Session,
    pool: &Pool,
    transaction: &Transaction,
) -> Result<Vec<StepResult>, Failure> {
    if transaction.role.is_some() || !transaction.identity.is_empty() {
        return Err(Failure::Denied);
    }
    session.set_lock_wait(transaction.lock_time)?;
    session.run_control(match transaction.access {
        Access::Read => Control::Begin,
        Access::Write => Control::BeginWrite,
    })?;
    let came = run_steps(session, pool, transaction).and_then(|came| {
        commit_or_end_read(session, transaction)?;
        Ok(came)
    });
    if came.is_err() {
        // The engine has often done it already. A connection in a transaction is closed, which rolls back.
        session.run_control(Control::Rollback).ok();
    }
    came
}

fn commit_or_end_read(session: &Session, transaction: &Transaction) -> Result<(), Failure> {
    if transaction.access == Access::Read {
        return session.run_control(Control::Rollback);
    }
    if !session.call()?.begin_commit() {
        return Err(Failure::TimedOut { is_rolled_back: true });
    }
    session.set_lock_wait(transaction.lock_time)?;
    session.run_control(Control::Commit)
}

fn run_steps(
    session: &mut Session,
    pool: &Pool,
    transaction: &Transaction,
) -> Result<Vec<StepResult>, Failure> {
    let expected = pool.snapshot().expected_schema();
    expected.verify(session)?;
    let bounds = Bounds::new(pool.limits());
    let steps = transaction.steps.iter().enumerate();
    let came = steps.map(|(at, step)| {
        if session.call()?.has_to_end() {
            return Err(Failure::TimedOut { is_rolled_back: true });
        }
        // The statements of the driver are prepared without these rights.
        if Control::ALL.iter().any(|own| own.text() == step.text.trim()) {
            return Err(Failure::Denied);
        }
        session.run_within_rights(&expected.rights, &step.text, |connection| {
            let access = transaction.access;
            run_step(connection, Place { at, step, access, bounds: &bounds })
        })
    });
    came.collect()
}

#[derive(Clone, Copy)]
struct Place<'a> {
    at: usize,
    step: &'a Step,
    access: Access,
    bounds: &'a Bounds,
}

fn run_step(connection: &rusqlite::Connection, place: Place<'_>) -> Result<StepResult, Failure> {
    let Place { at, step, access, bounds } = place;
    let of = |error| failure::from_error(&error);
    let mut statement = connection.prepare_cached(&step.text).map_err(of)?;
    let is_change = !statement.readonly();
    if is_change && access == Access::Read {
        return Err(Failure::Denied);
    }
    if statement.parameter_count() != step.values.len() {
        return Err(Failure::Internal);
    }
    for (value, index) in step.values.iter().zip(1..) {
        statement.raw_bind_parameter(index, value.as_deref()).map_err(of)?;
    }
    let mut rows = statement.raw_query();
    let unexpected = Err(Failure::Unexpected { step: at });
    match step.expects {
        Expects::Rows { most } => {
            Ok(StepResult { rows: bounds.read(&mut rows, u64::from(most))?, affected: 0 })
        }
        Expects::Present => match rows.next().map_err(of)? {
            Some(_) => Ok(StepResult::default()),
            None => unexpected,
        },
        Expects::Reviewed(reviewed) => {
            let rows = bounds.read(&mut rows, u64::MAX)?;
            let is_same = ReviewedDigest::from_rows(&rows) == reviewed;
            if is_same { Ok(StepResult { rows, affected: 0 }) } else { unexpected }
        }
        Expects::Affected { most, some } => {
            let returned = bounds.read(&mut rows, most)?;
            // The count is that of the statement once it is done.
            while rows.next().map_err(of)?.is_some() {}
            let affected = if is_change { connection.changes() } else { 0 };
            match affected {
                0 if some => unexpected,
                affected if affected > most => Err(Failure::TooMany { affected }),
                affected => Ok(StepResult { rows: returned, affected }),
            }
        }
    }
}
