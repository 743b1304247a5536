//! The aggregates of an entity, by the names that models write: `count`, `sum_total`.

use super::{Entity, fit::Fit};
use crate::{
    aggregate::{Aggregate, Function, functions, sum_or_average_column},
    catalog::{Column, ColumnKind},
    engine::Engine,
    operation::Operation,
};

impl Entity {
    /// The columns by which rows can be grouped.
    pub(crate) fn group_columns(&self) -> Vec<&Column> {
        let mut columns = self.outputs(Operation::Aggregate);
        columns.retain(|column| Fit::Condition.takes(column));
        columns
    }

    /// The aggregates. Numbers that identify rows are not summed up.
    pub(crate) fn aggregates(&self, engine: Engine) -> Vec<Aggregate<'_>> {
        let bigint = ColumnKind::Integer { least: i64::MIN.into(), most: i64::MAX.into() };
        let mut count = Column::of_statement(Function::Count.as_str(), bigint);
        "bigint".clone_into(&mut count.sql_type);
        count.name = self.free_name(count.name);
        let count = Aggregate { function: Function::Count, column: None, result: count };
        let references = self.table.foreign_keys.iter().flat_map(|foreign| &foreign.columns);
        let identifying: Vec<&String> = references.chain(&self.key).collect();
        let outputs = self.outputs(Operation::Aggregate).into_iter();
        let columns = outputs.filter(|column| !identifying.contains(&&column.name));
        let of_column = |column| {
            let functions = functions(column, engine).iter();
            functions.map(move |function| self.aggregate(*function, column))
        };
        [count].into_iter().chain(columns.flat_map(of_column)).collect()
    }

    fn aggregate<'a>(&self, function: Function, column: &'a Column) -> Aggregate<'a> {
        let mut result = match function {
            Function::Maximum | Function::Minimum => column.clone(),
            Function::Average | Function::Count | Function::Sum => sum_or_average_column(column),
        };
        result.name = self.free_name(format!("{}_{}", function.as_str(), column.name));
        result.is_nullable = true;
        Aggregate { function, column: Some(column), result }
    }

    /// The name, with `_` at its end while a column has it.
    fn free_name(&self, mut name: String) -> String {
        while self.table.column(&name).is_some() {
            name.push('_');
        }
        name
    }
}
