//! The SQL of MariaDB and MySQL, as callgate's connections set it: in UTC, with backslashes in strings.

mod plan;

use super::{
    Ability, DayTimes, EngineFacts, Escapes, LexicalRules, MomentForm, SqlDialect,
    dialect::{is_compared_as_text, last_digit_microseconds},
};
use crate::catalog::{Column, ColumnKind};

pub(super) const FACTS: EngineFacts = EngineFacts {
    abilities: &[
        Ability::Collations,
        Ability::ColumnTypes,
        Ability::ColumnsByOrder,
        Ability::IndexesByCollation,
        Ability::Network,
        Ability::NullsFirst,
        Ability::RowEstimates,
        Ability::RowLocks,
        Ability::UnsignedSums,
    ],
    product: "MariaDB",
    schemes: &["mysql", "mariadb"],
    quotation_mark: "`",
    login_words: Some(["user", "identified by"]),
    number_casts: ["SIGNED", "DECIMAL(65,30)"],
    // Under a collation `ann` equals `ANN`; bytes are equal to the same bytes alone.
    session_cast: "BINARY",
    decimal_digits: None,
    moment_form: MomentForm::Utc,
    day_times: DayTimes::Spans,
    lexical_rules: LexicalRules {
        line_comments: &['#'],
        nests_comments: false,
        quotations: &[('\'', '\''), ('"', '"'), ('`', '`')],
        escapes: Escapes::All,
        placeholders: &['?'],
        has_dollar_strings: false,
    },
    plan_reader: Some(plan::READER),
};

pub(super) struct Mysql;

impl SqlDialect for Mysql {
    fn placeholder(&self, _index: usize) -> String {
        "?".to_owned()
    }

    fn typed_value(&self, column: &Column, placeholder: &str) -> String {
        let cast = match &column.kind {
            ColumnKind::Bytes => return format!("UNHEX({placeholder})"),
            ColumnKind::Date => "DATE".to_owned(),
            ColumnKind::Float => "DOUBLE".to_owned(),
            ColumnKind::Integer { least: 0, .. } => "UNSIGNED".to_owned(),
            ColumnKind::Boolean | ColumnKind::Flag { .. } | ColumnKind::Integer { .. } => {
                "SIGNED".to_owned()
            }
            ColumnKind::Numeric { precision, scale } => {
                format!("DECIMAL({},{})", precision.unwrap_or(65), scale.unwrap_or(30))
            }
            ColumnKind::Time { .. } => "TIME(6)".to_owned(),
            ColumnKind::Timestamp { .. } => "DATETIME(6)".to_owned(),
            ColumnKind::Uuid => "UUID".to_owned(),
            _ => return placeholder.to_owned(),
        };
        self.cast(placeholder, &cast)
    }

    fn exact_column(&self, column: &Column, name: String) -> String {
        if is_compared_as_text(&column.kind) {
            return format!("CAST(CONVERT({name} USING utf8mb4) AS BINARY)");
        }
        name
    }

    fn exact_value(&self, column: &Column, placeholder: &str) -> String {
        if is_compared_as_text(&column.kind) {
            return self.cast(placeholder, "BINARY");
        }
        self.typed_value(column, placeholder)
    }

    /// It sorts labels by their numbers, but compares them as texts.
    fn order_expression(&self, column: &Column, name: String) -> String {
        let is_set = column.sql_type.to_ascii_lowercase().starts_with("set(");
        if is_set || matches!(column.kind, ColumnKind::Enumeration(_)) {
            return format!("CONVERT({name} USING utf8mb4)");
        }
        name
    }

    fn shown_column(&self, column: &Column, name: &str, most: usize) -> String {
        match column.kind {
            _ if is_bits(column) => format!("CAST({name} + 0 AS CHAR)"),
            ColumnKind::Other if is_geometry(column) => format!("LEFT(ST_AsText({name}), {most})"),
            ColumnKind::Bytes => format!("HEX(LEFT({name}, {most}))"),
            // A `float` is written with six digits otherwise.
            ColumnKind::Float => format!("CAST({name} + 0e0 AS CHAR)"),
            ColumnKind::Json
            | ColumnKind::Literal
            | ColumnKind::Other
            | ColumnKind::Text { .. } => {
                format!("LEFT(CONVERT({name} USING utf8mb4), {most})")
            }
            _ => format!("CAST({name} AS CHAR)"),
        }
    }

    fn numeric_operand(&self, column: &Column, name: String) -> String {
        match column.kind {
            ColumnKind::Integer { .. } if is_bits(column) => format!("{name} + 0"),
            _ => name,
        }
    }

    fn like(&self, name: &str, _exact: &str, placeholder: &str) -> String {
        format!(
            "CONVERT({name} USING utf8mb4) LIKE CONVERT({placeholder} USING utf8mb4) \
             COLLATE utf8mb4_bin ESCAPE '!'"
        )
    }

    fn next_version(&self, column: &Column, name: &str) -> Option<String> {
        match column.kind {
            ColumnKind::Timestamp { .. } => {
                let digits = column.declared_second_digits().unwrap_or(0);
                let step = last_digit_microseconds(digits);
                Some(format!("GREATEST(NOW({digits}), {name} + INTERVAL {step} MICROSECOND)"))
            }
            ColumnKind::Uuid => Some("UUID()".to_owned()),
            _ => None,
        }
    }

    fn empty_row(&self) -> &'static str {
        "() VALUES ()"
    }

    /// MariaDB names the columns of a table in FROM since its version 11.7 only.
    fn wrapped_query(&self, _with: &str, text: &str, names: &str, shown: &str) -> String {
        format!("WITH callgate ({names}) AS (\n{text}\n) SELECT {shown} FROM callgate")
    }

    fn is_single_float(&self, sql_type: &str) -> bool {
        sql_type.to_ascii_lowercase().starts_with("float")
    }

    fn second_digits(&self, declared: Option<usize>) -> usize {
        declared.unwrap_or(0)
    }

    /// It compares the dates without a day that it keeps, and does not cast them.
    fn page_token_value<'t>(&self, column: &Column, text: &'t str) -> (ColumnKind, &'t str) {
        let kind = match &column.kind {
            ColumnKind::Date | ColumnKind::Timestamp { .. } => ColumnKind::Text { most: None },
            kind => kind.clone(),
        };
        (kind, text)
    }
}

fn is_bits(column: &Column) -> bool {
    column.sql_type.to_ascii_lowercase().starts_with("bit")
}

fn is_geometry(column: &Column) -> bool {
    GEOMETRIES.contains(&&*column.sql_type.to_ascii_lowercase())
}

/// The types whose texts are those of `ST_AsText`. MySQL has the last name for the one before it.
const GEOMETRIES: [&str; 9] = [
    "geometry",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
    "geomcollection",
];
