//! The needs of tools that the tests of logins have, and their findings as lines.

use std::collections::BTreeSet;

use crate::{
    login::{Grade, LoginFinding, Needs, TableNeeds},
    settings::TableName,
};

pub(crate) fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The needs of tools that list orders, and create and change them.
pub(crate) fn needs(schema: &str) -> Needs {
    let orders = TableNeeds {
        selects: names(&["no", "owner", "total"]),
        inserts: names(&["owner", "total"]),
        updates: names(&["total"]),
        deletes: true,
    };
    let name = TableName { schema: Some(schema.to_owned()), name: "orders".to_owned() };
    Needs { tables: [(name, orders)].into(), ..Needs::default() }
}

/// The findings as lines: the grade, the name, the remedy.
pub(crate) fn lines(findings: &[LoginFinding]) -> Vec<String> {
    let line = |it: &LoginFinding| format!("{:?} {} {}", it.grade, it.name, it.remedy);
    findings.iter().map(line).collect()
}

/// The remedy that a line names.
pub(crate) fn remedy(line: &str) -> &str {
    let begin =
        ["ALTER ", "GRANT ", "REVOKE "].into_iter().filter_map(|verb| line.find(verb)).min();
    line.get(begin.unwrap()..).unwrap()
}

#[test]
fn grades_are_ordered_by_weight() {
    assert!(Grade::Dangerous < Grade::Missing && Grade::Missing < Grade::Unused);
}
