//! A statement as a database describes it when it is prepared.

use crate::catalog::ColumnKind;

/// A statement as the database describes it when it is prepared.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StatementDescription {
    /// The types of its values, as a cast takes them; empty where the engine has none.
    pub(crate) values: Vec<String>,
    pub(crate) columns: Vec<DescribedColumn>,
    /// True if it changes nothing by the engine's own word, where it has one.
    pub(crate) is_read: Option<bool>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct DescribedColumn {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}
