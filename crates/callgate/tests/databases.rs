//! Toolsets with a database: their keys with every refusal at its place, and builds over a file of SQLite.
#![cfg(test)]
#![cfg(feature = "sqlite")]

#[path = "support/keys.rs"]
mod keys;

use callgate::config::loader;
use callgate_config::{Built, Environment, Error};
use callgate_tool::{Object, Outcome, Session, json};
use tempfile::TempDir;

use crate::keys::{call, check, names};

const TABLES: &str = include_str!("../../../fixtures/shop/tables.sql");

/// A folder with the database of the shop and its address.
fn shop() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    connection.execute_batch(TABLES).unwrap();
    std::fs::write(folder.path().join("shop.url"), "sqlite:shop.db").unwrap();
    std::fs::write(folder.path().join("gone.url"), "sqlite:gone/shop.db").unwrap();
    folder
}

/// The places and codes of the findings.
fn findings(error: &Error) -> Vec<(&str, &str)> {
    error.findings().iter().map(|finding| (finding.pointer.as_str(), finding.code)).collect()
}

#[test]
fn wrong_keys_are_refused_at_their_places_with_help() {
    check(
        "shop",
        "database: {ulr: env:A} => /database/ulr => did you mean `url`?
        database: {url: env:A}, entitys: {} => /entitys => did you mean `entities`?
        database: {url: env:A}, entities: {orders: {table: a, field: [a]}} => /entities/orders/field => did you mean `fields`?
        database: {url: env:A}, entities: {orders: {table: a, operations: [lst]}} => /entities/orders/operations/0 => they are `aggregate`, `create`, `delete`, `get`, `list`, `update`
        database: {url: env:A}, entities: {orders: {table: a, rows: {a: $sesion.params.b}}} => /entities/orders/rows/a => did you mean `$session.params.b`?
        database: {url: env:A}, entities: {orders: {table: a, input_fields: {crate: [a]}}} => /entities/orders/input_fields/crate => did you mean `create`?
        database: {url: env:A}, statements: {top: {sq: a}} => /statements/top/sq => did you mean `sql`?
        database: {url: env:A}, limits: {row: 5} => /limits/row => did you mean `rows`?
        database: {} => /database => add `url: …`
        database: {url: env:A}, entities: {orders: {table: a, input_fields: {create: [a]}}} => /entities/orders/input_fields/create => remove it
        database: {url: env:A}, entities: {orders: {table: a, operations: [list, create], input_fields: {update: [a]}}} => /entities/orders/input_fields/update => remove it
        database: {url: env:A}, entities: {orders: {table: a, output_fields: {aggregate: [a]}}} => /entities/orders/output_fields/aggregate => remove it
        database: {url: env:A}, entities: {orders: {table: a, operations: [create], output_fields: {list: [a]}}} => /entities/orders/output_fields/list => remove it
        database: {url: env:A}, entities: {orders: {table: a, many: true}} => /entities/orders/many => remove it
        database: {url: env:A}, entities: {orders: {table: a, operations: [list, create], affected: 2}} => /entities/orders/affected => remove it
        database: {url: env:A}, entities: {orders: {table: a, operations: [get], version: a}} => /entities/orders/version => remove it
        database: {url: env:A}, entities: {orders: {}} => /entities/orders => add `table: …`
        database: {url: env:A}, statements: {top: {}} => /statements/top => add `sql: …`
        database: {url: env:A, role: {from: a}} => /database/role => add `allow: …`
        database: {url: 'postgres://a:b@c/d'} => /database/url => it may hold a password: put it into a variable or a file, and write where it is: `env:SHOP_DATABASE`
        database: {url: env:A}, server: 'https://a.example' => /server => remove it
        database: {url: env:A}, auth: none => /auth => remove it
        database: {url: env:A}, execution: client => /execution => remove it
        database: {url: env:A}, openapi: a.yaml => /openapi => put it into a toolset of its own
        database: {url: env:A}, tools: {tags: [a]} => /tools/tags => remove it; with `database`, `tools` takes `edit`, `exclude`, `include`, `read_only`
        openapi: a.yaml, entities: {} => /entities => write `database: {url: env:NAME}` into the toolset, or remove the key
        openapi: a.yaml, limits: {rows: 5} => /limits/rows => write `database: {url: env:NAME}` into the toolset, or remove the key
        database: {url: env:A}, entities: {'a b': {table: a}} => /entities/a b => use letters, digits and `_`; tools have it in their names
        database: {url: env:A}, statements: {'a-b': {sql: a}} => /statements/a-b => use letters, digits and `_`; tools have it in their names
        database: {url: env:A}, entities: {a: {table: a.b.c}} => /entities/a/table => for example `public.orders`",
    );
}

