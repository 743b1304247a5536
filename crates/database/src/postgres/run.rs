//! Runs a transaction on a connection: a read in one flight, whose results count only if every part before them succeeded; a
//! write in two, because its commit waits for what the steps came to. Everything is a prepared statement.

mod outcome;
mod setup;

use std::{
    pin::pin,
    sync::atomic::{AtomicBool, Ordering},
};

use futures_util::future::{Either, OptionFuture, join, join_all, select};
use tokio_postgres::{Error, Statement};

use self::{
    outcome::{FetchedRows, checked_results, fetch},
    setup::Setup,
};
use super::{connection::Connection, failure, value::BoundText};
use crate::{
    pool::{Conditions, Ending},
    transaction::{Access, Failure, Step, Transaction},
};

/// The part of an opening that failed.
enum Opening {
    Begin(Error),
    Setup(Error),
}

/// The beginning of a transaction, ready to be sent.
struct Beginning<'a> {
    access: Access,
    setup: &'a Setup,
    /// The statement of the setup, if it has one that is prepared.
    statement: Option<Statement>,
}

pub(super) async fn run(
    connection: &mut Connection,
    transaction: &Transaction,
    conditions: Conditions<'_>,
) -> Ending {
    connection.meter.reset_allowance(connection.allowance);
    match standalone_step(connection, transaction) {
        Some((step, statement)) => read_without_transaction(connection, step, &statement).await,
        // Layers above move the future, most of which only this takes.
        None => Box::pin(run_between_ends(connection, transaction, conditions)).await,
    }
}

/// Runs the steps between the beginning and the end of a transaction.
async fn run_between_ends(
    connection: &mut Connection,
    transaction: &Transaction,
    Conditions { deadline, is_committing, .. }: Conditions<'_>,
) -> Ending {
    let setup = Setup::for_transaction(transaction, deadline, connection.may_set);
    let statement = match prepare_setup_statement(connection, &setup).await {
        Ok(statement) => statement,
        Err(error) => return Ending::NotBegun(failure::failure_before_commit(&error)),
    };
    let beginning = Beginning { access: transaction.access, setup: &setup, statement };
    let steps = &transaction.steps;
    let cached_statements: Option<Vec<_>> =
        steps.iter().map(|step| connection.prepared_statement(&step.text)).collect();
    let (statements, beginning) = match cached_statements {
        Some(statements) => (statements, Some(beginning)),
        None => match begin_and_prepare(connection, steps, &beginning).await {
            Ok(statements) => (statements, None),
            Err(ending) => return ending,
        },
    };
    let opening = OptionFuture::from(
        beginning.as_ref().map(|beginning| beginning.begin_and_set_values(connection)),
    );
    let pairs = steps.iter().zip(&statements);
    let fetched = join_all(pairs.map(|(step, statement)| fetch(connection, step, statement)));
    let body = async {
        let (opened, fetched) = join(opening, fetched).await;
        opened.unwrap_or(Ok(())).map(|()| fetched)
    };
    match transaction.access {
        Access::Read => await_read(connection, steps, body).await,
        Access::Write => match body.await {
            Ok(fetched) => commit_write(connection, steps, fetched, is_committing).await,
            Err(opening) => opening.end_transaction(connection).await,
        },
    }
}

/// The step of a read that needs no transaction around it, once its statement is prepared: what a transaction would set holds for the
/// connection, which only reads, and has time limits for what nobody cancels any more.
fn standalone_step<'a>(
    connection: &Connection,
    transaction: &'a Transaction,
) -> Option<(&'a Step, Statement)> {
    let [step] = &*transaction.steps else { return None };
    let is_anonymous = transaction.identity.is_empty() && transaction.role.is_none();
    let stands_alone = transaction.stands_alone && is_anonymous;
    let statement = connection.prepared_statement(&step.text).filter(|_| stands_alone)?;
    Some((step, statement))
}

async fn read_without_transaction(
    connection: &Connection,
    step: &Step,
    statement: &Statement,
) -> Ending {
    match fetch(connection, step, statement).await {
        FetchedRows::All(came) => {
            Ending::Ended(step.expects.checked_result(0, came).map(|came| vec![came]))
        }
        FetchedRows::Cut(came) => Ending::Broken(Ok(vec![came])),
        FetchedRows::Failed(error) if failure::is_unprepared(&error) || error.is_closed() => {
            Ending::NotBegun(failure::failure_before_commit(&error))
        }
        FetchedRows::Failed(error) if error.as_db_error().is_some() => {
            Ending::Ended(Err(connection.failure_before_commit(&error)))
        }
        FetchedRows::Failed(error) => Ending::Broken(Err(connection.failure_before_commit(&error))),
    }
}

async fn prepare_setup_statement(
    connection: &mut Connection,
    setup: &Setup,
) -> Result<Option<Statement>, Error> {
    let Setup::Calls { text, values } = setup else { return Ok(None) };
    if let Some(statement) = connection.prepared_statement(text) {
        return Ok(Some(statement));
    }
    let statement = connection.prepare_with_text_values(text, values.len()).await?;
    Ok(Some(connection.keep_statement(text, statement)))
}

