//! One step of a transaction: what is fetched of its rows, and the comparison with what it expects.

use std::pin::pin;

use futures_util::TryStreamExt as _;
use tokio_postgres::{Error, Statement};

use super::super::{
    connection::Connection,
    value::{BoundText, push_row},
};
use crate::{
    row_buffer::RowBuffer,
    transaction::{Expects, Failure, Step, StepResult},
};

/// The rows that were fetched of a step.
pub(super) enum FetchedRows {
    All(StepResult),
    /// The server has more rows than the step may fetch.
    Cut(StepResult),
    Failed(Error),
}

impl FetchedRows {
    pub(super) fn is_cut(&self) -> bool {
        matches!(self, Self::Cut(_))
    }
}

/// Runs a step. Rows beyond those that it may have are not kept.
pub(super) async fn fetch(
    connection: &Connection,
    step: &Step,
    statement: &Statement,
) -> FetchedRows {
    match fetch_rows(connection, step, statement).await {
        Ok((came, false)) => FetchedRows::All(came),
        Ok((came, true)) => FetchedRows::Cut(came),
        Err(error) => FetchedRows::Failed(error),
    }
}

async fn fetch_rows(
    connection: &Connection,
    step: &Step,
    statement: &Statement,
) -> Result<(StepResult, bool), Error> {
    let values = step.values.iter().map(|value| BoundText(value.as_deref()));
    let mut stream = pin!(connection.client.query_raw(statement, values).await?);
    let mut came = StepResult::default();
    let most = match step.expects {
        Expects::Affected { most, .. } => usize::try_from(most).unwrap_or(usize::MAX),
        Expects::Present => 0,
        Expects::Reviewed(_) => usize::MAX,
        Expects::Rows { most } => most as usize,
    };
    let mut n_rows = 0_u64;
    while let Some(row) = stream.try_next().await? {
        n_rows += 1;
        if n_rows == 1 {
            came.rows = RowBuffer::with_capacity(most, row.len());
        }
        if came.rows.len() < most {
            push_row(&mut came.rows, &row)?;
        } else if matches!(step.expects, Expects::Rows { .. }) {
            return Ok((came, true));
        } else {
            // It is counted and dropped, so that it takes nothing of the allowance.
            connection.meter.reset_allowance(connection.allowance);
        }
    }
    came.affected = stream.rows_affected().unwrap_or(n_rows);
    Ok((came, false))
}

/// The results of the steps, up to the first that did not come to what it expects.
pub(super) fn checked_results(
    connection: &Connection,
    steps: &[Step],
    fetched: Vec<FetchedRows>,
) -> Result<Vec<StepResult>, Failure> {
    let each = steps.iter().zip(fetched).enumerate();
    let each = each.map(|(at, (step, fetched))| match fetched {
        FetchedRows::All(came) => step.expects.checked_result(at, came),
        FetchedRows::Cut(came) => Ok(came),
        FetchedRows::Failed(error) => Err(connection.failure_before_commit(&error)),
    });
    each.collect()
}
