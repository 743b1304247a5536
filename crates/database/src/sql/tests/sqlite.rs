//! The statements run on SQLite itself.

mod keyset;
mod values;

use callgate_tool::json;
use rusqlite::{Connection, params_from_iter, types::ValueRef};

use super::{
    BIG, Direction, Returning, Select, Sql, Sqlite, TEXT, TargetRows, column, delete, filter_of,
    insert, only, order, pairs, select, select_if_present, table, update,
};
use crate::{
    catalog::{Column, ColumnKind, Table},
    filter::Filter,
};

fn database(schema: &str) -> Connection {
    let database = Connection::open_in_memory().unwrap();
    database.execute_batch(schema).unwrap();
    database
}

/// The rows that a statement yields; every value is a text, or null.
fn rows(database: &Connection, sql: &Sql) -> Vec<Vec<Option<String>>> {
    let mut statement = database.prepare(&sql.text).unwrap();
    let n_columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(&sql.values)).unwrap();
    let mut read = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let value = |at| match row.get_ref(at).unwrap() {
            ValueRef::Null => None,
            ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
            other => panic!("expected a text, got: {other:?}"),
        };
        read.push((0..n_columns).map(value).collect());
    }
    read
}

/// The first column of each row.
fn firsts(database: &Connection, sql: &Sql) -> Vec<String> {
    rows(database, sql).into_iter().map(|row| row[0].clone().unwrap()).collect()
}

fn read<'a>(table: &'a Table, target: TargetRows<'a>) -> Select<'a> {
    Select {
        columns: table.columns.iter().collect(),
        value_bytes: 1000,
        ..super::reading(table, target)
    }
}

static EMPTY: Filter = Filter { all: Vec::new(), any: Vec::new() };

#[test]
fn rows_of_another_case_accent_or_blank_are_not_found() {
    let database = database(
        "CREATE TABLE t (owner TEXT COLLATE NOCASE, code STRING, no INTEGER);
         INSERT INTO t VALUES ('ann', '7', 1), ('ANN', '007', 2), ('ann ', 7, 3), ('ánn', 'nobody', 0)",
    );
    let mut owner = column("owner", TEXT, "TEXT");
    owner.compares_bytes = false;
    let table =
        table("t", vec![column("no", BIG, "INTEGER"), owner, column("code", TEXT, "STRING")]);
    let check = |name: &str, value: &str, expected: &[&str]| {
        let rows = pairs(&[(name, value)]);
        let sql =
            select(Sqlite, &read(&table, TargetRows { rows: &rows, key: &[], filter: &EMPTY }));
        assert_eq!(firsts(&database, &sql), expected, "{name}: {value}");
        let json = json!({name: {"in": [value]}}).to_string();
        let filter = filter_of(&table, &json, Sqlite);
        let sql =
            select(Sqlite, &read(&table, TargetRows { rows: &[], key: &[], filter: &filter }));
        assert_eq!(firsts(&database, &sql), expected, "{json}");
    };
    check("owner", "ann", &["1"]);
    check("owner", "ANN", &["2"]);
    check("owner", "ann ", &["3"]);
    check("owner", "ánn", &["0"]);
    check("owner", "Ann", &[]);
    check("owner", "' OR 1=1 --", &[]);
    // `STRING` is a numeric type for SQLite, which keeps `007` as 7.
    check("code", "7", &["1", "2", "3"]);
    check("code", "007", &[]);
    check("code", "7.0", &[]);
    check("code", "nobody", &["0"]);
}

#[test]
fn a_text_in_a_column_of_numbers_is_not_zero() {
    let database = database(
        "CREATE TABLE t (no INTEGER); INSERT INTO t VALUES ('nobody'), (0), ('7 or bob'), (7)",
    );
    let table = table("t", vec![column("no", BIG, "INTEGER")]);
    for (no, expected) in [("0", vec!["0"]), ("7", vec!["7"]), ("1", vec![])] {
        let key = pairs(&[("no", no)]);
        let sql =
            select(Sqlite, &read(&table, TargetRows { rows: &[], key: &key, filter: &EMPTY }));
        assert_eq!(firsts(&database, &sql), expected);
    }
}

