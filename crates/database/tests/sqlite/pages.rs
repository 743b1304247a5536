//! Pages of lists, and tokens of others.

use callgate_database::EntitySettings;
use callgate_tool::{FaultCode, Outcome, Session, Value, json};

use crate::shop::{Shop, column, entity, folder_with, own_orders, settings, user};

/// The numbers of all pages.
async fn all(shop: &Shop, arguments: Value, session: &Session) -> Vec<Value> {
    let mut numbers = Vec::new();
    let mut arguments = arguments;
    loop {
        let result = shop.call("shop-orders-list", arguments.clone(), session).await;
        numbers.extend(column(&result, "no"));
        assert_eq!(result.get("next").is_some(), result["more"] == true);
        let Some(next) = result.get("next") else { return numbers };
        arguments.as_object_mut().unwrap().insert("page", next.clone());
    }
}

#[tokio::test]
async fn pages_hold_every_row_once_in_order() {
    let sort = Some(["no", "note", "state"].map(str::to_owned).to_vec());
    let shop = Shop::new(vec![EntitySettings { sort, ..entity("orders") }]).await;
    let nobody = Session::default();
    for (sort, expected) in [
        (json!([]), [1, 2, 3, 4]),
        (json!(["-no"]), [4, 3, 2, 1]),
        (json!(["note"]), [4, 2, 1, 3]),
        (json!(["-note"]), [1, 3, 2, 4]),
        (json!(["state", "-no"]), [4, 3, 2, 1]),
    ] {
        for limit in 1..=5 {
            let arguments = json!({"sort": sort, "limit": limit});
            let numbers = all(&shop, arguments, &nobody).await;
            assert_eq!(Value::Array(numbers), json!(expected), "{sort} {limit}");
        }
    }
}

/// SQLite keeps values beyond their declared length and digits: what a list shows can be asked for.
#[tokio::test]
async fn values_beyond_their_declared_type_are_found_and_have_pages() {
    let tables = "create table orders (no integer primary key, flag char(1) not null, rate decimal(3, 1) not null, place varchar(2) not null unique);
        insert into orders values (1, 'yes', 4.25, 'Bonn'), (2, 'no', 1234.5, 'Ulm'), (3, 'n', 0.5, 'O')";
    let sort = Some(vec!["flag".to_owned()]);
    let settings = settings(vec![EntitySettings { sort, ..entity("orders") }]);
    let shop = Shop::within(folder_with(tables), settings, None).await;
    let nobody = Session::default();
    let numbers = all(&shop, json!({"sort": ["flag"], "limit": 1}), &nobody).await;
    assert_eq!(Value::Array(numbers), json!([3, 2, 1]));
    for (column_name, value, expected) in
        [("flag", json!("yes"), 1), ("rate", json!(4.25), 1), ("place", json!("Ulm"), 2)]
    {
        let arguments = json!({"where": {(column_name): value}});
        let found_rows = shop.call("shop-orders-list", arguments, &nobody).await;
        assert_eq!(column(&found_rows, "no"), [json!(expected)], "{column_name}");
    }
}

/// Types of columns, which hold values of every type whatever they are declared as.
const TYPES: [&str; 9] = [
    "integer",
    "boolean",
    "date",
    "datetime",
    "time",
    "text",
    "varchar(3)",
    "uuid",
    "decimal(9, 2)",
];
const VALUES: &str = "null;''; 'abc'; 't'; 'f'; '12'; 12; 0; 1; -3; 5.5; 1e300; x'00ff'; x''; x'3132'; 9223372036854775807; '2026-1-5'; '2026-01-31'; 'a' || char(0)";

/// A table with a row for each value, which stands in every column.
fn table_of_every_value() -> String {
    let columns = TYPES.iter().enumerate().map(|(at, declared)| format!("c{at} {declared}"));
    let columns: Vec<_> = columns.collect();
    let row =
        |(no, value): (usize, &str)| format!("({no}{})", format!(", {value}").repeat(TYPES.len()));
    let rows: Vec<_> = VALUES.split(';').enumerate().map(row).collect();
    format!(
        "create table orders (no integer primary key, {}); insert into orders values {}",
        columns.join(", "),
        rows.join(", ")
    )
}

/// Whatever a column of SQLite is declared as, rows hold values of every type in it.
#[tokio::test]
async fn pages_go_on_behind_values_of_every_type() {
    let folder = folder_with(&table_of_every_value());
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    // SQLite keeps decimal numbers as floating-point ones, which have no pages.
    let types = &TYPES[..TYPES.len() - 1];
    let names = (0..types.len()).map(|at| format!("c{at}")).collect();
    let settings = settings(vec![EntitySettings { sort: Some(names), ..entity("orders") }]);
    let shop = Shop::within(folder, settings, None).await;
    for (at, declared) in types.iter().enumerate() {
        for (mark, direction) in [("", "asc"), ("-", "desc")] {
            let statement = format!("select no from orders order by c{at} {direction}, no");
            let mut own = file.prepare(&statement).unwrap();
            let own = own.query_map([], |row| row.get::<_, i64>(0)).unwrap();
            let own: Vec<Value> = own.map(|no| no.unwrap().into()).collect();
            let arguments = json!({"sort": [format!("{mark}c{at}")], "limit": 1});
            let numbers = all(&shop, arguments, &Session::default()).await;
            assert_eq!(numbers, own, "{declared} {direction}");
        }
    }
}

