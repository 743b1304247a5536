//! Statements of the operator.

use callgate_testkit::rows;
use callgate_tool::{Effect, FaultCode, Value, json};

use crate::shop::{Shop, loaded, loaded_with, user, with};

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

#[tokio::test]
async fn a_date_before_a_moment_is_the_beginning_of_its_day() {
    let sql = "select no from public.orders where made >= :since and made < :until order by no";
    let date = json!({"type": "string", "format": "date"});
    let inputs = vec![("since", date.clone()), ("until", date)];
    let Some(shop) = Shop::new("statements_dates", with(sql, inputs, Effect::Read)).await else {
        return;
    };
    shop.database.run("update orders set made = '2026-02-01T00:00:00Z' where no = 1");
    for since in ["2026-02-01", "2026-02-01T00:00:00Z"] {
        let arguments = json!({"since": since, "until": "2026-02-02"});
        let result = shop.call("shop-run", arguments, &user("ann")).await;
        assert_eq!(result["rows"], json!([{"no": 1}]), "{since}");
    }
    let arguments = json!({"since": "2026-02-30", "until": "2026-03-02"});
    let fault = shop.fault("shop-run", arguments, &user("ann")).await;
    assert_eq!(
        (fault.code, &*fault.problems[0].got),
        (FaultCode::InvalidArguments, "`2026-02-30`")
    );
}

#[tokio::test]
async fn a_schema_whose_values_the_database_refuses_is_a_finding() {
    for (at, (condition, schema, is_refused)) in [
        ("made::date = :v", json!({"type": "string", "format": "date-time"}), true),
        ("made::timestamp = :v", json!({"type": "string", "format": "date-time"}), true),
        ("made::time = :v", json!({"type": "string", "format": "time"}), true),
        ("total > :v", json!({"type": "boolean"}), true),
        ("(no > 1) = :v", json!({"type": "integer"}), true),
        ("note = :v", json!({"type": "integer"}), true),
        ("made = :v", json!({"type": ["string", "null"], "format": "date-time"}), false),
        ("made::date = :v", json!({"type": "string", "format": "date"}), false),
        ("made::timestamp = :v", json!({"type": "string", "format": "date"}), false),
        ("note = :v", json!({"type": "string", "format": "uuid"}), false),
        ("total > :v", json!({"type": "integer", "minimum": 5}), false),
        ("made = :v", json!({"type": "string"}), false),
    ]
    .into_iter()
    .enumerate()
    {
        let sql = format!("select no from public.orders where {condition}");
        let settings = with(&sql, vec![("v", schema)], Effect::Read);
        let Some((_, loaded)) = loaded(&format!("statements_form{at}"), settings).await else {
            return;
        };
        let found = loaded.findings.iter().any(|it| it.pointer == "/statements/run/inputs/v");
        assert_eq!(found, is_refused, "{condition}: {:?}", loaded.findings);
    }
}

#[tokio::test]
async fn a_statement_that_the_login_may_not_run_is_a_finding() {
    let text = json!({"type": "string"});
    let statements = rows(
        "
        insert into public.logs values (:v) returning v => write => insert on logs
        insert into public.logs values (:v) => write => insert on logs
        update public.logs set v = :v => write => update on logs
        select v from public.logs where v = :v for update => write => update on logs
        select public.shout(1) as loud, :v::text as v => read => execute on function shout
        select public.shout(2) as loud, :v::text as v => write => execute on function shout
        ",
    );
    let cases = statements.enumerate().flat_map(|(at, [sql, effect, grant])| {
        let effect = if effect == "read" { Effect::Read } else { Effect::Write };
        [("refused", None), ("granted", Some(grant))]
            .map(|(name, grant)| (format!("statements_{name}{at}"), sql, effect, grant))
    });
    for (name, sql, effect, grant) in cases {
        let script = "create table logs (v text); grant select on logs to LOGIN;
            create function shout(n int) returns int language plpgsql volatile as 'begin return n; end';
            revoke execute on function shout from public;";
        let grant = grant.map(|grant| format!("grant {grant} to LOGIN;")).unwrap_or_default();
        let mut settings = with(sql, vec![("v", text.clone())], effect);
        settings.entities.clear();
        settings.identity.clear();
        let loaded = loaded_with(&name, settings, &format!("{script}{grant}")).await;
        let Some((_, loaded)) = loaded else { return };
        let needs_right = "the statement needs a right that the login does not have";
        let is_reported = loaded.findings.iter().any(|it| it.message == needs_right);
        assert_eq!(is_reported, grant.is_empty(), "{sql}: {:?}", loaded.findings);
        assert_eq!(loaded.tools.is_empty(), grant.is_empty(), "{sql}: {:?}", loaded.findings);
    }
}
