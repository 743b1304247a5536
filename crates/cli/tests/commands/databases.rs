//! Tables of `SQLite` as tools of the command: what is found, what is called, what is refused.

use crate::{prelude::*, root};

const ORDERS: &str = "toolsets:\n  shop:\n    database: { url: 'sqlite:shop.db' }\n    entities:\n      orders: { table: orders }\n";

/// The folder of the shop, with this configuration.
fn shop(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tables = fs::read_to_string(root().join("fixtures/shop/tables.sql")).unwrap();
    let connection = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    connection.execute_batch(&tables).unwrap();
    fs::write(folder.path().join("callgate.yaml"), text).unwrap();
    folder
}

fn run(folder: &TempDir, line: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callgate"));
    command.current_dir(folder.path()).env("XDG_CONFIG_HOME", folder.path().join("home"));
    Ended::of(command.args(line))
}

#[test]
fn tables_of_a_file_are_called() {
    let folder = shop(ORDERS);
    let checked = run(&folder, &["check", "callgate.yaml"]).exits(0);
    checked.prints("the database of `shop` answers: 2 tools");
    run(&folder, &["doctor"]).exits(0).prints("ok     database ");
    run(&folder, &["tools", "callgate.yaml"]).exits(0).prints("shop-orders-list");
    let listed = run(&folder, &["call", "callgate.yaml", "shop-orders-list", "limit=2"]);
    let listed = listed.exits(0).json();
    assert_eq!(listed["rows"].as_array().unwrap().len(), 2);
    assert_eq!(listed["more"], json!(true));
    let planned = ["call", "callgate.yaml", "shop-orders-get", "no=1", "--dry-run"];
    run(&folder, &planned).exits(0).prints("FROM `orders`");
}

#[test]
fn a_table_that_is_not_there_is_reported_at_its_line() {
    let folder = shop(&ORDERS.replace("table: orders", "table: order"));
    let refused = run(&folder, &["check", "callgate.yaml"]).exits(2);
    refused.says("database-table").says("did you mean `orders`?").says("callgate.yaml:5");
}

#[test]
fn a_database_that_is_away_is_a_fault() {
    let folder = shop(&ORDERS.replace("shop.db", "gone.db"));
    run(&folder, &["check", "callgate.yaml"]).exits(2).says("unreachable-database");
    run(&folder, &["doctor"]).exits(1).prints("fault  database ");
}

#[test]
fn init_proposes_the_tables_of_a_database() {
    let folder = shop("");
    let made = run(&folder, &["init", "mine", "sqlite:shop.db", "--database"]).exits(0);
    made.prints("2 tables are in");
    run(&folder, &["tools", "mine"]).exits(0).prints("mine-customers-get");
    run(&folder, &["init", "other", "postgres://a:b@c/d", "--database"]).exits(2).says("env:");
}

#[test]
fn a_sidecar_serves_its_other_tools_while_a_database_is_away() {
    let text = format!(
        "{}  app:\n    functions: [{{ name: open, input: {{ type: object }} }}]\n",
        ORDERS.replace("shop.db", "gone.db")
    );
    let folder = shop(&text);
    let sidecar = Sidecar::start(folder.path(), &["callgate.yaml"]);
    let tools = sidecar.answer("GET /v1/tools", "", "");
    assert!(tools.contains("app-open") && tools.contains("shop-orders-list"), "{tools}");
    let body = r#"{"calls": [{"tool": "shop-orders-get", "args": {"no": 1}}]}"#;
    let answer = sidecar.answer("POST /v1/calls", "", body);
    assert!(answer.contains("\"unreachable\""), "{answer}");
    let ready = sidecar.answer("GET /readyz", "", "");
    assert!(ready.contains("200 OK") && ready.contains("\"failed\""), "{ready}");
}