#[test]
fn every_condition_finds_its_rows() {
    let database = database(
        "CREATE TABLE t (no INTEGER, note TEXT);
         INSERT INTO t VALUES (1, 'apple'), (2, 'Apple'), (3, 'a*b[c]?'), (4, '5%_'), (5, NULL), (6, '')",
    );
    let mut note = column("note", TEXT, "TEXT");
    note.is_nullable = true;
    let table = table("t", vec![column("no", BIG, "INTEGER"), note]);
    for (json, expected) in [
        (r#"{"note": {"starts_with": "ap"}}"#, vec!["1"]),
        (r#"{"note": {"contains": "pp"}}"#, vec!["1", "2"]),
        (r#"{"note": {"contains": "*b[c]?"}}"#, vec!["3"]),
        (r#"{"note": {"contains": "%_"}}"#, vec!["4"]),
        (r#"{"note": {"like": "*e"}}"#, vec!["1", "2"]),
        (r#"{"note": {"contains": ""}}"#, vec!["1", "2", "3", "4", "6"]),
        (r#"{"note": null}"#, vec!["5"]),
        (r#"{"note": {"neq": "apple"}}"#, vec!["2", "3", "4", "6"]),
        (r#"{"no": {"gt": 1, "lte": 3}}"#, vec!["2", "3"]),
        (r#"{"any": [{"no": 1, "note": "x"}, {"no": {"in": [2, 6]}}]}"#, vec!["2", "6"]),
        (
            r#"{"no": {"lt": 4}, "any": [{"note": "apple"}, {"note": {"gte": "a*"}}]}"#,
            vec!["1", "3"],
        ),
    ] {
        let filter = filter_of(&table, json, Sqlite);
        let order = order(&[("no", Direction::Ascending)]);
        let mut reading = read(&table, TargetRows { rows: &[], key: &[], filter: &filter });
        reading.order = &order;
        assert_eq!(firsts(&database, &select(Sqlite, &reading)), expected, "{json}");
    }
}

#[test]
fn rows_are_added_changed_and_removed() {
    let database =
        database("CREATE TABLE t (no INTEGER PRIMARY KEY, owner TEXT DEFAULT 'ann', data BLOB)");
    let table = table(
        "t",
        vec![
            column("no", BIG, "INTEGER"),
            column("owner", TEXT, "TEXT"),
            column("data", ColumnKind::Bytes, "BLOB"),
        ],
    );
    let columns: Vec<_> = table.columns.iter().collect();
    let returning = Returning { columns: &columns, value_bytes: 100 };
    let row = |no: &str, owner: &str, data: Option<&str>| {
        vec![vec![Some(no.to_owned()), Some(owner.to_owned()), data.map(str::to_owned)]]
    };
    let added = insert(Sqlite, &table, &[], &returning);
    assert_eq!(rows(&database, &added), row("1", "ann", Some("")));
    let values =
        [(&table.columns[0], Some("7".to_owned())), (&table.columns[2], Some("00ff".to_owned()))];
    assert_eq!(
        rows(&database, &insert(Sqlite, &table, &values, &returning)),
        row("7", "ann", Some("00FF"))
    );
    let (owner, key) = (pairs(&[("owner", "ann")]), pairs(&[("no", "7")]));
    let one = TargetRows { rows: &owner, key: &key, filter: &EMPTY };
    let set = [(&table.columns[1], Some("bob".to_owned()))];
    assert_eq!(
        rows(&database, &update(Sqlite, &table, only(&set), &one, &returning)),
        row("7", "bob", Some("00FF"))
    );
    assert!(rows(&database, &update(Sqlite, &table, only(&set), &one, &returning)).is_empty());
    let nobody = TargetRows { key: &[], ..one };
    assert!(rows(&database, &delete(Sqlite, &table, &nobody)).is_empty());
    assert_eq!(firsts(&database, &select_if_present(Sqlite, &table, &owner)), ["1"]);
    assert!(
        rows(&database, &select_if_present(Sqlite, &table, &pairs(&[("owner", "ANN")]))).is_empty()
    );
    rows(&database, &delete(Sqlite, &table, &TargetRows { rows: &[], ..one }));
    assert_eq!(
        database.query_one("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap(),
        1
    );
}

#[test]
fn a_column_that_was_dropped_ends_the_statement() {
    let database = database("CREATE TABLE t (no INTEGER)");
    let table = table("t", vec![column("note", TEXT, "TEXT")]);
    let sql = select(Sqlite, &read(&table, TargetRows { rows: &[], key: &[], filter: &EMPTY }));
    assert!(database.prepare(&sql.text).is_err());
}

#[test]
fn odd_and_reserved_names_are_names() {
    for name in
        ["order", "a`b", "a\"b", "a'b", "a.b", "--", " ", "é;", "a]b", "table", "'; DROP TABLE x"]
    {
        let quoted = Sqlite.quote(name);
        let database = database(&format!("CREATE TABLE {quoted} ({quoted} INTEGER)"));
        let table =
            table(name, vec![Column { name: name.to_owned(), ..column("x", BIG, "INTEGER") }]);
        let values = [(&table.columns[0], Some("7".to_owned()))];
        let columns: Vec<_> = table.columns.iter().collect();
        let sql = insert(Sqlite, &table, &values, &Returning { columns: &columns, value_bytes: 9 });
        assert_eq!(firsts(&database, &sql), ["7"], "{name}");
        assert_eq!(
            firsts(&database, &select_if_present(Sqlite, &table, &pairs(&[(name, "7")]))),
            ["1"],
            "{name}"
        );
    }
}

#[test]
fn a_longer_text_is_read_with_one_character_more_than_its_limit() {
    let database = database("CREATE TABLE t (note TEXT); INSERT INTO t VALUES ('äöüäöü')");
    let table = table("t", vec![column("note", TEXT, "TEXT")]);
    let mut reading = read(&table, TargetRows { rows: &[], key: &[], filter: &EMPTY });
    reading.value_bytes = 3;
    let text = firsts(&database, &select(Sqlite, &reading)).remove(0);
    assert_eq!(text, "äöüä");
    let mut shown = String::new();
    assert!(crate::column::write_json_within_limit(&TEXT, Some(&text), Sqlite, 3, &mut shown));
    assert_eq!(shown, r#""ä""#);
}
