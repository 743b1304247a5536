//! A shop in a file: its tables, the settings of its tools, and calls of them.

use std::sync::Arc;

use callgate_database::{
    DatabaseLimits, DatabaseSettings, EntitySettings, Loaded, Operation, SessionSource,
    Surroundings, TableName, load,
};
use callgate_executor::{Call, Executor, Middleware};
use callgate_secret::Secret;
use callgate_tool::{
    Arguments, Fault, Object, Outcome, Preview, Principal, Session, ToolCall, ToolsetName, Value,
    json,
};
use callgate_transport::{Network, TlsSettings};
use tempfile::TempDir;

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
    pub(crate) executor: Executor,
    folder: TempDir,
}

/// All operations.
pub(crate) const ALL: [Operation; 5] =
    [Operation::List, Operation::Get, Operation::Create, Operation::Update, Operation::Delete];

pub(crate) fn entity(name: &str) -> EntitySettings {
    EntitySettings {
        pointer: format!("/entities/{name}"),
        name: name.to_owned(),
        table: TableName { schema: None, name: name.to_owned() },
        key: None,
        description: String::new(),
        operations: ALL.to_vec(),
        fields: None,
        input_fields: [].into(),
        output_fields: [].into(),
        rows: Vec::new(),
        filter: None,
        sort: None,
        many: false,
        affected: 1,
        version: None,
    }
}

/// The orders of the session's user.
pub(crate) fn own_orders() -> EntitySettings {
    let owner = ("owner".to_owned(), SessionSource::Parameter("user".to_owned()));
    EntitySettings { rows: vec![owner], ..entity("orders") }
}

pub(crate) fn settings(entities: Vec<EntitySettings>) -> DatabaseSettings {
    DatabaseSettings {
        toolset: "shop".to_owned(),
        prefix: Some(ToolsetName::new("shop").unwrap()),
        url: Secret::new("sqlite:shop.db".to_owned()),
        identity: Vec::new(),
        role: None,
        allowed_rights: Vec::new(),
        entities,
        statements: Vec::new(),
        query: None,
        limits: DatabaseLimits::default(),
    }
}

/// A folder with the file.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(TABLES).unwrap();
    folder
}

pub(crate) async fn loaded(folder: &TempDir, settings: DatabaseSettings) -> Loaded {
    let around = Surroundings {
        network: Network::default(),
        tls: TlsSettings::default(),
        base: folder.path().to_owned(),
        sealer: None,
    };
    load(settings, around).await
}

pub(crate) fn user(name: &str) -> Session {
    Session::new("s").with_parameters(Object::from([("user", name.into())]))
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
        let folder = folder();
        let loaded = loaded(&folder, settings).await;
        assert_eq!((loaded.findings, loaded.unavailable), (Vec::new(), None));
        let mut builder = Executor::builder();
        for tool in loaded.tools {
            builder = builder.shared_backend(tool);
        }
        if let Some(middleware) = middleware {
            builder = builder.shared_middleware(middleware);
        }
        Self { executor: builder.build().unwrap(), folder }
    }

    pub(crate) async fn outcome(&self, tool: &str, arguments: Value, session: &Session) -> Outcome {
        let asked = asked(tool, arguments);
        self.executor.call(&asked, session).await.outcome
    }

    /// The result of a call that succeeds.
    #[track_caller]
    pub(crate) fn result(outcome: Outcome) -> Value {
        match outcome {
            Outcome::Answered(_) => outcome.json().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value, session: &Session) -> Value {
        let outcome = self.outcome(tool, arguments, session).await;
        Self::result(outcome)
    }

    pub(crate) async fn fault(&self, tool: &str, arguments: Value, session: &Session) -> Fault {
        match self.outcome(tool, arguments, session).await {
            Outcome::Failed(fault) => *fault,
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

pub(crate) fn asked(tool: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let arguments: Arguments = arguments;
    ToolCall::new("1", tool, arguments)
}

/// The values of one column in a result of rows.
pub(crate) fn column(result: &Value, name: &str) -> Vec<Value> {
    let rows = result.get("rows").and_then(Value::as_array).into_iter().flatten();
    rows.map(|row| row.get(name).cloned().unwrap_or_else(|| json!("absent"))).collect()
}
