//! The five operations, on every engine with a server.

use std::collections::BTreeSet;

use callgate_tool::{FaultCode, Reached, Value, json};

use crate::{
    shop::{Shop, settings, user},
    tables::{SORTED, WITHOUT_NOTE, tags},
};

#[tokio::test]
async fn a_row_of_the_session_is_created_read_changed_and_removed() {
    let Some(shop) = Shop::new("entities_all", settings()).await else { return };
    let ann = user("ann");
    let row = json!({
        "total": Value::parse("12345678901234.5678").unwrap(),
        "note": "it's \"so\" \\ ünd",
        "tags": tags(),
        "more": {"a": [1, 2.5]},
        "made": "2025-01-31T12:00:00Z",
    });
    let created = shop.call("shop-orders-create", row, &ann).await["row"].clone();
    assert_eq!(created["total"].to_string(), "12345678901234.5678");
    assert_eq!(created["state"], "new");
    let key = json!({"no": created["no"]});
    let read = shop.call("shop-orders-get", key.clone(), &ann).await["row"].clone();
    assert_eq!(read, created);
    assert_eq!(read["note"], "it's \"so\" \\ ünd");
    assert_eq!(read["tags"], tags());
    assert_eq!(read["more"].to_string(), r#"{"a":[1,2.5]}"#);
    assert_eq!(read.get("owner"), None);
    let change = json!({"no": created["no"], "set": {"state": "paid", "tags": null}});
    let changed = shop.call("shop-orders-update", change, &ann).await;
    assert_eq!((&changed["affected"], &changed["row"]["state"]), (&json!(1), &json!("paid")));
    assert_eq!(shop.call("shop-orders-delete", key.clone(), &ann).await, json!({"affected": 1}));
    let fault = shop.fault("shop-orders-get", key, &ann).await;
    assert_eq!((fault.code, fault.reached), (FaultCode::NotFound, Reached::Yes));
}

#[tokio::test]
async fn every_operation_stays_within_the_rows_of_the_session() {
    let Some(shop) = Shop::new("entities_rows", settings()).await else { return };
    let ann = user("ann");
    for (tool, arguments) in [
        ("shop-orders-get", json!({"no": 3})),
        ("shop-orders-update", json!({"no": 3, "set": {"note": "mine"}})),
        ("shop-orders-delete", json!({"no": 3})),
    ] {
        assert_eq!(shop.fault(tool, arguments, &ann).await.code, FaultCode::NotFound, "{tool}");
    }
    for name in ["ANN", "ann ", "ánn", "' or true --"] {
        let list = shop.call("shop-orders-list", json!({}), &user(name)).await;
        assert_eq!(list, json!({"rows": [], "more": false}), "{name}");
    }
    let fault = shop.fault("shop-items-create", json!({"order_no": 3, "name": "x"}), &ann).await;
    assert_eq!(fault.code, FaultCode::ConstraintViolated);
    let item = shop.call("shop-items-create", json!({"order_no": 1, "name": "x"}), &ann).await;
    assert_eq!(item["affected"], 1);
    assert_eq!(shop.database.run("select count(*) from items"), "1");
}

#[tokio::test]
async fn pages_hold_every_row_once_in_order() {
    let mut settings = settings();
    let names = SORTED.iter().flat_map(|(sort, _)| sort.split(' '));
    let names: BTreeSet<_> = names.map(|name| name.trim_start_matches('-').to_owned()).collect();
    settings.entities[0].sort = Some(names.into_iter().collect());
    let Some(shop) = Shop::new("entities_pages", settings).await else { return };
    let ann = user("ann");
    for (sort, expected) in SORTED {
        let sort: Vec<_> = sort.split(' ').collect();
        let arguments = json!({"sort": sort, "limit": 1});
        let mut page = shop.call("shop-orders-list", arguments.clone(), &ann).await;
        let mut numbers = vec![page["rows"][0]["no"].clone()];
        while let Some(next) = page.get("next").cloned() {
            let mut arguments = arguments.clone();
            arguments.as_object_mut().unwrap().insert("page", next);
            page = shop.call("shop-orders-list", arguments, &ann).await;
            numbers.push(page["rows"][0]["no"].clone());
        }
        assert_eq!(json!(numbers), json!(expected), "{sort:?}");
    }
}

#[tokio::test]
async fn a_constraint_is_reported_without_a_value_of_a_row() {
    let Some(shop) = Shop::new("entities_constraints", settings()).await else { return };
    let ann = user("ann");
    for (row, column) in
        [(json!({"total": -1}), "`total`"), (json!({"total": 1, "note": "red"}), "`note`")]
    {
        let fault = shop.fault("shop-orders-create", row, &ann).await;
        assert!(fault.message.contains(column), "{fault:?}");
        assert_eq!((fault.code, fault.reached), (FaultCode::ConstraintViolated, Reached::Yes));
        assert!(!fault.message.contains("ann") && !fault.message.contains("owner"), "{fault:?}");
    }
    for row in [json!({"total": "1e9999"}), json!({"total": 1, "state": "gone"})] {
        let fault = shop.fault("shop-orders-create", row, &ann).await;
        assert_eq!((fault.code, fault.reached), (FaultCode::InvalidArguments, Reached::No));
    }
}

#[tokio::test]
async fn a_column_that_changed_since_the_load_ends_the_call() {
    let Some(shop) = Shop::new("entities_stale", settings()).await else { return };
    let ann = user("ann");
    shop.call("shop-orders-list", json!({}), &ann).await;
    shop.database.run(WITHOUT_NOTE);
    let fault = shop.fault("shop-orders-list", json!({}), &ann).await;
    assert_eq!(fault.code, FaultCode::StaleDescription);
}
