//! The record of a call: the shape of its statements, digests of values, and the number of rows; never a value.

use std::{sync::Arc, time::Duration};

use callgate_database::{DatabaseSettings, EntitySettings, QueryFunctions, QuerySettings};
use callgate_policy::{Audit, AuditArguments, AuditConfig, AuditMode};
use callgate_secret::Secret;
use callgate_tool::{Value, json};

use crate::{
    calls::table,
    shop::{Shop, entity, own_orders, settings, user},
};

#[tokio::test]
async fn an_audit_has_the_shape_of_statements_and_the_number_of_rows_and_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let config = AuditConfig {
        file: file.clone(),
        mode: AuditMode::Required,
        arguments: AuditArguments::Digest,
    };
    let key = Secret::new("a key of sixteen bytes or more".to_owned());
    let audit = Audit::open(&config, &key, Duration::from_mins(1)).unwrap();
    let query = QuerySettings {
        pointer: "/query".to_owned(),
        url: Secret::new("sqlite:shop.db".to_owned()),
        tables: vec![(table("customers"), vec!["name".to_owned()])],
        functions: QueryFunctions::default(),
    };
    let filter = Some(vec!["note".to_owned()]);
    let entities = vec![EntitySettings { filter, ..own_orders() }, entity("items")];
    let settings = DatabaseSettings { query: Some(query), ..settings(entities) };
    let shop = Shop::with(settings, Some(Arc::new(audit))).await;
    let ann = user("ann");
    shop.call("shop-orders-list", json!({"where": {"note": {"in": ["red", "canary"]}}}), &ann)
        .await;
    shop.call("shop-items-create", json!({"order_no": 1, "name": "canary"}), &ann).await;
    shop.fault("shop-orders-get", json!({"no": 3}), &ann).await;
    shop.call("shop-query", json!({"sql": "select name from customers where name = 'Ann'"}), &ann)
        .await;
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("canary"), "{text}");
    let lines = text.lines().map(|line| Value::parse(line).unwrap());
    let ended: Vec<Value> = lines.filter(|line| line["event"] == "ended").collect();
    let [list, create, get, query] = &*ended else { panic!("{text}") };
    let shape =
        |line: &Value, at: usize| line["statements"][at]["text"].as_str().unwrap().to_owned();
    assert!(shape(list, 0).contains("FROM `orders` WHERE"), "{list}");
    assert_eq!(list["statements"][0]["values"].as_str().unwrap().len(), 64);
    assert_eq!((&list["rows"], &create["rows"], &get["rows"]), (&json!(1), &json!(1), &json!(0)));
    // The order that an item refers to is looked up first.
    assert!(shape(create, 0).starts_with("SELECT") && shape(create, 1).starts_with("INSERT"));
    // A text of a model is recorded whole.
    assert!(shape(query, 0).contains("select name from customers where name = 'Ann'"), "{query}");
}
