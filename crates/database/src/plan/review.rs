//! The subject of a person's decision before a change: the rows that it would change, read in a transaction of their own. The change
//! itself reads them again, locked, and is made only if they are the same.

use callgate_call::wording::database as wording;
use callgate_executor::{Review, Reviewed};
use callgate_tool::{Fault, Preview};

use super::{Purpose, Request, Steps, change::Set, target::ChangeTarget};
use crate::{
    catalog::{Column, ColumnKind},
    column,
    engine::Ability,
    operation::Operation,
    row_buffer::{Row, RowBuffer},
    sql::{self, Direction},
    transaction::{self, Access, Expects, Step, Transaction},
};

/// A change that a person is asked about.
#[derive(Debug)]
pub(crate) struct Reviewing<'a> {
    target: ChangeTarget,
    set: Set<'a>,
    columns: Vec<&'a Column>,
}

/// Locked rows are those that are about to be changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Lock {
    Locked,
    Unlocked,
}

impl Request<'_> {
    /// The new row, as a person sees it.
    pub(crate) fn new_row(&self) -> Result<Preview, Box<Fault>> {
        let mut values = self.values();
        let set = self.create_values(&mut values);
        values.into_result()?;
        let mut text = format!("adds a row to {}", self.entity.table.name);
        for (column, value) in set {
            let value = self.shown_value(&column.kind, value.as_deref());
            text.push_str(&format!("\n  {}: {value}", column.name));
        }
        Ok(Preview::Text(text))
    }

    /// A value as a person reads it: as JSON, so that none of its line breaks begins a line.
    fn shown_value(&self, kind: &ColumnKind, text: Option<&str>) -> String {
        let mut shown = String::new();
        let engine = self.database.engine;
        if column::write_json_within_limit(kind, text, engine, MOST_VALUE_BYTES, &mut shown) {
            shown.push('…');
        }
        shown
    }

    /// The rows that a change of rows is about.
    pub(crate) fn plan_review(&self) -> Result<Reviewing<'_>, Box<Fault>> {
        let mut values = self.values();
        let target = self.change_target(self.session_row_values()?, &mut values);
        let set = match self.operation {
            Operation::Update => self.update_values(&mut values),
            _ => Set::new(),
        };
        values.into_result()?;
        Ok(Reviewing { target, set, columns: self.entity.reviewed_columns(self.operation) })
    }

    /// The first steps of a change: if a person has approved it, the rows must be those that the person saw.
    pub(super) fn approval_check_steps(&self, target: &ChangeTarget) -> Steps {
        let mut steps = Steps::default();
        if let Some(expects) = self.approved_expectation() {
            let sql = sql::select(
                self.database.engine,
                &self.select_reviewed_rows(target, &self.by_key(), Lock::Locked),
            );
            steps.add(sql, expects, Purpose::Review);
        }
        steps
    }

    /// The removal of rows that a person has approved, where a lock needs the right to update, which a login that only removes
    /// rows lacks: the rows that are removed must be those that the person saw.
    pub(super) fn reviewed_delete_steps(&self, target: &ChangeTarget) -> Option<Steps> {
        let engine = self.database.engine;
        let expects =
            self.approved_expectation().filter(|_| engine.has(Ability::UnlockedRemovals))?;
        let sql = sql::delete_and_read(
            engine,
            &self.select_reviewed_rows(target, &self.by_key(), Lock::Unlocked),
        );
        let mut steps = Steps::default();
        steps.add(sql, expects, Purpose::Review);
        Some(steps)
    }

    fn approved_expectation(&self) -> Option<Expects> {
        let Reviewed(digest) = self.call.extensions().get()?;
        Some(Expects::Reviewed(transaction::ReviewedDigest(*digest)))
    }

    fn by_key(&self) -> Vec<(String, Direction)> {
        self.entity.key.iter().map(|name| (name.clone(), Direction::Ascending)).collect()
    }

    fn select_reviewed_rows<'r>(
        &'r self,
        target: &'r ChangeTarget,
        order: &'r [(String, Direction)],
        lock: Lock,
    ) -> sql::Select<'r> {
        let entity = self.entity;
        // A lock needs the right to update, which a login that only removes rows lacks.
        let may_lock = entity.operations.contains(&Operation::Update);
        sql::Select {
            table: &entity.table,
            columns: entity.reviewed_columns(self.operation),
            head: None,
            target: target.as_sql(),
            order,
            after: None,
            most: Some(self.most_reviewed_rows()),
            lock: lock == Lock::Locked && may_lock,
            value_bytes: self.reviewed_bytes(),
        }
    }

    /// One row more than may be changed.
    fn most_reviewed_rows(&self) -> u32 {
        u32::try_from(self.entity.affected).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn reviewed_bytes(&self) -> usize {
        self.database.limits.row_bytes.max(REVIEWED_BYTES)
    }
}

