//! The statements for tables: their text and the values that are bound. The text depends on the table and on the shape of the
//! request, never on a value. Identifiers are those of the catalog; the values were checked by `column` and `filter`.

mod aggregate;
mod binding;
mod condition;
mod expression;
mod keyset;
mod scope;
mod version;

pub(crate) use self::{
    aggregate::{Groups, aggregate},
    version::has_next as has_next_version,
};
use self::{binding::Binding, condition::NEVER, scope::Scope};
use crate::{
    catalog::{Column, Table},
    engine::{Ability, Engine},
    filter::Filter,
};

/// A statement, and its values in the order of its placeholders.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Sql {
    pub(crate) text: String,
    pub(crate) values: Vec<Option<String>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

/// A reading of rows. Every column is read as a text, which [`column::shown_columns`](crate::column::shown) understands.
#[derive(Clone, Debug)]
pub(crate) struct Select<'a> {
    pub(crate) table: &'a Table,
    pub(crate) columns: Vec<&'a Column>,
    /// The beginning of the statement as [`select_head`] writes it, if that was done before.
    pub(crate) head: Option<&'a str>,
    pub(crate) target: TargetRows<'a>,
    pub(crate) order: &'a [(String, Direction)],
    /// The values of the columns of `order` in the row after which the reading goes on.
    pub(crate) after: Option<&'a [Option<String>]>,
    pub(crate) most: Option<u32>,
    /// True to lock the rows for a change, where the engine locks rows.
    pub(crate) lock: bool,
    /// The most characters of one value; one more is read, so that a cut can be seen.
    pub(crate) value_bytes: usize,
}

/// The rows that a statement is about. Names are those of columns, values are checked texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetRows<'a> {
    /// The values that every row of this caller has.
    pub(crate) rows: &'a [(String, String)],
    /// The values of the key, and of the version if there is one; empty for none.
    pub(crate) key: &'a [(String, String)],
    pub(crate) filter: &'a Filter,
}

/// The columns that a change returns, read as those of a [`Select`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returning<'a> {
    pub(crate) columns: &'a [&'a Column],
    pub(crate) value_bytes: usize,
}

/// The statement that reads rows.
pub(crate) fn select(engine: Engine, select: &Select<'_>) -> Sql {
    let binding = Binding::new(engine, select.table);
    let source = if select.head.is_some() { String::new() } else { binding.quoted_table_name() };
    select_from(binding, &source, select, None)
}

/// The statement that reads the row that this connection has just added to a table whose `counted` column counts up. It is for
/// MariaDB, whose changes return no rows.
pub(crate) fn select_inserted_row(engine: Engine, select: &Select<'_>, counted: &Column) -> Sql {
    let binding = Binding::new(engine, select.table);
    let source = binding.quoted_table_name();
    select_from(binding, &source, select, Some(counted))
}

/// The reading of a source that has the columns of its table.
fn select_from(
    mut binding: Binding<'_>,
    source: &str,
    select: &Select<'_>,
    counted: Option<&Column>,
) -> Sql {
    let engine = binding.engine;
    let mut text = match select.head {
        Some(head) => head.to_owned(),
        None => head(binding.scope(), source, &select.columns, select.value_bytes),
    };
    let mut conditions = condition::of_target(&mut binding, &select.target);
    let scope = binding.scope();
    conditions.extend(
        counted.map(|column| format!("{} = LAST_INSERT_ID()", scope.qualified_name(column))),
    );
    if let Some(last) = select.after {
        conditions.push(keyset::rows_after(&mut binding, select.order, last));
    }
    if !conditions.is_empty() {
        text += &format!(" WHERE {}", conditions.join(" AND "));
    }
    text += &order_by(&binding, select.order);
    if let Some(most) = select.most {
        text += &format!(" LIMIT {most}");
    }
    // SQLite locks the whole database when a transaction that writes begins.
    if select.lock && engine.has(Ability::RowLocks) {
        text += " FOR UPDATE";
    }
    binding.statement(text)
}

/// The statement that adds a row. Columns without a value have their default.
pub(crate) fn insert(
    engine: Engine,
    table: &Table,
    values: &[(&Column, Option<String>)],
    returning: &Returning<'_>,
) -> Sql {
    let mut binding = Binding::new(engine, table);
    let names: Vec<_> = values.iter().map(|(column, _)| engine.quote(column.sql_name())).collect();
    let typed: Vec<_> = values
        .iter()
        .map(|(column, value)| typed_placeholder(&mut binding, column, value.as_deref()))
        .collect();
    let row = if values.is_empty() {
        engine.sql().empty_row().to_owned()
    } else {
        format!("({}) VALUES ({})", names.join(", "), typed.join(", "))
    };
    let text = format!(
        "INSERT INTO {} {row}{}",
        binding.quoted_table_name(),
        returning_clause(binding.scope(), returning)
    );
    binding.statement(text)
}

/// The new values of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes<'a> {
    pub(crate) values: &'a [(&'a Column, Option<String>)],
    /// The column that gets the next version.
    pub(crate) version: Option<&'a Column>,
}

