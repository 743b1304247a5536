//! Findings about a database and its login: their kinds, and the next steps.

use callgate_tree::SettingFinding;

use crate::login::{Grade, LoginFinding};

/// One finding about the settings of a database, or about the database itself.
pub type DatabaseFinding = SettingFinding;

pub(crate) fn of_login(finding: LoginFinding) -> DatabaseFinding {
    let LoginFinding { grade, name, message, remedy } = finding;
    let help = match grade {
        Grade::Dangerous | Grade::Missing => remedy,
        Grade::Unused => format!("{remedy}; or accept it by `login: {{allow: [{name}]}}`"),
    };
    DatabaseFinding::error(LOGIN, "", format!("{message}: `{name}`"), help)
}

/// A finding about the login for SQL that a model writes.
pub(crate) fn of_query_login(finding: LoginFinding, pointer: &str) -> DatabaseFinding {
    let function = finding.name.strip_prefix("execute:").map(str::to_owned);
    let is_unused = finding.grade == Grade::Unused;
    let mut made = of_login(finding);
    pointer.clone_into(&mut made.pointer);
    if let Some(function) = function.filter(|_| is_unused) {
        let remedy = made.help.split("; or accept it by").next().unwrap_or_default();
        made.help = format!("{remedy}; or accept it by `query: {{functions: ['{function}']}}`");
    }
    made
}

/// The address cannot be used.
pub(crate) const ADDRESS: &str = "database-address";
/// A column that is not there, cannot be used like this, or is left out.
pub(crate) const COLUMN: &str = "database-column";
/// Settings of an entity that contradict each other.
pub(crate) const ENTITY: &str = "database-entity";
/// A right that the login should not have, or lacks.
pub(crate) const LOGIN: &str = "database-login";
/// A statement that cannot be prepared, or is not what its settings say.
pub(crate) const STATEMENT: &str = "database-statement";
/// A table that is not there.
pub(crate) const TABLE: &str = "database-table";
/// A name of a tool that is not legal, or of two tools.
pub(crate) const TOOL_NAME: &str = "database-tool-name";
