//! The aggregates of an entity: a closed set of functions over its columns, by the names that models write: `count`, `sum_total`.

use callgate_tool::named;

use super::{Entity, fit::Fit};
use crate::{
    catalog::{Column, ColumnKind},
    engine::Engine,
    operation::Operation,
};

named! {
    /// A function over the rows of a group.
    pub(crate) enum Function {
        Average = "avg",
        Count = "count",
        Maximum = "max",
        Minimum = "min",
        Sum = "sum",
    }
}

/// A function over the values of a column, or over rows.
#[derive(Clone, Debug)]
pub(crate) struct Aggregate<'a> {
    pub(crate) function: Function,
    /// The column; `None` for rows.
    pub(crate) column: Option<&'a Column>,
    /// The values that it computes, with the name that models write.
    pub(crate) result: Column,
}

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
            functions.map(move |function| self.aggregate(*function, column, engine))
        };
        [count].into_iter().chain(columns.flat_map(of_column)).collect()
    }

    fn aggregate<'a>(
        &self,
        function: Function,
        column: &'a Column,
        engine: Engine,
    ) -> Aggregate<'a> {
        let mut result = match function {
            Function::Maximum | Function::Minimum => column.clone(),
            Function::Average | Function::Count | Function::Sum => computed(column, engine),
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

fn functions(column: &Column, engine: Engine) -> &'static [Function] {
    use Function::{Average, Maximum, Minimum, Sum};
    match column.kind {
        // `oid`, which has no sum.
        ColumnKind::Integer { least: 0, .. } if engine == Engine::Postgres => &[],
        ColumnKind::Float | ColumnKind::Integer { .. } | ColumnKind::Numeric { .. } => {
            &[Sum, Average, Minimum, Maximum]
        }
        ColumnKind::Date | ColumnKind::Time { .. } | ColumnKind::Timestamp { .. } => {
            &[Minimum, Maximum]
        }
        ColumnKind::Any
        | ColumnKind::Array(_)
        | ColumnKind::Boolean
        | ColumnKind::Bytes
        | ColumnKind::Enumeration(_)
        | ColumnKind::Json
        | ColumnKind::Literal
        | ColumnKind::Other
        | ColumnKind::Text { .. }
        | ColumnKind::Uuid => &[],
    }
}

/// The number that a sum or an average of the column is.
fn computed(column: &Column, engine: Engine) -> Column {
    let (kind, sql_type) = match (&column.kind, engine) {
        (ColumnKind::Float, Engine::Postgres) => (ColumnKind::Float, "double precision"),
        (ColumnKind::Float, Engine::Mysql | Engine::Sqlite) => (ColumnKind::Float, "double"),
        _ => (ColumnKind::Numeric { precision: None, scale: None }, "numeric"),
    };
    Column { sql_type: sql_type.to_owned(), ..Column::of_statement("", kind) }
}
