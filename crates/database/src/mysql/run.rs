//! Runs a transaction on a connection: a read in one flight, whose results count only if every part before them succeeded; a
//! write step by step, and its commit once all of them came to what they expect.

use std::sync::{Arc, atomic::Ordering};

use super::{
    client::{Beyond, BoundValue, Control, PreparedStatement, Reply, RowFormat},
    connection::Connection,
    failure::{self, CommandError},
    limits::Limits,
};
use crate::{
    pool::{Conditions, Ending, Origin},
    transaction::{Access, Expects, Failure, Step, StepResult, Transaction},
};

pub(super) async fn run(
    connection: &mut Connection,
    transaction: &Transaction,
    conditions: Conditions<'_>,
) -> Ending {
    connection.meter.reset_allowance(connection.allowance);
    // The load refuses both.
    if transaction.role.is_some() || !transaction.identity.is_empty() {
        return Ending::Ended(Err(Failure::Denied));
    }
    let is_of_operator = conditions.origin == Origin::Operator;
    if is_of_operator && connection.is_changed && connection.reset().await.is_err() {
        return Ending::NotBegun(failure::lost_connection());
    }
    let statements = match prepare(connection, &transaction.steps).await {
        Ok(statements) => statements,
        Err(CommandError::Lost) => return Ending::NotBegun(failure::lost_connection()),
        Err(error) => return Ending::Ended(Err(failure::failure_before_commit(error))),
    };
    let pairs: Vec<_> = transaction.steps.iter().zip(statements).collect();
    if pairs.iter().any(|(step, statement)| step.values.len() != statement.n_values) {
        return Ending::Ended(Err(Failure::Internal));
    }
    connection.write_limits_if_changed(Limits::for_transaction(transaction, conditions.deadline));
    connection.is_changed |= transaction.access == Access::Write;
    let is_small = value_bytes(&transaction.steps) <= MOST_IN_FLIGHT;
    let ending = if transaction.access == Access::Read && !is_of_operator && is_small {
        run_pipelined_read(connection, &pairs).await
    } else {
        step_by_step(connection, transaction.access, &pairs, conditions).await
    };
    if !matches!(ending, Ending::Ended(Ok(_))) {
        connection.forget_limits();
    }
    match ending {
        // Locks and variables end before another caller has the connection.
        Ending::Ended(came) if is_of_operator => match connection.reset().await {
            Ok(()) => Ending::Ended(came),
            Err(_) => Ending::Broken(came),
        },
        ending => ending,
    }
}

async fn prepare(
    connection: &mut Connection,
    steps: &[Step],
) -> Result<Vec<Arc<PreparedStatement>>, CommandError> {
    let texts: Vec<_> = steps.iter().map(|step| &step.text).collect();
    connection.prepare_missing(&texts).await?;
    let statements: Option<_> =
        steps.iter().map(|step| connection.prepared_statement(&step.text)).collect();
    statements.ok_or(CommandError::Lost)
}

fn value_bytes(steps: &[Step]) -> usize {
    steps.iter().flat_map(|step| &step.values).flatten().map(String::len).sum()
}

/// Runs a read, whose parts are sent together. Nothing of it is worth keeping.
async fn run_pipelined_read(
    connection: &mut Connection,
    pairs: &[(&Step, Arc<PreparedStatement>)],
) -> Ending {
    connection.client.write_control(Control::BeginRead);
    for (step, statement) in pairs {
        write_step(connection, step, statement);
    }
    connection.client.write_control(Control::Rollback);
    if connection.client.send().await.is_err() {
        return Ending::NotBegun(failure::lost_connection());
    }
    let mut first = match read_opening_answers(connection).await {
        Ok(()) => Ok(()),
        Err(Opening::NotBegun) => return Ending::NotBegun(failure::lost_connection()),
        Err(Opening::Failed(failure)) => Err(failure),
    };
    let mut came = Vec::new();
    for (at, (step, statement)) in pairs.iter().enumerate() {
        match read_step_reply(connection, step, statement).await {
            Ok(reply) if reply.is_cut => {
                came.push(StepResult { rows: reply.rows.into(), affected: reply.affected });
                return Ending::Broken(first.map(|()| came));
            }
            Ok(reply) => match step_result(at, step, reply) {
                Ok(of_step) => came.push(of_step),
                Err(failure) => first = first.and(Err(failure)),
            },
            Err(CommandError::Lost) => {
                return Ending::Broken(Err(broken_connection_failure(connection)));
            }
            Err(error) => {
                let failure = failure::failure_before_commit(error);
                first = first.and(Err(failure));
            }
        }
    }
    match connection.client.read_ok().await {
        Ok(()) => Ending::Ended(first.map(|()| came)),
        Err(_) => Ending::Broken(first.map(|()| came)),
    }
}

