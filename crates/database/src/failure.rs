//! Turns the failure of a transaction into a fault. Chooses the sentence; the words are in `call`. Of the database's own names
//! only those of columns that the model may know are passed on.

use std::time::Duration;

use callgate_call::wording::{self, database};
use callgate_tool::{Effect, Fault};

use crate::{
    catalog::Column,
    entity::Entity,
    plan::Purpose,
    transaction::{Constraint, Failure},
};

/// The facts about the transaction that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailureContext<'a> {
    /// The entity; `None` for a statement of the operator.
    pub(crate) entity: Option<&'a Entity>,
    pub(crate) purposes: &'a [Purpose],
    pub(crate) effect: Effect,
    /// The most rows that a change may touch.
    pub(crate) affected: u64,
    pub(crate) timeout: Duration,
    /// The most rows that a statement reads.
    pub(crate) rows_read: Option<usize>,
    /// The columns of the call's conditions and order that no index begins with.
    pub(crate) unindexed: &'a [String],
    /// True if the session decides which rows the caller may see.
    pub(crate) hides_rows: bool,
}

impl FailureContext<'_> {
    pub(crate) fn fault(self, failure: &Failure) -> Box<Fault> {
        match failure {
            Failure::Busy => wording::around::overload(SOON),
            Failure::Conflict => database::conflict(),
            // The cast of a condition's value to a domain checks it.
            Failure::Constraint { .. } if self.effect == Effect::Read => {
                database::value_not_taken()
            }
            Failure::Constraint { kind, name, columns } => {
                self.constraint_fault(*kind, name.as_deref(), columns)
            }
            Failure::Denied => database::denied_access(),
            Failure::Full => database::full_disk(),
            Failure::Internal => database::callgate_internal_fault(None),
            Failure::InvalidValue => database::value_not_taken(),
            Failure::Lost { may_be_committed: true } => {
                database::lost_connection(self.effect, database::Committed::Maybe)
            }
            Failure::Lost { may_be_committed: false } => {
                database::lost_connection(self.effect, database::Committed::No)
            }
            // The statements on entities are callgate's own.
            Failure::Malformed { code, .. } if self.entity.is_some() => {
                database::callgate_internal_fault(code.as_deref())
            }
            Failure::Other { code } if self.entity.is_some() && self.effect == Effect::Read => {
                database::uncomputed_value(code.as_deref())
            }
            Failure::Malformed { code, .. } | Failure::Other { code } => {
                database::refused_statement(code.as_deref())
            }
            Failure::ReadOnly => database::read_only(),
            // The estimate for a value tells how many rows of others have it.
            Failure::ReadsTooMany { rows: Some(_) } if self.hides_rows => {
                database::too_many_hidden_rows(self.rows_read.unwrap_or_default(), self.unindexed)
            }
            Failure::ReadsTooMany { rows } => database::too_many_rows_to_read(
                *rows,
                self.rows_read.unwrap_or_default(),
                self.unindexed,
            ),
            Failure::Stale => database::stale_description(),
            Failure::TimedOut { is_rolled_back: true } => {
                database::rolled_back_in_time(self.timeout.as_secs_f64())
            }
            Failure::TimedOut { is_rolled_back: false } => {
                wording::timed_out(self.timeout, self.effect)
            }
            Failure::TooLarge => database::too_large_row_or_value(),
            Failure::TooMany { affected } => database::too_many_rows(*affected, self.affected),
            Failure::Unable { code } => database::unable_server(code.as_deref()),
            Failure::Unavailable { .. } => database::unavailable(),
            Failure::Unexpected { step } => self.unmet_expectation(*step),
        }
    }

    fn unmet_expectation(self, step: usize) -> Box<Fault> {
        let entity = self.entity.map_or("", |entity| entity.name.as_str());
        match self.purposes.get(step) {
            Some(Purpose::Reference(columns)) => {
                database::missing_referenced_row(columns.iter().map(String::as_str))
            }
            Some(Purpose::Review) => database::reviewed_rows_changed(),
            _ if self.entity.is_some_and(|entity| entity.version.is_some()) => {
                database::row_changed(entity)
            }
            _ => database::not_found(entity),
        }
    }

    fn constraint_fault(
        self,
        kind: Constraint,
        name: Option<&str>,
        columns: &[String],
    ) -> Box<Fault> {
        let rule = match kind {
            Constraint::Check => "a rule about the values forbids it",
            Constraint::ForeignKey => {
                "it refers to a row that is not there, or other rows refer to this one"
            }
            Constraint::NotNull => "a column needs a value",
            Constraint::Unique => "another row has these values already",
        };
        let Some(entity) = self.entity else { return database::constraint_violated(rule, []) };
        let is_of_new_row = kind == Constraint::ForeignKey && self.effect == Effect::Write;
        if is_of_new_row && name.is_none() {
            // No other rows refer to a new one, so that it is one of its own keys, which SQLite does not name.
            let keys = &entity.table.foreign_keys;
            let is_of_key =
                |name: &&str| keys.iter().any(|key| key.columns.iter().any(|it| it == name));
            let names = entity.table.columns.iter().map(|column| column.name.as_str());
            let own = names.filter(is_of_key).filter(|name| entity.is_visible_to_model(name));
            return database::constraint_violated(rule, own);
        }
        let named = name.and_then(|name| entity.table.constraints.get(name));
        let names = if columns.is_empty() { named.map_or(columns, Vec::as_slice) } else { columns };
        let of_table = entity.table.columns.iter();
        let columns = of_table.clone().filter(|it| names.iter().any(|name| name == it.sql_name()));
        let offered = columns.filter(|column| entity.is_visible_to_model(&column.name));
        let offered: Vec<&str> = offered.map(|column| column.name.as_str()).collect();
        if !offered.is_empty() {
            return database::constraint_violated(rule, offered);
        }
        let is_of_offered = |name: &&str| {
            let hidden =
                of_table.clone().filter(|column| !entity.is_visible_to_model(&column.name));
            hidden.map(Column::sql_name).all(|column| !name.contains(column))
        };
        database::constraint_violated(rule, name.filter(is_of_offered))
    }
}

