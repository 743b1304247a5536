//! One transaction as the drivers run it: whose it is, its steps, and the conditions under which it is committed. A call is
//! one transaction.

use std::{sync::Arc, time::Duration};

use callgate_tool::{Event, Journal, hexadecimal};
use sha2::{Digest as _, Sha256};

use crate::row_buffer::RowBuffer;

#[derive(Clone, Debug)]
pub(crate) struct Transaction {
    /// The id of the principal whose call it is; empty without one.
    pub(crate) principal: Arc<str>,
    pub(crate) access: Access,
    /// Variables of the database session, set for this transaction alone.
    pub(crate) identity: Vec<(String, String)>,
    pub(crate) role: Option<String>,
    /// Run in order. The first whose expectation does not hold ends the transaction, which is then rolled back.
    pub(crate) steps: Vec<Step>,
    pub(crate) lock_time: Duration,
    /// True if it reads tables by one statement of callgate's own, which leaves nothing behind that a transaction would take back.
    pub(crate) stands_alone: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// One statement, and what must come of it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Text with the placeholders of the engine. It is prepared, never sent as a script.
    pub(crate) text: Arc<str>,
    /// The values, all as text: the statement casts each to the type of its column.
    pub(crate) values: Vec<Option<String>>,
    pub(crate) expects: Expects,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Expects {
    /// A change of at most so many rows, and of at least one if `some`. Rows that it returns are read.
    Affected { most: u64, some: bool },
    /// At least one row, which nobody sees: the row that a foreign key refers to.
    Present,
    /// Exactly these rows, which a person saw before.
    Reviewed(ReviewedDigest),
    /// At most so many rows are fetched; it reads one more than are shown.
    Rows { most: u32 },
}

impl Expects {
    /// The result of the step at this index, if it is what is expected.
    pub(crate) fn checked_result(
        self,
        step: usize,
        came: StepResult,
    ) -> Result<StepResult, Failure> {
        let affected = came.affected;
        match self {
            Self::Affected { most, .. } if affected > most => Err(Failure::TooMany { affected }),
            Self::Affected { some: true, .. } | Self::Present if affected == 0 => {
                Err(Failure::Unexpected { step })
            }
            Self::Reviewed(reviewed) if ReviewedDigest::from_rows(&came.rows) != reviewed => {
                Err(Failure::Unexpected { step })
            }
            Self::Affected { .. } | Self::Present | Self::Reviewed(_) | Self::Rows { .. } => {
                Ok(came)
            }
        }
    }
}

/// The digest of rows that a person saw.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ReviewedDigest(pub(crate) [u8; 32]);

/// Rows of a catalog as texts, `None` for null, in the order of the statement's columns.
#[cfg(feature = "_server")]
pub(crate) type Rows = Vec<Vec<Option<String>>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct StepResult {
    pub(crate) rows: RowBuffer,
    /// The rows that it changed.
    pub(crate) affected: u64,
}

/// The reason why a transaction ended without a commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Failure {
    /// A constraint refuses the change. The names are those of the database; the caller shows offered columns only.
    Constraint { kind: Constraint, name: Option<String>, columns: Vec<String> },
    /// Another transaction stood in the way: a lock, a deadlock, a serialization failure.
    Conflict,
    /// The step at this index did not come to what it expects: rows that are absent or others than those reviewed.
    Unexpected { step: usize },
    /// A change touched more rows than it may.
    TooMany { affected: u64 },
    /// The login may not do it.
    Denied,
    /// The disk of the server has no space left.
    Full,
    /// The server or the driver does what callgate does not expect of it: a fault of callgate's own code.
    Internal,
    /// The text is no statement of this engine, from this character on: a fault of whoever wrote it.
    Malformed { code: Option<String>, position: Option<usize> },
    /// The server takes no changes, by its own word.
    ReadOnly,
    /// The plan reads more rows than a statement may, by the server's estimate; without a number where it was ended while it ran.
    ReadsTooMany { rows: Option<u64> },
    /// The server cannot do it now, by its own word: it lacks memory, or cannot read a file.
    Unable { code: Option<String> },
    /// A table, column or type is not what it was at load.
    Stale,
    /// A value or a row is larger than its limit.
    TooLarge,
    /// The database did not take a value, although it passed the check.
    InvalidValue,
    /// Time was over; what the statement did was rolled back on the server if `is_rolled_back`.
    TimedOut { is_rolled_back: bool },
    /// No connection was free in time, here or at the server: nothing was sent, and nothing is known about the database.
    Busy,
    /// No connection could be made: nothing was sent.
    Unavailable { reason: String },
    /// The connection broke while a commit was on its way.
    Lost { may_be_committed: bool },
    /// Anything else, by the database's own code.
    Other { code: Option<String> },
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Constraint {
    Check,
    ForeignKey,
    NotNull,
    Unique,
}

impl Transaction {
    /// Notes the statements: their texts, and digests of their values.
    pub(crate) fn note_statements(&self, journal: &mut Journal) {
        for step in &self.steps {
            let mut hasher = Sha256::new();
            for value in &step.values {
                hash_value(&mut hasher, value.as_deref());
            }
            let values = hexadecimal(&hasher.finalize());
            journal.note(Event::StatementSent { text: step.text.to_string(), values });
        }
    }
}

impl StepResult {
    /// Notes the rows that the step read or changed.
    pub(crate) fn note_row_count(&self, journal: &mut Journal) {
        let count = self.affected.max(self.rows.len() as u64);
        journal.note(Event::RowsCounted { count });
    }
}

impl ReviewedDigest {
    /// The digest of rows, in their order.
    pub(crate) fn from_rows(rows: &RowBuffer) -> Self {
        let mut hasher = Sha256::new();
        for row in rows.rows() {
            hasher.update((row.len() as u64).to_le_bytes());
            for value in row.values() {
                hash_value(&mut hasher, value);
            }
        }
        Self(hasher.finalize().into())
    }
}

fn hash_value(hasher: &mut Sha256, value: Option<&str>) {
    let Some(text) = value else { return hasher.update([0]) };
    hasher.update([1]);
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}
