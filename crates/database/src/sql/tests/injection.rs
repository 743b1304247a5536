//! No value becomes a part of a statement's text.

use callgate_tool::{Value, json};
use proptest::prelude::*;

use super::{
    BIG, Mysql, Postgres, Select, Sqlite, TEXT, TargetRows, column, delete, insert, only, orders,
    select, select_if_present, table, update,
};
use crate::{
    catalog::{Column, Table},
    column,
    engine::Engine,
    filter,
    sql::{Direction, Returning},
};

const ENGINES: [Engine; 3] = [Mysql, Postgres, Sqlite];

/// Parts of attacks, which are combined into more than two hundred.
const BREAKS: [&str; 12] =
    ["", "'", "''", "\"", "`", "\\'", "')", "\")", "1)", "$1", "?1", "\u{2019}"];
const ATTACKS: &str = " OR 1=1 --| or ''='|; DROP TABLE orders; --| UNION SELECT password FROM users|/*|*/| --\n|\
    ; COMMIT; DROP SCHEMA public CASCADE|::text|$$|%|_|!|*[|{\"a\"}|NULL|\r\n|\u{1f600}";

fn attacks() -> Vec<String> {
    let joined =
        |start: &'static str| ATTACKS.split('|').map(move |attack| format!("{start}{attack}"));
    BREAKS.into_iter().flat_map(joined).collect()
}

/// Every statement with this text in all its arguments.
fn statements(engine: Engine, text: &str) -> Vec<String> {
    let orders = orders();
    let mut owner = orders.columns[1].clone();
    owner.is_nullable = true;
    let bound = column::bound_text(&owner, &text.into(), engine).unwrap();
    let value = bound.clone().unwrap();
    let rows = vec![("owner".to_owned(), value.clone())];
    let list: Vec<_> = [text, "x"].into_iter().map(Value::from).collect();
    let json = json!({
        "owner": {"eq": text, "neq": text, "lt": text, "in": list, "starts_with": text, "contains": text},
        "any": [{"note": text}, {"note": {"gte": text}}],
    });
    let columns: Vec<_> = orders.columns.iter().collect();
    let filter = filter::read(&json, &columns, engine).unwrap();
    let target = TargetRows { rows: &rows, key: &rows, filter: &filter };
    let order = vec![
        ("note".to_owned(), Direction::Ascending),
        ("owner".to_owned(), Direction::Descending),
    ];
    // A token of SQLite has the letter of a type before each value, from a closed list.
    let letter = if engine == Sqlite { "t" } else { "" };
    let kept = bound.as_ref().map(|text| format!("{letter}{text}"));
    let last = [kept.clone(), kept];
    let reading = Select {
        table: &orders,
        columns: columns.clone(),
        head: None,
        target,
        order: &order,
        after: Some(&last),
        most: Some(5),
        lock: true,
        value_bytes: 9,
    };
    let set = [(&orders.columns[1], bound)];
    let returning = Returning { columns: &columns, value_bytes: 9 };
    [
        select(engine, &reading),
        insert(engine, &orders, &set, &returning),
        update(engine, &orders, only(&set), &target, &returning),
        delete(engine, &orders, &target),
        select_if_present(engine, &orders, &rows),
    ]
    .map(|sql| sql.text)
    .to_vec()
}

#[test]
fn an_attack_changes_no_statement() {
    assert!(attacks().len() > 200);
    for engine in ENGINES {
        let expected = statements(engine, "x");
        for attack in attacks() {
            assert_eq!(statements(engine, &attack), expected, "{attack}");
        }
    }
}

/// The name that a statement's first quoted identifier reads as, and what follows.
fn unquoted(text: &str, mark: char) -> (String, &str) {
    let mut name = String::new();
    let mut rest = text.strip_prefix(mark).unwrap();
    loop {
        let (before, after) = rest.split_once(mark).unwrap();
        name += before;
        let Some(next) = after.strip_prefix(mark) else { return (name, after) };
        name.push(mark);
        rest = next;
    }
}

fn named(name: &str) -> Table {
    table(
        name,
        vec![
            Column { name: name.to_owned(), ..column("x", BIG, "bigint") },
            column("y", TEXT, "text"),
        ],
    )
}

proptest! {
    #[test]
    fn any_text_changes_no_statement(text in "[^\0]{0,40}") {
        for engine in ENGINES {
            prop_assert_eq!(statements(engine, &text), statements(engine, "x"));
        }
    }

    #[test]
    fn any_identifier_is_read_again(name in "[^\0]{1,20}") {
        for engine in ENGINES {
            let quoted = engine.quote(&name);
            let mark = if engine == Postgres { '"' } else { '`' };
            prop_assert_eq!(unquoted(&quoted, mark), (name.clone(), ""));
            let table = named(&name);
            let text = select_if_present(engine, &table, &[(name.clone(), "1".to_owned())]).text;
            let (read, rest) = unquoted(text.strip_prefix("SELECT '1' FROM ").unwrap(), mark);
            prop_assert_eq!(&read, &name);
            // The column stands behind the name of its table.
            let (read, rest) = unquoted(rest.strip_prefix(" WHERE ").unwrap(), mark);
            prop_assert_eq!(&read, &name);
            let (read, _) = unquoted(rest.strip_prefix('.').unwrap(), mark);
            prop_assert_eq!(&read, &name);
        }
    }
}
