//! The kinds of toolsets, each with a call that reads, one that writes where it has such calls, and a service that keeps what it
//! was asked.

use crate::prelude::*;

use callgate_testkit::{DISCOVERY_TOKEN, DiscoveryEngine, SEARCHED, closed_origin};

use super::{
    relay::Relay,
    work::{Hold, Work},
};

/// A kind of toolset, and its service.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The folder of the crate that runs its tools.
    pub(super) folder: &'static str,
    /// The members of its toolset.
    pub(super) members: String,
    /// The members of a toolset of its kind whose service is away; empty where there is no service.
    pub(super) away: String,
    pub(super) write_files: fn(&Path),
    pub(super) reads: Asked,
    /// An argument of `reads`, with a value.
    pub(super) argument: (&'static str, Value),
    /// An argument of `reads` that may be left out; empty without one.
    pub(super) hidden: &'static str,
    pub(super) writes: Option<Asked>,
    /// The number of requests that its service had from calls; of a file, the number of changes.
    pub(super) n_requests: Box<dyn Fn() -> usize>,
    /// The work of `reads`.
    pub(super) work: Work,
    /// The member of its toolset with which few of its calls work at a time.
    pub(super) work_limits: &'static str,
}

/// A call as a model makes it.
pub(super) struct Asked {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
}

/// A lock on the file of the database, for which each call waits.
#[derive(Default)]
struct Lock(Mutex<Option<rusqlite::Connection>>);

impl Hold for Lock {
    fn hold(&self, folder: &Path) {
        let connection = rusqlite::Connection::open(folder.join("shop.db")).unwrap();
        connection.busy_timeout(Duration::from_mins(1)).unwrap();
        connection.execute_batch("begin exclusive").unwrap();
        *self.0.lock().unwrap() = Some(connection);
    }

    fn release(&self) {
        *self.0.lock().unwrap() = None;
    }
}

/// One row a kind.
pub(super) fn kinds() -> Vec<Kind> {
    vec![
        #[cfg(feature = "monty")]
        code(),
        connection(),
        database(),
        documents(),
        functions(),
        openapi(),
        vertex(),
    ]
}

/// Counts at a service, which runs as long as the count.
fn count<S: 'static>(service: Blocking<S>, count: fn(&S) -> usize) -> Box<dyn Fn() -> usize> {
    Box::new(move || {
        let running = &service;
        count(&running.service)
    })
}

fn asked(tool: &'static str, arguments: Value) -> Asked {
    Asked { tool, arguments }
}