#[test]
fn keys_about_operations_of_an_entity_pass_the_check() {
    for keys in [
        "many: false, affected: 1",
        "operations: [delete], many: true, affected: 2, version: a",
        "operations: [update], input_fields: {update: [a]}, output_fields: {update: [a]}",
    ] {
        let text = format!(
            "toolsets: {{shop: {{database: {{url: env:A}}, entities: {{orders: {{table: a, {keys}}}}}}}}}"
        );
        assert!(loader().text(&text, "").is_ok(), "{keys}");
    }
}

fn built(folder: &TempDir, keys: &str) -> Result<Built, Error> {
    built_in(folder, keys, &Environment::new())
}

fn built_in(folder: &TempDir, keys: &str, environment: &Environment) -> Result<Built, Error> {
    let text = format!("toolsets: {{shop: {{{keys}}}}}");
    loader().text(&text, folder.path())?.build_blocking(environment, None)
}

const ORDERS: &str = "database: {url: file:shop.url}, entities: {orders: {table: orders}}";

#[test]
fn a_table_is_read_by_its_tools() {
    let folder = shop();
    let built = built(&folder, ORDERS).unwrap();
    assert_eq!(names(&built), ["shop-orders-list", "shop-orders-get"]);
    let outcome = call(&built, "shop-orders-get", json!({"no": 3}), &Session::default());
    assert!(format!("{outcome:?}").contains("gift"), "{outcome:?}");
}

#[test]
fn rows_of_others_are_not_there() {
    let folder = shop();
    let keys = "database: {url: file:shop.url}, entities: {orders: {table: orders, rows: {owner: $session.params.user}}}";
    let built = built(&folder, keys).unwrap();
    let bob = Session::new("s").with_parameters(Object::from([("user", "bob".into())]));
    let outcome = call(&built, "shop-orders-get", json!({"no": 1}), &bob);
    let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
    assert_eq!(fault.code.as_str(), "not_found");
    let outcome = call(&built, "shop-orders-list", json!({}), &Session::default());
    let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
    assert_eq!(fault.code.as_str(), "missing_session_value");
}

#[test]
fn the_selection_and_the_edits_apply_to_tools_of_a_database() {
    let folder = shop();
    let keys = format!(
        "{ORDERS}, tools: {{exclude: ['*-get'], edit: {{orders-list: {{name: find_orders, hide: [page]}}}}}}, confirm: {{tools: {{find_orders: always}}}}"
    );
    let built = built(&folder, &keys).unwrap();
    assert_eq!(names(&built), ["shop-find_orders"]);
    let outcome = call(&built, "shop-find_orders", json!({}), &Session::default());
    assert!(matches!(outcome, Outcome::Pending(_)), "{outcome:?}");
}

