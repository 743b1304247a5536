//! A call of an entity's tool as a transaction: the arguments and the session's values, checked against the types of their
//! columns, and the statements with them. No text of an argument is part of a statement; `reading` makes the result of the
//! rows.

mod aggregate;
mod arguments;
mod change;
mod list;
mod review;
mod target;

use std::sync::Arc;

use callgate_call::wording::database as wording;
use callgate_executor::Call;
use callgate_tool::{Fault, FingerprintHasher, Principal, Session, ToolName, Value};

use self::arguments::Values;
use crate::{
    catalog::{Column, TableKind},
    database::Database,
    entity::Entity,
    filter::Filter,
    operation::Operation,
    page::Place,
    result_rows::{Columns, NamedColumn, ResultShape},
    session_values::session_text_for_column,
    sql::{self, Direction, Sql},
    transaction::{Access, Expects, Step, Transaction},
};

/// A transaction, and what comes of it.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) transaction: Transaction,
    /// The reason, for each step, why it may come to something else than it expects.
    pub(crate) purposes: Vec<Purpose>,
    pub(crate) reading: ResultShape,
}

/// The purpose of a step.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Purpose {
    Change,
    Reading,
    /// The row that these columns refer to is one of the caller.
    Reference(Vec<String>),
    /// The rows are those that a person saw.
    Review,
}

/// The columns that an operation shows, as its statement and its result write them: made at load, since most calls want all.
#[derive(Debug)]
pub(crate) struct OutputColumns {
    head: String,
    named: Arc<[NamedColumn]>,
}

impl OutputColumns {
    pub(crate) fn new(entity: &Entity, operation: Operation, database: &Database) -> Self {
        let columns = entity.outputs(operation);
        let value_bytes = database.limits.row_bytes;
        let head = sql::select_head(database.engine, &entity.table, &columns, value_bytes);
        Self { head, named: columns.into_iter().map(NamedColumn::from_column).collect() }
    }
}

/// The columns of a result that a call wants.
struct WantedColumns<'a> {
    columns: Vec<&'a Column>,
    /// The beginning of the statement, unless the call chose some.
    head: Option<&'a str>,
    named: Arc<[NamedColumn]>,
}

/// One call of an entity's tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) entity: &'a Entity,
    pub(crate) operation: Operation,
    pub(crate) database: &'a Database,
    pub(crate) outputs: &'a OutputColumns,
    pub(crate) tool: &'a ToolName,
    pub(crate) call: &'a Call<'a>,
}

/// A name in `sort`, with its direction.
fn name_with_direction(name: &str) -> (&str, Direction) {
    match name.strip_prefix('-') {
        Some(name) => (name, Direction::Descending),
        None => (name, Direction::Ascending),
    }
}

/// The steps of a transaction that is being made.
#[derive(Debug, Default)]
struct Steps {
    steps: Vec<Step>,
    purposes: Vec<Purpose>,
}

impl Steps {
    fn add(&mut self, sql: Sql, expects: Expects, purpose: Purpose) {
        self.steps.push(Step { text: Arc::from(sql.text), values: sql.values, expects });
        self.purposes.push(purpose);
    }
}

impl<'a> Request<'a> {
    pub(crate) fn plan(&self) -> Result<Plan, Box<Fault>> {
        match self.operation {
            Operation::Aggregate => self.plan_aggregate(),
            Operation::Create => self.plan_create(),
            Operation::Delete => self.plan_delete(),
            Operation::Get => self.plan_get(),
            Operation::List => self.plan_list(),
            Operation::Update => self.plan_update(),
        }
    }

    fn plan_get(&self) -> Result<Plan, Box<Fault>> {
        let rows = self.session_row_values()?;
        let mut values = self.values();
        let key = self.row_key(&rows, &mut values);
        values.into_result()?;
        let WantedColumns { columns, head, named } = self.selected_or_all_columns(Operation::Get);
        let select = sql::Select {
            table: &self.entity.table,
            columns,
            head,
            target: sql::TargetRows { rows: &rows, key: &key, filter: &Filter::default() },
            order: &[],
            after: None,
            most: Some(2),
            lock: false,
            value_bytes: self.database.limits.row_bytes,
        };
        let mut steps = Steps::default();
        let sql = sql::select(self.database.engine, &select);
        steps.add(sql, Expects::Rows { most: 2 }, Purpose::Reading);
        self.plan_from_steps(Access::Read, steps, ResultShape::Row(self.result_columns(named)))
    }