/// Begins the transaction and prepares its statements in it: its role may see other tables than the login.
async fn begin_and_prepare(
    connection: &mut Connection,
    steps: &[Step],
    beginning: &Beginning<'_>,
) -> Result<Vec<Statement>, Ending> {
    let mut new: Vec<&Step> = Vec::new();
    for step in steps {
        let is_new = connection.prepared_statement(&step.text).is_none();
        if is_new && new.iter().all(|new_step| new_step.text != step.text) {
            new.push(step);
        }
    }
    let preparing =
        new.iter().map(|step| connection.prepare_with_text_values(&step.text, step.values.len()));
    let (opened, prepared) =
        join(beginning.begin_and_set_values(connection), join_all(preparing)).await;
    if let Err(opening) = opened {
        return Err(opening.end_transaction(connection).await);
    }
    let mut statements = Vec::with_capacity(steps.len());
    let prepared: Result<Vec<_>, _> = prepared.into_iter().collect();
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            return Err(roll_back(connection, connection.failure_before_commit(&error)).await);
        }
    };
    for step in steps {
        let at = new.iter().position(|new| new.text == step.text);
        let statement = at.and_then(|at| prepared.get(at).cloned());
        let statement = statement.or_else(|| connection.prepared_statement(&step.text));
        statements.extend(statement);
    }
    for (step, statement) in new.into_iter().zip(prepared) {
        connection.keep_statement(&step.text, statement);
    }
    Ok(statements)
}

impl Beginning<'_> {
    /// Begins the transaction and sets what holds in it, in one flight.
    async fn begin_and_set_values(&self, connection: &Connection) -> Result<(), Opening> {
        let begin = match self.access {
            Access::Read => &connection.ends.read,
            Access::Write => &connection.ends.write,
        };
        let begun = connection.client.execute(begin, &[]);
        let (begun, set) = join(begun, self.set_session_values(connection)).await;
        begun.map_err(Opening::Begin)?;
        set.map_err(Opening::Setup)
    }

    async fn set_session_values(&self, connection: &Connection) -> Result<(), Error> {
        match (self.setup, &self.statement) {
            (Setup::Calls { values, .. }, Some(statement)) => {
                let values = values.iter().map(|value| BoundText(Some(value)));
                connection.client.execute_raw(statement, values).await.map(drop)
            }
            (Setup::Calls { .. }, None) => Ok(()),
            (Setup::Statements(texts), _) => {
                let set = texts.iter().map(|text| connection.client.execute_typed(text, &[]));
                join_all(set).await.into_iter().collect::<Result<Vec<_>, _>>().map(drop)
            }
        }
    }
}

impl Opening {
    /// Nothing of a transaction counts that did not begin, or lacks its identity and role.
    async fn end_transaction(self, connection: &Connection) -> Ending {
        match self {
            Self::Begin(error) => Ending::NotBegun(failure::of_beginning(&error)),
            Self::Setup(error) if failure::is_unprepared(&error) => {
                Ending::NotBegun(failure::failure_before_commit(&error))
            }
            Self::Setup(error) => {
                roll_back(connection, failure::failure_before_commit(&error)).await
            }
        }
    }
}

/// Waits for the steps of a read, whose end is sent with them.
async fn await_read(
    connection: &Connection,
    steps: &[Step],
    body: impl Future<Output = Result<Vec<FetchedRows>, Opening>>,
) -> Ending {
    // Nothing of a read is worth keeping, such as a setting of its session.
    let end = connection.client.execute(&connection.ends.rollback, &[]);
    // The first one polled is the first one sent.
    let (body, ended) = match select(pin!(body), pin!(end)).await {
        Either::Left((body, end)) => {
            let is_endless =
                matches!(&body, Ok(fetched) if fetched.iter().any(FetchedRows::is_cut));
            if is_endless { (body, None) } else { (body, Some(end.await)) }
        }
        Either::Right((ended, body)) => (body.await, Some(ended)),
    };
    let came = match body {
        Ok(fetched) => checked_results(connection, steps, fetched),
        Err(Opening::Begin(error)) => return Ending::NotBegun(failure::of_beginning(&error)),
        Err(Opening::Setup(error)) if failure::is_unprepared(&error) => {
            return Ending::NotBegun(failure::failure_before_commit(&error));
        }
        Err(Opening::Setup(error)) => Err(failure::failure_before_commit(&error)),
    };
    match ended {
        Some(Ok(_)) => Ending::Ended(came),
        Some(Err(_)) | None => Ending::Broken(came),
    }
}

/// Commits a write if every step came to what it expects.
async fn commit_write(
    connection: &Connection,
    steps: &[Step],
    fetched: Vec<FetchedRows>,
    is_committing: &AtomicBool,
) -> Ending {
    if fetched.iter().any(FetchedRows::is_cut) {
        return Ending::Broken(Err(Failure::TooLarge));
    }
    let came = match checked_results(connection, steps, fetched) {
        Ok(came) => came,
        Err(failure) => return roll_back(connection, failure).await,
    };
    is_committing.store(true, Ordering::Relaxed);
    match connection.client.execute(&connection.ends.commit, &[]).await {
        Ok(_) => Ending::Ended(Ok(came)),
        Err(error) => match failure::of_commit(&error) {
            lost @ Failure::Lost { .. } => Ending::Broken(Err(lost)),
            failure => Ending::Ended(Err(failure)),
        },
    }
}

async fn roll_back(connection: &Connection, failure: Failure) -> Ending {
    match connection.roll_back().await {
        Ok(()) => Ending::Ended(Err(failure)),
        Err(_) => Ending::Broken(Err(failure)),
    }
}
