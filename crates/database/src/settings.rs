//! The settings of a database and of its tools, as values. `keys` reads them from a text; nothing here opens a connection.

use std::{collections::BTreeMap, time::Duration};

use callgate_secret::Secret;
use callgate_tool::{Effect, ToolsetName};
pub use callgate_tool::{SessionSource, StatementInput};

use crate::operation::Operation;

/// One database with its tools.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct DatabaseSettings {
    /// The name of the toolset; empty for none.
    pub toolset: String,
    /// The text before the tools' names; `None` for none.
    pub prefix: Option<ToolsetName>,
    /// The address: `postgres:`, `postgresql:`, `mysql:`, `mariadb:` or `sqlite:FILE`, with user and password where it has them.
    pub url: Secret,
    /// Variables of the database session that each transaction sets: `app.user`. PostgreSQL only.
    pub identity: Vec<(String, SessionSource)>,
    /// The role that each transaction takes. PostgreSQL only.
    pub role: Option<RoleRule>,
    /// Rights of the login that no tool uses and that are accepted nevertheless, by their names.
    pub allowed_rights: Vec<String>,
    /// The tables and views that are tools.
    pub entities: Vec<EntitySettings>,
    /// The operator's own statements.
    pub statements: Vec<StatementSettings>,
    /// The tool that runs a model's own SQL.
    pub query: Option<QuerySettings>,
    /// The limits of one call.
    pub limits: DatabaseLimits,
}

/// A role that a transaction takes, out of a list.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a role comes from somewhere and is one of some")]
pub struct RoleRule {
    /// The source of the role's name.
    pub from: SessionSource,
    /// The roles that may be taken.
    pub allow: Vec<String>,
}

/// The name of a table or view: `orders`, `public.orders`.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_structs, reason = "a name has these parts")]
pub struct TableName {
    /// The schema; `None` for the default one (`public`, `main`, the database of the address).
    pub schema: Option<String>,
    /// The name in it.
    pub name: String,
}

/// One table or view with its operations.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct EntitySettings {
    /// The JSON pointer in the configuration, for findings.
    pub pointer: String,
    /// The name in the names of tools: `orders` of `shop-orders-list`.
    pub name: String,
    /// The table or view.
    pub table: TableName,
    /// The columns that identify a row; `None` for the primary key. A view has none of its own.
    pub key: Option<Vec<String>>,
    /// The purpose in words; empty if not stated.
    pub description: String,
    /// The operations that are tools.
    pub operations: Vec<Operation>,
    /// The columns that a model reads; `None` for all but bytes and names such as `password`, `token`, `secret` and `hash`.
    pub fields: Option<Vec<FieldSettings>>,
    /// The columns that a model gives, by operation.
    pub input_fields: BTreeMap<Operation, Vec<String>>,
    /// The columns of results, by operation.
    pub output_fields: BTreeMap<Operation, Vec<String>>,
    /// Columns with the values that every row of this caller has.
    pub rows: Vec<(String, SessionSource)>,
    /// The columns of conditions; `None` for the key and indexed columns, of a small table for all.
    pub filter: Option<Vec<String>>,
    /// The columns of sorting; `None` for the key and indexed columns, of a small table for all.
    pub sort: Option<Vec<String>>,
    /// True if update and delete also take conditions.
    pub many: bool,
    /// The most rows that one update or delete may change.
    pub affected: u64,
    /// The column whose value, as it was read, an update or delete must give.
    pub version: Option<String>,
}

/// A column that a model reads.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct FieldSettings {
    /// The last part of the JSON pointer in the configuration, for findings: the number in a list, or the name.
    pub key: String,
    /// The name by which models know the column.
    pub name: String,
    /// The column's own name, if it is another one.
    pub column: Option<String>,
    /// The purpose in words; empty for the database's own comment.
    pub description: String,
}

/// A statement of the operator, with named values: `:since`.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct StatementSettings {
    /// The JSON pointer in the configuration, for findings.
    pub pointer: String,
    /// The name in the tool's name.
    pub name: String,
    /// The purpose in words; empty if not stated.
    pub description: String,
    /// The statement.
    pub sql: String,
    /// The values by their names.
    pub inputs: Vec<(String, StatementInput)>,
    /// The effect.
    pub effect: Effect,
    /// The most rows that it may change.
    pub affected: u64,
}

/// The tool that runs SQL that a model writes.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct QuerySettings {
    /// The JSON pointer in the configuration, for findings.
    pub pointer: String,
    /// The address, with a login of its own that reads the listed columns and nothing else.
    pub url: Secret,
    /// The tables with the columns that may be read.
    pub tables: Vec<(TableName, Vec<String>)>,
    /// The functions that a text may call.
    pub functions: QueryFunctions,
}

/// The functions that a model's own SQL may call.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a login or a list decides")]
pub enum QueryFunctions {
    /// Those that the login may execute: whatever does more than compute is a finding, but these outside of the database's own schema, as findings name
    /// them, or without arguments: `public.similarity(text,text)`, `public.similarity`.
    Granted(Vec<String>),
    /// Those of a list, whatever the login may do. PostgreSQL only: MariaDB, MySQL and SQLite have a list always.
    Listed,
}

impl Default for QueryFunctions {
    fn default() -> Self {
        Self::Granted(Vec::new())
    }
}

/// The limits of one call.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an operator decides about each of these")]
pub struct DatabaseLimits {
    /// The time of a whole call.
    pub timeout: Duration,
    /// The time that a statement waits for a lock.
    pub lock_time: Duration,
    /// The most rows of a result.
    pub rows: u32,
    /// The most rows that a statement reads; any number unless given.
    pub rows_read: Option<usize>,
    /// The most bytes of one value of a row.
    pub row_bytes: usize,
    /// The most bytes of all rows of a result.
    pub result_bytes: usize,
    /// The most connections.
    pub connections: usize,
}

impl Default for DatabaseLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            lock_time: Duration::from_secs(1),
            rows: 50,
            rows_read: None,
            row_bytes: 8 << 10,
            result_bytes: 16 << 10,
            connections: 8,
        }
    }
}

/// As the configuration writes it: `public.orders`.
impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{schema}.")?;
        }
        f.write_str(&self.name)
    }
}