    fn plan_from_steps(
        &self,
        access: Access,
        steps: Steps,
        reading: ResultShape,
    ) -> Result<Plan, Box<Fault>> {
        let Steps { steps, purposes } = steps;
        let transaction = self.database.transaction(access, self.call, steps)?;
        // Views may call functions that set something.
        let is_of_table = self.entity.table.kind == TableKind::Table;
        let stands_alone = is_of_table && access == Access::Read;
        let transaction = Transaction { stands_alone, ..transaction };
        Ok(Plan { transaction, purposes, reading })
    }

    fn values(&self) -> Values<'a> {
        Values::new(self.call.arguments(), self.database.engine)
    }

    fn session(&self) -> &'a Session {
        self.call.session()
    }

    /// The values that every row of this caller has.
    fn session_row_values(&self) -> Result<Vec<(String, String)>, Box<Fault>> {
        let rows = self.entity.rows.iter();
        let text = |(name, source): &(String, _)| {
            let column = self.entity.column(name).ok_or_else(wording::stale_description)?;
            let engine = self.database.engine;
            Ok((name.clone(), session_text_for_column(source, self.session(), column, engine)?))
        };
        rows.map(text).collect()
    }

    /// The key of the row that the call names: of the session and of the model.
    fn row_key(&self, rows: &[(String, String)], values: &mut Values<'_>) -> Vec<(String, String)> {
        let mut key = Vec::new();
        for name in &self.entity.key {
            let of_session = rows.iter().find(|(row, _)| row == name);
            if let Some(pair) = of_session {
                key.push(pair.clone());
            } else if let Some(column) = self.entity.column(name)
                && let Some(text) = values.required_text(column)
            {
                key.push((name.clone(), text));
            }
        }
        key
    }

    /// The columns of the result that the call wants: all unless it names some.
    fn selected_or_all_columns(&self, operation: Operation) -> WantedColumns<'a> {
        let columns = self.entity.outputs(operation);
        let wanted = self.named_columns("select", &columns);
        if wanted.is_empty() {
            let OutputColumns { head, named } = self.outputs;
            return WantedColumns { columns, head: Some(head), named: Arc::clone(named) };
        }
        let named = wanted.iter().copied().map(NamedColumn::from_column).collect();
        WantedColumns { columns: wanted, head: None, named }
    }

    /// The columns that an argument names, in their own order.
    fn named_columns<'c>(&self, argument: &str, columns: &[&'c Column]) -> Vec<&'c Column> {
        let names = self.call.arguments().get(argument).and_then(Value::as_array);
        let is_named = |column: &&&Column| {
            let mut names = names.into_iter().flatten().filter_map(Value::as_str);
            names.any(|name| name == column.name)
        };
        columns.iter().filter(is_named).copied().collect()
    }

    /// The most rows of the result.
    fn limit(&self, values: &Values<'_>) -> u32 {
        let most = self.database.limits.rows;
        let limit = values.get("limit").and_then(Value::as_u64);
        limit.and_then(|it| u32::try_from(it).ok()).unwrap_or(most).clamp(1, most.max(1))
    }

    fn shown_columns(&self, columns: &[&Column]) -> Columns {
        self.result_columns(columns.iter().copied().map(NamedColumn::from_column).collect())
    }

    fn result_columns(&self, named: Arc<[NamedColumn]>) -> Columns {
        let limits = &self.database.limits;
        Columns {
            named,
            engine: self.database.engine,
            value_bytes: limits.row_bytes,
            result_bytes: limits.result_bytes,
        }
    }

    /// The fingerprint that a token of a page is bound to.
    fn page_place(&self, rows: &[(String, String)]) -> Result<Place, Box<Fault>> {
        let mut hasher = FingerprintHasher::default();
        hasher.add_text(self.tool.as_str());
        for name in ["where", "sort"] {
            match self.call.arguments().get(name) {
                Some(value) => hasher.add_value(value),
                None => hasher.add_optional_text(None),
            };
        }
        hasher
            .add_optional_text(self.call.principal().map(Principal::id))
            .add_optional_text(self.session().id());
        for (name, text) in rows.iter().chain(&self.database.session_identity(self.session())?) {
            hasher.add_text(name).add_text(text);
        }
        hasher.add_optional_text(self.database.allowed_session_role(self.session())?.as_deref());
        Ok(Place::new(hasher))
    }
}
