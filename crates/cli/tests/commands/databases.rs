//! Tables of databases as tools of the command: what is found, what is called, what is refused.

use callgate_testkit::{MariadbServer, PostgresServer};

use crate::{prelude::*, run_at_home as run};

const ORDERS: &str = "toolsets:\n  shop:\n    database: { url: 'sqlite:shop.db' }\n    entities:\n      orders: { table: orders }\n";

/// The folder of the shop, with this configuration.
fn shop(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tables = fs::read_to_string(root().join("fixtures/shop/tables.sql")).unwrap();
    let connection = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    connection.execute_batch(&tables).unwrap();
    write(&folder, "callgate.yaml", text);
    folder
}

#[test]
fn tables_of_a_file_are_called() {
    let folder = shop(ORDERS);
    let checked = run(&folder, &["check", "callgate.yaml"]).exits(0);
    checked.prints("the database of `shop` answers: 2 tools");
    run(&folder, &["doctor"]).exits(0).prints("ok     database ");
    run(&folder, &["tools", "callgate.yaml"]).exits(0).prints("shop-orders-list");
    run(&folder, &["tools", "callgate.yaml", "orders-list"]).exits(0).prints("shop-orders-list");
    run(&folder, &["call", "callgate.yaml", "orders-list", "limit=2"]).exits(0).prints("rows");
    let listed = run(&folder, &["call", "callgate.yaml", "shop-orders-list", "limit=2"]);
    let listed = listed.exits(0).json();
    assert_eq!(listed["rows"].as_array().unwrap().len(), 2);
    assert_eq!(listed["more"], json!(true));
    let all =
        run(&folder, &["call", "callgate.yaml", "shop-orders-list", "limit=2", "--all-pages"]);
    let all = all.exits(0).json();
    assert!(all["rows"].as_array().unwrap().len() > 2 && all["more"] == json!(false), "{all}");
    let selected = ["shop-orders-list", "limit=2", "--all-pages", "--select", "rows"];
    let selected = run(&folder, &[&["call", "callgate.yaml"], &selected[..]].concat());
    assert_eq!(selected.exits(0).json(), json!({"rows": (all["rows"].clone())}));
    let planned = ["call", "callgate.yaml", "shop-orders-get", "no=1", "--dry-run"];
    run(&folder, &planned).exits(0).prints("FROM `orders`");
}

#[test]
fn the_statement_of_a_call_is_shown_only_with_v() {
    let folder = shop(ORDERS);
    let get = ["call", "callgate.yaml", "shop-orders-get", "no=1"];
    assert_eq!(run(&folder, &get).exits(0).err, "");
    let verbose = run(&folder, &[&get[..], &["-v"]].concat()).exits(0);
    assert!(verbose.err.contains("sent to the database: `SELECT"), "{}", verbose.err);
    let call = r#"{"tool": "shop-orders-get", "args": {"no": 1}}"#;
    fs::write(folder.path().join("calls.jsonl"), call).unwrap();
    let batch = ["call", "callgate.yaml", "--batch", "calls.jsonl"];
    for line in [[&get[..], &["--json"]].concat(), batch.to_vec()] {
        assert_eq!(run(&folder, &line).exits(0).err, "");
        let verbose = run(&folder, &[&line[..], &["-v"]].concat()).exits(0);
        verbose.says("sent to the database: `SELECT");
    }
}

/// Without a server of `tests/interop/databases` it says so and ends.
#[test]
fn the_login_that_init_prints_passes_check() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database(
        "cli_init",
        "create table \"Orders\" (no serial primary key, \"Größe\" text, password text);
         create schema sales; create table sales.items (id uuid primary key, tags text[]);
         create view sales.short as select id from sales.items;
         create table \"2023_sales\" (no int primary key); create table \"order.items\" (no int primary key);
         create table \"a\"\"b\" (no int primary key); create table \"a`b\" (no int primary key);
         create table sessions (token text primary key, email text); create table files (digest bytea primary key, name text);
         create table keys (owner int, api_key uuid, seen date, primary key (owner, api_key)); create table raw (it bytea);
         revoke connect on database cli_init from public",
    );
    let folder = tempfile::tempdir().unwrap();
    let init = |login: &str, line: &[&str]| {
        let url = database.url(login);
        Ended::of(command_in(folder.path(), line).env("SHOP_DATABASE", url))
    };
    let made = init("postgres", &["init", "shop", "env:SHOP_DATABASE", "--database", "--here"]);
    let made = made.exits(0);
    for note in [
        "in their names: `public.a\"b`, `public.a`b`, `public.order.items`",
        "named like credentials: `public.raw`",
        "`public.keys` has no `get`: no result shows `api_key` of its key",
        "`public.sessions` has no `get`: no result shows `token` of its key",
    ] {
        assert!(made.err.contains(note), "{note}: {}", made.err);
    }
    let refused = init("postgres", &["check", "callgate.yaml"]).exits(2);
    let refused = refused.says("use a login of its own");
    assert!(!format!("{}{}", refused.out, refused.err).contains("NOSUPERUSER"));
    let statements = made.out.split_once("create role").unwrap().1;
    let statements = format!("create role{statements}");
    database.run(&statements.replace("callgate_agent", "cli_init_agent").replace('…', "secret"));
    let checked = init("cli_init_agent", &["check", "callgate.yaml"]).exits(0);
    checked.prints("the database of `shop` answers: 10 tools");
}