#[test]
fn a_misspelt_name_of_a_tool_is_refused_where_it_protects() {
    let folder = shop();
    let refused = |keys: &str| {
        let error = built(&folder, &format!("{ORDERS}, {keys}")).unwrap_err();
        error.findings().iter().map(|finding| finding.pointer.clone()).collect::<Vec<_>>()
    };
    let exclude = refused("tools: {exclude: [orders-lst]}");
    assert_eq!(exclude, ["/toolsets/shop/tools/exclude/0"]);
    let edit = refused("tools: {edit: {orders-lst: {name: a}}}");
    assert_eq!(edit, ["/toolsets/shop/tools/edit/orders-lst"]);
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let folder = shop();
    let keys = format!("{ORDERS}, functions: [{{name: orders-list, input: {{type: object}}}}]");
    let error = built(&folder, &keys).unwrap_err();
    assert_eq!(findings(&error)[0].1, "duplicate-tool", "{error}");
}

#[test]
fn a_finding_of_the_database_has_its_place_in_the_text() {
    let folder = shop();
    let keys = "database: {url: file:shop.url}, entities: {orders: {table: order}}";
    let error = built(&folder, keys).unwrap_err();
    let [finding] = error.findings() else { panic!("{error}") };
    assert_eq!(finding.code, "database-table");
    assert_eq!(finding.pointer.as_str(), "/toolsets/shop/entities/orders/table");
    assert!(finding.position.is_some());
    assert_eq!(finding.help, "did you mean `orders`?");
}

#[test]
fn a_database_that_is_away_keeps_its_tools_and_refuses_their_calls() {
    let folder = shop();
    let keys =
        "database: {url: file:gone.url}, entities: {orders: {table: orders}}, required: true";
    let error = built(&folder, keys).unwrap_err();
    assert_eq!(findings(&error), [("/toolsets/shop/database/url", "unreachable-database")]);
    let listing = Environment::new().listing_missing();
    let built = built_in(&folder, keys, &listing).unwrap();
    assert!(built.sources[0].failure.is_some() && built.sources[0].is_required);
    assert_eq!(names(&built), ["shop-orders-list", "shop-orders-get"]);
    let outcome = call(&built, "shop-orders-get", json!({"no": 1}), &Session::default());
    let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
    assert_eq!(fault.code.as_str(), "unreachable");
}

#[test]
fn a_missing_secret_is_reported_and_keeps_the_other_tools() {
    let folder = shop();
    let keys =
        "database: {url: env:CALLGATE_NO_SUCH_VARIABLE}, entities: {orders: {table: orders}}";
    let error = built(&folder, keys).unwrap_err();
    assert_eq!(findings(&error), [("/toolsets/shop/database/url", "secret")]);
    let listed = built_in(&folder, keys, &Environment::new().listing_missing()).unwrap();
    assert!(listed.sources[0].failure.is_some());
}

#[test]
fn tools_of_a_database_that_went_away_stay_as_they_were() {
    let folder = shop();
    let text = format!("toolsets: {{shop: {{{ORDERS}}}}}");
    let config = loader().text(&text, folder.path()).unwrap();
    let environment = Environment::new().listing_missing();
    let first = config.build_blocking(&environment, None).unwrap();
    std::fs::rename(folder.path().join("shop.db"), folder.path().join("away.db")).unwrap();
    let second = config.build_blocking(&environment, Some(&first)).unwrap();
    assert!(second.sources[0].failure.is_some());
    let schema = |built: &Built| {
        let list = built.executor.find("shop-orders-list").unwrap();
        list.declaration().unwrap().input_schema.to_value()
    };
    assert_eq!(schema(&first), schema(&second));
    std::fs::rename(folder.path().join("away.db"), folder.path().join("shop.db")).unwrap();
    let third = config.build_blocking(&environment, Some(&second)).unwrap();
    assert!(third.sources[0].failure.is_none());
}

/// The places of values that any caller may set.
fn open_values(folder: &TempDir, keys: &str) -> Vec<String> {
    let text = format!(
        "access: {{principals: {{a: {{bearer: env:A}}}}}}\ntoolsets:\n  shop:\n    database: {{url: file:shop.url}}\n    entities: {{orders: {{table: orders, rows: {{owner: $session.params.user}}}}}}\n{keys}"
    );
    let environment = Environment::new().with_sidecar_examination();
    let built = loader().text(&text, folder.path()).unwrap();
    let built = built.build_blocking(&environment, None).unwrap();
    let open = built.warnings.iter().filter(|finding| finding.code == "open-session-value");
    open.map(|finding| finding.pointer.clone()).collect()
}

