//! The SQL of an engine: how it writes names, placeholders and expressions, the forms of its values, and its words for people.

use std::collections::BTreeMap;

use super::Ability;
use crate::catalog::{Column, ColumnKind};

/// The fixed facts about an engine.
pub(crate) struct EngineFacts {
    pub(crate) abilities: &'static [Ability],
    /// The product, as a model reads it.
    pub(crate) product: &'static str,
    /// The schemes of its addresses; the first one is also the feature of the build that has its driver.
    pub(crate) schemes: &'static [&'static str],
    /// The mark around an identifier, which it writes twice inside of one.
    pub(crate) quotation_mark: &'static str,
    /// The words before the name of a new login and before its password; `None` where nobody logs in.
    pub(crate) login_words: Option<[&'static str; 2]>,
    /// The types of a cast to a whole number and to the widest exact number.
    pub(crate) number_casts: [&'static str; 2],
    /// The type that a value of the session is cast to; empty where it needs none.
    pub(crate) session_cast: &'static str,
    /// The digits of a decimal number that it keeps; `None` for all that the type has.
    pub(crate) decimal_digits: Option<usize>,
    /// The form in which dates and times are bound.
    pub(crate) moment_form: MomentForm,
    /// The times that a column may hold beyond those of a day.
    pub(crate) day_times: DayTimes,
    /// The rules by which a statement's strings, names and comments are told from its words.
    pub(crate) lexical_rules: LexicalRules,
    /// The reader of its plans; `None` where it has no estimates.
    pub(crate) plan_reader: Option<PlanReader>,
}

/// The SQL of one engine. Texts of values are bound, and columns are read as texts.
pub(crate) trait SqlDialect: Sync {
    /// The placeholder of the value at this index, counted from 1.
    fn placeholder(&self, index: usize) -> String;

    /// The value of a placeholder in the column's own type.
    fn typed_value(&self, column: &Column, placeholder: &str) -> String;

    /// A placeholder cast to a type that a statement of the operator names.
    fn cast(&self, placeholder: &str, sql_type: &str) -> String {
        format!("CAST({placeholder} AS {sql_type})")
    }

    /// The column of this name in a comparison that finds equal bytes only.
    fn exact_column(&self, column: &Column, name: String) -> String;

    /// The value of a placeholder beside [`SqlDialect::exact_column`].
    fn exact_value(&self, column: &Column, placeholder: &str) -> String {
        self.typed_value(column, placeholder)
    }

    /// The value of a placeholder beside which a condition orders rows.
    fn ordered_value(&self, column: &Column, placeholder: &str) -> String {
        self.typed_value(column, placeholder)
    }

    /// The column as rows are ordered by it, and as it is compared with [`SqlDialect::typed_value`] for an order.
    fn order_expression(&self, column: &Column, name: String) -> String;

    /// The column as a text of at most so many characters, or as a value that its driver reads as one.
    fn shown_column(&self, column: &Column, name: &str, most: usize) -> String;

    /// The column of a table as [`Self::shown_column`], where what it stands for may be read twice.
    fn shown_stored_column(&self, column: &Column, name: &str, most: usize) -> String {
        self.shown_column(column, name, most)
    }

    /// The column as a function over numbers takes it.
    fn numeric_operand(&self, _column: &Column, name: String) -> String {
        name
    }

    /// The hexadecimal digits of bytes that a column of texts shows as this text; `None` where it has no bytes.
    fn digits_of_shown_bytes<'t>(&self, _column: &Column, _text: &'t str) -> Option<&'t str> {
        None
    }

    /// The comparison of a text with a pattern, in which letter case and accents matter: the column by its name and as
    /// [`SqlDialect::exact_column`] writes it.
    fn like(&self, name: &str, exact: &str, placeholder: &str) -> String;

    /// The signs of such a pattern.
    fn pattern_signs(&self) -> &'static PatternSigns {
        &LIKE_SIGNS
    }

    /// The next version after the one in a column of times or of UUIDs, if it has one.
    fn next_version(&self, column: &Column, name: &str) -> Option<String>;

    /// The row of an `INSERT` without values.
    fn empty_row(&self) -> &'static str {
        "DEFAULT VALUES"
    }

    /// A query whose columns of these names are read as `shown`, with what must stand before it.
    fn wrapped_query(&self, with: &str, text: &str, names: &str, shown: &str) -> String;

    /// True for a type of floating-point numbers of 32 bits.
    fn is_single_float(&self, sql_type: &str) -> bool;

    /// The digits of a second that a type keeps, which says so or not.
    fn second_digits(&self, declared: Option<usize>) -> usize;

    /// The kind and the text of a value that a token of pages keeps.
    fn page_token_value<'t>(&self, column: &Column, text: &'t str) -> (ColumnKind, &'t str) {
        (column.kind.clone(), text)
    }
}

