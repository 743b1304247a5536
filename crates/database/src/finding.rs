//! Findings about a database and its login: their kinds, and the next steps.

use callgate_tool::codes;
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

codes! {
    /// The kinds of findings about databases.
    pub enum DatabaseCode {
        /// The address of a database cannot be read, or names an engine that is not in this build.
        Address = "database-address":
            "Write the address into the secret that `url` names: `postgres://USER:PASSWORD@HOST/DATABASE`, or `sqlite:FILE`; build callgate with the feature of its engine.";
        /// A column does not exist, cannot be used like this, or is left out because nothing names it.
        Column = "database-column":
            "Write the name of a column as the database has it; the finding lists those that there are, or says what the column cannot do. List the columns that are read under `fields` to decide about those that are left out.";
        /// The settings of an entity contradict each other.
        Entity = "database-entity":
            "Correct the entity: for example, `get`, `update` and `delete` need a key, which a view has only by `key`.";
        /// The login may do more than its tools, or less than they need.
        Login = "database-login":
            "A call can never do more than the login may. Run the statement that the finding names as an owner of the database, or accept a harmless right under `login: {allow: […]}`.";
        /// A statement cannot be prepared, or does something else than its settings say.
        Statement = "database-statement":
            "Write one statement that the database can prepare, with a value under `inputs` for each name with a colon.";
        /// A table or view does not exist, or the login does not see it.
        Table = "database-table":
            "Write the name of a table or view as the database has it, with its schema if it is another than the usual one.";
        /// A tool of a database has no valid name, or that of another one.
        ToolName = "database-tool-name":
            "Choose another name for the entity or the statement; names of tools have at most 64 characters with the prefix.";
        /// A database cannot be reached, or refuses the login.
        Unreachable = "unreachable-database":
            "See that the database runs, that this machine reaches it, and that it takes the login; a sidecar serves its other tools, and tries it again.";
    }
}

/// The address cannot be used.
pub(crate) const ADDRESS: &str = DatabaseCode::Address.as_str();
/// A column that is not there, cannot be used like this, or is left out.
pub(crate) const COLUMN: &str = DatabaseCode::Column.as_str();
/// Settings of an entity that contradict each other.
pub(crate) const ENTITY: &str = DatabaseCode::Entity.as_str();
/// A right that the login should not have, or lacks.
pub(crate) const LOGIN: &str = DatabaseCode::Login.as_str();
/// A statement that cannot be prepared, or is not what its settings say.
pub(crate) const STATEMENT: &str = DatabaseCode::Statement.as_str();
/// A table that is not there.
pub(crate) const TABLE: &str = DatabaseCode::Table.as_str();
/// A name of a tool that is not legal, or of two tools.
pub(crate) const TOOL_NAME: &str = DatabaseCode::ToolName.as_str();
