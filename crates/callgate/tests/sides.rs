//! Calls that a client asked to run itself, for a tool of every kind: none is run here, whatever its kind and the way to it.
#![cfg(test)]
#![cfg(all(feature = "documents", feature = "sqlite", feature = "vertex"))]

use std::{
    fs,
    time::{Duration, SystemTime},
};

use callgate::config::loader;
use callgate_config::{Built, Environment};
use callgate_executor::{Call, ClientAnswer};
use callgate_tool::{Object, Outcome, PendingKind, Session, ToolCall, ToolResult, Value, json};
use tempfile::TempDir;

/// Each kind of toolset. Whoever adds a kind adds a toolset here; each of its tools needs a row in [`arguments`].
const CONFIGURATION: &str = "toolsets:
  clock:
    functions:
      - {name: time, description: The time, input: {type: object, properties: {zone: {type: string}}}}
  desk:
    openapi: desk.yaml
  handbook:
    documents: {folder: handbook}
  manuals:
    auth: {bearer: {token: 'env:T'}}
    vertex: {engine: projects/p/locations/eu/collections/c/engines/shop, answer: true}
  shop:
    database: {url: 'sqlite:shop.db'}
    entities:
      orders: {table: orders, operations: [create, delete, get, list, update]}
    statements:
      clear: {sql: delete from orders where no = :no, effect: write, inputs: {no: {type: integer}}}
  totals:
    database: {url: 'sqlite:shop.db'}
    query: {url: 'sqlite:shop.db', tables: {orders: [no, item]}}
";

const DESCRIPTION: &str = "openapi: 3.0.3
info: {title: desk, version: '1'}
servers: [{url: 'http://127.0.0.1:9'}]
paths:
  /notes:
    post:
      operationId: note
      summary: Leave a note
      parameters: [{name: text, in: query, schema: {type: string}}]
      responses: {'200': {description: ok}}
";

fn arguments(tool: &str) -> Value {
    match tool {
        "clock-time" => json!({"zone": "UTC"}),
        "desk-note" => json!({"text": "Hello."}),
        "handbook-read" => json!({"document": "hours.md"}),
        "handbook-search" | "manuals-answer" | "manuals-search" => json!({"query": "hours"}),
        "shop-orders-create" => json!({"no": 9, "item": "tea"}),
        "shop-orders-delete" | "shop-orders-get" | "shop-clear" => json!({"no": 1}),
        "shop-orders-list" => json!({}),
        "shop-orders-update" => json!({"no": 1, "set": {"item": "tea"}}),
        "totals-query" => json!({"sql": "select no from orders"}),
        other => panic!("expected a row for the tool, got: `{other}`"),
    }
}

async fn built() -> (TempDir, Built) {
    let folder = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    let table = "create table orders(no integer primary key, item text not null) strict; insert into orders values (1, 'cup')";
    file.execute_batch(table).unwrap();
    fs::create_dir(folder.path().join("handbook")).unwrap();
    fs::write(folder.path().join("handbook/hours.md"), "# Hours\n\nFrom nine to five.\n").unwrap();
    fs::write(folder.path().join("desk.yaml"), DESCRIPTION).unwrap();
    let config = loader().text(CONFIGURATION, folder.path()).unwrap();
    let environment = Environment::new().listing_missing();
    let built = config.build(&environment, None).await.unwrap();
    (folder, built)
}

fn asked(tool: &str) -> ToolCall {
    let Value::Object(arguments) = arguments(tool) else { panic!("no object") };
    ToolCall::new("1", tool, arguments)
}

/// Checks that a call waits for its client, and returns the request that the client gets.
#[track_caller]
fn pending(result: &ToolResult) -> Object {
    let Outcome::Pending(pending) = &result.outcome else { panic!("{result:?}") };
    assert_eq!(pending.kind, PendingKind::Client, "{result:?}");
    assert!(pending.expires.is_some(), "{result:?}");
    pending.request.as_object().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_call_that_its_client_runs_is_pending_for_a_tool_of_every_kind() {
    let (folder, built) = built().await;
    let (executor, session) = (&built.executor, Session::new("s"));
    let names: Vec<_> = executor.entries().map(|entry| entry.name().to_string()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in &names {
        let asked = asked(name);
        let call = || Call::new(&asked, &session).run_by_client();
        for result in
            [executor.call_with(call()).await, executor.stream_with(call()).await.into_result()]
        {
            assert_eq!(pending(&result), asked.arguments, "{name}");
        }
        let short = executor.call_with(call().with_timeout(Duration::from_mins(1))).await;
        let Outcome::Pending(waiting) = &short.outcome else { panic!("{short:?}") };
        let end = SystemTime::now() + Duration::from_mins(1);
        assert!(waiting.expires.is_some_and(|expires| expires <= end), "{name}: {waiting:?}");
        let planned = executor.dry_run_with(call()).await;
        let text = match &planned.outcome {
            Outcome::Planned(plan) => format!("{plan:?}"),
            other => panic!("{name}: {other:?}"),
        };
        assert!(text.contains(&format!("asks the client to run `{name}`")), "{name}: {text}");
        let answer = ClientAnswer::Failed(json!("the client has no such tool"));
        assert!(executor.resume(call(), answer).await.unwrap().is_failed(), "{name}");
    }
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    let rows = file.query_row("select group_concat(no || item) from orders", [], |row| {
        row.get::<_, String>(0)
    });
    assert_eq!(rows.unwrap(), "1cup");
}