/// Runs a transaction whose steps are checked one by one.
async fn step_by_step(
    connection: &mut Connection,
    access: Access,
    pairs: &[(&Step, Arc<PreparedStatement>)],
    conditions: Conditions<'_>,
) -> Ending {
    if let Err(ending) = begin(connection, access).await {
        return ending;
    }
    let came = match run_steps(connection, access, pairs, conditions.origin).await {
        Ok(came) => came,
        Err(ending) => return ending,
    };
    if access == Access::Read {
        return match run_control(connection, Control::Rollback).await {
            Ok(()) => Ending::Ended(Ok(came)),
            Err(_) => Ending::Broken(Ok(came)),
        };
    }
    conditions.is_committing.store(true, Ordering::Relaxed);
    match run_control(connection, Control::Commit).await.map_err(failure::of_commit) {
        Ok(()) => Ending::Ended(Ok(came)),
        Err(lost @ Failure::Lost { .. }) => Ending::Broken(Err(lost)),
        Err(failure) => roll_back(connection, failure).await,
    }
}

async fn begin(connection: &mut Connection, access: Access) -> Result<(), Ending> {
    connection.client.write_control(match access {
        Access::Read => Control::BeginRead,
        Access::Write => Control::BeginWrite,
    });
    if connection.client.send().await.is_err() {
        return Err(Ending::NotBegun(failure::lost_connection()));
    }
    match read_opening_answers(connection).await {
        Ok(()) => Ok(()),
        Err(Opening::NotBegun) => Err(Ending::NotBegun(failure::lost_connection())),
        Err(Opening::Failed(failure)) => Err(roll_back(connection, failure).await),
    }
}

/// The results of the steps, up to the first that did not come to what it expects.
async fn run_steps(
    connection: &mut Connection,
    access: Access,
    pairs: &[(&Step, Arc<PreparedStatement>)],
    origin: Origin,
) -> Result<Vec<StepResult>, Ending> {
    let mut came = Vec::with_capacity(pairs.len());
    for (at, (step, statement)) in pairs.iter().enumerate() {
        match run_step(connection, step, statement, origin).await {
            Ok(reply) if reply.is_cut => {
                came.push(StepResult { rows: reply.rows.into(), affected: reply.affected });
                // Nothing but a reading is worth anything without its end.
                let is_read = access == Access::Read;
                return Err(Ending::Broken(if is_read {
                    Ok(came)
                } else {
                    Err(Failure::TooLarge)
                }));
            }
            Ok(reply) => match step_result(at, step, reply) {
                Ok(of_step) => came.push(of_step),
                Err(failure) => return Err(roll_back(connection, failure).await),
            },
            Err(failure @ (Failure::Lost { .. } | Failure::TooLarge)) => {
                return Err(Ending::Broken(Err(failure)));
            }
            Err(failure) => return Err(roll_back(connection, failure).await),
        }
    }
    Ok(came)
}

/// The reason why a transaction did not begin.
enum Opening {
    Failed(Failure),
    /// The connection is not there any more, or does not know its statement.
    NotBegun,
}

