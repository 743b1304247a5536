//! Tables and statements of SQL databases as tools: [`Backend`](callgate_executor::Backend)s that list, get, create, update and
//! delete rows, and run statements of the operator. A call is one transaction of prepared statements; no text of a model is
//! ever SQL. `keys` reads the settings.

#![cfg_attr(
    not(feature = "postgres"),
    expect(dead_code, reason = "the other engines have neither arrays nor roles of a transaction")
)]

mod aggregate;
mod catalog;
mod column;
mod connections;
mod database;
mod declaration;
mod description;
mod driver;
mod endpoint;
mod engine;
mod entity;
mod error;
mod estimate;
mod failure;
mod filter;
mod finding;
mod functions;
mod keys;
mod kind;
mod load;
mod login;
#[cfg(feature = "_server")]
mod meter;
#[cfg(feature = "mysql")]
mod mysql;
mod operation;
mod page;
mod plan;
#[cfg(feature = "_server")]
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
mod proposal;
mod query;
mod query_text;
mod renewal;
mod result_rows;
mod row_buffer;
#[cfg(feature = "_server")]
mod server_url;
mod session_values;
mod settings;
mod shares;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statement;
mod support;
#[cfg(test)]
#[cfg(feature = "_server")]
mod tests;
#[cfg(any(feature = "_server", feature = "sqlite"))]
mod token;
mod tool;
mod transaction;

pub use connections::Connections;
pub use error::{Error, ErrorKind};
pub use finding::{DatabaseCode, DatabaseFinding};
pub use kind::DatabaseKind;
pub use load::{Loaded, Resources, Surroundings, load, load_with};
#[cfg(feature = "mysql")]
#[doc(hidden)]
pub use mysql::mysql_values;
pub use operation::Operation;
pub use proposal::{Proposal, ProposedEntity, propose};
pub use renewal::Renewal;
pub use settings::{
    DatabaseLimits, DatabaseSettings, EntitySettings, FieldSettings, QueryFunctions, QuerySettings,
    RoleRule, SessionSource, StatementInput, StatementSettings, TableName,
};
