//! A shop in a database of its own: its tables, a login with the rights that its tools need, and calls of them.

use std::{ops::Deref, path::Path};

use callgate_database::{DatabaseSettings, Loaded};
use callgate_secret::Secret;
use callgate_testkit::{PostgresDatabase, PostgresServer};

use crate::calls::{Tools, loaded_in, settings_at};
pub(crate) use crate::calls::{entity, of_user, own_orders, table, user};

const TABLES: &str = "
    create type state as enum ('new', 'paid');
    create table orders (
        no bigint generated always as identity primary key,
        owner text not null,
        total numeric(20, 4) not null check (total >= 0),
        note text,
        state state not null default 'new',
        made timestamptz not null default now(),
        tags text[],
        more jsonb,
        unique (owner, note)
    );
    create table items (
        id uuid primary key default gen_random_uuid(),
        order_no bigint not null references orders (no),
        name text not null
    );
    insert into orders (owner, total, note) values
        ('ann', 10, 'red'), ('ann', 1234567890123456.0001, 'blue'), ('bob', 30, 'red'), ('ann', 20, null);
    alter table orders enable row level security;
    create policy own on orders using (owner = current_setting('app.user', true));
";

const GRANTS: &str = "
    grant select, insert (owner, total, note, state, made, tags, more), update (total, note, state, made, tags, more), delete
        on orders to LOGIN;
    grant select, insert, update (order_no, name), delete on items to LOGIN;
";

/// A database with the tables, and the tools on it.
pub(crate) struct Shop {
    pub(crate) database: PostgresDatabase,
    tools: Tools,
}

/// The orders of the session's user, and all items.
pub(crate) fn settings() -> DatabaseSettings {
    let settings = settings_at("", vec![own_orders(), entity("items")]);
    DatabaseSettings { identity: vec![("app.user".to_owned(), of_user())], ..settings }
}

impl Deref for Shop {
    type Target = Tools;

    fn deref(&self) -> &Tools {
        &self.tools
    }
}

impl Shop {
    /// `None` without a server.
    pub(crate) async fn new(name: &str, settings: DatabaseSettings) -> Option<Self> {
        let (database, loaded) = loaded(name, settings).await?;
        Some(Self { database, tools: Tools::of(loaded, None) })
    }
}

/// The tools as a login with the rights that they need loads them.
pub(crate) async fn loaded(
    name: &str,
    settings: DatabaseSettings,
) -> Option<(PostgresDatabase, Loaded)> {
    loaded_with(name, settings, GRANTS).await
}

/// The tools as a login with these rights loads them.
pub(crate) async fn loaded_with(
    name: &str,
    mut settings: DatabaseSettings,
    grants: &str,
) -> Option<(PostgresDatabase, Loaded)> {
    let database = PostgresServer::of_machine()?.database(name, TABLES);
    let login = database.login("tools");
    database.run(&grants.replace("LOGIN", &login));
    settings.url = Secret::new(database.url(&login));
    let loaded = loaded_in(Path::new("."), settings).await;
    Some((database, loaded))
}
