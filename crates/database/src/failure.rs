//! Turns the failure of a transaction into a fault. Chooses the sentence; the words are in `call`. Of the database's own names
//! only those of columns that the model may know are passed on.

use std::time::Duration;

use callgate_call::wording::{self, database};
use callgate_tool::{Effect, Fault};

use crate::{
    entity::Entity,
    plan::Purpose,
    transaction::{Constraint, Failure},
};

/// The facts about the transaction that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed<'a> {
    /// The entity; `None` for a statement of the operator.
    pub(crate) entity: Option<&'a Entity>,
    pub(crate) purposes: &'a [Purpose],
    pub(crate) effect: Effect,
    /// The most rows that a change may touch.
    pub(crate) affected: u64,
    pub(crate) timeout: Duration,
}

impl Failed<'_> {
    pub(crate) fn fault(self, failure: &Failure) -> Box<Fault> {
        match failure {
            Failure::Busy => wording::around::overloaded(SOON),
            Failure::Conflict => database::conflict(),
            Failure::Constraint { kind, name, column } => {
                self.constraint(*kind, name.as_deref(), column.as_deref())
            }
            Failure::Denied => database::denied(),
            Failure::InvalidValue => database::value_not_taken(),
            Failure::Lost { may_be_committed: true } => {
                database::lost(self.effect, database::Committed::Maybe)
            }
            Failure::Lost { may_be_committed: false } => {
                database::lost(self.effect, database::Committed::No)
            }
            Failure::Other { code } => database::refused(code.as_deref()),
            Failure::Stale => database::stale_description(),
            Failure::TimedOut { is_rolled_back: true } => {
                database::rolled_back_in_time(self.timeout.as_secs_f64())
            }
            Failure::TimedOut { is_rolled_back: false } => {
                wording::timed_out(self.timeout, self.effect)
            }
            Failure::TooLarge => database::too_large(),
            Failure::TooMany { affected } => database::too_many_rows(*affected, self.affected),
            Failure::Unavailable { .. } => database::unavailable(),
            Failure::Unexpected { step } => self.unexpected(*step),
        }
    }

    fn unexpected(self, step: usize) -> Box<Fault> {
        let entity = self.entity.map_or("", |entity| entity.name.as_str());
        match self.purposes.get(step) {
            Some(Purpose::Reference(columns)) => {
                database::no_reference(columns.iter().map(String::as_str))
            }
            Some(Purpose::Review) => database::reviewed_rows_changed(),
            _ if self.entity.is_some_and(|entity| entity.version.is_some()) => {
                database::row_changed(entity)
            }
            _ => database::not_found(entity),
        }
    }

    fn constraint(self, kind: Constraint, name: Option<&str>, column: Option<&str>) -> Box<Fault> {
        let rule = match kind {
            Constraint::Check => "a rule about the values forbids it",
            Constraint::ForeignKey => {
                "it refers to a row that is not there, or other rows refer to this one"
            }
            Constraint::NotNull => "a column needs a value",
            Constraint::Unique => "another row has these values already",
        };
        let Some(entity) = self.entity else { return database::constraint_violated(rule, None) };
        let column = column.filter(|column| entity.is_offered(column));
        let is_of_offered = |name: &&str| {
            let hidden = entity.table.columns.iter().map(|column| column.name.as_str());
            hidden.filter(|column| !entity.is_offered(column)).all(|column| !name.contains(column))
        };
        database::constraint_violated(rule, column.or_else(|| name.filter(is_of_offered)))
    }
}

/// The time after which a connection may be free.
const SOON: Duration = Duration::from_secs(1);
