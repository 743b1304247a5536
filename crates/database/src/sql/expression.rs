//! Expressions of one column or of one value, as each engine needs them: casts of bound texts, sides of comparisons, and
//! columns as texts.

mod affinity;

use self::affinity::Affinity;
use super::scope::Scope;
use crate::{
    catalog::{Column, ColumnKind},
    engine::Engine,
};

/// The value of a placeholder in the column's own type.
pub(super) fn typed_value(engine: Engine, column: &Column, placeholder: &str) -> String {
    match engine {
        Engine::Mysql => mysql_typed(&column.kind, placeholder),
        Engine::Postgres => postgres_typed(column, placeholder),
        Engine::Sqlite => sqlite_typed(&column.kind, placeholder),
    }
}

fn postgres_typed(column: &Column, placeholder: &str) -> String {
    match column.kind {
        ColumnKind::Bytes => format!("decode({placeholder}::text, 'hex')"),
        _ if column.sql_type == "text" => format!("{placeholder}::text"),
        _ => format!("{placeholder}::text::{}", column.sql_type),
    }
}

fn sqlite_typed(kind: &ColumnKind, placeholder: &str) -> String {
    match kind {
        ColumnKind::Boolean | ColumnKind::Integer { .. } => {
            format!("CAST({placeholder} AS INTEGER)")
        }
        ColumnKind::Bytes => format!("unhex({placeholder})"),
        ColumnKind::Float => format!("CAST({placeholder} AS REAL)"),
        ColumnKind::Numeric { .. } => format!("CAST({placeholder} AS NUMERIC)"),
        _ => placeholder.to_owned(),
    }
}

fn mysql_typed(kind: &ColumnKind, placeholder: &str) -> String {
    let cast = match kind {
        ColumnKind::Bytes => return format!("UNHEX({placeholder})"),
        ColumnKind::Date => "DATE".to_owned(),
        ColumnKind::Float => "DOUBLE".to_owned(),
        ColumnKind::Integer { least: 0, .. } => "UNSIGNED".to_owned(),
        ColumnKind::Boolean | ColumnKind::Integer { .. } => "SIGNED".to_owned(),
        ColumnKind::Numeric { precision, scale } => {
            format!("DECIMAL({},{})", precision.unwrap_or(65), scale.unwrap_or(30))
        }
        ColumnKind::Time { .. } => "TIME(6)".to_owned(),
        ColumnKind::Timestamp { .. } => "DATETIME(6)".to_owned(),
        ColumnKind::Uuid => "UUID".to_owned(),
        _ => return placeholder.to_owned(),
    };
    format!("CAST({placeholder} AS {cast})")
}

/// The column in a comparison that finds equal bytes only.
pub(super) fn exact(scope: Scope<'_>, column: &Column) -> String {
    let name = scope.name(column);
    match scope.engine {
        Engine::Mysql if is_text(&column.kind) => {
            format!("CAST(CONVERT({name} USING utf8mb4) AS BINARY)")
        }
        Engine::Postgres => postgres_exact(column, name),
        Engine::Sqlite if is_text(&column.kind) => {
            format!("{} COLLATE BINARY", sqlite_text(column, name))
        }
        Engine::Mysql | Engine::Sqlite => name,
    }
}

fn postgres_exact(column: &Column, name: String) -> String {
    match column.kind {
        ColumnKind::Array(_) | ColumnKind::Json | ColumnKind::Literal | ColumnKind::Other => {
            format!("{name}::text")
        }
        ColumnKind::Text { .. } if !column.compares_bytes => format!("{name}::text COLLATE \"C\""),
        // Comparison of `character(n)` leaves out blanks at the end.
        ColumnKind::Text { .. } if is_padded(&column.sql_type) => format!("{name}::text"),
        _ => name,
    }
}

/// A column of texts whose affinity does not turn `007` into 7.
fn sqlite_text(column: &Column, name: String) -> String {
    let is_safe = match column.kind {
        ColumnKind::Text { .. } | ColumnKind::Json | ColumnKind::Enumeration(_) => {
            Affinity::from_declared_type(&column.sql_type) == Affinity::Text
        }
        // Their texts never read as numbers.
        _ => true,
    };
    if is_safe { name } else { format!("CAST({name} AS TEXT)") }
}

/// The value of a placeholder beside [`exact`].
pub(super) fn exact_value(engine: Engine, column: &Column, placeholder: &str) -> String {
    match engine {
        Engine::Mysql if is_text(&column.kind) => format!("CAST({placeholder} AS BINARY)"),
        Engine::Postgres => match column.kind {
            ColumnKind::Array(_)
            | ColumnKind::Json
            | ColumnKind::Literal
            | ColumnKind::Other
            | ColumnKind::Text { .. } => format!("{placeholder}::text"),
            _ => typed_value(engine, column, placeholder),
        },
        _ => typed_value(engine, column, placeholder),
    }
}

