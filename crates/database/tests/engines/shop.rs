//! A shop in a database of its own: a login with the rights that its tools need, and calls of them. `tables` has what each engine
//! has of its own.

use std::{ops::Deref, path::Path};

use callgate_database::{DatabaseSettings, Loaded};
use callgate_secret::Secret;
use callgate_tool::{Effect, Value};

use crate::{
    calls::{Tools, loaded_in, statement},
    tables::{Database, GRANTS, Server, TABLES},
};
pub(crate) use crate::{
    calls::{entity, user},
    tables::settings,
};

/// A database with the tables, and the tools on it.
pub(crate) struct Shop {
    pub(crate) database: Database,
    tools: Tools,
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
        Self::on(name, TABLES, settings, &format!("{GRANTS}{script}")).await
    }

    /// The tools on a database of other tables, as a login with the rights of a script loads them.
    pub(crate) async fn on(
        name: &str,
        tables: &str,
        settings: DatabaseSettings,
        grants: &str,
    ) -> Option<Self> {
        let (database, loaded) = loaded_on(name, tables, settings, grants).await?;
        Some(Self { database, tools: Tools::of(loaded, None) })
    }
}

/// The tools as a login with the rights that they need loads them.
pub(crate) async fn loaded(name: &str, settings: DatabaseSettings) -> Option<(Database, Loaded)> {
    loaded_with(name, settings, GRANTS).await
}

/// The tools as a login with the rights of this script loads them.
pub(crate) async fn loaded_with(
    name: &str,
    settings: DatabaseSettings,
    grants: &str,
) -> Option<(Database, Loaded)> {
    loaded_on(name, TABLES, settings, grants).await
}

/// The tools on a database of other tables.
pub(crate) async fn loaded_on(
    name: &str,
    tables: &str,
    mut settings: DatabaseSettings,
    grants: &str,
) -> Option<(Database, Loaded)> {
    let database = Server::of_machine()?.database(name, tables);
    let login = database.login("tools");
    database.run(&grants.replace("LOGIN", &login));
    settings.url = Secret::new(database.url(&login));
    let loaded = loaded_in(Path::new("."), settings).await;
    Some((database, loaded))
}

/// The settings with a [`statement`].
pub(crate) fn with(sql: &str, inputs: Vec<(&str, Value)>, effect: Effect) -> DatabaseSettings {
    let mut settings = settings();
    settings.statements.push(statement("run", sql, inputs, effect));
    settings
}

/// A state of the database once it is the one before, or a second later: a server ends what was cancelled in its own time.
pub(crate) fn settled_state(
    database: &Database,
    pause: &str,
    before: &str,
    state: impl Fn(&Database) -> String,
) -> String {
    let mut now = state(database);
    for _ in 0..20 {
        if now == before {
            break;
        }
        database.run(pause);
        now = state(database);
    }
    now
}
