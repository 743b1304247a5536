//! The SQL of PostgreSQL.

mod plan;

use super::{
    Ability, DayTimes, EngineFacts, Escapes, LexicalRules, MomentForm, SqlDialect,
    dialect::last_digit_microseconds,
};
use crate::catalog::{Column, ColumnKind};

pub(super) const FACTS: EngineFacts = EngineFacts {
    abilities: &[
        Ability::Arrays,
        Ability::ChangesInWith,
        Ability::Collations,
        Ability::ColumnTypes,
        Ability::ColumnsByOrder,
        Ability::FunctionRights,
        Ability::GrantableFunctions,
        Ability::Infinity,
        Ability::Network,
        Ability::NumberedPlaceholders,
        Ability::PlaceholderTypes,
        Ability::Returning,
        Ability::Roles,
        Ability::RowComparisons,
        Ability::RowEstimates,
        Ability::RowLocks,
        Ability::RowPolicies,
        Ability::SchemaRights,
        Ability::UnlockedRemovals,
        Ability::WritableViews,
    ],
    product: "PostgreSQL",
    schemes: &["postgres", "postgresql"],
    quotation_mark: "\"",
    login_words: Some(["role", "login password"]),
    number_casts: ["INTEGER", "NUMERIC"],
    session_cast: "",
    decimal_digits: None,
    moment_form: MomentForm::Rfc3339,
    day_times: DayTimes::End,
    // PostgreSQL, §4.1, with `standard_conforming_strings`.
    lexical_rules: LexicalRules {
        line_comments: &[],
        nests_comments: true,
        quotations: &[('\'', '\''), ('"', '"')],
        escapes: Escapes::Marked,
        placeholders: &[],
        has_dollar_strings: true,
    },
    plan_reader: Some(plan::READER),
};

pub(super) struct Postgres;

impl SqlDialect for Postgres {
    fn placeholder(&self, index: usize) -> String {
        format!("${index}")
    }

    fn typed_value(&self, column: &Column, placeholder: &str) -> String {
        match column.kind {
            ColumnKind::Bytes => format!("decode({placeholder}::text, 'hex')"),
            _ if column.sql_type == "text" => format!("{placeholder}::text"),
            _ => format!("{placeholder}::text::{}", column.sql_type),
        }
    }

    fn cast(&self, placeholder: &str, sql_type: &str) -> String {
        format!("({placeholder}::text::{sql_type})")
    }

    fn exact_column(&self, column: &Column, name: String) -> String {
        match column.kind {
            ColumnKind::Array(_) | ColumnKind::Json | ColumnKind::Literal | ColumnKind::Other => {
                format!("{name}::text")
            }
            ColumnKind::Text { .. } if !column.compares_bytes => {
                format!("{name}::text COLLATE \"C\"")
            }
            // Comparison of `character(n)` leaves out blanks at the end.
            ColumnKind::Text { .. } if is_padded(&column.sql_type) => format!("{name}::text"),
            _ => name,
        }
    }

    fn exact_value(&self, column: &Column, placeholder: &str) -> String {
        match column.kind {
            ColumnKind::Array(_)
            | ColumnKind::Json
            | ColumnKind::Literal
            | ColumnKind::Other
            | ColumnKind::Text { .. } => format!("{placeholder}::text"),
            _ => self.typed_value(column, placeholder),
        }
    }

    fn order_expression(&self, _column: &Column, name: String) -> String {
        name
    }

    fn shown_column(&self, column: &Column, name: &str, most: usize) -> String {
        match column.kind {
            _ if has_native_text(&column.sql_type) => name.to_owned(),
            ColumnKind::Array(_) => format!("left(array_to_json({name})::text, {most})"),
            ColumnKind::Bytes => format!("encode(substring({name} from 1 for {most}), 'hex')"),
            _ if is_short(&column.kind, most) => format!("{name}::text"),
            ColumnKind::Json
            | ColumnKind::Literal
            | ColumnKind::Numeric { .. }
            | ColumnKind::Other
            | ColumnKind::Text { .. } => format!("left({name}::text, {most})"),
            _ => format!("{name}::text"),
        }
    }

    /// The bytes of a stored text are known without reading it; its characters are counted one by one.
    fn shown_stored_column(&self, column: &Column, name: &str, most: usize) -> String {
        let shown = self.shown_column(column, name, most);
        let is_cut =
            matches!(column.kind, ColumnKind::Text { .. }) && !is_short(&column.kind, most);
        if is_cut {
            return format!(
                "CASE WHEN octet_length({name}::text) > {most} THEN {shown} ELSE {name}::text END"
            );
        }
        shown
    }

    fn like(&self, _name: &str, exact: &str, placeholder: &str) -> String {
        format!("{exact} LIKE {placeholder}::text ESCAPE '!'")
    }

    fn next_version(&self, column: &Column, name: &str) -> Option<String> {
        match column.kind {
            ColumnKind::Timestamp { .. } => {
                let sql_type = &column.sql_type;
                // A domain may keep fewer digits than it says.
                let usual = if sql_type.starts_with("timestamp") { 6 } else { 0 };
                let step =
                    last_digit_microseconds(column.declared_second_digits().unwrap_or(usual));
                Some(format!(
                    "greatest(clock_timestamp()::{sql_type}, {name} + interval '{step} microseconds')"
                ))
            }
            ColumnKind::Uuid => Some("gen_random_uuid()".to_owned()),
            _ => None,
        }
    }

    fn wrapped_query(&self, with: &str, text: &str, names: &str, shown: &str) -> String {
        format!("{with}SELECT {shown} FROM (\n{text}\n) AS callgate ({names})")
    }

    fn is_single_float(&self, sql_type: &str) -> bool {
        sql_type == "real"
    }

    fn second_digits(&self, declared: Option<usize>) -> usize {
        declared.unwrap_or(6)
    }
}

/// True if every text of the type has at most so many characters.
fn is_short(kind: &ColumnKind, most: usize) -> bool {
    let longest = match kind {
        ColumnKind::Text { most } => *most,
        // A sign, a zero and a point stand beside the digits.
        ColumnKind::Numeric { precision, scale } => precision.and_then(|digits| {
            digits.checked_add(scale.unwrap_or_default().unsigned_abs())?.checked_add(3)
        }),
        _ => None,
    };
    longest.and_then(|longest| usize::try_from(longest).ok()).is_some_and(|longest| longest <= most)
}

/// True for a type whose values the driver writes as the server does, in less time than a cast takes.
fn has_native_text(sql_type: &str) -> bool {
    matches!(sql_type, "bigint" | "boolean" | "integer" | "smallint")
}

/// True for a type that fills texts up with blanks.
fn is_padded(sql_type: &str) -> bool {
    sql_type == "bpchar" || sql_type == "character" || sql_type.starts_with("character(")
}