#[test]
fn a_value_that_any_principal_may_set_is_reported() {
    let folder = shop();
    assert_eq!(open_values(&folder, ""), ["/toolsets/shop/entities/orders/rows/owner"]);
    assert_eq!(open_values(&folder, "sessions: {headers: {user: X-User}}"), [""; 0]);
    let claims = "sessions: {claims: {user: sub}}";
    assert_eq!(open_values(&folder, claims), [""; 0]);
}

/// Servers that accept connections and never say a word take their whole time, all of them at once.
#[cfg(feature = "postgres")]
#[tokio::test(start_paused = true)]
async fn databases_are_loaded_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "toolsets:\n".to_owned();
    let mut listeners = Vec::new();
    for name in ["a", "b", "c"] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("postgres://a:b@127.0.0.1:{port}/d");
        std::fs::write(folder.path().join(format!("{name}.url")), url).unwrap();
        text.push_str(&format!(
            "  {name}: {{database: {{url: file:{name}.url}}, entities: {{orders: {{table: orders}}}}}}\n"
        ));
        listeners.push(listener);
    }
    let config = loader().text(&text, folder.path()).unwrap();
    let begun = tokio::time::Instant::now();
    let built = config.build(&Environment::new().listing_missing(), None).await.unwrap();
    assert!(built.sources.iter().all(|database| database.failure.is_some()));
    assert_eq!(built.sources.len(), 3);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn sql_of_a_model_has_a_login_of_its_own() {
    let folder = shop();
    let query = "query: {url: file:shop.url, tables: {orders: [no, day]}}";
    let first = built(&folder, &format!("{ORDERS}, {query}")).unwrap();
    assert_eq!(names(&first), ["shop-orders-list", "shop-orders-get", "shop-query"]);
    let asked = json!({"sql": "select max(day) as day from orders"});
    let outcome = call(&first, "shop-query", asked, &Session::default());
    assert!(format!("{outcome:?}").contains("2026-03-01"), "{outcome:?}");
    let only_reads = built(&folder, &format!("{ORDERS}, {query}, tools: {{read_only: true}}"));
    assert_eq!(names(&only_reads.unwrap()), ["shop-orders-list", "shop-orders-get"]);
    let own = "database: {url: file:shop.url}, entities: {orders: {table: orders, rows: {owner: $session.params.user}}}";
    let error = built(&folder, &format!("{own}, {query}")).unwrap_err();
    assert_eq!(findings(&error), [("/toolsets/shop/query/tables/orders", "database-entity")]);
    let error = built(&folder, &format!("{ORDERS}, {}", query.replace("day", "dya"))).unwrap_err();
    assert_eq!(findings(&error), [("/toolsets/shop/query/tables/orders/1", "database-column")]);
}

#[test]
fn groups_are_of_the_columns_that_are_listed_for_aggregate() {
    let folder = shop();
    let groups = |keys: &str| {
        let entity = format!("{{table: orders, operations: [list, aggregate]{keys}}}");
        let keys = format!("database: {{url: file:shop.url}}, entities: {{orders: {entity}}}");
        let built = built(&folder, &keys).unwrap();
        let tool = built.executor.find("shop-orders-aggregate").unwrap();
        let schema = tool.declaration().unwrap().input_schema.to_value();
        schema["properties"]["group"]["items"]["enum"].clone()
    };
    assert_eq!(groups(""), json!(["no", "owner", "day", "cents", "note"]));
    assert_eq!(groups(", output_fields: {aggregate: [owner, cents]}"), json!(["owner", "cents"]));
}
