//! The statement that counts: the groups of rows are a table, and their conditions, order and limit are those of a reading of it.
//! Texts are grouped by their bytes, as conditions compare them, so that a value of a group finds the rows of this group alone.

use super::{Binding, Select, Sql, TargetRows, condition, expression, scope::Scope, select_from};
use crate::{
    aggregate::{Aggregate, Function},
    catalog::{Column, Table, TableKind},
    engine::{Ability, Engine},
};

/// Rows in groups of equal values, or all rows as one group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups<'a> {
    pub(crate) table: &'a Table,
    pub(crate) target: TargetRows<'a>,
    pub(crate) columns: &'a [&'a Column],
    pub(crate) aggregates: &'a [Aggregate<'a>],
}

impl Groups<'_> {
    /// The table of the groups: their columns, and the aggregates of each.
    pub(crate) fn as_table(&self) -> Table {
        let columns = self.columns.iter().map(|column| (*column).clone());
        let columns = columns.chain(self.aggregates.iter().map(|it| it.result.clone()));
        // The least of a group's values is a `text`.
        let named =
            |(at, column)| Column { own_name: Some(alias(at)), order_schema: None, ..column };
        let columns = columns.enumerate().map(named).collect();
        Table { kind: TableKind::View, ..Table::of_columns("callgate", columns) }
    }
}

/// The name of a column of the groups, which is no longer than any engine takes.
fn alias(at: usize) -> String {
    format!("c{at}")
}

/// The statement that reads groups by a reading of their table.
pub(crate) fn aggregate(engine: Engine, groups: &Groups<'_>, reading: &Select<'_>) -> Sql {
    let mut binding = Binding::new(engine, groups.table);
    let scope = binding.scope();
    let columns = groups.columns.iter().map(|column| group_value(scope, column));
    let values = columns.chain(groups.aggregates.iter().map(|it| computed_value(scope, it)));
    let values = values.enumerate().map(|(at, it)| format!("{it} AS {}", engine.quote(&alias(at))));
    let values: Vec<_> = values.collect();
    let mut text = format!("SELECT {} FROM {}", values.join(", "), binding.quoted_table_name());
    let conditions = condition::of_target(&mut binding, &groups.target);
    if !conditions.is_empty() {
        text += &format!(" WHERE {}", conditions.join(" AND "));
    }
    let exact: Vec<_> =
        groups.columns.iter().map(|it| expression::exact_column(scope, it)).collect();
    if !exact.is_empty() {
        text += &format!(" GROUP BY {}", exact.join(", "));
    }
    let binding = binding.with_table(reading.table);
    let source = format!("({text}) AS {}", binding.quoted_table_name());
    select_from(binding, &source, reading, None)
}

/// The value that the rows of a group have in a column. Of texts that are equal in their bytes it is the least one, as the engine may not
/// see that they are one.
fn group_value(scope: Scope<'_>, column: &Column) -> String {
    let name = scope.qualified_name(column);
    if scope.engine.has(Ability::GroupValues) || expression::exact_column(scope, column) == name {
        return name;
    }
    format!("MIN({name})")
}

fn computed_value(scope: Scope<'_>, aggregate: &Aggregate<'_>) -> String {
    let Some(column) = aggregate.column else { return "COUNT(*)".to_owned() };
    let value = scope.engine.sql().numeric_operand(column, scope.qualified_name(column));
    let function = match aggregate.function {
        Function::Average => "AVG",
        Function::Count => "COUNT",
        Function::Maximum => "MAX",
        Function::Minimum => "MIN",
        Function::Sum => "SUM",
    };
    format!("{function}({value})")
}
