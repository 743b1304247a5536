//! Expressions of one column or of one value in the SQL of its engine: casts of bound texts, sides of comparisons, and columns as
//! texts.

use super::scope::Scope;
use crate::catalog::Column;

/// The column in a comparison that finds equal bytes only.
pub(super) fn exact_column(scope: Scope<'_>, column: &Column) -> String {
    scope.engine.sql().exact_column(column, scope.qualified_name(column))
}

/// The column as rows are ordered by it, and as it is compared with typed values for an order.
pub(super) fn order_expression(scope: Scope<'_>, column: &Column) -> String {
    scope.engine.sql().order_expression(column, scope.qualified_name(column))
}

/// A comparison of the column with a typed value, by the operators that rows are ordered by.
pub(super) fn order_comparison(
    scope: Scope<'_>,
    column: &Column,
    operator: &str,
    value: &str,
) -> String {
    let name = order_expression(scope, column);
    match &column.order_schema {
        Some(schema) => {
            format!("{name} OPERATOR({}.{operator}) {value}", scope.engine.quote(schema))
        }
        None => format!("{name} {operator} {value}"),
    }
}

/// The column as a text of at most so many characters and one more.
pub(super) fn shown_column(scope: Scope<'_>, column: &Column, most: usize) -> String {
    let (sql, name, most) =
        (scope.engine.sql(), scope.qualified_name(column), most.saturating_add(1));
    if scope.is_stored {
        return sql.shown_stored_column(column, &name, most);
    }
    sql.shown_column(column, &name, most)
}
