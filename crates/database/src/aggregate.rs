//! The aggregates: a closed set of functions over rows and over the values of a column, with the columns that they compute.

use callgate_tool::named;

use crate::{
    catalog::{Column, ColumnKind},
    engine::{Ability, Engine},
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

/// The functions over the values of a column.
pub(crate) fn functions(column: &Column, engine: Engine) -> &'static [Function] {
    use Function::{Average, Maximum, Minimum, Sum};
    match column.kind {
        // `oid` of PostgreSQL.
        ColumnKind::Integer { least: 0, .. } if !engine.has(Ability::UnsignedSums) => &[],
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
        | ColumnKind::Flag { .. }
        | ColumnKind::Json
        | ColumnKind::Literal
        | ColumnKind::Other
        | ColumnKind::Text { .. }
        | ColumnKind::Uuid => &[],
    }
}

/// The number that a sum or an average of the column is.
pub(crate) fn sum_or_average_column(column: &Column) -> Column {
    let (kind, sql_type) = match column.kind {
        ColumnKind::Float => (ColumnKind::Float, "double precision"),
        _ => (ColumnKind::Numeric { precision: None, scale: None }, "numeric"),
    };
    Column { sql_type: sql_type.to_owned(), ..Column::of_statement("", kind) }
}
