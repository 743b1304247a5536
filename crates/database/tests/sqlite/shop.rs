//! A shop in a file: its tables, the settings of its tools, and calls of them.

use std::{ops::Deref, sync::Arc};

use callgate_database::{DatabaseSettings, EntitySettings, Loaded, Operation};
use callgate_executor::{Call, Middleware};
use callgate_tool::{Outcome, Preview, Principal, Session, Value, json};
use tempfile::TempDir;

use crate::calls::{Tools, loaded_in, settings_at};
pub(crate) use crate::calls::{asked, entity, own_orders, user};

pub(crate) const TABLES: &str = "
    create table customers (id text primary key not null, name text not null);
    create table orders (
        no integer primary key,
        owner text not null references customers (id),
        total numeric not null,
        note text,
        state text not null default 'new',
        version integer not null default 1,
        password_hash text,
        unique (owner, note)
    );
    create table items (
        id integer primary key,
        order_no integer not null references orders (no),
        name text not null
    );
    insert into customers values ('ann', 'Ann'), ('bob', 'Bob');
    insert into orders (no, owner, total, note) values
        (1, 'ann', 10, 'red'), (2, 'ann', 20, 'blue'), (3, 'bob', 30, 'red'), (4, 'ann', 20, null);
    insert into items (order_no, name) values (1, 'cup'), (3, 'pot');
";

/// A file with the tables, and the tools on it.
pub(crate) struct Shop {
    tools: Tools,
    folder: TempDir,
}

/// The entity with `aggregate` beside its operations.
pub(crate) fn counted(mut entity: EntitySettings) -> EntitySettings {
    entity.operations.push(Operation::Aggregate);
    entity
}

pub(crate) fn settings(entities: Vec<EntitySettings>) -> DatabaseSettings {
    settings_at("sqlite:shop.db", entities)
}

/// A folder with the file.
pub(crate) fn folder() -> TempDir {
    folder_with(TABLES)
}

/// A folder with a file of these tables.
pub(crate) fn folder_with(tables: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(tables).unwrap();
    folder
}

pub(crate) async fn loaded(folder: &TempDir, settings: DatabaseSettings) -> Loaded {
    loaded_in(folder.path(), settings).await
}

impl Deref for Shop {
    type Target = Tools;

    fn deref(&self) -> &Tools {
        &self.tools
    }
}

impl Shop {
    pub(crate) async fn new(entities: Vec<EntitySettings>) -> Self {
        Self::of(settings(entities)).await
    }

    pub(crate) async fn of(settings: DatabaseSettings) -> Self {
        Self::with(settings, None).await
    }

    pub(crate) async fn with(
        settings: DatabaseSettings,
        middleware: Option<Arc<dyn Middleware>>,
    ) -> Self {
        Self::within(folder(), settings, middleware).await
    }

    pub(crate) async fn within(
        folder: TempDir,
        settings: DatabaseSettings,
        middleware: Option<Arc<dyn Middleware>>,
    ) -> Self {
        let tools = Tools::of(loaded(&folder, settings).await, middleware);
        Self { tools, folder }
    }

    /// The result of a call that succeeds.
    #[track_caller]
    pub(crate) fn result(outcome: Outcome) -> Value {
        match outcome {
            Outcome::Answered(_) => outcome.json().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// The text of a dry run.
    pub(crate) async fn dry_run(&self, tool: &str, arguments: Value, session: &Session) -> String {
        let asked = asked(tool, arguments);
        match self.executor.dry_run(&asked, session).await.outcome {
            Outcome::Planned(preview) => match *preview {
                Preview::Text(text) => text,
                Preview::Request(_) => panic!("a database gets no request of HTTP"),
            },
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn call_of(&self, principal: &str, tool: &str, arguments: Value) -> Outcome {
        let (asked, session) = (asked(tool, arguments), user("ann"));
        let call = Call::new(&asked, &session).with_principal(Principal::new(principal));
        self.executor.call_with(call).await.outcome
    }

    /// The folder of the file.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// A connection of another program.
    pub(crate) fn file(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.folder.path().join("shop.db")).unwrap()
    }

    /// The first column of the rows of a statement that this test runs beside the tools.
    pub(crate) fn sql(&self, text: &str) -> Vec<String> {
        let file = self.file();
        let mut statement = file.prepare(text).unwrap();
        if statement.column_count() == 0 {
            statement.execute([]).unwrap();
            return Vec::new();
        }
        let rows = statement.query_map([], |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                rusqlite::types::ValueRef::Null => "null".to_owned(),
                other => other.as_str().unwrap_or("?").to_owned(),
            })
        });
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    }
}

/// The values of one column in a result of rows.
pub(crate) fn column(result: &Value, name: &str) -> Vec<Value> {
    let rows = result.get("rows").and_then(Value::as_array).into_iter().flatten();
    rows.map(|row| row.get(name).cloned().unwrap_or_else(|| json!("absent"))).collect()
}
