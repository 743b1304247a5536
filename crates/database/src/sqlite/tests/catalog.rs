//! Tables, columns, keys and statements as the engine describes them.

use super::{Shop, name};
use crate::{
    catalog::{Column, ColumnKind, ForeignKey, Table, TableKind},
    description::DescribedColumn,
    settings::TableName,
};

async fn table(schema: &str, table: &str) -> Table {
    let shop = Shop::new(schema);
    let driver = shop.connect().await;
    let mut tables = driver.read_tables(&[name(table)]).await.unwrap();
    tables.remove(&name(table)).unwrap()
}

async fn column(declaration: &str) -> Column {
    let table = table(&format!("create table t (a {declaration})"), "t").await;
    table.columns.into_iter().next().unwrap()
}

const FLAG: ColumnKind = ColumnKind::Flag { least: i64::MIN as i128, most: i64::MAX as i128 };
const INTEGER: ColumnKind = ColumnKind::Integer { least: i64::MIN as i128, most: i64::MAX as i128 };

fn numeric(precision: Option<u32>, scale: Option<i32>) -> ColumnKind {
    ColumnKind::Numeric { precision, scale }
}

#[tokio::test]
async fn a_declared_type_is_a_kind() {
    for (declared, kind) in [
        ("integer", INTEGER),
        ("INT", INTEGER),
        ("unsigned big int", INTEGER),
        ("tinyint(1)", INTEGER),
        ("bool", FLAG),
        ("BOOLEAN", FLAG),
        ("text", ColumnKind::Text { most: None }),
        ("varchar(20)", ColumnKind::Text { most: Some(20) }),
        ("character varying (7)", ColumnKind::Text { most: Some(7) }),
        ("clob", ColumnKind::Text { most: None }),
        ("blob", ColumnKind::Bytes),
        ("real", ColumnKind::Float),
        ("double precision", ColumnKind::Float),
        ("float", ColumnKind::Float),
        ("numeric", numeric(None, None)),
        ("num", numeric(None, None)),
        ("decimal(10, 2)", numeric(Some(10), Some(2))),
        ("numeric(10)", numeric(Some(10), Some(0))),
        ("date", ColumnKind::Date),
        ("datetime", ColumnKind::Timestamp { has_zone: false }),
        ("timestamp", ColumnKind::Timestamp { has_zone: false }),
        ("timestamp with time zone", ColumnKind::Timestamp { has_zone: true }),
        ("time", ColumnKind::Time { has_zone: false }),
        ("json", ColumnKind::Json),
        ("uuid", ColumnKind::Uuid),
        ("string", ColumnKind::Other),
        ("", ColumnKind::Any),
        ("point", INTEGER),
        ("geometry", ColumnKind::Other),
    ] {
        let column = column(declared).await;
        assert_eq!((column.kind, column.is_nullable), (kind, true), "{declared}");
    }
}

#[tokio::test]
async fn a_collation_says_if_equal_texts_are_equal_bytes() {
    for (declaration, expected) in [
        ("text", true),
        ("text collate binary", true),
        ("text collate NoCase", false),
        ("text collate rtrim", false),
        ("integer", true),
        ("text unique collate nocase not null", false),
        ("json", false),
    ] {
        assert_eq!(column(declaration).await.compares_bytes, expected, "{declaration}");
    }
}

#[tokio::test]
async fn columns_of_a_view_have_the_collation_of_what_they_show() {
    let schema = "create table t (a text, b text collate nocase, c text collate rtrim); \
        create view v as select a, b, c, a || b as d, lower(b) as \"e \"\"e\" from t";
    let view = table(schema, "v").await;
    let compared: Vec<_> = view.columns.iter().map(|column| column.compares_bytes).collect();
    assert_eq!(compared, [true, false, false, false, false], "the last two have no declared type");
    assert_eq!(view.kind, TableKind::View);
    assert_eq!((view.key, view.unique, view.indexed), (vec![], Vec::<Vec<_>>::new(), vec![]));
    assert_eq!(view.columns[0].kind, ColumnKind::Text { most: None });
}

