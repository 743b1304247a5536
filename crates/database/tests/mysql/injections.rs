//! Texts of a model, of a session and of a token never become a part of a statement: the statements that the server sees are
//! those for a harmless text.

use std::collections::BTreeSet;

use callgate_database::DatabaseSettings;
use callgate_testkit::some_of;
use callgate_tool::{Effect, Outcome, Session, Value, json};

use crate::{
    calls::statement,
    injected_texts::{CALLS, filled},
    shop::{Shop, settings, user},
};

fn of_shop() -> DatabaseSettings {
    let mut settings = settings();
    settings.entities[0].filter = Some(["no", "note"].map(str::to_owned).to_vec());
    let sql = "select no from orders where owner = :owner and (note = :text or note like concat('%', :text))";
    let inputs = vec![("text", json!({"type": "string"})), ("owner", Value::Null)];
    settings.statements.push(statement("find", sql, inputs, Effect::Read));
    settings
}

/// 200 texts out of pieces that mean something to the server.
fn texts() -> Vec<String> {
    let parts = "'|\"|`|\\|--|-- |#|/*|*/|/*!50000 |;|?|:owner|)|(| or 1=1|\n|é|%|_|!|0x27|x'27'|char(39)|@@version|\u{2019}|\u{ff07}|\
        \u{5c}\u{27}|'; drop table orders; -- |' union select owner from orders -- |' into outfile '/x|sleep(9)|null|\
        ' and extractvalue(1,concat(0x7e,user()))#";
    let parts: Vec<_> = parts.split('|').collect();
    let mut seed = 7_u64;
    let mut texts = Vec::new();
    for _ in 0..200 {
        let mut text = String::new();
        for _ in 0..4 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(parts[(seed >> 33) as usize % parts.len()]);
        }
        texts.push(text);
    }
    texts
}

/// The statements that the server got from the login, out of its log. Executions, which the log shows with their values, are left
/// out; a command that is not prepared is among them.
fn shapes(shop: &Shop) -> BTreeSet<String> {
    let name = &shop.database.name;
    let shapes = shop.database.run(&format!(
        "select distinct replace(argument, '\n', ' ') from mysql.general_log
         where user_host like '%{name}%' and command_type in ('Prepare', 'Query')"
    ));
    shapes.lines().map(str::to_owned).collect()
}

/// The numbers of the orders that a call shows.
async fn numbers(shop: &Shop, call: (&str, Value), session: &Session) -> Vec<i64> {
    let outcome = shop.outcome(call.0, call.1, session).await;
    let Outcome::Answered(_) = outcome else { return Vec::new() };
    let result: Value = outcome.json().unwrap();
    let rows = result["rows"].as_array().into_iter().flatten();
    rows.filter_map(|row| row["no"].as_i64()).collect()
}

#[tokio::test]
async fn no_text_of_a_call_or_a_session_changes_a_statement_or_shows_another_row() {
    let Some(shop) = Shop::new("my_injections", of_shop()).await else { return };
    shop.database.run("set global log_output = 'TABLE'; set global general_log = 1");
    let templates = CALLS.map(|(tool, arguments)| (tool, Value::parse(arguments).unwrap()));
    for (tool, template) in &templates {
        for user_name in ["ann", "x"] {
            shop.outcome(tool, filled(template, "harmless"), &user(user_name)).await;
        }
    }
    shop.outcome("shop-orders-update", json!({"no": 1, "set": {"note": "x"}}), &user("ann")).await;
    shop.outcome(
        "shop-orders-update",
        json!({"no": 1, "set": {"state": "new", "note": "x"}}),
        &user("ann"),
    )
    .await;
    let before = shapes(&shop);
    assert!(before.len() > 8, "{before:?}");
    for text in some_of(texts(), 40) {
        for (tool, template) in &templates {
            let of_model = numbers(&shop, (tool, filled(template, &text)), &user("ann")).await;
            assert!(!of_model.contains(&3), "{tool} {text}");
            let of_session =
                numbers(&shop, (tool, filled(template, "harmless")), &user(&text)).await;
            assert!(of_session.iter().all(|no| *no > 4), "{tool} {text}: {of_session:?}");
        }
    }
    shop.database.run("set global general_log = 0");
    let new: Vec<_> = shapes(&shop).difference(&before).cloned().collect();
    assert_eq!(new, [""; 0]);
    assert_eq!(
        shop.database.run("select count(*) from orders where owner = 'bob' and note = 'red'"),
        "1"
    );
}