/// The time after which a connection may be free.
const SOON: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use callgate_tool::{FaultCode, Next, Reached};

    use super::*;
    use crate::{
        catalog::{ColumnKind, Table},
        engine::Engine,
        entity::{Context, resolve},
        settings::EntitySettings,
    };

    /// A write.
    fn context(entity: Option<&Entity>) -> FailureContext<'_> {
        FailureContext {
            entity,
            purposes: &[],
            effect: Effect::Write,
            affected: 1,
            timeout: Duration::from_secs(1),
            rows_read: None,
            unindexed: &[],
            hides_rows: false,
        }
    }

    fn fault(failure: &Failure, entity: Option<&Entity>) -> Box<Fault> {
        context(entity).fault(failure)
    }

    #[test]
    fn only_a_database_without_a_connection_was_sent_nothing() {
        let code = Some("58030".to_owned());
        for (failure, code, reached, next) in [
            (Failure::Full, FaultCode::ServiceError, Reached::Yes, Next::TryLater),
            (Failure::ReadOnly, FaultCode::ServiceError, Reached::Yes, Next::TryLater),
            (Failure::Unable { code }, FaultCode::ServiceError, Reached::Yes, Next::TryLater),
            (Failure::Internal, FaultCode::Internal, Reached::Yes, Next::GiveUp),
            (Failure::Busy, FaultCode::Overloaded, Reached::No, Next::TryLater),
            (
                Failure::Unavailable { reason: String::new() },
                FaultCode::Unreachable,
                Reached::No,
                Next::TryLater,
            ),
        ] {
            let fault = fault(&failure, None);
            assert_eq!(
                (fault.code, fault.reached, fault.next),
                (code, reached, next),
                "{failure:?}"
            );
        }
    }

    fn orders() -> Entity {
        let table = Table::of_columns("orders", vec![Column::of_statement("no", ColumnKind::Json)]);
        let settings = EntitySettings {
            pointer: String::new(),
            name: "orders".to_owned(),
            table: table.name.clone(),
            key: None,
            description: String::new(),
            operations: Vec::new(),
            fields: None,
            input_fields: BTreeMap::new(),
            output_fields: BTreeMap::new(),
            rows: Vec::new(),
            filter: None,
            sort: None,
            many: false,
            affected: 1,
            version: None,
        };
        let context = Context { engine: Engine::Postgres, entities: &[], tables: &BTreeMap::new() };
        resolve(&settings, &Arc::new(table), context).0
    }

    #[test]
    fn a_statement_of_callgate_that_the_database_does_not_take_is_a_fault_of_callgate() {
        let malformed = Failure::Malformed { code: Some("42601".to_owned()), position: None };
        let orders = orders();
        assert_eq!(fault(&malformed, Some(&orders)).code, FaultCode::Internal);
        assert_eq!(fault(&malformed, None).code, FaultCode::ServiceError);
    }

    #[test]
    fn an_estimate_over_rows_of_others_shows_no_number() {
        let failure = Failure::ReadsTooMany { rows: Some(7654) };
        for hides_rows in [true, false] {
            let fault = FailureContext { hides_rows, ..context(None) }.fault(&failure);
            assert_eq!(fault.code, FaultCode::TooManyRows);
            assert_eq!(fault.message.contains("7654"), !hides_rows, "{}", fault.message);
        }
    }
}
