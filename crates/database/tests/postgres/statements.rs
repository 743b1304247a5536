//! Statements of the operator.

use callgate_tool::{Effect, FaultCode, Value, json};

use crate::shop::{Shop, loaded, user, with};

#[tokio::test]
async fn values_are_cast_to_the_types_that_the_database_says() {
    let sql = "select no, total, count(*) over () as n, tags from public.orders
        where owner = :owner and made <= :until and no = any (array[:no, 2]) order by no -- :x";
    let inputs = vec![
        ("owner", Value::Null),
        ("until", json!({"type": "string", "format": "date-time"})),
        ("no", json!({"type": "integer"})),
    ];
    let Some(shop) = Shop::new("statements_read", with(sql, inputs, Effect::Read)).await else {
        return;
    };
    let arguments = json!({"until": "2999-01-01T00:00:00Z", "no": 1});
    let result = shop.call("shop-run", arguments, &user("ann")).await;
    assert_eq!(result["rows"][0].to_string(), r#"{"no":1,"total":10.0000,"n":2,"tags":null}"#);
    assert_eq!(result["rows"][1]["total"].to_string(), "1234567890123456.0001");
    let arguments = json!({"until": "yesterday", "no": 1});
    let fault = shop.fault("shop-run", arguments, &user("ann")).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments);
}

#[tokio::test]
async fn a_change_returns_its_rows_and_stays_within_its_limit() {
    let sql = "update public.orders set state = :state where owner = :owner and no >= :least returning no, state";
    let inputs = vec![
        ("state", json!({"type": "string"})),
        ("owner", Value::Null),
        ("least", json!({"type": "integer"})),
    ];
    let Some(shop) = Shop::new("statements_write", with(sql, inputs, Effect::Write)).await else {
        return;
    };
    let arguments = json!({"state": "paid", "least": 4});
    let result = shop.call("shop-run", arguments, &user("ann")).await;
    let expected = json!({"affected": 1, "rows": [{"no": 4, "state": "paid"}], "more": false});
    assert_eq!(result, expected);
    let arguments = json!({"state": "paid", "least": 1});
    let fault = shop.fault("shop-run", arguments, &user("ann")).await;
    assert_eq!(fault.code, FaultCode::TooManyRows);
    assert_eq!(shop.database.run("select count(*) from orders where state = 'paid'"), "1");
}

#[tokio::test]
async fn a_statement_that_cannot_be_prepared_is_a_finding() {
    for (at, sql) in [
        "select nope from public.orders",
        "drop table public.orders; select 1 as a",
        "select 1 as a, 2 as a",
    ]
    .iter()
    .enumerate()
    {
        let settings = with(sql, Vec::new(), Effect::Read);
        let Some((_, loaded)) = loaded(&format!("statements_bad{at}"), settings).await else {
            return;
        };
        let is_found = loaded.findings.iter().any(|it| it.pointer == "/statements/run/sql");
        assert!(is_found && loaded.tools.is_empty(), "{sql}: {:?}", loaded.findings);
    }
}
