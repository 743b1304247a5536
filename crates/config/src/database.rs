//! The keys `database`, `entities`, `statements` and `query` of a toolset: tables and statements of an SQL database as tools.
//! Reads texts only; `build/database` connects.

pub(crate) mod entity;
mod query;
pub(crate) mod statement;

use std::time::Duration;

use callgate_secret::SecretReference;
use callgate_settings::{Kind, SettingCode, at, forms, keys};
use callgate_tool::SessionSource;

pub(crate) use self::{
    entity::{Entities, EntityConfig, EntityKeys, InputFieldKeys, Operation, OutputFieldKeys},
    query::{Query, QueryConfig, QueryKeys},
    statement::{StatementConfig, StatementKeys, Statements},
};

/// The database of a toolset, and its tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DatabaseConfig {
    /// `None` for a toolset of another kind.
    pub(crate) connection: Option<ConnectionConfig>,
    pub(crate) entities: Vec<EntityConfig>,
    pub(crate) statements: Vec<StatementConfig>,
    pub(crate) query: Option<QueryConfig>,
    pub(crate) limits: DatabaseLimits,
}

/// The login to a database, and what each transaction takes from the session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConnectionConfig {
    /// True if the configuration names a file, and no secret.
    pub(crate) is_file: bool,
    pub(crate) url: SecretReference,
    pub(crate) identity: Vec<(String, SessionSource)>,
    pub(crate) role: Option<RoleConfig>,
    pub(crate) allowed_rights: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RoleConfig {
    pub(crate) from: SessionSource,
    pub(crate) allow: Vec<String>,
}

/// The limits that an operator sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DatabaseLimits {
    pub(crate) timeout: Option<Duration>,
    pub(crate) lock_time: Option<Duration>,
    pub(crate) rows: Option<usize>,
    pub(crate) row_bytes: Option<usize>,
    pub(crate) result_bytes: Option<usize>,
    pub(crate) connections: Option<usize>,
}

keys! {
    pub(crate) struct DatabaseKeys in "`database`" {
        /// Variables of the database session that each transaction sets, of PostgreSQL alone: `{app.user: $session.params.user_id}`.
        identity: Identity;
        /// The rights of the login that are accepted although no tool uses them.
        login: Login;
        /// The role that each transaction takes, of PostgreSQL alone.
        role: Role;
        /// The address: `sqlite:FILE`, or a reference to a secret that holds it: `postgres://USER:PASSWORD@HOST/DATABASE`.
        url: DatabaseUrl, required;
    }
}

keys! {
    pub(crate) struct RoleKeys in "`role`" {
        /// The roles that may be taken.
        allow: Vec<String>, required;
        /// The role's name: `$session.params.NAME`, `$request.payload.PATH`, `$context.PATH`, or a text.
        from: SessionSource, required;
    }
}

keys! {
    pub(crate) struct LoginKeys in "`login`" {
        /// The names of rights, as the findings about the login have them.
        allow: Vec<String>;
    }
}

/// True if an address names a file of `SQLite`.
fn is_of_file(address: &str) -> bool {
    address.starts_with("sqlite:")
}

/// The schemes of addresses of servers.
const SERVERS: [&str; 4] = ["mariadb:", "mysql:", "postgres:", "postgresql:"];

forms! {
    /// A reference to a secret. An address of `SQLite` holds none, and may stand in the configuration.
    struct DatabaseUrl => SecretReference, Kind::Secret, |reader, mapping, key| {
        let text = mapping.object.get(key)?.as_str().unwrap_or_default();
        if is_of_file(text) {
            return format!("literal:{text}").parse().ok();
        }
        if SERVERS.iter().any(|scheme| text.starts_with(scheme)) {
            let message = "expected a reference to the address of a database, got the address itself";
            let help = "it may hold a password: put it into a variable or a file, and write where it is: `env:SHOP_DATABASE`";
            reader.complain(SettingCode::SecretReference, at(mapping, key), message, help);
            return None;
        }
        reader.get::<SecretReference>(mapping, key)
    };
    struct Database => ConnectionConfig, DatabaseKeys::KIND, |reader, mapping, key| {
        let DatabaseKeys { identity, login, role, url } = reader.get::<DatabaseKeys>(mapping, key)?;
        let (identity, allowed_rights) = (identity.unwrap_or_default(), login.unwrap_or_default());
        let is_file = mapping.object.get(key).and_then(|node| node.get("url")?.as_str());
        let is_file = is_file.is_some_and(is_of_file);
        Some(ConnectionConfig { is_file, url: url?, identity, role, allowed_rights })
    };
    struct Identity => Vec<(String, SessionSource)>, Kind::Map(&SessionSource::KIND), |reader, mapping, key| {
        let help = "for example `{app.user: $session.params.user_id}`";
        reader.map::<SessionSource, _>(mapping, key, "a mapping from variables to values", help)
    };
    struct Login => Vec<String>, LoginKeys::KIND,
        |reader, mapping, key| reader.get::<LoginKeys>(mapping, key)?.allow;
    struct Role => RoleConfig, RoleKeys::KIND, |reader, mapping, key| {
        let RoleKeys { allow, from } = reader.get::<RoleKeys>(mapping, key)?;
        Some(RoleConfig { from: from?, allow: allow? })
    };
}
