//! Values of the session that decide whose rows a call is about.

use callgate_database::{EntitySettings, Operation};
use callgate_tool::{FaultCode, Object, Reached, Session, json};

use crate::shop::{Shop, column, entity, own_orders, user};

#[tokio::test]
async fn every_operation_stays_within_the_rows_of_the_session() {
    let shop = Shop::new(vec![own_orders()]).await;
    let (ann, bob) = (user("ann"), user("bob"));
    let list = shop.call("shop-orders-list", json!({}), &bob).await;
    assert_eq!(column(&list, "no"), [json!(3)]);
    assert_eq!(column(&list, "owner"), [json!("absent")]);
    for (tool, arguments) in [
        ("shop-orders-get", json!({"no": 3})),
        ("shop-orders-update", json!({"no": 3, "set": {"note": "mine"}})),
        ("shop-orders-delete", json!({"no": 3})),
    ] {
        assert_eq!(shop.fault(tool, arguments, &ann).await.code, FaultCode::NotFound, "{tool}");
    }
    shop.call("shop-orders-create", json!({"no": 9, "total": 5}), &ann).await;
    assert_eq!(shop.sql("select owner from orders where no = 9"), ["ann"]);
    assert_eq!(shop.sql("select note from orders where no = 3"), ["red"]);
}

#[tokio::test]
async fn no_argument_names_a_column_that_the_session_fills() {
    let shop = Shop::new(vec![own_orders()]).await;
    for (tool, arguments) in [
        ("shop-orders-list", json!({"where": {"owner": "bob"}})),
        ("shop-orders-list", json!({"where": {"any": [{"owner": "bob"}, {"no": 1}]}})),
        ("shop-orders-list", json!({"sort": ["owner"]})),
        ("shop-orders-get", json!({"no": 1, "owner": "bob"})),
        ("shop-orders-create", json!({"total": 1, "owner": "bob"})),
        ("shop-orders-update", json!({"no": 1, "set": {"owner": "bob"}})),
        ("shop-orders-update", json!({"no": 1, "owner": "bob", "set": {"note": "x"}})),
    ] {
        let fault = shop.fault(tool, arguments, &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{tool}");
    }
    assert_eq!(shop.sql("select count(*) from orders where owner = 'bob'"), ["1"]);
}

#[tokio::test]
async fn a_session_without_a_usable_value_gets_no_row() {
    let shop = Shop::new(vec![own_orders()]).await;
    let with = |value| Session::new("s").with_parameters(Object::from([("user", value)]));
    let sessions = [json!(null), json!(""), json!({"a": 1}), json!(["ann"]), json!(true)];
    for session in sessions.map(with).into_iter().chain([Session::default()]) {
        for (tool, arguments) in [
            ("shop-orders-list", json!({})),
            ("shop-orders-create", json!({"total": 1})),
            ("shop-orders-delete", json!({"no": 1})),
        ] {
            let fault = shop.fault(tool, arguments, &session).await;
            let expected = (FaultCode::MissingSessionValue, Reached::No);
            assert_eq!((fault.code, fault.reached), expected, "{tool}");
        }
    }
    for name in ["ANN", "ann ", " ann", "ánn", "a%", "ann' or '1'='1", "*"] {
        let list = shop.call("shop-orders-list", json!({}), &user(name)).await;
        assert_eq!(list, json!({"rows": [], "more": false}), "{name}");
    }
}

#[tokio::test]
async fn a_row_cannot_refer_to_a_row_of_another_user() {
    let shop = Shop::new(vec![own_orders(), entity("items")]).await;
    let ann = user("ann");
    let created = shop.call("shop-items-create", json!({"order_no": 1, "name": "lid"}), &ann).await;
    assert_eq!(created["affected"], 1);
    for (tool, arguments) in [
        ("shop-items-create", json!({"order_no": 3, "name": "lid"})),
        ("shop-items-update", json!({"id": 1, "set": {"order_no": 3}})),
    ] {
        let fault = shop.fault(tool, arguments, &ann).await;
        assert_eq!(fault.code, FaultCode::ConstraintViolated, "{tool}");
        assert!(fault.message.contains("`order_no`"), "{}", fault.message);
    }
    let items = shop.sql("select count(*) from items where order_no = 3");
    assert_eq!(items, ["1"]);
}

#[tokio::test]
async fn a_key_that_the_session_gives_is_no_argument() {
    let id = ("id".to_owned(), callgate_database::SessionSource::Parameter("user".to_owned()));
    let operations = vec![Operation::Get, Operation::Update];
    let own = EntitySettings { rows: vec![id], operations, ..entity("customers") };
    let shop = Shop::new(vec![own]).await;
    let read = shop.call("shop-customers-get", json!({}), &user("bob")).await;
    assert_eq!(read["row"], json!({"name": "Bob"}));
    let change = json!({"set": {"name": "Bobby"}});
    assert_eq!(shop.call("shop-customers-update", change, &user("bob")).await["affected"], 1);
    assert_eq!(shop.sql("select name from customers order by id"), ["Ann", "Bobby"]);
}
