//! The five operations.

use callgate_database::{EntitySettings, Operation};
use callgate_tool::{FaultCode, Next, Reached, Session, json};

use crate::shop::{Shop, column, entity, folder_with, settings};

#[tokio::test]
async fn rows_are_listed_by_conditions_and_in_order() {
    let shop = Shop::new(vec![entity("orders")]).await;
    let nobody = Session::default();
    let all = shop.call("shop-orders-list", json!({}), &nobody).await;
    assert_eq!(column(&all, "no"), [json!(1), json!(2), json!(3), json!(4)]);
    assert_eq!(all["more"], false);
    assert_eq!(column(&all, "password_hash")[0], "absent");
    let arguments = json!({"where": {"no": {"gte": 2}}, "sort": ["-no"], "limit": 2});
    let some = shop.call("shop-orders-list", arguments, &nobody).await;
    assert_eq!((column(&some, "no"), &some["more"]), (vec![json!(4), json!(3)], &json!(true)));
}

#[tokio::test]
async fn a_row_is_created_read_changed_and_removed() {
    let shop = Shop::new(vec![entity("orders")]).await;
    let nobody = Session::default();
    let row = json!({"no": 9, "owner": "bob", "total": 1.5, "note": "it's"});
    let created = shop.call("shop-orders-create", row, &nobody).await;
    assert_eq!((&created["affected"], &created["row"]["state"]), (&json!(1), &json!("new")));
    let read = shop.call("shop-orders-get", json!({"no": 9}), &nobody).await;
    assert_eq!((&read["row"]["note"], &read["row"]["total"]), (&json!("it's"), &json!(1.5)));
    let change = json!({"no": 9, "set": {"note": null, "state": "paid"}});
    let changed = shop.call("shop-orders-update", change, &nobody).await;
    assert_eq!((&changed["row"]["note"], &changed["row"]["state"]), (&json!(null), &json!("paid")));
    let removed = shop.call("shop-orders-delete", json!({"no": 9}), &nobody).await;
    assert_eq!(removed, json!({"affected": 1}));
    let fault = shop.fault("shop-orders-get", json!({"no": 9}), &nobody).await;
    assert_eq!((fault.code, fault.reached), (FaultCode::NotFound, Reached::Yes));
}

