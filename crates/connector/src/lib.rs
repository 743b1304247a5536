//! Connections of Google's Integration Connectors as tools: entities, actions and tools of a connection, by the service's REST
//! interface (v2). A connection is described by the service when it is loaded; calls are requests of fixed operations, which
//! the executor sends. A model never writes conditions or SQL: conditions are written here, from values that were checked.

mod arguments;
mod catalog;
mod code;
mod connection_name;
mod declaration;
mod description;
mod field;
mod filter;
mod json_schema;
mod keys;
mod kind;
mod load;
mod local;
mod rows;
mod settings;
mod sql;
mod tool;
mod user;
mod work;

pub use code::ConnectorCode;
pub use connection_name::{ConnectionName, NotAConnection};
pub use kind::ConnectorKind;
pub use load::{Loaded, Surroundings, load};
pub use local::load_on_database;
pub use settings::{ActionKind, ActionSettings, ConnectionSettings, SERVICE, UserSettings};