#[tokio::test]
async fn the_row_number_has_a_default() {
    for (schema, expected) in [
        // Nullable, default, generated.
        ("a integer primary key", (false, true, false)),
        ("a integer primary key autoincrement", (false, true, true)),
        ("a int primary key", (true, false, false)),
        ("a integer not null, primary key (a desc)", (false, true, false)),
        ("a integer primary key desc", (true, false, false)),
        ("a integer, b, primary key (a, b)", (true, false, false)),
        ("a text primary key", (true, false, false)),
        ("a integer default 5", (true, true, false)),
        ("a integer not null", (false, false, false)),
    ] {
        let table = table(&format!("create table t ({schema})"), "t").await;
        let column = &table.columns[0];
        let found = (column.is_nullable, column.has_default, column.is_generated);
        assert_eq!(found, expected, "{schema}");
    }
    let without = table("create table t (a integer primary key, b) without rowid", "t").await;
    let column = &without.columns[0];
    assert_eq!((column.is_nullable, column.has_default), (false, false));
}

#[tokio::test]
async fn generated_columns_are_said() {
    let schema =
        "create table t (a integer, b as (a + 1), c integer generated always as (a) stored)";
    let table = table(schema, "t").await;
    let generated: Vec<_> = table.columns.iter().map(|column| column.is_generated).collect();
    assert_eq!(generated, [false, true, true]);
}

#[tokio::test]
async fn strict_tables_take_any_for_any() {
    let table = table("create table t (a any, b text, c int) strict", "t").await;
    let kinds: Vec<_> = table.columns.into_iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [ColumnKind::Other, ColumnKind::Text { most: None }, INTEGER]);
}

#[tokio::test]
async fn keys_and_indexes_are_read() {
    let schema = "create table parents (x text, y text, primary key (x, y)); \
        create table t (
            b text not null, a text not null, c text not null unique, d text unique, e text,
            x text, y text, self text references t (c),
            primary key (a, b), foreign key (x, y) references parents
        );
        create unique index partial on t (e) where e is not null;
        create unique index expression on t (lower(e), a);
        create index plain on t (e, a)";
    let table = table(schema, "t").await;
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(table.key, owned(&["a", "b"]));
    let mut unique = table.unique;
    unique.sort();
    assert_eq!(unique, [owned(&["a", "b"]), owned(&["c"])]);
    let mut indexed = table.indexed;
    indexed.sort();
    assert_eq!(indexed, owned(&["a", "c", "d", "e"]));
    let mut keys = table.foreign_keys;
    keys.sort_by_key(|key| key.columns.len());
    let key = |columns: &[&str], table: &str, referred: &[&str]| ForeignKey {
        columns: owned(columns),
        table: name(table),
        referred: owned(referred),
    };
    assert_eq!(keys, [key(&["self"], "t", &["c"]), key(&["x", "y"], "parents", &["x", "y"])]);
}

#[tokio::test]
async fn names_are_found_whatever_their_case_and_absent_otherwise() {
    let shop = Shop::new(
        "create table \"Odd \"\"name\" (a); create view v as select 1 as a; create virtual table f using fts5 (a)",
    );
    let driver = shop.connect().await;
    let in_schema =
        |schema: &str| TableName { schema: Some(schema.to_owned()), name: "V".to_owned() };
    let names = [
        name("odd \"NAME"),
        in_schema("main"),
        in_schema("temp"),
        name("absent"),
        name("sqlite_schema"),
    ];
    let tables = driver.read_tables(&names).await.unwrap();
    let found: Vec<_> = tables.values().map(|table| table.name.name.as_str()).collect();
    assert_eq!(found, ["Odd \"name", "v"]);
    let all = driver.list_tables().await.unwrap();
    assert_eq!(all, [name("Odd \"name"), name("f"), name("v")]);
}

#[tokio::test]
async fn a_statement_is_described_without_being_run() {
    let shop = Shop::orders();
    let driver = shop.connect().await;
    let described =
        driver.describe("select no, total, upper(note) as loud from orders where no > ?1").await;
    let described = described.unwrap();
    let column = |name: &str, kind| DescribedColumn { name: name.to_owned(), kind };
    let expected = [
        column("no", INTEGER),
        column("total", numeric(Some(10), Some(2))),
        column("loud", ColumnKind::Any),
    ];
    assert_eq!(described.columns, expected);
    assert_eq!((described.values.len(), described.is_read), (1, Some(true)));
    let described = driver.describe("delete from orders where no = ? or owner = ?").await.unwrap();
    assert_eq!((described.values.len(), described.is_read), (2, Some(false)));
    assert_eq!(shop.text("select count(*) from orders"), "3");
    for wrong in ["select", "select * from absent", "select 1; select 2", "drop table orders"] {
        assert!(driver.describe(wrong).await.is_err(), "{wrong}");
    }
}