/// The signs of a kind of pattern.
pub(crate) struct PatternSigns {
    /// The sign for any text.
    pub(crate) any: char,
    /// The text for a character that would be a sign.
    pub(crate) literal: fn(char) -> Option<String>,
}

/// A form of dates and times.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum MomentForm {
    /// The text that was given: the column keeps it.
    Given,
    /// RFC 3339.
    Rfc3339,
    /// A time without a zone, which is meant in UTC.
    Utc,
}

/// The times of a column beyond those of a day.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DayTimes {
    /// None.
    Clock,
    /// The end of a day, `24:00:00`.
    End,
    /// Spans of up to 838 hours.
    Spans,
}

/// The lexical rules of statements.
pub(crate) struct LexicalRules {
    /// The signs that begin a comment up to the end of the line, beside `--`.
    pub(crate) line_comments: &'static [char],
    /// True if comments stand in comments.
    pub(crate) nests_comments: bool,
    /// The marks that begin and end a string or a name.
    pub(crate) quotations: &'static [(char, char)],
    /// The strings in which a backslash escapes.
    pub(crate) escapes: Escapes,
    /// The signs that begin a placeholder of the engine's own.
    pub(crate) placeholders: &'static [char],
    /// True if `$tag$` begins a string.
    pub(crate) has_dollar_strings: bool,
}

/// The strings in which a backslash escapes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Escapes {
    /// All.
    All,
    /// Those behind an `E`, in single quotes.
    Marked,
    /// None.
    Nowhere,
}

/// The way to ask for the plan of a statement, and to read it.
pub(crate) struct PlanReader {
    /// The words before the statement.
    pub(crate) explain: &'static str,
    /// True if it plans changes in a transaction that only reads.
    pub(crate) plans_changes: bool,
    /// The query for the tables with more rows than its parameter, with their numbers of rows.
    pub(crate) large_tables: &'static str,
    /// The rows that a plan reads; `None` for what is no plan.
    pub(crate) rows_read: fn(&PlanRows, &TableSizes) -> Option<f64>,
}

/// The rows of a plan.
pub(crate) type PlanRows = [Vec<Option<String>>];

/// The sizes of tables that are larger than a limit, by their names without a schema.
pub(crate) type TableSizes = BTreeMap<String, f64>;

/// The signs of `LIKE` with the escape `!`.
const LIKE_SIGNS: PatternSigns = PatternSigns {
    any: '%',
    literal: |character| matches!(character, '%' | '_' | '!').then(|| format!("!{character}")),
};

/// The microseconds of the last of so many digits of a second.
pub(super) fn last_digit_microseconds(digits: u32) -> u32 {
    10_u32.pow(6_u32.saturating_sub(digits))
}

/// True for values that MariaDB and SQLite compare as texts.
pub(super) fn is_compared_as_text(kind: &ColumnKind) -> bool {
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
        | ColumnKind::Flag { .. }
        | ColumnKind::Float
        | ColumnKind::Integer { .. }
        | ColumnKind::Numeric { .. }
        | ColumnKind::Time { .. }
        | ColumnKind::Timestamp { .. }
        | ColumnKind::Uuid => false,
    }
}