/// Without a server of `tests/interop/mariadb` it says so and ends.
#[test]
fn the_login_that_init_prints_for_mariadb_passes_check() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database(
        "cli_init",
        "create table orders (no bigint primary key, note text); create table `order.items` (no int primary key);
         create table sessions (token varchar(40) primary key, email text);
         create table files (digest binary(16) primary key, name text)",
    );
    let reader = database.login("reader");
    database.run(&format!("grant select on cli_init.* to {reader}"));
    let folder = tempfile::tempdir().unwrap();
    let run = |login: &str, line: &[&str]| {
        Ended::of(command_in(folder.path(), line).env("SHOP_DATABASE", database.url(login)))
    };
    let init = ["init", "shop", "env:SHOP_DATABASE", "--database", "--here"];
    let made = run(&reader, &init).exits(0).says("order.items");
    let statements = made.out.split_once("create user").unwrap().1;
    let statements = format!("create user{statements}").replace("callgate_agent", "cli_init_agent");
    database.run(&statements.replace('…', "secret"));
    let checked = run("cli_init_agent", &["check", "callgate.yaml"]).exits(0);
    checked.prints("the database of `shop` answers: 4 tools");
}

#[test]
fn init_writes_only_tables_of_a_file_that_check_takes() {
    let folder = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(
        "create table \"2023_sales\" (no integer primary key); create table \"order.items\" (no integer primary key);
         create table sessions (token text primary key, email text); create table raw (it blob);",
    )
    .unwrap();
    let made = run(&folder, &["init", "shop", "sqlite:shop.db", "--database", "--here"]).exits(0);
    made.says("`order.items`").says("`raw`").says("`sessions` has no `get`");
    run(&folder, &["check", "callgate.yaml"]).exits(0).prints("3 tools");
    run(&folder, &["tools", "callgate.yaml"]).exits(0).prints("shop-_2023_sales-get");
}

#[test]
fn init_names_columns_so_that_models_can_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(
        "create table \"Order Details\" (\"Order ID\" integer primary key, \"Größe\" text, qty integer);
         insert into \"Order Details\" values (7, 'XL', 2);
         create table rates (rate real primary key, name text);
         insert into rates values (0.1, 'low');",
    )
    .unwrap();
    run(&folder, &["init", "shop", "sqlite:shop.db", "--database", "--here"]).exits(0);
    run(&folder, &["check", "callgate.yaml"]).exits(0).prints("3 tools");
    let get = ["call", "callgate.yaml", "shop-order_details-get", "Order_ID=7"];
    let row = run(&folder, &get).exits(0).json()["row"].clone();
    assert_eq!(row, json!({"Order_ID": 7, "Gr_e": "XL", "qty": 2}));
}

#[test]
fn a_column_that_is_left_out_is_named_by_check() {
    let folder = shop(ORDERS);
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch("alter table orders add column password text").unwrap();
    let checked = run(&folder, &["check", "callgate.yaml"]).exits(0);
    let shown = format!("{}{}", checked.out, checked.err);
    assert!(shown.contains("left out: `password`"), "{shown}");
    assert!(shown.contains("callgate.yaml:5"), "{shown}");
}

