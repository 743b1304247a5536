//! Statements of the operator.

use callgate_database::{DatabaseSettings, StatementSettings};
use callgate_tool::{Effect, FaultCode, Value, json};

use crate::{
    calls::statement,
    shop::{Shop, column, folder, loaded, settings, user},
};

/// The settings with a [`statement`] that changes at most two rows.
fn with(sql: &str, inputs: Vec<(&str, Value)>, effect: Effect) -> DatabaseSettings {
    let statement = StatementSettings { affected: 2, ..statement("run", sql, inputs, effect) };
    DatabaseSettings { statements: vec![statement], ..settings(Vec::new()) }
}

#[tokio::test]
async fn a_statement_takes_its_values_from_the_model_and_the_session() {
    let sql =
        "select no, note from orders where owner = :owner and no >= :least order by no; -- :x";
    let inputs = vec![("owner", Value::Null), ("least", json!({"type": "integer"}))];
    let shop = Shop::of(with(sql, inputs, Effect::Read)).await;
    let result = shop.call("shop-run", json!({"least": 2}), &user("ann")).await;
    assert_eq!(result["more"], false);
    assert_eq!(column(&result, "no"), [json!(2), json!(4)]);
    for arguments in [json!({}), json!({"least": "2 or 1"}), json!({"least": 1, "owner": "bob"})] {
        let fault = shop.fault("shop-run", arguments, &user("ann")).await;
        assert_eq!(fault.code, FaultCode::InvalidArguments);
    }
    for other in ["", "7.0", " 7"] {
        let fault = shop.fault("shop-run", json!({"least": 1}), &user(other)).await;
        assert_eq!(fault.code, FaultCode::MissingSessionValue, "{other}");
    }
}

#[tokio::test]
async fn a_statement_that_changes_too_much_is_rolled_back() {
    let sql = "update orders set state = :state where no <= :most";
    let inputs = vec![
        ("state", json!({"type": "string"})),
        ("most", json!({"type": "integer", "default": 2})),
    ];
    let shop = Shop::of(with(sql, inputs, Effect::Write)).await;
    let result = shop.call("shop-run", json!({"state": "paid"}), &user("ann")).await;
    assert_eq!(result, json!({"affected": 2}));
    let fault = shop.fault("shop-run", json!({"state": "x", "most": 3}), &user("ann")).await;
    assert_eq!(fault.code, FaultCode::TooManyRows);
    assert_eq!(shop.sql("select count(*) from orders where state = 'x'"), ["0"]);
}

#[tokio::test]
async fn a_statement_returns_the_rows_that_it_changes() {
    let sql =
        "update orders set state = 'paid' where owner = :owner and no < 3 returning no, state";
    let shop = Shop::of(with(sql, vec![("owner", Value::Null)], Effect::Write)).await;
    let result = shop.call("shop-run", json!({}), &user("ann")).await;
    assert_eq!((&result["affected"], &result["more"]), (&json!(2), &json!(false)));
    assert_eq!(column(&result, "state"), [json!("paid"), json!("paid")]);
}

#[tokio::test]
async fn a_statement_that_is_not_what_its_settings_say_is_a_finding() {
    let integer = || json!({"type": "integer"});
    for (sql, inputs, effect, pointer) in [
        ("select nope from orders", vec![], Effect::Read, "sql"),
        ("select 1 as a; select 2 as b", vec![], Effect::Read, "sql"),
        ("select :b as a", vec![("a", integer())], Effect::Read, "sql"),
        ("select ?1 as a", vec![], Effect::Read, "sql"),
        ("select 1 as a", vec![("a", integer())], Effect::Read, "inputs/a"),
        ("select :a as a", vec![("a", json!({"type": "object"}))], Effect::Read, "inputs/a"),
        ("select 1 as a, 2 as a", vec![], Effect::Read, "sql"),
        ("delete from orders", vec![], Effect::Read, "sql"),
        ("attach 'other.db' as other", vec![], Effect::Write, "sql"),
        ("drop table orders", vec![], Effect::Write, "sql"),
    ] {
        let loaded = loaded(&folder(), with(sql, inputs, effect)).await;
        let expected = format!("/statements/run/{pointer}");
        let is_found = loaded.findings.iter().any(|it| it.pointer == expected);
        assert!(is_found, "{sql}: {:?}", loaded.findings);
        assert!(loaded.tools.is_empty(), "{sql}");
    }
}

#[tokio::test]
async fn an_expression_has_a_type_of_its_own() {
    let sql = "select count(*) as n, sum(total) as sum, avg(total) as mean, max(note) as last, '7' as text, null as nothing_here,
        count(*) > 1 as many from orders where owner = :owner";
    let shop = Shop::of(with(sql, vec![("owner", Value::Null)], Effect::Read)).await;
    let result = shop.call("shop-run", json!({}), &user("ann")).await;
    assert_eq!(
        result["rows"][0].to_string(),
        r#"{"n":3,"sum":50,"mean":16.666666666666668,"last":"red","text":"7","nothing_here":null,"many":1}"#
    );
}
