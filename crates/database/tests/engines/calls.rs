//! The parts that the tests of all engines share: settings of tools, sessions, and calls.

use std::{path::Path, sync::Arc};

use callgate_database::{
    DatabaseLimits, DatabaseSettings, EntitySettings, FieldSettings, Loaded, Operation,
    SessionSource, StatementInput, StatementSettings, Surroundings, TableName, load,
};
use callgate_executor::{Executor, Middleware};
use callgate_secret::Secret;
use callgate_tool::{
    Arguments, Effect, Fault, Object, Outcome, Session, ToolCall, ToolsetName, Value,
};
use callgate_transport::{Network, TlsSettings};
use callgate_tree::Severity;

/// Tools that can be called.
pub(crate) struct Tools {
    pub(crate) executor: Executor,
}

/// The operations on rows.
pub(crate) const ALL: [Operation; 5] =
    [Operation::List, Operation::Get, Operation::Create, Operation::Update, Operation::Delete];

/// All operations on the table of this name.
pub(crate) fn entity(name: &str) -> EntitySettings {
    EntitySettings {
        pointer: format!("/entities/{name}"),
        name: name.to_owned(),
        table: table(name),
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

/// Columns by their own names.
pub(crate) fn fields<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<FieldSettings> {
    let field = |(at, name): (usize, &str)| FieldSettings {
        key: at.to_string(),
        name: name.to_owned(),
        ..FieldSettings::default()
    };
    names.into_iter().enumerate().map(field).collect()
}

pub(crate) fn table(name: &str) -> TableName {
    TableName { schema: None, name: name.to_owned() }
}

/// The name of the session's user.
pub(crate) fn of_user() -> SessionSource {
    SessionSource::Parameter("user".to_owned())
}

/// The orders of the session's user.
pub(crate) fn own_orders() -> EntitySettings {
    EntitySettings { rows: vec![("owner".to_owned(), of_user())], ..entity("orders") }
}

/// A statement of the operator, whose inputs are those of the session where they have no schema.
pub(crate) fn statement(
    name: &str,
    sql: &str,
    inputs: Vec<(&str, Value)>,
    effect: Effect,
) -> StatementSettings {
    let inputs = inputs.into_iter().map(|(name, schema)| match schema {
        Value::Null => (name.to_owned(), StatementInput::Session(of_user())),
        schema => (name.to_owned(), StatementInput::Model(schema)),
    });
    StatementSettings {
        pointer: format!("/statements/{name}"),
        name: name.to_owned(),
        description: String::new(),
        sql: sql.to_owned(),
        inputs: inputs.collect(),
        effect,
        affected: 1,
    }
}

pub(crate) fn user(name: &str) -> Session {
    Session::new("s").with_parameters(Object::from([("user", name.into())]))
}

pub(crate) fn settings_at(url: &str, entities: Vec<EntitySettings>) -> DatabaseSettings {
    DatabaseSettings {
        toolset: "shop".to_owned(),
        prefix: Some(ToolsetName::new("shop").unwrap()),
        url: Secret::new(url.to_owned()),
        identity: Vec::new(),
        role: None,
        allowed_rights: Vec::new(),
        entities,
        statements: Vec::new(),
        query: None,
        limits: DatabaseLimits::default(),
    }
}

/// The surroundings of a load, with connections of its own.
pub(crate) fn around(folder: &Path) -> Surroundings {
    let (network, tls) = (Network::new(), TlsSettings::new());
    Surroundings { network, tls, base: folder.to_owned(), sealer: None }
}

pub(crate) async fn loaded_in(folder: &Path, settings: DatabaseSettings) -> Loaded {
    load(settings, around(folder)).await
}

pub(crate) fn asked(tool: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let arguments: Arguments = arguments;
    ToolCall::new("1", tool, arguments)
}

impl Tools {
    /// The tools of a load that found nothing wrong.
    #[track_caller]
    pub(crate) fn of(mut loaded: Loaded, middleware: Option<Arc<dyn Middleware>>) -> Self {
        loaded.findings.retain(|finding| finding.severity != Severity::Note);
        assert_eq!((loaded.findings, loaded.unavailable), (Vec::new(), None));
        let mut builder = Executor::builder();
        for tool in loaded.tools {
            builder = builder.shared_backend(tool);
        }
        if let Some(middleware) = middleware {
            builder = builder.shared_middleware(middleware);
        }
        Self { executor: builder.build().unwrap() }
    }

    pub(crate) async fn outcome(&self, tool: &str, arguments: Value, session: &Session) -> Outcome {
        let asked = asked(tool, arguments);
        self.executor.call(&asked, session).await.outcome
    }

    /// The result of a call that succeeds.
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