/// Without a server of `tests/interop/mariadb` it says so and ends.
#[test]
fn tables_of_mariadb_are_called() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database(
        "cli_shop",
        "create table orders (no bigint primary key, owner varchar(40) not null, cents int not null);
         insert into orders values (1, 'ann', 1250), (2, 'bob', 900)",
    );
    let login = database.login("tools");
    database.run(&format!("grant select on orders to {login}"));
    let folder = tempfile::tempdir().unwrap();
    let text = ORDERS.replace("'sqlite:shop.db'", "'env:SHOP_DATABASE'");
    write(&folder, "callgate.yaml", text);
    let run_at = |url: &str, line: &[&str]| {
        let mut command = command_in(folder.path(), line);
        command.env("XDG_CONFIG_HOME", folder.path().join("home"));
        Ended::of(command.env("SHOP_DATABASE", url))
    };
    let url = database.url(&login);
    let run = |line: &[&str]| run_at(&url, line);
    let checked = run(&["check", "callgate.yaml"]).exits(0);
    checked.prints("the database of `shop` answers: 2 tools");
    let listed = run(&["call", "callgate.yaml", "shop-orders-list", "limit=1"]).exits(0).json();
    assert_eq!((&listed["rows"][0]["cents"], &listed["more"]), (&json!(1250), &json!(true)));
    let got = run(&["call", "callgate.yaml", "shop-orders-get", "no=2"]).exits(0).json();
    assert_eq!(got["row"]["owner"], json!("bob"));
    run(&["call", "callgate.yaml", "shop-orders-get", "no=3"]).exits(1);
    let planned = ["call", "callgate.yaml", "shop-orders-get", "no=1", "--dry-run"];
    let unasked = run(&planned).exits(1);
    assert!(format!("{unasked:?}").contains("was not asked"), "{unasked:?}");
    let refused = run_at(&url.replace(":secret", ":s3cr3t"), &["check", "callgate.yaml"]).exits(2);
    assert!(!format!("{refused:?}").contains("s3cr3t"), "{refused:?}");
    refused.says("database-address");
    database.run(&format!("grant insert on orders to {login}"));
    run(&["check", "callgate.yaml"]).exits(2).says("REVOKE INSERT");
}

#[test]
fn a_table_that_is_not_there_is_reported_at_its_line() {
    let folder = shop(&ORDERS.replace("table: orders", "table: order"));
    let refused = run(&folder, &["check", "callgate.yaml"]).exits(2);
    refused.says("database-table").says("did you mean `orders`?").says("callgate.yaml:5");
}

/// More rows than a small table has.
const MANY_ROWS: &str =
    "with recursive n(i) as (select 10 union all select i + 1 from n where i < 10020)
    insert into orders select i, 'ann', '2026-01-01', i, null from n;";