/// The answers to the limits of a transaction and to its beginning.
async fn read_opening_answers(connection: &mut Connection) -> Result<(), Opening> {
    let limited = connection.read_limits_answer().await;
    match limited {
        Err(CommandError::Lost) => return Err(Opening::NotBegun),
        Err(error) if failure::is_unprepared(&error) => return Err(Opening::NotBegun),
        _ => {}
    }
    let begun = connection.client.read_ok().await;
    if begun == Err(CommandError::Lost) {
        return Err(Opening::NotBegun);
    }
    limited.and(begun).map_err(|error| Opening::Failed(failure::failure_before_commit(error)))
}

fn write_step(connection: &mut Connection, step: &Step, statement: &PreparedStatement) {
    let values: Vec<_> =
        step.values.iter().map(|value| BoundValue::Text(value.as_deref())).collect();
    connection.client.write_execute(statement, &values);
}

/// The answer to a step. Rows beyond those that it may have are not kept.
async fn read_step_reply(
    connection: &mut Connection,
    step: &Step,
    statement: &PreparedStatement,
) -> Result<Reply, CommandError> {
    connection.meter.reset_allowance(connection.allowance);
    let (most, beyond) = match step.expects {
        Expects::Affected { most, .. } => {
            (usize::try_from(most).unwrap_or(usize::MAX), Beyond::Count)
        }
        Expects::Present => (0, Beyond::Count),
        Expects::Reviewed(_) => (usize::MAX, Beyond::Count),
        Expects::Rows { most } => (most as usize, Beyond::Stop),
    };
    let reply = connection.client.read_reply(RowFormat::Binary, most, beyond).await?;
    // A result that is not the statement's says nothing about it.
    if reply.n_columns == statement.columns.len() { Ok(reply) } else { Err(CommandError::Lost) }
}

/// Runs a step. One of the operator fails if it compared a value with something that the value had to be bent for.
async fn run_step(
    connection: &mut Connection,
    step: &Step,
    statement: &PreparedStatement,
    origin: Origin,
) -> Result<Reply, Failure> {
    write_step(connection, step, statement);
    if connection.client.send().await.is_err() {
        return Err(failure::lost_connection());
    }
    let reply = read_step_reply(connection, step, statement).await;
    let reply = reply.map_err(|error| match error {
        CommandError::Lost => broken_connection_failure(connection),
        error @ (CommandError::Constraint { .. } | CommandError::Server(_)) => {
            failure::failure_before_commit(error)
        }
    })?;
    if origin == Origin::Callgate || reply.is_cut || reply.n_warnings == 0 {
        return Ok(reply);
    }
    connection.client.write_control(Control::Warnings);
    let sent = connection.client.send().await;
    sent.map_err(|_| failure::lost_connection())?;
    let warnings =
        connection.client.read_reply(RowFormat::Text, MOST_WARNINGS, Beyond::Count).await;
    let warnings = warnings.map_err(failure::failure_before_commit)?;
    let is_coerced = |row: &Vec<Option<String>>| {
        row.get(1).and_then(Option::as_deref).is_some_and(failure::is_coercion)
    };
    if warnings.rows.iter().any(is_coerced) { Err(Failure::InvalidValue) } else { Ok(reply) }
}

fn step_result(at: usize, step: &Step, reply: Reply) -> Result<StepResult, Failure> {
    step.expects
        .checked_result(at, StepResult { rows: reply.rows.into(), affected: reply.affected })
}

/// The failure of a connection that broke before a commit.
fn broken_connection_failure(connection: &Connection) -> Failure {
    if connection.meter.is_limit_exceeded() {
        Failure::TooLarge
    } else {
        failure::lost_connection()
    }
}

async fn run_control(connection: &mut Connection, control: Control) -> Result<(), CommandError> {
    connection.client.write_control(control);
    connection.client.send().await?;
    connection.client.read_ok().await
}

async fn roll_back(connection: &mut Connection, failure: Failure) -> Ending {
    match run_control(connection, Control::Rollback).await {
        Ok(()) => Ending::Ended(Err(failure)),
        Err(_) => Ending::Broken(Err(failure)),
    }
}

/// The bytes of values that are sent before an answer is read: more could fill the buffers of both sides.
const MOST_IN_FLIGHT: usize = 32 << 10;

/// A server keeps 64 warnings of a statement, as a rule.
const MOST_WARNINGS: usize = 1024;
