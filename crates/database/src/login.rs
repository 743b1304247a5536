//! The rights that a login needs for its tools, and findings about those that it has beyond them. The drivers ask the database.

pub(crate) mod own_login;
mod statement_words;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::statement_words::StatementWords;

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
    /// The operator's statements that may write.
    pub(crate) own_writes: Vec<StatementWords>,
}

impl Needs {
    /// The columns among these of a table on which the operator's statements use a right.
    pub(crate) fn statement_columns(
        &self,
        right: &str,
        table: &str,
        columns: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        let mut used = BTreeSet::new();
        for words in self.writes_on(right, table) {
            // An insertion without a list of columns gives values to all of them.
            let names = columns.iter().filter(|name| right == "INSERT" || words.has_name(name));
            used.extend(names.cloned());
        }
        used
    }

    /// True if the operator's statements use a right on a table.
    pub(crate) fn is_used_by_statements(&self, right: &str, table: &str) -> bool {
        self.writes_on(right, table).next().is_some()
    }

    fn writes_on(&self, right: &str, table: &str) -> impl Iterator<Item = &StatementWords> {
        let writes = self.own_writes.iter();
        writes.filter(move |words| words.needs_right(right) && words.has_name(table))
    }
}

/// The uses that tools make of one table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableNeeds {
    pub(crate) selects: BTreeSet<String>,
    pub(crate) inserts: BTreeSet<String>,
    pub(crate) updates: BTreeSet<String>,
    pub(crate) deletes: bool,
}

/// A login of its own for some tools.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnLogin {
    /// The statements that make it; none where the engine has no logins.
    pub(crate) statements: Vec<String>,
    /// The names of unused rights that everybody has.
    pub(crate) allowed: Vec<String>,
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