/// A value that a list shows finds the rows that show it, or is refused.
#[tokio::test]
async fn a_value_of_every_type_finds_the_rows_that_show_it() {
    let settings = settings(vec![entity("orders")]);
    let shop = Shop::within(folder_with(&table_of_every_value()), settings, None).await;
    let nobody = Session::default();
    let shown = shop.call("shop-orders-list", json!({}), &nobody).await["rows"].clone();
    let shown = shown.as_array().unwrap();
    let (mut n_found, mut n_refused) = (0, 0);
    let mut cases = Vec::new();
    for at in 0..TYPES.len() {
        let name = format!("c{at}");
        for row in shown.iter().filter(|row| !row[&*name].is_null()) {
            let value = &row[&*name];
            let with = |filter: Value| json!({"where": {&*name: filter}, "select": ["no"]});
            let is_same = |row: &&Value| row[&*name] == *value;
            let is_other = |row: &&Value| !is_same(row) && !row[&*name].is_null();
            let numbers =
                |rows: Vec<&Value>| rows.into_iter().map(|row| row["no"].clone()).collect();
            let same: Vec<Value> = numbers(shown.iter().filter(is_same).collect());
            let others: Vec<Value> = numbers(shown.iter().filter(is_other).collect());
            let filters = [
                (value.clone(), &same),
                (json!({"in": [value]}), &same),
                (json!({"neq": value}), &others),
            ];
            cases.extend(filters.map(|(filter, expected)| (with(filter), expected.clone())));
        }
    }
    for (arguments, expected) in cases {
        match shop.outcome("shop-orders-list", arguments.clone(), &nobody).await {
            Outcome::Answered(_) => {
                let result = shop.call("shop-orders-list", arguments.clone(), &nobody).await;
                assert_eq!(column(&result, "no"), expected, "{arguments}");
                n_found += 1;
            }
            Outcome::Failed(fault) => {
                assert_eq!(fault.code, FaultCode::InvalidArguments, "{arguments}");
                n_refused += 1;
            }
            other => panic!("{arguments}: {other:?}"),
        }
    }
    assert!(n_found > 150 && n_refused > 150, "{n_found} {n_refused}");
}

/// A boolean of SQLite is a number, and may be any.
#[tokio::test]
async fn numbers_that_are_no_booleans_are_shown_and_found() {
    let tables = "create table orders (no integer primary key, paid boolean); insert into orders values (1, true), (2, 38), (3, 0)";
    let shop = Shop::within(folder_with(tables), settings(vec![entity("orders")]), None).await;
    for (value, no) in [(json!(true), 1), (json!(38), 2), (json!(false), 3)] {
        let arguments = json!({"where": {"paid": value}});
        let result = shop.call("shop-orders-list", arguments, &Session::default()).await;
        assert_eq!(result["rows"], json!([{"no": no, "paid": value}]));
    }
}

#[tokio::test]
async fn a_token_counts_for_its_own_call_alone() {
    let shop = Shop::new(vec![own_orders(), entity("items")]).await;
    let ann = user("ann");
    let arguments = json!({"where": {"no": {"gte": 1}}, "sort": ["no"], "limit": 1});
    let first = shop.call("shop-orders-list", arguments, &ann).await;
    let page = first["next"].clone();
    let of = |filter: Value, sort: Value| json!({"where": filter, "sort": sort, "page": page});
    let own = of(json!({"no": {"gte": 1}}), json!(["no"]));
    let second = shop.call("shop-orders-list", own.clone(), &ann).await;
    assert_eq!(column(&second, "no"), [json!(2), json!(4)]);
    for (tool, arguments, session) in [
        ("shop-orders-list", own.clone(), user("bob")),
        ("shop-orders-list", of(json!({"no": {"gte": 0}}), json!(["no"])), user("ann")),
        ("shop-orders-list", of(json!({"no": {"gte": 1}}), json!(["-no"])), user("ann")),
        ("shop-items-list", json!({"page": page}), user("ann")),
        ("shop-orders-list", json!({"page": "AAAA"}), user("ann")),
        ("shop-orders-list", json!({"page": "'; drop table orders"}), user("ann")),
    ] {
        let fault = shop.fault(tool, arguments, &session).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{tool}");
    }
    let outcome = shop.call_of("mallory", "shop-orders-list", own).await;
    assert!(matches!(outcome, Outcome::Failed(_)), "a token of no principal is none of one");
}
