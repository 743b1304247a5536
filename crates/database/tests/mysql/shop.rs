//! A shop in a database of its own: its tables, a login with the rights that its tools need, and calls of them.

use callgate_database::{
    DatabaseLimits, DatabaseSettings, EntitySettings, Loaded, Operation, SessionSource,
    Surroundings, TableName, load,
};
use callgate_executor::Executor;
use callgate_secret::Secret;
use callgate_testkit::{MariadbDatabase, MariadbServer};
use callgate_tool::{Fault, Object, Outcome, Session, ToolCall, ToolsetName, Value};
use callgate_transport::{Network, TlsSettings};

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
    executor: Executor,
}

pub(crate) fn entity(name: &str) -> EntitySettings {
    EntitySettings {
        pointer: format!("/entities/{name}"),
        name: name.to_owned(),
        table: TableName { schema: None, name: name.to_owned() },
        key: None,
        description: String::new(),
        operations: vec![
            Operation::List,
            Operation::Get,
            Operation::Create,
            Operation::Update,
            Operation::Delete,
        ],
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

pub(crate) fn of_user() -> SessionSource {
    SessionSource::Parameter("user".to_owned())
}

/// The orders of the session's user, and all items.
pub(crate) fn settings() -> DatabaseSettings {
    let rows = vec![("owner".to_owned(), of_user())];
    DatabaseSettings {
        toolset: "shop".to_owned(),
        prefix: Some(ToolsetName::new("shop").unwrap()),
        url: Secret::new(String::new()),
        identity: Vec::new(),
        role: None,
        allowed_rights: Vec::new(),
        entities: vec![EntitySettings { rows, ..entity("orders") }, entity("items")],
        statements: Vec::new(),
        query: None,
        limits: DatabaseLimits::default(),
    }
}

pub(crate) fn user(name: &str) -> Session {
    Session::new("s").with_parameters(Object::from([("user", name.into())]))
}

impl Shop {
    /// `None` without a server.
    pub(crate) async fn new(name: &str, settings: DatabaseSettings) -> Option<Self> {
        Self::with(name, settings, "").await
    }

    /// The shop with further tables, and rights of `LOGIN` on them.
    pub(crate) async fn with(name: &str, settings: DatabaseSettings, script: &str) -> Option<Self> {
        let (database, loaded) = loaded_with(name, settings, script).await?;
        assert_eq!((loaded.findings, loaded.unavailable), (Vec::new(), None));
        let mut builder = Executor::builder();
        for tool in loaded.tools {
            builder = builder.shared_backend(tool);
        }
        Some(Self { database, executor: builder.build().unwrap() })
    }

    pub(crate) async fn outcome(&self, tool: &str, arguments: Value, session: &Session) -> Outcome {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let asked = ToolCall::new("1", tool, arguments);
        self.executor.call(&asked, session).await.outcome
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value, session: &Session) -> Value {
        let outcome = self.outcome(tool, arguments, session).await;
        assert!(matches!(outcome, Outcome::Answered(_)), "{tool}: {outcome:?}");
        outcome.json().unwrap()
    }

    pub(crate) async fn fault(&self, tool: &str, arguments: Value, session: &Session) -> Fault {
        match self.outcome(tool, arguments, session).await {
            Outcome::Failed(fault) => *fault,
            other => panic!("{tool}: {other:?}"),
        }
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
    let around = Surroundings {
        network: Network::new(),
        tls: TlsSettings::new(),
        base: ".".into(),
        sealer: None,
    };
    let loaded = load(settings, around).await;
    Some((database, loaded))
}
