//! The rights that a login needs for its tools, and findings about those that it has beyond them. The drivers ask the database.

use std::collections::{BTreeMap, BTreeSet};

use crate::settings::TableName;

/// The rights that the tools use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    pub(crate) tables: BTreeMap<TableName, TableNeeds>,
    /// The roles that transactions take.
    pub(crate) roles: BTreeSet<String>,
    /// Rights that the operator accepts by name although no tool uses them.
    pub(crate) allowed: BTreeSet<String>,
    /// True if a tool runs SQL that a model writes: every right to read beyond `tables` is a finding then.
    pub(crate) is_for_query: bool,
    /// Tables whose rows the session decides: SQL that a model writes must not reach them.
    pub(crate) withheld: BTreeSet<TableName>,
    /// True if some statement of the operator may write: its tables are not known.
    pub(crate) has_own_writes: bool,
}

/// The uses that tools make of one table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableNeeds {
    pub(crate) selects: BTreeSet<String>,
    pub(crate) inserts: BTreeSet<String>,
    pub(crate) updates: BTreeSet<String>,
    pub(crate) deletes: bool,
}

/// A right that the login should not have, or lacks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct LoginFinding {
    pub(crate) grade: Grade,
    /// The name that `login: {allow: [NAME]}` takes: `temp`, `select:public.secrets`.
    pub(crate) name: String,
    /// The right, in words.
    pub(crate) message: String,
    /// The statement that mends it, or the step.
    pub(crate) remedy: String,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Grade {
    /// Refuses the toolset always.
    Dangerous,
    /// A right that the tools need and the login lacks: refuses the toolset.
    Missing,
    /// Refuses the toolset unless it is allowed by name.
    Unused,
}
