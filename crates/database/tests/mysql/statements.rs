//! Statements of the operator.

use callgate_tool::{Effect, FaultCode, Value, json};

use crate::shop::{Shop, loaded, user, with};

#[tokio::test]
async fn values_are_cast_to_the_types_that_the_settings_say() {
    let sql = "select no, total, count(*) over () as n, tags, made < :until as is_earlier, made from orders
        where owner = :owner and no in (:no, 2) order by no -- :x";
    let inputs = vec![
        ("owner", Value::Null),
        ("until", json!({"type": "string"})),
        ("no", json!({"type": "integer"})),
    ];
    let Some(shop) = Shop::new("my_statements_read", with(sql, inputs, Effect::Read)).await else {
        return;
    };
    let arguments = json!({"until": "2999-01-01", "no": 1});
    let result = shop.call("shop-run", arguments, &user("ann")).await;
    let row = &result["rows"][0];
    assert_eq!((&row["no"], &row["n"], &row["tags"]), (&json!(1), &json!(2), &Value::Null));
    assert_eq!((&row["total"].to_string(), &row["is_earlier"]), (&"10.0000".to_owned(), &json!(1)));
    assert!(row["made"].as_str().unwrap().ends_with('Z'), "{row}");
    assert_eq!(result["rows"][1]["total"].to_string(), "1234567890123456.0001");
    let fault = shop.fault("shop-run", json!({"until": "x", "no": "1 or 1"}), &user("ann")).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments);
}

#[tokio::test]
async fn a_value_of_the_session_is_equal_to_the_same_bytes_alone() {
    let sql = "select no, owner from orders where owner = :owner";
    let settings = with(sql, vec![("owner", Value::Null)], Effect::Read);
    let Some(shop) = Shop::new("my_statements_bytes", settings).await else { return };
    let n_rows = async |name: &str| {
        let result = shop.call("shop-run", json!({}), &user(name)).await;
        result["rows"].as_array().unwrap().len()
    };
    assert_eq!(n_rows("ann").await, 3);
    for other in ["ANN", "ann ", "ánn", "Ann", "ann\t", "' or '1'='1"] {
        assert_eq!(n_rows(other).await, 0, "{other}");
    }
}

#[tokio::test]
async fn a_text_of_the_session_that_would_be_bent_to_a_number_is_refused() {
    let sql = "select no from orders where no - 1 = :owner";
    for (name, effect, sql) in [
        ("read", Effect::Read, sql),
        ("write", Effect::Write, "update orders set note = 'x' where no - 1 = :owner"),
    ] {
        let settings = with(sql, vec![("owner", Value::Null)], effect);
        let Some(shop) = Shop::new(&format!("my_statements_bent_{name}"), settings).await else {
            return;
        };
        for text in ["nobody", "2 or bob", "2nd"] {
            let fault = shop.fault("shop-run", json!({}), &user(text)).await;
            assert_eq!(fault.code, FaultCode::InvalidArguments, "{name} {text}: {fault:?}");
        }
        shop.call("shop-run", json!({}), &user("2")).await;
        assert_eq!(
            shop.database.run("select count(*) from orders where note = 'x' and no <> 3"),
            "0"
        );
    }
}

#[tokio::test]
async fn a_change_stays_within_its_limit() {
    let sql = "update orders set state = :state where owner = :owner and no >= :least";
    let inputs = vec![
        ("state", json!({"type": "string"})),
        ("owner", Value::Null),
        ("least", json!({"type": "integer"})),
    ];
    let Some(shop) = Shop::new("my_statements_write", with(sql, inputs, Effect::Write)).await
    else {
        return;
    };
    let arguments = json!({"state": "paid", "least": 4});
    let result = shop.call("shop-run", arguments, &user("ann")).await;
    assert_eq!(result, json!({"affected": 1}));
    let arguments = json!({"state": "paid", "least": 1});
    let fault = shop.fault("shop-run", arguments, &user("ann")).await;
    assert_eq!(fault.code, FaultCode::TooManyRows);
    assert_eq!(shop.database.run("select count(*) from orders where state = 'paid'"), "1");
}

#[tokio::test]
async fn variables_and_locks_of_a_statement_are_gone_for_the_next_call() {
    let sql = "select @seen as seen, @seen := :owner as now, get_lock('callgate', 0) as locked";
    let settings = with(sql, vec![("owner", Value::Null)], Effect::Read);
    let Some(shop) = Shop::new("my_statements_session", settings).await else { return };
    for name in ["ann", "bob", "ann"] {
        let row = shop.call("shop-run", json!({}), &user(name)).await["rows"][0].clone();
        assert_eq!((&row["seen"], &row["locked"]), (&Value::Null, &json!(1)), "{row}");
        assert_eq!(shop.database.run("select is_free_lock('callgate')"), "1");
    }
}

#[tokio::test]
async fn a_statement_that_cannot_be_prepared_or_would_commit_is_a_finding() {
    for (at, (sql, effect)) in [
        ("select nope from orders", Effect::Read),
        ("drop table orders; select 1 as a", Effect::Read),
        ("select 1 as a, 2 as a", Effect::Read),
        ("update orders set note = 'x'", Effect::Read),
        ("truncate table items", Effect::Write),
        ("set @a = 1", Effect::Write),
        ("commit", Effect::Write),
        ("/*!50000 drop table items */", Effect::Write),
        ("call nothing()", Effect::Write),
    ]
    .iter()
    .enumerate()
    {
        let settings = with(sql, Vec::new(), *effect);
        let Some((database, loaded)) = loaded(&format!("my_statements_bad{at}"), settings).await
        else {
            return;
        };
        let is_found = loaded.findings.iter().any(|it| it.pointer.starts_with("/statements/run"));
        assert!(is_found && loaded.tools.is_empty(), "{sql}: {:?}", loaded.findings);
        assert_eq!(database.run("select count(*) from orders"), "4");
    }
}
