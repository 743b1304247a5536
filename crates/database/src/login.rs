//! The rights that a login needs for its tools, and findings about those that it has beyond them. The drivers ask the database.

#[cfg(feature = "_server")]
pub(crate) mod comparison;
pub(crate) mod own_login;
#[cfg(feature = "_server")]
pub(crate) mod right;
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
    /// The tables with their columns that a model's text reads, if not the login but a list keeps it from others: SQL of a model, too.
    pub(crate) offered: Vec<(TableName, Vec<String>)>,
    /// The operator's statements that may write.
    pub(crate) own_writes: Vec<StatementWords>,
}

impl Needs {
    /// The grade of an unused right to write: the functions that the operator's own statements call may change further tables.
    pub(crate) fn unused_write_grade(&self) -> Grade {
        if self.own_writes.is_empty() { Grade::Dangerous } else { Grade::Unused }
    }

    /// True if the operator's statements use a right on a table.
    pub(crate) fn is_used_by_statements(&self, right: &str, table: &str) -> bool {
        self.writes_using_right(right, table).next().is_some()
    }

    fn writes_using_right(
        &self,
        right: &str,
        table: &str,
    ) -> impl Iterator<Item = &StatementWords> {
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

impl TableNeeds {
    /// The rights that tools need on a table, with their columns if they are rights on columns.
    pub(crate) fn rights(&self) -> Vec<(&'static str, Option<&BTreeSet<String>>)> {
        let of_columns =
            [("SELECT", &self.selects), ("INSERT", &self.inserts), ("UPDATE", &self.updates)];
        let of_columns = of_columns.into_iter().filter(|(_, columns)| !columns.is_empty());
        let of_columns = of_columns.map(|(right, columns)| (right, Some(columns)));
        of_columns.chain(self.deletes.then_some(("DELETE", None))).collect()
    }
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

pub(crate) fn finding(
    grade: Grade,
    name: impl Into<String>,
    message: impl Into<String>,
    remedy: impl Into<String>,
) -> LoginFinding {
    LoginFinding { grade, name: name.into(), message: message.into(), remedy: remedy.into() }
}

/// The findings in their order, without unused rights that are allowed by name.
pub(crate) fn sorted_unallowed_findings(
    mut findings: Vec<LoginFinding>,
    is_allowed: impl Fn(&str) -> bool,
) -> Vec<LoginFinding> {
    findings.retain(|finding| finding.grade != Grade::Unused || !is_allowed(&finding.name));
    findings.sort_by(|one, other| (one.grade, &one.name).cmp(&(other.grade, &other.name)));
    findings.dedup();
    findings
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
