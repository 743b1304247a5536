//! The SQL of SQLite, whose columns hold values of every type, whatever they are declared as.

mod affinity;

use self::affinity::Affinity;
use super::{
    Ability, DayTimes, EngineFacts, Escapes, LexicalRules, MomentForm, PatternSigns, SqlDialect,
    dialect::is_compared_as_text,
};
use crate::catalog::{Column, ColumnKind};

pub(super) const FACTS: EngineFacts = EngineFacts {
    abilities: &[
        Ability::GrantableFunctions,
        Ability::GroupValues,
        Ability::NullsFirst,
        Ability::NumberedPlaceholders,
        Ability::Returning,
        Ability::RowComparisons,
        Ability::UnsignedSums,
    ],
    product: "SQLite",
    schemes: &["sqlite"],
    // It reads a name in double quotes that no column has as a text, but never one in backticks.
    quotation_mark: "`",
    login_words: None,
    number_casts: ["INTEGER", "NUMERIC"],
    session_cast: "",
    decimal_digits: Some(15),
    moment_form: MomentForm::Given,
    day_times: DayTimes::Clock,
    lexical_rules: LexicalRules {
        line_comments: &[],
        nests_comments: false,
        quotations: &[('\'', '\''), ('"', '"'), ('`', '`'), ('[', ']')],
        escapes: Escapes::Nowhere,
        placeholders: &['?', '@', '$'],
        has_dollar_strings: false,
    },
    plan_reader: None,
};

pub(super) struct Sqlite;

impl SqlDialect for Sqlite {
    fn placeholder(&self, index: usize) -> String {
        format!("?{index}")
    }

    fn typed_value(&self, column: &Column, placeholder: &str) -> String {
        match column.kind {
            ColumnKind::Boolean | ColumnKind::Flag { .. } | ColumnKind::Integer { .. } => {
                self.cast(placeholder, "INTEGER")
            }
            ColumnKind::Bytes => format!("unhex({placeholder})"),
            ColumnKind::Float => self.cast(placeholder, "REAL"),
            ColumnKind::Numeric { .. } => self.cast(placeholder, "NUMERIC"),
            _ => placeholder.to_owned(),
        }
    }

    fn exact_column(&self, column: &Column, name: String) -> String {
        if is_compared_as_text(&column.kind) {
            return format!("{} COLLATE BINARY", self.order_expression(column, name));
        }
        name
    }

    /// A column of whole numbers has fractions, too.
    fn ordered_value(&self, column: &Column, placeholder: &str) -> String {
        match column.kind {
            ColumnKind::Integer { .. } => self.cast(placeholder, "NUMERIC"),
            _ => self.typed_value(column, placeholder),
        }
    }

    /// A column of texts whose affinity does not turn `007` into 7.
    fn order_expression(&self, column: &Column, name: String) -> String {
        let is_safe = match column.kind {
            ColumnKind::Text { .. } | ColumnKind::Json | ColumnKind::Enumeration(_) => {
                Affinity::from_declared_type(&column.sql_type) == Affinity::Text
            }
            // Their texts never read as numbers.
            _ => true,
        };
        if is_safe { name } else { format!("CAST({name} AS TEXT)") }
    }

    /// Texts are cut as bytes, because its functions on texts end at U+0000; a database in UTF-16 has at most two bytes for each
    /// of UTF-8.
    fn shown_column(&self, column: &Column, name: &str, most: usize) -> String {
        let bytes = most.saturating_mul(2);
        // No bytes are null as a text.
        let text = format!(
            "coalesce(CAST(substr(CAST({name} AS BLOB), 1, {bytes}) AS TEXT), substr(CAST({name} AS TEXT), 1, 1))"
        );
        match column.kind {
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

    fn digits_of_shown_bytes<'t>(&self, column: &Column, text: &'t str) -> Option<&'t str> {
        let digits = text.strip_prefix("x'")?.strip_suffix('\'')?;
        let are_digits = digits.bytes().all(|it| matches!(it, b'0'..=b'9' | b'A'..=b'F'));
        let is_shown = matches!(column.kind, ColumnKind::Text { .. }) && digits.len() % 2 == 0;
        (are_digits && is_shown).then_some(digits)
    }

    /// Its `LIKE` takes `a` for `A`.
    fn like(&self, _name: &str, exact: &str, placeholder: &str) -> String {
        format!("{exact} GLOB {placeholder}")
    }

    fn pattern_signs(&self) -> &'static PatternSigns {
        &PatternSigns {
            any: '*',
            literal: |character| {
                matches!(character, '*' | '?' | '[').then(|| format!("[{character}]"))
            },
        }
    }

    fn next_version(&self, _column: &Column, _name: &str) -> Option<String> {
        None
    }

    fn wrapped_query(&self, _with: &str, text: &str, _names: &str, shown: &str) -> String {
        format!("SELECT {shown} FROM (\n{text}\n) AS callgate")
    }

    fn is_single_float(&self, _sql_type: &str) -> bool {
        false
    }

    fn second_digits(&self, _declared: Option<usize>) -> usize {
        9
    }

    /// It begins with the letter of its type, as a column of [`ColumnKind::Any`] is read.
    fn page_token_value<'t>(&self, _column: &Column, text: &'t str) -> (ColumnKind, &'t str) {
        let (letter, rest) = text.split_at_checked(1).unwrap_or(("t", text));
        let kind = match letter {
            "i" => ColumnKind::Integer { least: i64::MIN.into(), most: i64::MAX.into() },
            "r" => ColumnKind::Float,
            "b" => ColumnKind::Bytes,
            _ => ColumnKind::Text { most: None },
        };
        (kind, rest)
    }
}
