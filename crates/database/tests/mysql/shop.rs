//! A shop in a database of its own: its tables, a login with the rights that its tools need, and calls of them.

use std::{ops::Deref, path::Path};

use callgate_database::{DatabaseSettings, Loaded};
use callgate_secret::Secret;
use callgate_testkit::{MariadbDatabase, MariadbServer};

use crate::calls::{Tools, loaded_in, own_orders, settings_at};
pub(crate) use crate::calls::{entity, of_user, user};

const TABLES: &str = "
    create table orders (
        no bigint auto_increment primary key,
        owner varchar(40) not null,
        total decimal(20, 4) not null check (total >= 0),
        note varchar(200),
        state enum('new', 'paid') not null default 'new',
        made timestamp(3) not null default current_timestamp(3),
        tags set('red', 'new', 'big'),
        more json,
        unique (owner, note),
        key (owner)
    );
    create table items (
        id uuid primary key default uuid(),
        order_no bigint not null,
        name varchar(40) not null,
        foreign key (order_no) references orders (no)
    );
    insert into orders (owner, total, note) values
        ('ann', 10, 'red'), ('ann', 1234567890123456.0001, 'blue'), ('bob', 30, 'red'), ('ann', 20, null);
";

const GRANTS: &str = "
    grant select, insert (owner, total, note, state, made, tags, more), update (total, note, state, made, tags, more), delete
        on orders to LOGIN;
    grant select, insert (id, order_no, name), update (order_no, name), delete on items to LOGIN;
";

/// A database with the tables, and the tools on it.
pub(crate) struct Shop {
    pub(crate) database: MariadbDatabase,
    tools: Tools,
}

/// The orders of the session's user, and all items.
pub(crate) fn settings() -> DatabaseSettings {
    settings_at("", vec![own_orders(), entity("items")])
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
        Self::with(name, settings, "").await
    }

    /// The shop with further tables, and rights of `LOGIN` on them.
    pub(crate) async fn with(name: &str, settings: DatabaseSettings, script: &str) -> Option<Self> {
        let (database, loaded) = loaded_with(name, settings, script).await?;
        Some(Self { database, tools: Tools::of(loaded, None) })
    }
}

/// The tools as a login with the rights that they need loads them.
pub(crate) async fn loaded(
    name: &str,
    settings: DatabaseSettings,
) -> Option<(MariadbDatabase, Loaded)> {
    loaded_with(name, settings, "").await
}

async fn loaded_with(
    name: &str,
    mut settings: DatabaseSettings,
    script: &str,
) -> Option<(MariadbDatabase, Loaded)> {
    let database = MariadbServer::of_machine()?.database(name, TABLES);
    let login = database.login("tools");
    database.run(&format!("{GRANTS}{script}").replace("LOGIN", &login));
    settings.url = Secret::new(database.url(&login));
    let loaded = loaded_in(Path::new("."), settings).await;
    Some((database, loaded))
}