impl Reviewing<'_> {
    pub(crate) fn transaction(&self, request: &Request<'_>) -> Result<Transaction, Box<Fault>> {
        let order = request.by_key();
        let reading = request.select_reviewed_rows(&self.target, &order, Lock::Unlocked);
        let sql = sql::select(request.database.engine, &reading);
        let expects = Expects::Rows { most: request.most_reviewed_rows() };
        let step = Step { text: sql.text.into(), values: sql.values, expects };
        request.database.transaction(Access::Read, request.call, vec![step])
    }

    /// The rows as a person sees them, with their digest.
    pub(crate) fn review(
        &self,
        request: &Request<'_>,
        rows: &RowBuffer,
    ) -> Result<Review, Box<Fault>> {
        let entity = request.entity;
        if rows.is_empty() && !self.target.key.is_empty() {
            return Err(match entity.version {
                Some(_) => wording::row_changed(&entity.name),
                None => wording::not_found(&entity.name),
            });
        }
        if rows.len() as u64 > entity.affected {
            return Err(wording::too_many_rows_to_review(entity.affected));
        }
        let is_cut = |text: &str| text.chars().count() > request.reviewed_bytes();
        if rows.rows().flat_map(Row::values).flatten().any(is_cut) {
            return Err(wording::too_large_row_or_value());
        }
        let verb = match request.operation {
            Operation::Delete => "removes",
            _ => "changes",
        };
        let n_rows = rows.len();
        let plural = if n_rows == 1 { "" } else { "s" };
        let mut text = format!("{verb} {n_rows} row{plural} of {}", entity.table.name);
        for row in rows.rows().take(MOST_SHOWN) {
            text.push_str(&self.row_text(request, row));
        }
        if let Some(more @ 1..) = n_rows.checked_sub(MOST_SHOWN) {
            text.push_str(&format!("\nand {more} more"));
        }
        let state = transaction::ReviewedDigest::from_rows(rows).0;
        Ok(Review::new(Preview::Text(text)).with_state_digest(state))
    }

    /// A row: its key, and below it what changes.
    fn row_text(&self, request: &Request<'_>, row: Row<'_>) -> String {
        let entity = request.entity;
        let value = |kind: &ColumnKind, text| request.shown_value(kind, text);
        let mut shown = String::from("\n-");
        let offered = || {
            let columns = self.columns.iter().zip(row.values());
            columns.filter(|(it, _)| entity.is_visible_to_model(&it.name))
        };
        for (column, text) in offered().filter(|(column, _)| entity.key.contains(&column.name)) {
            let value = value(&column.kind, text);
            shown.push_str(&format!(" {}: {value}", column.name));
        }
        for (column, text) in offered().filter(|(column, _)| !entity.key.contains(&column.name)) {
            let new = self.set.iter().find(|(set, _)| set.name == column.name);
            let old = value(&column.kind, text);
            match (new, request.operation) {
                (Some((_, new)), _) => {
                    let new = value(&column.kind, new.as_deref());
                    shown.push_str(&format!("\n  {}: {old} → {new}", column.name));
                }
                (None, Operation::Delete) => {
                    shown.push_str(&format!("\n  {}: {old}", column.name));
                }
                (None, _) => {}
            }
        }
        shown
    }
}

/// The rows that a person reads before deciding; the count says how many there are.
const MOST_SHOWN: usize = 20;
/// The bytes of a value that a person reads.
const MOST_VALUE_BYTES: usize = 200;
/// The characters of a value that are compared; a longer one cannot be approved.
const REVIEWED_BYTES: usize = 64 << 10;
