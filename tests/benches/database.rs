//! The time of a call of `get`, `list` and `aggregate` on PostgreSQL by `Executor::call`, as a ratio to the prepared query alone with
//! the bare driver, whose values are read as well. Both are made in one run:
//! `taskset -c 0 tests/interop/databases cargo bench --package callgate-tests --bench database`. On one processor the work counts: on
//! two, a server that has fallen asleep on the other one is woken late, and the same build takes 2.0 to 4.0 × for a `get`. They take
//! turns in short groups, and the fastest tenth of each is compared, because the scheduler of a machine slows both for a while now and
//! then.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench prints, and stops at the first surprise"
)]

use std::{hint::black_box, process::ExitCode, time::Duration};

use callgate::{
    Executor, Outcome, Session, ToolCall, Value,
    config::{Config, Environment, loader},
    dialect::read_json,
};
use callgate_testkit::PostgresServer;
use tokio::time::Instant;
use tokio_postgres::{Client, NoTls, Row, Statement, types::Type};

/// A tool, the arguments of a number, the query with which the bare driver reads the same, and the most that a call may take of its time.
struct Case {
    tool: &'static str,
    arguments: fn(i64) -> String,
    query: &'static str,
    bar: f64,
}

const CASES: [Case; 4] = [
    Case {
        tool: "orders-get",
        arguments: |no| format!(r#"{{"no": {no}}}"#),
        query: "select no, owner, total::text, note from orders where no = $1",
        bar: 1.8,
    },
    Case {
        tool: "orders-list",
        arguments: |no| format!(r#"{{"where": {{"no": {{"gt": {no}}}}}, "limit": 50}}"#),
        query: "select no, owner, total::text, note from orders where no > $1 order by no limit 51",
        bar: 1.5,
    },
    Case {
        tool: "orders-aggregate",
        arguments: |no| format!(r#"{{"where": {{"no": {{"lte": {no}}}}}, "select": ["count"]}}"#),
        query: "select count(*) from orders where no <= $1",
        bar: 1.3,
    },
    // A text of a model is read, prepared and planned anew, over connections that are there.
    Case {
        tool: "query",
        arguments: |no| {
            format!(r#"{{"sql": "select no, owner, total, note from orders where no = {no}"}}"#)
        },
        query: "select no, owner, total::text, note from orders where no = $1",
        bar: 200.0,
    },
];
const GROUPS: i64 = 80;
const CALLS: i64 = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(server) = PostgresServer::of_machine() else { return ExitCode::SUCCESS };
    let database = server.database(
        "b_database",
        "create table public.orders (no bigint primary key, owner text, total numeric(20, 4), note text);
         insert into public.orders select n, 'ann', n * 1.5, repeat('x', 40) from generate_series(1, 9999) n;
         analyze public.orders",
    );
    let login = database.login("a");
    database.run(&format!("grant select on public.orders to {login}"));
    let url = database.url(&login);
    let executor = executor(&url).await;
    let (client, driver) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(driver);
    let mut missed = 0;
    let chosen: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let is_chosen = |case: &&Case| chosen.is_empty() || chosen.iter().any(|it| it == case.tool);
    for case in CASES.iter().filter(is_chosen) {
        let query = client.prepare(case.query).await.unwrap();
        let (tool, bare) = measure(case, &executor, &client, &query).await;
        let ratio = tool.as_secs_f64() / bare.as_secs_f64();
        println!("{}: {tool:?}, the query {bare:?}: {ratio:.2} × (bar {})", case.tool, case.bar);
        missed += u32::from(ratio > case.bar);
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn executor(url: &str) -> Executor {
    let text = format!(
        "toolsets:\n  shop:\n    prefix: ''\n    database: {{ url: 'literal:{url}' }}\n    entities:\n      orders: {{ table: orders, operations: [get, list, aggregate] }}\n    query: {{ url: 'literal:{url}', tables: {{ orders: [no, owner, total, note] }}, functions: listed }}\n"
    );
    let config = loader().text(&text, "").and_then(Config::faultless).unwrap();
    config.build(&Environment::new(), None).await.unwrap().executor
}

/// The tenth percentiles of a call and of the query.
async fn measure(
    case: &Case,
    executor: &Executor,
    client: &Client,
    query: &Statement,
) -> (Duration, Duration) {
    let (mut of_tool, mut of_query) = (Vec::new(), Vec::new());
    for group in 0..GROUPS {
        let numbers: Vec<_> =
            (0..CALLS).map(|call| (group * CALLS + call) * 7919 % 9900 + 1).collect();
        for no in &numbers {
            let begun = Instant::now();
            let rows = client.query(query, &[no]).await.unwrap();
            rows.iter().for_each(read_values);
            of_query.push(begun.elapsed());
            assert!(!rows.is_empty());
        }
        // They are made before the first one is sent: a server that waits falls asleep.
        let calls: Vec<_> = numbers.iter().map(|no| tool_call(case, *no)).collect();
        for call in &calls {
            let begun = Instant::now();
            let outcome = executor.call(call, &Session::default()).await.outcome;
            of_tool.push(begun.elapsed());
            assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
        }
    }
    (tenth(of_tool), tenth(of_query))
}

fn tool_call(case: &Case, no: i64) -> ToolCall {
    let Ok(Value::Object(arguments)) = read_json(&(case.arguments)(no)) else {
        panic!("no object")
    };
    ToolCall::new("1", case.tool, arguments)
}

/// Reads the values of a row, as a program does that asks for them.
fn read_values(row: &Row) {
    for (at, column) in row.columns().iter().enumerate() {
        if *column.type_() == Type::INT8 {
            black_box(row.get::<_, Option<i64>>(at));
        } else {
            black_box(row.get::<_, Option<&str>>(at));
        }
    }
}

fn tenth(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 10]
}
