//! Values that a database could take for others: of another type, in another case, with accents or blanks. No session value, key
//! or condition of this kind gives a row of somebody else.

use callgate_database::{DatabaseSettings, EntitySettings};
use callgate_testkit::some_of;
use callgate_tool::{Outcome, Value, json};

use crate::calls::{Tools, entity, of_user, settings_at, user};

/// Rows with a mark that says whose they are. `INTEGER` is the type of whole numbers.
pub(crate) const TABLES: &str = "
    create table notes (no integer primary key, owner text not null, mark text not null);
    insert into notes values (1, 'ann', 'ann'), (2, 'bob', 'bob'), (3, '0', '0'), (4, '7', '7');
    create table accounts (no integer primary key, owner integer not null, mark text not null);
    insert into accounts values (1, 0, '0'), (2, 7, '7'), (3, 8, '8');
    create table names (code text primary key not null, mark text not null);
    insert into names values ('ann', 'ann'), ('bob', 'bob'), ('0', '0'), ('7', '7');
";

const ODD: &str = "nobody|7 or bob|7 or 1=1|07| 7|7 |+7|7.0|7e0|0x7|1e1|-0|٧|| |0 |ANN|Ann|ánn|ann | ann|ann\t|ann\n|ann\u{a0}|ann\u{200b}|\
    ａｎｎ|a%|_nn|*|ann\0|ann' or '1'='1|ann'--|true|null";

pub(crate) fn settings(url: &str) -> DatabaseSettings {
    let own = |name: &str| EntitySettings {
        rows: vec![("owner".to_owned(), of_user())],
        filter: Some(vec!["no".to_owned(), "mark".to_owned()]),
        ..entity(name)
    };
    let names = EntitySettings { filter: Some(vec!["code".to_owned()]), ..entity("names") };
    settings_at(url, vec![own("notes"), own("accounts"), names])
}

/// The marks of all rows that an outcome shows.
fn marks(outcome: &Outcome) -> Vec<Value> {
    if !matches!(outcome, Outcome::Answered(_)) {
        return Vec::new();
    }
    let result: Value = outcome.json().unwrap();
    let rows = result["rows"].as_array().cloned().unwrap_or_default();
    let rows = rows.into_iter().chain(result.get("row").cloned());
    rows.map(|row| row["mark"].clone()).collect()
}

async fn check(tools: &Tools, tool: &str, arguments: Value, name: &str, expected: &str) {
    let outcome = tools.outcome(tool, arguments.clone(), &user(name)).await;
    let is_own = marks(&outcome).iter().all(|mark| mark == expected);
    assert!(is_own, "{name:?} {tool} {arguments}: {outcome:?}");
}

/// The row of this number is nobody's whose name is odd.
async fn rows_of_others(tools: &Tools, entity: &str, no: i32, odd: &str) {
    for (operation, arguments) in [
        ("get", json!({"no": no})),
        ("update", json!({"no": no, "set": {"mark": "stolen"}})),
        ("delete", json!({"no": no})),
    ] {
        check(tools, &format!("shop-{entity}-{operation}"), arguments, odd, odd).await;
    }
}

/// Calls every tool with every odd value in every place of a value.
pub(crate) async fn no_row_of_another(tools: &Tools) {
    for odd in some_of(ODD.split('|').collect(), 17) {
        for entity in ["notes", "accounts"] {
            check(tools, &format!("shop-{entity}-list"), json!({}), odd, odd).await;
            for no in 1..=4 {
                rows_of_others(tools, entity, no, odd).await;
            }
            let key = json!({"no": odd});
            check(tools, &format!("shop-{entity}-get"), key, "ann", "ann").await;
            for condition in
                [json!({"mark": odd}), json!({"mark": {"in": [odd]}}), json!({"no": odd})]
            {
                let call = json!({"where": condition});
                check(tools, &format!("shop-{entity}-list"), call, "7", "7").await;
            }
        }
        check(tools, "shop-names-get", json!({"code": odd}), "ann", odd).await;
        for condition in [json!(odd), json!({"in": [odd]}), json!({"eq": odd})] {
            let call = json!({"where": {"code": condition}});
            check(tools, "shop-names-list", call, "ann", odd).await;
        }
        check(tools, "shop-names-delete", json!({"code": odd}), "ann", odd).await;
    }
}