#[test]
fn a_call_that_reads_more_rows_than_it_may_is_refused_with_the_column_of_an_index() {
    let text = ORDERS.replace("table: orders", "table: orders, filter: [no, note]");
    let folder = shop(&format!("{text}    limits: {{ rows_read: 100 }}\n"));
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(MANY_ROWS).unwrap();
    let list = |conditions: &str| {
        run(&folder, &["call", "callgate.yaml", "orders-list", &format!("where={conditions}")])
    };
    list(r#"{"no": 3}"#).exits(0).prints("gift");
    list(r#"{"note": "gift"}"#).exits(1).says("an index that begins with `note`");
}

#[test]
fn the_page_of_a_tool_says_of_each_missing_column_why_and_which_key_brings_it() {
    let folder = shop(ORDERS);
    let page = |tool: &str| run(&folder, &["tools", "callgate.yaml", tool]).exits(0).out;
    assert!(!page("orders-list").contains("NOT OFFERED"), "{}", page("orders-list"));
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    let columns =
        "alter table orders add column password text; alter table orders add column photo blob";
    file.execute_batch(&format!("{MANY_ROWS}{columns}")).unwrap();
    let missing = page("orders-list");
    for sentence in [
        "`where` does not take `day`, `cents`, `note`: no index begins with them, and the table has more than 10000 rows; make an index, or name them under `filter`",
        "`where` does not take `password`, `photo`: a model does not read them; name them under `fields` and `filter`",
        "or name them under `sort`",
    ] {
        assert!(missing.contains(sentence), "{sentence}: {missing}");
    }
    assert!(!page("orders-get").contains("NOT OFFERED"));
    let listed = ORDERS.replace(
        "table: orders",
        "table: orders, filter: [no], rows: {owner: $session.params.user}",
    );
    write(&folder, "callgate.yaml", listed);
    let missing = page("orders-list");
    for sentence in [
        "`where` does not take `owner`: the session gives them (`rows`)",
        "`where` does not take `day`, `cents`, `note`: `filter` of the entity lists others; add them there",
    ] {
        assert!(missing.contains(sentence), "{sentence}: {missing}");
    }
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

#[test]
fn sql_of_a_model_reads_the_listed_columns() {
    let query = "    query: { url: 'sqlite:shop.db', tables: { orders: [no, day, cents] } }\n";
    let folder = shop(&format!("{ORDERS}{query}"));
    run(&folder, &["check", "callgate.yaml"]).exits(0).prints("3 tools");
    let call =
        |sql: &str| run(&folder, &["call", "callgate.yaml", "shop-query", &format!("sql={sql}")]);
    let summed =
        call("select substr(day, 1, 4) as year, sum(cents) as cents from orders group by 1");
    assert_eq!(summed.exits(0).json()["rows"], json!([{"year": "2026", "cents": 16380}]));
    call("select owner from orders").exits(1).says("one SELECT over the tables and columns");
    let refused = query.replace("cents]", "amount]");
    let folder = shop(&format!("{ORDERS}{refused}"));
    run(&folder, &["check", "callgate.yaml"]).exits(2).says("callgate.yaml:6");
}

#[test]
fn a_token_of_a_page_counts_for_its_own_caller_and_session_alone() {
    let access = "access: { principals: { ann: { bearer: 'literal:token-of-ann-0123456789' }, bob: { bearer: 'literal:token-of-bob-0123456789' } } }\n";
    let folder = shop(&format!("{access}{ORDERS}"));
    let sidecar = Sidecar::start(folder.path(), &["callgate.yaml"]);
    let list = |caller: &str, session: &str, page: Option<&str>| {
        let header = format!("Authorization: Bearer token-of-{caller}-0123456789\r\n");
        let page = page.map(|page| format!(r#", "page": "{page}""#)).unwrap_or_default();
        let body = format!(
            r#"{{"session": {{"id": "{session}"}}, "calls": [{{"tool": "shop-orders-list", "args": {{"limit": 1{page}}}}}]}}"#
        );
        sidecar.answer("POST /v1/calls", &header, &body)
    };
    let first = list("ann", "s", None);
    let token = first.split("next").nth(1).unwrap();
    let token = token.trim_start_matches(['\\', '"', ':', ' ']).split(['\\', '"']).next().unwrap();
    assert!(token.len() > 40, "{first}");
    let own = list("ann", "s", Some(token));
    assert!(own.contains("2026-02-11"), "{own}");
    let first = if token.starts_with('B') { 'C' } else { 'B' };
    let changed = format!("{first}{}", token.get(1..).unwrap());
    for (caller, session, token) in
        [("bob", "s", token), ("ann", "t", token), ("ann", "s", &changed), ("ann", "s", "1 or 1=1")]
    {
        let refused = list(caller, session, Some(token));
        assert!(refused.contains("invalid_arguments"), "{caller} {session}: {refused}");
        assert!(!refused.contains("cents"), "{caller} {session}: {refused}");
    }
}

/// An exported tool of Dialogflow CX, whose connection is a table of this machine.
#[test]
fn an_exported_tool_of_a_connection_runs_on_a_local_table() {
    let text = "connections: { projects/p/locations/l/connections/crm: { toolset: shop } }
toolsets:
  crm: { dialogflow_tool: orders.json }
  shop:
    database: { url: 'sqlite:shop.db' }
    entities:
      orders: { table: orders, operations: [list, get, create, update, delete], many: true, affected: 5, filter: [no, owner, note, cents] }
";
    let folder = shop(text);
    let operation = |operation: &str, more: Value| {
        let mut action = json!({"entityOperation": {"entityId": "Orders", "operation": operation}});
        action.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        action
    };
    let actions = json!([
        operation("LIST", json!({"outputFields": ["no", "note"]})),
        operation("GET", json!({})),
        operation("CREATE", json!({})),
        operation("UPDATE", json!({"inputFields": ["note"]})),
        operation("DELETE", json!({})),
    ]);
    let spec = json!({"name": "projects/p/locations/l/connections/crm", "actions": actions});
    let export = json!({"displayName": "Orders", "description": "Orders", "connectorSpec": spec});
    write(&folder, "orders.json", export.to_string());
    let call = |line: &[&str]| {
        let line: Vec<&str> = ["call", "callgate.yaml"].iter().chain(line).copied().collect();
        run(&folder, &line).exits(0).json()
    };
    let listed = call(&["crm-Orders-list", "filterClause=owner = 'ann' AND note IS NULL"]);
    assert_eq!(listed["connectorOutputPayload"], json!([{"no": 2, "note": null}]));
    let got = call(&["crm-Orders-get", "entityId=3"]);
    assert_eq!(got["connectorOutputPayload"]["note"], json!("gift"), "{got}");
    call(&["crm-Orders-update", "filterClause=owner = 'ann' AND cents > 4000", "note=large"]);
    let line = ["call", "callgate.yaml", "crm-Orders-update", "entityId=3", "cents=0"];
    run(&folder, &line).exits(1).says("cents");
    call(&["crm-Orders-create", "no=9", "owner=bob", "day=2026-03-02", "cents=1"]);
    call(&["crm-Orders-delete", "entityId=1"]);
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    let left = "select group_concat(no || ':' || coalesce(note, '-'), ' ') from (select * from orders order by no)";
    let left: String = file.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, "2:large 3:gift 4:large 9:-");
    let line = [
        "call",
        "callgate.yaml",
        "crm-Orders-list",
        "filterClause=owner = 'ann' OR 1=1; drop table orders",
    ];
    run(&folder, &line).exits(1).says("filterClause");
}