/// The statement that changes rows. It changes none if the target has neither a key nor a condition.
pub(crate) fn update(
    engine: Engine,
    table: &Table,
    changes: Changes<'_>,
    target: &TargetRows<'_>,
    returning: &Returning<'_>,
) -> Sql {
    let mut binding = Binding::new(engine, table);
    let assignment = |(column, value): &(&Column, Option<String>)| {
        let value = typed_placeholder(&mut binding, column, value.as_deref());
        format!("{} = {value}", engine.quote(column.sql_name()))
    };
    let mut set: Vec<_> = changes.values.iter().map(assignment).collect();
    if let Some(column) = changes.version
        && let Some(next) =
            version::next_version(engine, column, &binding.scope().qualified_name(column))
    {
        set.push(format!("{} = {next}", engine.quote(column.sql_name())));
    }
    let changed = change_conditions(&mut binding, target);
    let text = format!(
        "UPDATE {} SET {} WHERE {changed}{}",
        binding.quoted_table_name(),
        set.join(", "),
        returning_clause(binding.scope(), returning)
    );
    binding.statement(text)
}

/// The statement that removes rows. It removes none if the target has neither a key nor a condition.
pub(crate) fn delete(engine: Engine, table: &Table, target: &TargetRows<'_>) -> Sql {
    let mut binding = Binding::new(engine, table);
    let changed = change_conditions(&mut binding, target);
    let text = format!("DELETE FROM {} WHERE {changed}", binding.quoted_table_name());
    binding.statement(text)
}

/// The statement of PostgreSQL that removes rows and reads them as a [`select`] of them does, in its order. It removes none if
/// the target has neither a key nor a condition. The removed rows have the name of their table, by which columns are written.
pub(crate) fn delete_and_read(engine: Engine, select: &Select<'_>) -> Sql {
    let mut binding = Binding::new(engine, select.table);
    let changed = change_conditions(&mut binding, &select.target);
    let scope = binding.scope();
    let names: Vec<_> = select.columns.iter().map(|column| scope.qualified_name(column)).collect();
    let removed = engine.quote(scope.table);
    let text = format!(
        "WITH {removed} AS (DELETE FROM {} WHERE {changed} RETURNING {}) SELECT {} FROM {removed}{}",
        binding.quoted_table_name(),
        names.join(", "),
        shown_columns(scope, &select.columns, select.value_bytes),
        order_by(&binding, select.order)
    );
    binding.statement(text)
}

/// The beginning of a [`Select`] that reads a table, up to its conditions.
pub(crate) fn select_head(
    engine: Engine,
    table: &Table,
    columns: &[&Column],
    value_bytes: usize,
) -> String {
    let binding = Binding::new(engine, table);
    head(binding.scope(), &binding.quoted_table_name(), columns, value_bytes)
}

fn head(scope: Scope<'_>, source: &str, columns: &[&Column], value_bytes: usize) -> String {
    format!("SELECT {} FROM {source}", shown_columns(scope, columns, value_bytes))
}

/// The columns of another statement, which is the table `callgate` here, read as those of a [`Select`].
pub(crate) fn statement_result_columns(
    engine: Engine,
    columns: &[&Column],
    value_bytes: usize,
) -> String {
    shown_columns(Scope { engine, table: "callgate", is_stored: false }, columns, value_bytes)
}

/// The statement that reads one row if a row with these values is there.
pub(crate) fn select_if_present(engine: Engine, table: &Table, pairs: &[(String, String)]) -> Sql {
    let mut binding = Binding::new(engine, table);
    let conditions = match condition::equality_conditions(&mut binding, pairs).join(" AND ") {
        empty if empty.is_empty() => NEVER.to_owned(),
        conditions => conditions,
    };
    let text =
        format!("SELECT '1' FROM {} WHERE {conditions} LIMIT 1", binding.quoted_table_name());
    binding.statement(text)
}

fn change_conditions(binding: &mut Binding<'_>, target: &TargetRows<'_>) -> String {
    if target.key.is_empty() && target.filter.is_empty() {
        return NEVER.to_owned();
    }
    condition::of_target(binding, target).join(" AND ")
}

fn typed_placeholder(binding: &mut Binding<'_>, column: &Column, value: Option<&str>) -> String {
    let placeholder = binding.bind(value);
    binding.engine.sql().typed_value(column, &placeholder)
}

/// The columns as texts; a reading of no column still has one.
fn shown_columns(scope: Scope<'_>, columns: &[&Column], most: usize) -> String {
    if columns.is_empty() {
        return "NULL".to_owned();
    }
    let columns: Vec<_> =
        columns.iter().map(|column| expression::shown_column(scope, column, most)).collect();
    columns.join(", ")
}

fn returning_clause(scope: Scope<'_>, returning: &Returning<'_>) -> String {
    if returning.columns.is_empty() || !scope.engine.has(Ability::Returning) {
        return String::new();
    }
    format!(" RETURNING {}", shown_columns(scope, returning.columns, returning.value_bytes))
}

fn order_by(binding: &Binding<'_>, order: &[(String, Direction)]) -> String {
    let item = |(name, direction): &(String, Direction)| {
        let column = expression::order_expression(binding.scope(), binding.column(name)?);
        Some(match direction {
            Direction::Ascending => column,
            Direction::Descending => column + " DESC",
        })
    };
    let items: Vec<_> = order.iter().filter_map(item).collect();
    if items.is_empty() { String::new() } else { format!(" ORDER BY {}", items.join(", ")) }
}

#[cfg(test)]
mod tests;
