//! The columns that a use allows: keys and conditions need values that can be compared, inputs need values that can be checked,
//! and nothing reads credentials by default.

use crate::catalog::{Column, ColumnKind, Table};

/// The use of a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fit {
    Condition,
    Input,
    Key,
    Output,
}

impl Fit {
    pub(super) fn takes(self, column: &Column) -> bool {
        use ColumnKind::{Any, Array, Bytes, Float, Json, Literal, Other};
        match self {
            Self::Condition => {
                !matches!(column.kind, Any | Array(_) | Bytes | Json | Literal | Other)
            }
            Self::Input => !matches!(column.kind, Any | Other) && !column.is_generated,
            Self::Key => {
                !matches!(column.kind, Any | Array(_) | Bytes | Float | Json | Literal | Other)
            }
            Self::Output => true,
        }
    }

    pub(super) fn expected_column(self) -> &'static str {
        match self {
            Self::Condition => "a column whose values can be compared",
            Self::Input => "a column that is not computed, of a type that can be checked",
            Self::Key => "a column whose values are compared exactly",
            Self::Output => "a column",
        }
    }

    pub(super) fn needs_legal_name(self) -> bool {
        self != Self::Output
    }
}

/// True if a model can name one row by the primary key.
pub(crate) fn has_usable_key(table: &Table) -> bool {
    let is_usable = |name: &String| table.column(name).is_some_and(|column| Fit::Key.takes(column));
    !table.key.is_empty() && table.key.iter().all(is_usable)
}

/// True if a row cannot be created without a value for the column.
pub(crate) fn is_required(column: &Column) -> bool {
    !column.is_nullable && !column.has_default && !column.is_generated
}

/// True for a column that a model reads where the settings name none: its values are texts, and its name does not say that they are for
/// no model.
pub(crate) fn is_offered_by_default(column: &Column) -> bool {
    let name = column.name.to_lowercase();
    column.kind != ColumnKind::Bytes && !SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// The parts of names of columns that hold credentials.
const SECRET_WORDS: [&str; 9] = [
    "api_key",
    "apikey",
    "credential",
    "hash",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "token",
];
