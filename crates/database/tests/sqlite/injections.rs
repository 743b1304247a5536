//! Texts of a model, of a session and of a token never become a part of a statement: for every text the statement is the one
//! for a harmless text.

use callgate_database::{DatabaseSettings, EntitySettings};
use callgate_tool::{Effect, Outcome, Preview, Session, Value, json};
use proptest::{prelude::*, test_runner::TestRunner};
use tokio::runtime::{Builder, Runtime};

use crate::{
    calls::statement,
    injected_texts::{CALLS, filled},
    shop::{Shop, asked, own_orders, settings, user},
};

fn of_shop() -> DatabaseSettings {
    let filter = Some(["no", "note"].map(str::to_owned).to_vec());
    let orders = EntitySettings { filter, ..own_orders() };
    let sql = "select no from orders where note = :text or note like '%' || :text";
    let find = statement("find", sql, vec![("text", json!({"type": "string"}))], Effect::Read);
    DatabaseSettings { statements: vec![find], ..settings(vec![orders]) }
}

/// The statements of a call; `None` if it is refused.
fn statements(
    runtime: &Runtime,
    shop: &Shop,
    call: (&str, Value),
    session: &Session,
) -> Option<String> {
    let asked = asked(call.0, call.1);
    let outcome = runtime.block_on(shop.executor.dry_run(&asked, session)).outcome;
    match outcome {
        Outcome::Planned(preview) => match *preview {
            Preview::Text(text) => Some(text),
            Preview::Request(_) => panic!("a database gets no request of HTTP"),
        },
        _ => None,
    }
}

#[test]
fn no_text_of_a_call_or_a_session_changes_a_statement() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let shop = runtime.block_on(Shop::of(of_shop()));
    let templates = CALLS.map(|(tool, arguments)| (tool, Value::parse(arguments).unwrap()));
    let harmless = |(tool, template): &(&'static str, Value)| {
        statements(&runtime, &shop, (tool, filled(template, "x")), &user("ann"))
    };
    let expected: Vec<_> = templates.iter().map(harmless).collect();
    let texts = r#"' " ` ] ; -- /* */ \ % _ * ?1 $1 :owner é 0x27 char(39)"#;
    let parts = prop::sample::select(
        texts
            .split_whitespace()
            .chain([
                " or 1=1",
                "\n",
                "'; drop table orders; --",
                "' union select password_hash from orders --",
                "\u{2019}",
            ])
            .collect::<Vec<_>>(),
    );
    let text = prop::collection::vec(parts, 1..5).prop_map(|parts| parts.concat());
    let test = |(text, canary): (String, String)| {
        let text = format!("{text}canary{canary}");
        for (template, expected) in templates.iter().zip(&expected) {
            let call = (template.0, filled(&template.1, &text));
            let written = statements(&runtime, &shop, call.clone(), &user("ann"));
            let is_harmless = written.is_none() || written == *expected;
            prop_assert!(is_harmless, "{} {}: {:?}", call.0, call.1, written);
            let of_session =
                statements(&runtime, &shop, (template.0, filled(&template.1, "x")), &user(&text));
            prop_assert!(of_session.is_none() || of_session == *expected, "{of_session:?}");
        }
        Ok(())
    };
    TestRunner::default().run(&(text, "[a-z]{0,4}"), test).unwrap();
    assert_eq!(shop.sql("select count(*) from orders"), ["4"]);
}

#[test]
fn no_text_of_a_call_reads_or_changes_rows_of_another_user() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let shop = runtime.block_on(Shop::of(of_shop()));
    let texts = "' or '1'='1 | red' or owner = 'bob | % | * | _ | red'; delete from orders; --
        | red\0 | \\' or 1=1 -- | *' or '1'='1 | red%' escape '
        | x' union select owner from orders --";
    for text in texts.split('|').map(str::trim) {
        for (tool, arguments) in CALLS.iter().take(9) {
            let arguments = filled(&Value::parse(arguments).unwrap(), text);
            let outcome = runtime.block_on(shop.outcome(tool, arguments.clone(), &user("ann")));
            if let Outcome::Answered(_) = outcome {
                let result: Value = outcome.json().unwrap();
                let rows = result["rows"].as_array().into_iter().flatten();
                assert!(rows.into_iter().all(|row| row["no"] != 3), "{tool} {arguments}: {result}");
            }
        }
    }
    assert_eq!(shop.sql("select count(*) from orders where owner = 'bob' and note = 'red'"), ["1"]);
}