#[tokio::test]
async fn a_row_that_is_not_there_has_its_own_code() {
    let shop = Shop::new(vec![entity("orders")]).await;
    for (tool, arguments) in [
        ("shop-orders-get", json!({"no": 77})),
        ("shop-orders-update", json!({"no": 77, "set": {"note": "x"}})),
        ("shop-orders-delete", json!({"no": 77})),
    ] {
        let fault = shop.fault(tool, arguments, &Session::default()).await;
        assert_eq!(fault.code, FaultCode::NotFound, "{tool}");
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_their_columns_are_refused_before_anything_is_sent() {
    let shop = Shop::new(vec![entity("orders")]).await;
    for (tool, arguments, at) in [
        ("shop-orders-get", json!({"no": "1 or 1=1"}), "no"),
        ("shop-orders-get", json!({"no": null}), "no"),
        ("shop-orders-get", json!({}), "no"),
        ("shop-orders-get", json!({"no": 1, "other": 2}), "other"),
        ("shop-orders-list", json!({"where": {"no": {"gte": "x"}}}), "where.no.gte"),
        ("shop-orders-list", json!({"where": {"nope": 1}}), "where.nope"),
        ("shop-orders-list", json!({"sort": ["note; drop table orders"]}), "sort[0]"),
        ("shop-orders-update", json!({"no": 1, "set": {}}), "set"),
        ("shop-orders-update", json!({"no": 1, "set": {"total": "abc"}}), "set.total"),
        ("shop-orders-update", json!({"no": 1, "set": {"no": 7}}), "set.no"),
        ("shop-orders-delete", json!({"where": {"no": 1}}), "where"),
    ] {
        let fault = shop.fault(tool, arguments.clone(), &Session::default()).await;
        assert_eq!((fault.code, fault.reached), (FaultCode::InvalidArguments, Reached::No));
        let places: Vec<_> = fault.problems.iter().map(|it| it.at.as_str()).collect();
        assert!(places.contains(&at), "{tool} {arguments}: {places:?}");
    }
    assert_eq!(shop.sql("select count(*) from orders"), ["4"]);
}

#[tokio::test]
async fn a_constraint_names_offered_columns_and_no_value_of_a_row() {
    let shop = Shop::new(vec![entity("orders")]).await;
    let row = json!({"no": 1, "owner": "bob", "total": 1});
    let fault = shop.fault("shop-orders-create", row, &Session::default()).await;
    assert_eq!((fault.code, fault.reached), (FaultCode::ConstraintViolated, Reached::Yes));
    assert!(fault.message.contains("`no`"), "{}", fault.message);
    let row = json!({"owner": "nobody", "total": 1});
    let fault = shop.fault("shop-orders-create", row, &Session::default()).await;
    assert_eq!(fault.code, FaultCode::ConstraintViolated);
    assert!(fault.message.contains(": `owner`;"), "{}", fault.message);
    let tables = "create table rooms (house int, no int, primary key (house, no));
        create table doors (id integer primary key, house int, inner_no int, outer_no int,
            foreign key (house, inner_no) references rooms, foreign key (house, outer_no) references rooms);";
    let shop = Shop::within(folder_with(tables), settings(vec![entity("doors")]), None).await;
    let row = json!({"house": 1, "inner_no": 2, "outer_no": 3});
    let fault = shop.fault("shop-doors-create", row, &Session::default()).await;
    assert!(fault.message.contains(": `house`, `inner_no`, `outer_no`;"), "{}", fault.message);
    let tables =
        "create table people (id integer primary key, age integer check (age between 0 and 150),
            state text check (state in ('', 'age')));";
    let shop = Shop::within(folder_with(tables), settings(vec![entity("people")]), None).await;
    for (row, column) in [(json!({"age": 200}), "age"), (json!({"state": "x"}), "state")] {
        let fault = shop.fault("shop-people-create", row, &Session::default()).await;
        assert_eq!(fault.code, FaultCode::ConstraintViolated);
        assert!(fault.message.contains(&format!(": `{column}`;")), "{}", fault.message);
    }
}

#[tokio::test]
async fn a_column_without_a_type_has_the_types_of_its_values() {
    let tables = "create table pairs (id integer primary key, held);
        insert into pairs values (1, 7), (2, 1.5), (3, 'x'), (4, null), (5, x'00ff');
        create view doubled as select id, id * 2 as twice, cast(held as numeric) as kept from pairs where id < 3;";
    let listed = |name: &str| EntitySettings { operations: vec![Operation::List], ..entity(name) };
    let entities = vec![listed("pairs"), listed("doubled")];
    let shop = Shop::within(folder_with(tables), settings(entities), None).await;
    let nobody = Session::default();
    let pairs = shop.call("shop-pairs-list", json!({}), &nobody).await;
    let held = [json!(7), json!(1.5), json!("x"), json!(null), json!("AP8=")];
    assert_eq!(column(&pairs, "held"), held);
    let doubled = shop.call("shop-doubled-list", json!({}), &nobody).await;
    assert_eq!(column(&doubled, "twice"), [json!(2), json!(4)]);
    assert_eq!(column(&doubled, "kept"), [json!(7), json!(1.5)]);
    let notes = shop.executor.find("shop-doubled-list").unwrap().operator_notes();
    let is_told = notes.iter().any(|it| it.contains("does not take `twice`: they have no type"));
    assert!(is_told, "{notes:?}");
    let fault = shop.fault("shop-pairs-list", json!({"where": {"held": 7}}), &nobody).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments);
}

#[tokio::test]
async fn fractions_in_a_column_of_whole_numbers_stand_in_their_order() {
    let tables = "create table parts (id integer primary key, n integer);
        insert into parts values (1, 7), (2, 7.2), (3, 7.6), (4, 9223372036854775807);";
    let parts = EntitySettings { filter: Some(vec!["n".to_owned()]), ..entity("parts") };
    let shop = Shop::within(folder_with(tables), settings(vec![parts]), None).await;
    for (condition, ids) in [
        (json!({"lt": 7.5}), &[1, 2][..]),
        (json!({"lte": 7.2}), &[1, 2]),
        (json!({"gt": 7.1}), &[2, 3, 4]),
        (json!({"gt": 7}), &[2, 3, 4]),
        (json!({"gte": 9_223_372_036_854_775_807_i64}), &[4]),
    ] {
        let arguments = json!({"where": {"n": condition}});
        let result = shop.call("shop-parts-list", arguments, &Session::default()).await;
        let ids: Vec<_> = ids.iter().map(|id| json!(*id)).collect();
        assert_eq!(column(&result, "id"), ids, "{condition}");
    }
}