/// The column as rows are ordered by it, and as it is compared with [`typed_value`] values for an order.
pub(super) fn order_expression(scope: Scope<'_>, column: &Column) -> String {
    let name = scope.name(column);
    match scope.engine {
        // It sorts these by the numbers of their labels, but compares them as texts.
        Engine::Mysql if has_labels(column) => format!("CONVERT({name} USING utf8mb4)"),
        Engine::Mysql | Engine::Postgres => name,
        Engine::Sqlite => sqlite_text(column, name),
    }
}

/// True for `enum` and `set` of MariaDB.
fn has_labels(column: &Column) -> bool {
    let sql_type = column.sql_type.to_ascii_lowercase();
    matches!(column.kind, ColumnKind::Enumeration(_)) || sql_type.starts_with("set(")
}

/// The column as a text of at most so many characters and one more.
pub(super) fn shown_column(scope: Scope<'_>, column: &Column, most: usize) -> String {
    let name = scope.name(column);
    let most = most.saturating_add(1);
    match scope.engine {
        Engine::Mysql => mysql_shown(column, &name, most),
        Engine::Postgres => postgres_shown(&column.kind, &name, most),
        Engine::Sqlite => sqlite_shown(&column.kind, &name, most),
    }
}

fn postgres_shown(kind: &ColumnKind, name: &str, most: usize) -> String {
    match kind {
        ColumnKind::Array(_) => format!("left(array_to_json({name})::text, {most})"),
        ColumnKind::Bytes => format!("encode(substring({name} from 1 for {most}), 'hex')"),
        ColumnKind::Json
        | ColumnKind::Literal
        | ColumnKind::Numeric { .. }
        | ColumnKind::Other
        | ColumnKind::Text { .. } => format!("left({name}::text, {most})"),
        _ => format!("{name}::text"),
    }
}

/// A column of SQLite holds values of every type, whatever it is declared as. Texts are cut as bytes, because its functions on
/// texts end at U+0000; a database in UTF-16 has at most two bytes for each of UTF-8.
fn sqlite_shown(kind: &ColumnKind, name: &str, most: usize) -> String {
    let bytes = most.saturating_mul(2);
    // No bytes are null as a text.
    let text = format!(
        "coalesce(CAST(substr(CAST({name} AS BLOB), 1, {bytes}) AS TEXT), substr(CAST({name} AS TEXT), 1, 1))"
    );
    match kind {
        ColumnKind::Any => format!(
            "CASE typeof({name}) WHEN 'integer' THEN 'i' || {name} WHEN 'real' THEN 'r' || printf('%!.17g', {name}) \
             WHEN 'blob' THEN 'b' || hex(substr({name}, 1, {most})) WHEN 'text' THEN 't' || {text} END"
        ),
        ColumnKind::Bytes => format!("hex(substr(CAST({name} AS BLOB), 1, {most}))"),
        _ => format!(
            "CASE typeof({name}) WHEN 'real' THEN printf('%!.17g', {name}) \
             WHEN 'blob' THEN 'x''' || hex(substr({name}, 1, {most})) || '''' \
             ELSE {text} END"
        ),
    }
}

fn mysql_shown(column: &Column, name: &str, most: usize) -> String {
    let sql_type = column.sql_type.to_ascii_lowercase();
    match column.kind {
        _ if sql_type.starts_with("bit") => format!("CAST({name} + 0 AS CHAR)"),
        ColumnKind::Bytes => format!("HEX(LEFT({name}, {most}))"),
        // A `float` is written with six digits otherwise.
        ColumnKind::Float => format!("CAST({name} + 0e0 AS CHAR)"),
        ColumnKind::Json | ColumnKind::Literal | ColumnKind::Other | ColumnKind::Text { .. } => {
            format!("LEFT(CONVERT({name} USING utf8mb4), {most})")
        }
        _ => format!("CAST({name} AS CHAR)"),
    }
}

/// True for values that MariaDB and SQLite compare as texts.
fn is_text(kind: &ColumnKind) -> bool {
    match kind {
        ColumnKind::Any
        | ColumnKind::Enumeration(_)
        | ColumnKind::Json
        | ColumnKind::Literal
        | ColumnKind::Other
        | ColumnKind::Text { .. } => true,
        ColumnKind::Array(_)
        | ColumnKind::Boolean
        | ColumnKind::Bytes
        | ColumnKind::Date
        | ColumnKind::Float
        | ColumnKind::Integer { .. }
        | ColumnKind::Numeric { .. }
        | ColumnKind::Time { .. }
        | ColumnKind::Timestamp { .. }
        | ColumnKind::Uuid => false,
    }
}

/// True for a type of PostgreSQL that fills texts up with blanks.
fn is_padded(sql_type: &str) -> bool {
    sql_type == "bpchar" || sql_type == "character" || sql_type.starts_with("character(")
}
