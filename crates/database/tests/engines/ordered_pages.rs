//! Pages of a table by each of its columns, both ways: together they are the rows, each once, in the order of the engine itself.

use callgate_database::{EntitySettings, Operation};
use callgate_tool::{Outcome, Preview, Session, Value, json};

use crate::calls::{Tools, asked, entity};

/// The number of rows of each table: three pages and a part.
pub(crate) const N_ROWS: usize = 130;
const LIMIT: usize = 40;

/// Types with values as the engine writes them.
pub(crate) type Kinds = &'static [(&'static str, &'static [&'static str])];

/// The script of the tables `nullable` and `filled`, with a column `c0`, `c1` and so on for each type, and an index on each.
pub(crate) fn script(kinds: Kinds) -> String {
    let mut script = String::new();
    for (table, n_nulls) in [("nullable", 1), ("filled", 0)] {
        let null = if n_nulls == 0 { "not null" } else { "null" };
        let columns: Vec<_> = kinds
            .iter()
            .enumerate()
            .map(|(at, (kind, _))| format!("c{at} {kind} {null}"))
            .collect();
        script += &format!("create table {table} (no int primary key, {});\n", columns.join(", "));
        for at in 0..kinds.len() {
            script += &format!("create index {table}_{at} on {table} (c{at});\n");
        }
        for no in 0..N_ROWS {
            let value = |(at, (_, values)): (usize, &(&str, &[&'static str]))| {
                *values.get((no * 7 + at + no / 5) % (values.len() + n_nulls)).unwrap_or(&"null")
            };
            let values: Vec<_> = kinds.iter().enumerate().map(value).collect();
            script += &format!("insert into {table} values ({no}, {});\n", values.join(", "));
        }
    }
    script
}

/// An entity that is listed by any of these columns.
pub(crate) fn sorted(name: &str, columns: impl IntoIterator<Item = String>) -> EntitySettings {
    let sort = Some(columns.into_iter().collect());
    EntitySettings { operations: vec![Operation::List], sort, ..entity(name) }
}

/// The tables of [`script`], sorted by every column.
pub(crate) fn entities(kinds: Kinds) -> Vec<EntitySettings> {
    let columns = || (0..kinds.len()).map(|at| format!("c{at}"));
    ["nullable", "filled"].map(|name| sorted(name, columns())).to_vec()
}

/// Each column both ways: with its mark in `sort`, and with its direction in a statement.
pub(crate) fn both_ways<'a>(
    columns: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = (&'a str, &'static str, &'static str)> {
    columns.flat_map(|column| [(column, "", ""), (column, "-", " desc")])
}

/// The pages of both tables by each column are the rows in the order of `own`, which reads the column `no` by an order.
pub(crate) async fn check(tools: &Tools, kinds: Kinds, own: impl Fn(&str, &str) -> String) {
    for table in ["nullable", "filled"] {
        let columns: Vec<_> = (0..kinds.len()).map(|at| format!("c{at}")).collect();
        for (column, mark, direction) in both_ways(columns.iter().map(String::as_str)) {
            let sort = json!([format!("{mark}{column}")]);
            let expected = own(table, &format!("{table}.{column}{direction}, {table}.no"));
            let pages = pages(tools, table, &["no"], &sort).await;
            assert_eq!(pages.join(" "), expected, "{table} {sort}: {kinds:?}");
        }
        let sort = json!(["c1", "-c0"]);
        let expected = own(table, &format!("{table}.c1, {table}.c0 desc, {table}.no"));
        assert_eq!(pages(tools, table, &["no"], &sort).await.join(" "), expected, "{table}");
    }
}

/// The keys of the rows of all pages.
pub(crate) async fn pages(tools: &Tools, table: &str, key: &[&str], sort: &Value) -> Vec<String> {
    let (tool, session) = (format!("shop-{table}-list"), Session::default());
    let mut arguments = json!({"sort": sort, "limit": LIMIT, "select": key});
    let mut keys = Vec::new();
    loop {
        let result = tools.call(&tool, arguments.clone(), &session).await;
        for row in result["rows"].as_array().unwrap() {
            let texts: Vec<_> = key.iter().map(|name| row[*name].to_string()).collect();
            keys.push(texts.join("/"));
        }
        let Some(next) = result.get("next") else {
            assert_eq!(result["more"], false, "{table} {sort}: rows without a page");
            return keys;
        };
        arguments.as_object_mut().unwrap().insert("page", next.clone());
    }
}

/// The statement of a list by this order, with its placeholders: of the first page, and of the one after it.
pub(crate) async fn statements(tools: &Tools, table: &str, sort: &Value) -> [String; 2] {
    let (tool, session) = (format!("shop-{table}-list"), Session::default());
    let first = json!({"sort": sort, "limit": LIMIT});
    let mut second = first.clone();
    let page = tools.call(&tool, first.clone(), &session).await["next"].clone();
    second.as_object_mut().unwrap().insert("page", page);
    let mut texts = [String::new(), String::new()];
    for (text, arguments) in texts.iter_mut().zip([first, second]) {
        let outcome = tools.executor.dry_run(&asked(&tool, arguments), &session).await.outcome;
        let Outcome::Planned(preview) = outcome else { panic!("{outcome:?}") };
        let Preview::Text(script) = *preview else { panic!("{preview:?}") };
        text.push_str(script.strip_prefix("begin read only;\n").unwrap());
        assert!(text.ends_with(";\ncommit;"), "{text}");
        text.truncate(text.len() - ";\ncommit;".len());
    }
    texts
}