#[tokio::test]
async fn a_change_of_another_version_is_refused() {
    let orders = EntitySettings { version: Some("version".to_owned()), ..entity("orders") };
    let shop = Shop::new(vec![orders]).await;
    let nobody = Session::default();
    let change = json!({"no": 1, "version": 1, "set": {"note": "new"}});
    shop.call("shop-orders-update", change, &nobody).await;
    for (tool, arguments) in [
        ("shop-orders-update", json!({"no": 1, "version": 1, "set": {"note": "newer"}})),
        ("shop-orders-delete", json!({"no": 1, "version": 1})),
    ] {
        let fault = shop.fault(tool, arguments, &nobody).await;
        assert_eq!(fault.code, FaultCode::RowChanged, "{tool}");
    }
    let fault = shop.fault("shop-orders-delete", json!({"no": 1}), &nobody).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments);
    assert_eq!(shop.sql("select note from orders where no = 1"), ["new"]);
    let again = json!({"no": 1, "version": 2, "set": {"note": "newest"}});
    let row = shop.call("shop-orders-update", again, &nobody).await["row"].clone();
    assert_eq!((&row["note"], &row["version"]), (&json!("newest"), &json!(3)));
}

#[tokio::test]
async fn a_change_by_conditions_stays_within_its_limit() {
    let orders = EntitySettings { many: true, affected: 2, ..entity("orders") };
    let filter = Some(vec!["no".to_owned(), "total".to_owned()]);
    let shop = Shop::new(vec![EntitySettings { filter, ..orders }]).await;
    let nobody = Session::default();
    let change = json!({"where": {"total": 20}, "set": {"state": "paid"}});
    assert_eq!(shop.call("shop-orders-update", change, &nobody).await, json!({"affected": 2}));
    let change = json!({"where": {"no": {"gte": 1}}, "set": {"state": "gone"}});
    let fault = shop.fault("shop-orders-update", change, &nobody).await;
    assert_eq!(fault.code, FaultCode::TooManyRows);
    assert!(fault.message.contains('4'), "{}", fault.message);
    assert_eq!(shop.sql("select count(*) from orders where state = 'gone'"), ["0"]);
    for arguments in [json!({"where": {}}), json!({}), json!({"where": {"no": 1}, "no": 1})] {
        let fault = shop.fault("shop-orders-delete", arguments, &nobody).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments);
    }
    let removed = shop.call("shop-orders-delete", json!({"where": {"no": 77}}), &nobody).await;
    assert_eq!(removed, json!({"affected": 0}));
}

#[tokio::test]
async fn a_change_that_meets_the_lock_of_another_one_is_reported_as_a_conflict() {
    let mut settings = settings(vec![entity("orders")]);
    settings.limits.lock_time = std::time::Duration::from_millis(20);
    let shop = Shop::of(settings).await;
    let other = shop.file();
    other.execute_batch("begin immediate; update orders set state = 'theirs'").unwrap();
    let change = json!({"no": 1, "set": {"note": "mine"}});
    let fault = shop.fault("shop-orders-update", change.clone(), &Session::default()).await;
    assert_eq!((fault.code, fault.next), (FaultCode::Conflict, Next::TryLater));
    other.execute_batch("rollback").unwrap();
    shop.call("shop-orders-update", change, &Session::default()).await;
}

#[tokio::test]
async fn a_column_that_changed_since_the_load_ends_the_call() {
    let shop = Shop::new(vec![entity("orders")]).await;
    shop.file().execute_batch("alter table orders rename column note to remark").unwrap();
    let fault = shop.fault("shop-orders-get", json!({"no": 1}), &Session::default()).await;
    assert_eq!(fault.code, FaultCode::StaleDescription);
}

#[tokio::test]
async fn a_dry_run_shows_statements_without_values_and_changes_nothing() {
    let shop = Shop::new(vec![entity("orders")]).await;
    let arguments = json!({"no": 1, "set": {"note": "secret-words"}});
    let text = shop.dry_run("shop-orders-update", arguments, &Session::default()).await;
    assert!(text.contains("UPDATE") && text.contains("?1"), "{text}");
    assert!(!text.contains("secret-words"), "{text}");
    assert_eq!(shop.sql("select note from orders where no = 1"), ["red"]);
}

#[tokio::test]
async fn long_values_and_rows_beyond_the_limit_are_reported() {
    let mut settings = settings(vec![entity("orders")]);
    settings.limits.row_bytes = 100;
    settings.limits.result_bytes = 400;
    let shop = Shop::of(settings).await;
    shop.sql("update orders set note = printf('%.500c', 'x') || no");
    let result = shop.call("shop-orders-list", json!({}), &Session::default()).await;
    let note = result["note"].as_str().unwrap();
    assert!(note.contains("rows[0].note") && note.contains("are shown"), "{note}");
    let n_shown = column(&result, "no").len();
    assert!(n_shown < 4 && n_shown > 0 && result["more"] == true, "{result}");
    let next = json!({"page": result["next"]});
    let following = shop.call("shop-orders-list", next, &Session::default()).await;
    assert_eq!(column(&following, "no")[0], json!(n_shown + 1));
}