fn openapi() -> Kind {
    let service = Blocking::start(Service::start(|_| (200, r#"{"made": true}"#.to_owned())));
    let relay = Relay::to(&service.service.origin);
    let at = |origin: &str| format!("openapi: pets.yaml, auth: none, server: '{origin}'");
    Kind {
        name: "openapi",
        folder: "executor",
        members: at(&relay.origin),
        away: at(&closed_origin()),
        write_files: |folder| {
            let operations = "paths: {/pets: {get: {operationId: list, parameters: [{name: limit, in: query, schema: {type: integer}}], responses: {'200': {description: d}}}, post: {operationId: add, requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {'200': {description: d}}}}}";
            fs::write(folder.join("pets.yaml"), callgate_testkit::describe(operations)).unwrap();
        },
        reads: asked("kind-list", json!({})),
        argument: ("limit", json!(7)),
        hidden: "limit",
        writes: Some(asked("kind-add", json!({}))),
        n_requests: count(service, |service| service.received().len()),
        work: Work::Held(Box::new(relay)),
        work_limits: ONE_AT_A_TIME,
    }
}

fn functions() -> Kind {
    Kind {
        name: "functions",
        folder: "executor",
        members:
            "functions: [{name: look, input: {type: object, properties: {place: {type: string}}}}]"
                .to_owned(),
        away: String::new(),
        write_files: |_| (),
        reads: asked("kind-look", json!({})),
        argument: ("place", json!("here")),
        hidden: "place",
        writes: None,
        n_requests: Box::new(|| 0),
        work: Work::OfClient,
        work_limits: "",
    }
}

fn database() -> Kind {
    let at = |file: &str| {
        format!(
            "database: {{url: 'sqlite:{file}'}}, entities: {{orders: {{table: orders, operations: [get, delete]}}}}"
        )
    };
    Kind {
        name: "database",
        folder: "database",
        members: at("shop.db"),
        away: at("absent.db"),
        write_files: |folder| {
            let tables = fs::read_to_string(root().join("fixtures/shop/tables.sql")).unwrap();
            let connection = rusqlite::Connection::open(folder.join("shop.db")).unwrap();
            connection.execute_batch(&tables).unwrap();
        },
        reads: asked("kind-orders-get", json!({"no": 1})),
        argument: ("no", json!(1)),
        hidden: "select",
        writes: Some(asked("kind-orders-delete", json!({"no": 2}))),
        n_requests: Box::new(|| 0),
        work: Work::Held(Box::<Lock>::default()),
        work_limits: ", limits: {connections: 1, timeout: 60s, lock_time: 60s}",
    }
}

fn connection() -> Kind {
    let service = Blocking::start(Connectors::start(UserRules::default()));
    let relay = Relay::to(&service.service.origin);
    let actions = "actions: [{entity: Case, operation: list}, {entity: Case, operation: create}, {entity: Case, operation: delete}]";
    let at = |origin: &str| {
        format!(
            "connection: {CONNECTION}, server: '{origin}', auth: {{bearer: {{token: 'literal:{CONNECTORS_TOKEN}'}}}}, {actions}"
        )
    };
    Kind {
        name: "connection",
        folder: "connector",
        members: at(&relay.origin),
        away: at(&closed_origin()),
        write_files: |_| (),
        reads: asked("kind-Case-list", json!({})),
        argument: ("limit", json!(1)),
        hidden: "limit",
        writes: Some(asked("kind-Case-delete", json!({"Id": "C-1"}))),
        n_requests: count(service, |service| service.calls().len()),
        work: Work::Held(Box::new(relay)),
        work_limits: ONE_AT_A_TIME,
    }
}

fn documents() -> Kind {
    Kind {
        name: "documents",
        folder: "documents",
        members: "documents: {folder: notes}".to_owned(),
        away: String::new(),
        write_files: |folder| {
            write_file(folder, "notes/hours.md", "# Hours\n\nThe shop opens at nine.\n");
        },
        reads: asked("kind-search", json!({"query": "shop"})),
        argument: ("query", json!("shop")),
        hidden: "limit",
        writes: None,
        n_requests: Box::new(|| 0),
        work: Work::Long(|folder| {
            let text = "The shop opens at nine.\n".repeat(40_000);
            fs::write(folder.join("notes/long.md"), text).unwrap();
        }),
        work_limits: "",
    }
}

#[cfg(feature = "monty")]
fn code() -> Kind {
    Kind {
        name: "code",
        folder: "code",
        members: "code_interpreter: {engine: monty}".to_owned(),
        away: String::new(),
        write_files: |_| (),
        reads: asked("kind-generate_and_execute", json!({"input": "4 + 4"})),
        argument: ("input", json!("4 + 4")),
        hidden: "",
        writes: None,
        n_requests: Box::new(|| 0),
        work: Work::OfClient,
        work_limits: "",
    }
}

fn vertex() -> Kind {
    let service = Blocking::start(DiscoveryEngine::start());
    let relay = Relay::to(&service.service.origin);
    let at = |origin: &str| {
        format!(
            "server: '{origin}', auth: {{bearer: {{token: 'literal:{DISCOVERY_TOKEN}'}}}}, vertex: {{engine: {SEARCHED}/engines/shop}}"
        )
    };
    Kind {
        name: "vertex",
        folder: "vertex",
        members: at(&relay.origin),
        away: at(&closed_origin()),
        write_files: |_| (),
        reads: asked("kind-search", json!({"query": "backup"})),
        argument: ("query", json!("backup")),
        hidden: "limit",
        writes: None,
        n_requests: count(service, |service| service.requests().len()),
        work: Work::Held(Box::new(relay)),
        work_limits: ONE_AT_A_TIME,
    }
}

const ONE_AT_A_TIME: &str = ", limits: {concurrency: 1}";
