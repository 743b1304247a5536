//! Texts of a model, of a session and of a token as the server sees them: no text makes another statement.

use std::collections::BTreeSet;

use callgate_database::{DatabaseSettings, EntitySettings};
use callgate_testkit::some_of;
use callgate_tool::{Effect, Session, Value, json};

use crate::{
    calls::{own_orders, statement},
    injected_texts::{CALLS, filled},
    shop::{Shop, entity, settings, user},
    texts,
};

/// Calls that this engine alone has.
const OWN_CALLS: [(&str, &str); 4] = [
    ("shop-orders-list", r#"{"where": {"note": {"like": "TEXT*"}}}"#),
    ("shop-orders-list", r#"{"where": {"note": {"TEXT": 1}}}"#),
    ("shop-orders-create", r#"{"total": 1, "tags": ["TEXT"], "more": {"TEXT": "TEXT"}}"#),
    ("shop-orders-delete", r#"{"no": "TEXT"}"#),
];

fn of_shop() -> DatabaseSettings {
    let filter = Some(["no", "note"].map(str::to_owned).to_vec());
    let orders = EntitySettings { filter, ..own_orders() };
    let sql = "select no from public.orders where note = :text or owner = :owner";
    let inputs = vec![("text", json!({"type": "string"})), ("owner", Value::Null)];
    let find = statement("find", sql, inputs, Effect::Read);
    DatabaseSettings {
        entities: vec![orders, entity("items")],
        statements: vec![find],
        ..settings()
    }
}

async fn call_all(shop: &Shop, text: &str, session: &Session) {
    for (tool, arguments) in CALLS.into_iter().chain(OWN_CALLS) {
        let arguments = filled(&Value::parse(arguments).unwrap(), text);
        let outcome = shop.outcome(tool, arguments, session).await;
        assert!(!format!("{outcome:?}").contains("hunter2"), "{tool} {text}");
    }
}

/// The shapes of the statements of the login, as the server counts them.
fn shapes(shop: &Shop) -> BTreeSet<String> {
    let shown = shop.database.run(
        "select replace(s.query, E'\\n', ' ') from public.pg_stat_statements s join pg_roles r on r.oid = s.userid
         where r.rolname = current_database() || '_tools'",
    );
    shown.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn texts_in_every_place_make_no_statement_of_another_shape() {
    let Some(shop) = Shop::new("injections", of_shop()).await else { return };
    shop.database.run(
        "create extension pg_stat_statements; create table secrets (word text); insert into secrets values ('hunter2')",
    );
    // Arguments that are refused as they stand make no statement; those with the right type make all that there are.
    call_all(&shop, "x", &user("ann")).await;
    for (tool, arguments) in [
        ("shop-orders-get", json!({"no": 1})),
        ("shop-orders-delete", json!({"no": 99})),
        ("shop-orders-update", json!({"no": 1, "set": {"note": "x", "state": "paid"}})),
        ("shop-orders-list", json!({"limit": 1})),
        ("shop-orders-create", json!({"total": 1})),
    ] {
        shop.outcome(tool, arguments, &user("ann")).await;
    }
    let expected = shapes(&shop);
    assert!(expected.len() > 12, "{expected:#?}");
    let first = shop.call("shop-orders-list", json!({"limit": 1}), &user("ann")).await;
    let token = first["next"].as_str().unwrap().to_owned();
    let texts = texts::texts();
    assert_eq!(texts.len(), 200);
    let texts = some_of(texts, 40);
    for text in &texts {
        call_all(&shop, text, &user("ann")).await;
        for (tool, arguments) in [
            ("shop-orders-list", json!({})),
            ("shop-orders-get", json!({"no": 1})),
            ("shop-orders-create", json!({"total": 1})),
            ("shop-find", json!({"text": "x"})),
            ("shop-orders-list", json!({"limit": 1, "page": format!("{token}{text}")})),
        ] {
            let outcome = shop.outcome(tool, arguments, &user(text)).await;
            assert!(!format!("{outcome:?}").contains("hunter2"), "{tool} {text}");
        }
    }
    let new: Vec<_> = shapes(&shop).difference(&expected).cloned().collect();
    assert_eq!(new, [""; 0]);
    assert_eq!(shop.database.run("select count(*) from orders where owner = 'bob'"), "1");
}
