//! Counts, sums and bounds by groups, and the columns of a call.

use callgate_database::{EntitySettings, Operation};
use callgate_testkit::rows;
use callgate_tool::{FaultCode, Session, Value, json};

use crate::{
    aggregates_of_engines::{Words, check, script, things},
    shop::{
        Shop, column, counted, entity, folder, folder_with, loaded, own_orders, settings, user,
    },
};

#[tokio::test]
async fn random_calls_have_the_engines_own_answers() {
    let mut settings = settings(vec![things()]);
    (settings.limits.rows, settings.limits.result_bytes) = (10_000, 1 << 22);
    let shop = Shop::within(folder_with(&script()), settings, None).await;
    let file = shop.file();
    let words = Words { exact: "@", text: "@", contains: "instr(@, ?) > 0", has_ties: false };
    check(&shop, words, |script| {
        let mut lines = String::new();
        for text in script.split(";\n").filter(|text| !text.is_empty()) {
            let mut statement = file.prepare(text.trim_end_matches(';')).unwrap();
            let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
            rows.for_each(|row| lines += &(row.unwrap() + "\n"));
        }
        lines
    })
    .await;
}

#[tokio::test]
async fn rows_are_counted_by_groups_within_those_of_the_session() {
    let shop = Shop::new(vec![counted(own_orders())]).await;
    for [arguments, expected] in rows(
        r#"
        {} => [{"count": 3}]
        {"where": {"no": 3}} => [{"count": 0}]
        {"group": ["note"], "sort": ["-note"]} => [{"note": "red", "count": 1}, {"note": "blue", "count": 1}, {"note": null, "count": 1}]
        {"group": ["total"], "having": {"count": {"gt": 1}}} => [{"total": 20, "count": 2}]
        {"select": ["sum_total", "max_total"], "having": {"any": [{"count": 9}, {"min_total": 10}]}} => [{"sum_total": 50, "max_total": 20}]
        "#,
    ) {
        let [arguments, expected] = [arguments, expected].map(|text| Value::parse(text).unwrap());
        let result = shop.call("shop-orders-aggregate", arguments.clone(), &user("ann")).await;
        assert_eq!(result, json!({"rows": expected, "more": false}), "{arguments}");
    }
    let fault = shop.fault("shop-orders-aggregate", json!({}), &Session::default()).await;
    assert_eq!(fault.code, FaultCode::MissingSessionValue);
    let limited = json!({"group": ["note"], "limit": 1, "sort": ["-count", "note"]});
    let limited = shop.call("shop-orders-aggregate", limited, &user("ann")).await;
    assert_eq!(limited, json!({"rows": [{"note": null, "count": 1}], "more": true}));
}

#[tokio::test]
async fn names_that_are_no_groups_or_aggregates_are_reported_with_the_nearest() {
    let shop = Shop::new(vec![counted(own_orders())]).await;
    for (arguments, part) in [
        (json!({"group": ["owner"]}), "group"),
        (json!({"select": ["sum_no"]}), "select"),
        (json!({"sort": ["note"]}), "sort[0]"),
        (json!({"sort": ["-cuont"]}), "`count`"),
        (json!({"having": {"sum_totl": 1}}), "`sum_total`"),
        (json!({"having": {"owner": "bob"}}), "having.owner"),
        (json!({"where": {"owner": "bob"}}), "where"),
    ] {
        let fault = shop.fault("shop-orders-aggregate", arguments.clone(), &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{arguments}");
        assert!(fault.message.contains(part), "{arguments}: {}", fault.message);
    }
}

#[tokio::test]
async fn a_column_with_the_name_of_an_aggregate_leaves_it_another_one() {
    let tables = "create table tallies (id integer primary key, count integer, sum_count text);
        insert into tallies values (1, 5, 'x'), (2, 7, 'x');";
    let shop =
        Shop::within(folder_with(tables), settings(vec![counted(entity("tallies"))]), None).await;
    let arguments = json!({"group": ["sum_count"], "select": ["count_", "sum_count_"]});
    let result = shop.call("shop-tallies-aggregate", arguments, &Session::default()).await;
    assert_eq!(result["rows"], json!([{"sum_count": "x", "count_": 2, "sum_count_": 12}]));
}

#[tokio::test]
async fn a_sum_beyond_the_numbers_of_the_engine_is_a_fault_of_the_call() {
    let tables = "create table totals (id integer primary key, n integer not null) strict;
        insert into totals values (1, 9223372036854775807), (2, 1);";
    let shop =
        Shop::within(folder_with(tables), settings(vec![counted(entity("totals"))]), None).await;
    let (name, session) = ("shop-totals-aggregate", Session::default());
    let fault = shop.fault(name, json!({"select": ["sum_n"]}), &session).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments, "{}", fault.message);
    assert!(fault.message.contains("cannot compute a value"), "{}", fault.message);
    let below = json!({"select": ["sum_n"], "where": {"n": {"lt": 1.5}}});
    assert_eq!(shop.call(name, below, &session).await["rows"], json!([{"sum_n": 1}]));
}

