//! SQL that a model writes.

use callgate_database::{DatabaseLimits, DatabaseSettings, QuerySettings};
use callgate_tool::{FaultCode, Value, json};

use crate::{
    calls::table,
    queries::{over, queries},
    shop::{Shop, entity, folder, folder_with, loaded, own_orders, settings, user},
};

const TABLES: &str = "
    create table orders (no integer primary key, owner text not null, total numeric not null, note text);
    insert into orders values (1, 'ann', 10, 'red'), (2, 'ann', 20.5, 'blue'), (3, 'bob', 30, null);
    create table secrets (word text);
    insert into secrets values ('hunter2');
    create table partly (no integer, hidden text);
    insert into partly values (7, 'hunter2');
";

/// Rows of a text's own tables are listed by columns.
fn query() -> QuerySettings {
    let tables: Vec<(_, &[&str])> =
        vec![(table("orders"), &["no", "owner", "total", "note"]), (table("partly"), &["no"])];
    over("sqlite:shop.db".to_owned(), tables)
}

fn with(query: QuerySettings) -> DatabaseSettings {
    let limits = DatabaseLimits {
        timeout: std::time::Duration::from_secs(2),
        rows: 5,
        ..DatabaseLimits::default()
    };
    DatabaseSettings { query: Some(query), limits, ..settings(Vec::new()) }
}

async fn shop() -> Shop {
    Shop::within(folder_with(TABLES), with(query()), None).await
}

#[tokio::test]
async fn honest_texts_give_rows_and_the_others_have_no_effect() {
    let shop = shop().await;
    let file = || std::fs::read(shop.folder().join("shop.db")).unwrap();
    let before = file();
    let queries = queries("sqlite");
    assert!(queries.len() > 100, "{}", queries.len());
    for query in queries {
        query.check(&shop).await;
        assert!(file() == before, "{}", query.sql);
        let names = std::fs::read_dir(shop.folder()).unwrap().count();
        assert_eq!(names, 1, "{}", query.sql);
    }
}

#[tokio::test]
async fn values_have_their_own_types() {
    let shop = shop().await;
    let sql = "select 2 * 1 as count, total, total / 2, '12' as text, 1.5, null as empty, x'00ff', no, no from orders where no = 2";
    let result = shop.call("shop-query", json!({"sql": sql}), &user("ann")).await;
    assert_eq!(
        result.to_string(),
        r#"{"rows":[{"count":2,"total":20.5,"total / 2":10.25,"text":"12","1.5":1.5,"empty":null,"x'00ff'":"AP8=","no":2,"no_2":2}],"more":false}"#
    );
}

#[tokio::test]
async fn a_result_says_whether_there_are_more_rows() {
    let shop = shop().await;
    let sql = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n";
    let result = shop.call("shop-query", json!({"sql": sql}), &user("ann")).await;
    assert_eq!(result["rows"].as_array().unwrap().len(), 5);
    assert_eq!((&result["rows"][4]["i"], &result["more"]), (&json!(5), &json!(true)));
}

#[tokio::test]
async fn the_declaration_lists_what_may_be_read_and_a_fault_says_what_is_wrong() {
    let shop = shop().await;
    let entry = shop.executor.entries().find(|entry| entry.name().as_str() == "shop-query");
    let tool = entry.unwrap().declaration().unwrap().clone();
    assert!(
        tool.description.contains(
            "orders(no INTEGER, owner TEXT, total numeric, note TEXT) partly(no INTEGER)"
        ) || tool.description.contains(
            "orders(no integer, owner text, total numeric, note text) partly(no integer)"
        ),
        "{}",
        tool.description
    );
    assert!(!tool.description.contains("hidden"), "{}", tool.description);
    assert_eq!(tool.effect, callgate_tool::Effect::Write);
    for sql in
        ["select word from secrets", "delete from orders", "select ?1", "select nope from orders"]
    {
        let fault = shop.fault("shop-query", json!({"sql": sql}), &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{sql}");
        assert!(fault.message.contains("one SELECT over the tables"), "{}", fault.message);
    }
    for (sql, words) in [
        ("select totl from orders", "at `totl`, character 8, did you mean `total`"),
        ("select * from partly", "write the columns in place of"),
        ("select abs(-9223372036854775808) from orders", "ends while it runs"),
    ] {
        let fault = shop.fault("shop-query", json!({"sql": sql}), &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments, "{sql}");
        assert!(fault.message.contains(words), "{sql}: {}", fault.message);
    }
    let planned = shop.dry_run("shop-query", json!({"sql": "select 1;"}), &user("ann")).await;
    assert_eq!(
        planned,
        "begin read only;\nSELECT * FROM (\nselect 1\n) AS callgate LIMIT 6;\nrollback;"
    );
}

#[tokio::test]
async fn tables_whose_rows_the_session_decides_are_out_of_reach() {
    let own = |tables: Vec<(&str, &[&str])>| {
        let tables = tables.into_iter().map(|(name, names)| (table(name), names)).collect();
        let query = over("sqlite:shop.db".to_owned(), tables);
        DatabaseSettings { entities: vec![own_orders(), entity("items")], ..with(query) }
    };
    let folder = folder();
    let file = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    file.execute_batch(
        "create view all_orders as select no, total from orders; create view over as select no from all_orders;
         create view names as select name from items",
    )
    .unwrap();
    for (tables, expected) in [
        (vec![("orders", &["no"][..])], "/query/tables/orders"),
        (vec![("all_orders", &["no"])], "/query"),
        (vec![("over", &["no"])], "/query"),
        (vec![("items", &["nme"])], "/query/tables/items/0"),
        (vec![("items", &[])], "/query/tables/items"),
        (vec![("nothing", &["no"])], "/query/tables/nothing"),
    ] {
        let loaded = loaded(&folder, own(tables)).await;
        let is_found = loaded.findings.iter().any(|it| it.pointer == expected);
        assert!(is_found, "{expected}: {:?}", loaded.findings);
        assert!(loaded.tools.is_empty());
    }
    let tables = vec![("items", &["id", "name"][..]), ("names", &["name"])];
    let shop = Shop::within(folder, own(tables), None).await;
    let sql = json!({"sql": "select i.id, n.name from items i join names n on n.name = i.name"});
    let result: Value = shop.call("shop-query", sql, &user("ann")).await;
    assert_eq!(result["rows"][0], json!({"id": 1, "name": "cup"}));
    let gone = json!({"sql": "select no from orders"});
    assert_eq!(
        shop.fault("shop-query", gone, &user("ann")).await.code,
        FaultCode::InvalidArguments
    );
}
