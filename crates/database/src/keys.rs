//! The keys `database`, `entities`, `statements` and `query` of a toolset, and the limits of databases (`lock_time`, `rows`); defaults stand in `settings`. Reads texts only; `load`
//! connects.

mod entity;
mod query;
mod statement;

use callgate_secret::SecretReference;
use callgate_settings::{Bytes, Count, Kind, SettingCode, forms, keys, member_pointer};
use callgate_tool::SessionSource;

use crate::{
    engine::Engine,
    settings::{DatabaseLimits, RoleRule},
};

use self::{entity::Entities, query::Query, statement::Statements};
pub(crate) use self::{entity::table_name, query::QueryAccess};

/// The login to a database, and what each transaction takes from the session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DatabaseLogin {
    /// True if the configuration names a file, and no secret.
    pub(crate) is_file: bool,
    pub(crate) url: SecretReference,
    pub(crate) identity: Vec<(String, SessionSource)>,
    pub(crate) role: Option<RoleRule>,
    pub(crate) allowed_rights: Vec<String>,
}

keys! {
    pub(crate) struct ToolsetKeys in "a toolset" {
        /// The SQL database whose tables and statements are tools, in place of a description.
        database: Database;
        /// The tables and views of the database, by the names that their tools have: `shop-orders-list`.
        entities: Entities;
        /// `false`, or the login for SQL that a model writes.
        query: Query;
        /// The operator's own statements to the database, by the names that their tools have: `shop-top_customers`.
        statements: Statements;
    }
}

keys! {
    /// The limits of a toolset that only databases have.
    pub(crate) LimitKeys over DatabaseLimits, in "`limits`" {
        /// The number of connections to a database.
        connections: Count<1000>;
        /// The time that a statement waits for a lock of a database.
        lock_time: std::time::Duration;
        /// The largest value of a row that is shown.
        row_bytes: Bytes;
        /// The number of rows of a result, of a connection too.
        rows: Rows;
        /// The number of rows that a statement may read; one that would read more is refused.
        rows_read: Count<1_000_000_000>;
    }
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
fn is_sqlite_address(address: &str) -> bool {
    address.starts_with("sqlite:")
}

forms! {
    /// A reference to a secret. An address of `SQLite` holds none, and may stand in the configuration.
    struct DatabaseUrl => SecretReference, Kind::Secret, |reader, mapping, key| {
        let text = mapping.object.get(key)?.as_str().unwrap_or_default();
        if is_sqlite_address(text) {
            return format!("literal:{text}").parse().ok();
        }
        if Engine::of_address(text).is_some() {
            let message = "expected a reference to the address of a database, got the address itself";
            let help = "it may hold a password: put it into a variable or a file, and write where it is: `env:SHOP_DATABASE`";
            reader.report_fault(SettingCode::SecretReference, member_pointer(mapping, key), message, help);
            return None;
        }
        reader.get::<SecretReference>(mapping, key)
    };
    struct Database => DatabaseLogin, DatabaseKeys::KIND, |reader, mapping, key| {
        let DatabaseKeys { identity, login, role, url } = reader.get::<DatabaseKeys>(mapping, key)?;
        let (identity, allowed_rights) = (identity.unwrap_or_default(), login.unwrap_or_default());
        let is_file = mapping.object.get(key).and_then(|node| node.get("url")?.as_str());
        let is_file = is_file.is_some_and(is_sqlite_address);
        Some(DatabaseLogin { is_file, url: url?, identity, role, allowed_rights })
    };
    struct Identity => Vec<(String, SessionSource)>, Kind::Map(&SessionSource::KIND), |reader, mapping, key| {
        let help = "for example `{app.user: $session.params.user_id}`";
        reader.named_values::<SessionSource, _>(mapping, key, "a mapping from variables to values", help)
    };
    struct Login => Vec<String>, LoginKeys::KIND,
        |reader, mapping, key| reader.get::<LoginKeys>(mapping, key)?.allow;
    struct Role => RoleRule, RoleKeys::KIND, |reader, mapping, key| {
        let RoleKeys { allow, from } = reader.get::<RoleKeys>(mapping, key)?;
        Some(RoleRule { from: from?, allow: allow? })
    };
    struct Rows => u32, Count::<10_000>::KIND,
        |reader, mapping, key| reader.get::<Count<10_000>>(mapping, key)?.try_into().ok();
}