#[tokio::test]
async fn only_listed_columns_are_grouped_and_summed_up() {
    let output_fields = [(Operation::Aggregate, vec!["state".to_owned()])].into();
    let shop = Shop::new(vec![EntitySettings { output_fields, ..counted(entity("orders")) }]).await;
    for arguments in [json!({"group": ["note"]}), json!({"select": ["sum_total"]})] {
        let fault = shop.fault("shop-orders-aggregate", arguments, &Session::default()).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments);
    }
    let states = json!({"group": ["state"]});
    let states = shop.call("shop-orders-aggregate", states, &Session::default()).await;
    assert_eq!(states["rows"], json!([{"state": "new", "count": 4}]));
}

#[tokio::test]
async fn columns_that_no_tool_shows_are_neither_grouped_nor_summed_up() {
    let shown = || vec!["no".to_owned(), "state".to_owned()];
    let orders = |output_fields| EntitySettings { output_fields, ..counted(entity("orders")) };
    let hidden = [(Operation::Get, shown()), (Operation::List, shown())];
    let hidden = Shop::new(vec![orders(hidden.into())]).await;
    // What `get` shows is no secret.
    let partly = Shop::new(vec![orders([(Operation::List, shown())].into())]).await;
    for arguments in [json!({"group": ["note"]}), json!({"select": ["sum_total"]})] {
        let (name, session) = ("shop-orders-aggregate", Session::default());
        let fault = hidden.fault(name, arguments.clone(), &session).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{arguments}");
        partly.call(name, arguments, &session).await;
    }
}

#[tokio::test]
async fn columns_that_no_tool_shows_take_conditions_and_an_order_only_if_they_are_listed() {
    let shown = || vec!["no".to_owned(), "state".to_owned()];
    let session = Session::default();
    let asked = [json!({"where": {"note": "red"}}), json!({"sort": ["-note"]})];
    let every = [Operation::Get, Operation::List, Operation::Aggregate, Operation::Update];
    for operations in [&every[..], &every[1..2], &every[2..3], &every[1..3]] {
        let orders = || EntitySettings {
            operations: operations.to_vec(),
            output_fields: operations.iter().map(|it| (*it, shown())).collect(),
            ..entity("orders")
        };
        let tool = match operations {
            [Operation::Aggregate] => "shop-orders-aggregate",
            _ => "shop-orders-list",
        };
        let shop = Shop::new(vec![orders()]).await;
        for arguments in &asked {
            let fault = shop.fault(tool, arguments.clone(), &session).await;
            assert_eq!(fault.code, FaultCode::InvalidArguments, "{operations:?} {arguments}");
        }
        shop.call(tool, json!({"where": {"state": "new"}}), &session).await;
        let listed = Some(vec!["note".to_owned()]);
        let orders = EntitySettings { filter: listed.clone(), sort: listed, ..orders() };
        let loaded = loaded(&folder(), settings(vec![orders.clone()])).await;
        let notes =
            loaded.findings.iter().filter(|it| it.message.contains("no tool shows: `note`"));
        assert_eq!(notes.count(), 2, "{:?}", loaded.findings);
        let shop = Shop::new(vec![orders]).await;
        shop.call(tool, asked[0].clone(), &session).await;
    }
}

#[tokio::test]
async fn a_call_names_the_columns_that_it_reads() {
    let shop = Shop::new(vec![counted(own_orders())]).await;
    let ann = user("ann");
    let arguments = json!({"select": ["note"], "sort": ["-no"], "limit": 2});
    let first = shop.call("shop-orders-list", arguments.clone(), &ann).await;
    assert_eq!(first["rows"], json!([{"note": null}, {"note": "blue"}]));
    let next = json!({"select": ["note"], "sort": ["-no"], "limit": 2, "page": first["next"]});
    let second = shop.call("shop-orders-list", next, &ann).await;
    assert_eq!(column(&second, "note"), [json!("red")]);
    let row = shop.call("shop-orders-get", json!({"no": 1, "select": ["state", "no"]}), &ann).await;
    assert_eq!(row["row"], json!({"no": 1, "state": "new"}));
    for select in ["owner", "password_hash", "nope"] {
        for tool in ["shop-orders-list", "shop-orders-get"] {
            let fault = shop.fault(tool, json!({"no": 1, "select": [select]}), &ann).await;
            assert_eq!(fault.code, FaultCode::InvalidArguments, "{tool} {select}");
        }
    }
    let keyed = "create table \"keys\" (\"select\" text primary key not null, n integer);
        insert into \"keys\" values ('a', 1);";
    let shop = Shop::within(folder_with(keyed), settings(vec![entity("keys")]), None).await;
    let row = shop.call("shop-keys-get", json!({"select": "a"}), &Session::default()).await;
    assert_eq!(row["row"], Value::parse(r#"{"select": "a", "n": 1}"#).unwrap());
}
