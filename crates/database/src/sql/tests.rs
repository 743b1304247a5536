//! The texts of statements and the values that they bind.

use callgate_tool::Value;

use super::{
    Changes, Direction, Returning, Select, Sql, TargetRows, delete, insert, select,
    select_if_present, update,
};
use crate::{
    catalog::{Column, ColumnKind, Table},
    engine::Engine::{self, Mysql, Postgres, Sqlite},
    filter::{self, Filter},
};

mod injection;
#[cfg(feature = "sqlite")]
mod sqlite;

const BIG: ColumnKind = ColumnKind::Integer { least: i64::MIN as i128, most: i64::MAX as i128 };
const TEXT: ColumnKind = ColumnKind::Text { most: None };

fn column(name: &str, kind: ColumnKind, sql_type: &str) -> Column {
    let sql_type = sql_type.to_owned();
    Column { sql_type, is_nullable: false, ..Column::of_statement(name, kind) }
}

fn table(name: &str, columns: Vec<Column>) -> Table {
    Table::of_columns(name, columns)
}

/// These values, and no version.
fn only<'a>(values: &'a [(&'a Column, Option<String>)]) -> Changes<'a> {
    Changes { values, version: None }
}

fn orders() -> Table {
    let mut orders = table(
        "orders",
        vec![
            column("no", BIG, "bigint"),
            column("owner", TEXT, "text"),
            column(
                "total",
                ColumnKind::Numeric { precision: Some(20), scale: Some(4) },
                "numeric(20,4)",
            ),
            column("note", TEXT, "character varying(20)"),
            column("data", ColumnKind::Bytes, "bytea"),
        ],
    );
    orders.name.schema = Some("public".to_owned());
    orders.columns[3].is_nullable = true;
    orders.columns[3].compares_bytes = false;
    orders
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn order(columns: &[(&str, Direction)]) -> Vec<(String, Direction)> {
    columns.iter().map(|(name, direction)| ((*name).to_owned(), *direction)).collect()
}

fn filter_of(table: &Table, json: &str, engine: Engine) -> Filter {
    let columns: Vec<_> = table.columns.iter().collect();
    filter::read(&Value::parse(json).unwrap(), &columns, engine).unwrap()
}

fn reading<'a>(table: &'a Table, target: TargetRows<'a>) -> Select<'a> {
    Select {
        table,
        columns: table.columns.iter().take(1).collect(),
        head: None,
        target,
        order: &[],
        after: None,
        most: None,
        lock: false,
        value_bytes: 10,
    }
}

#[track_caller]
fn check(sql: &Sql, text: &str, values: &[&str]) {
    assert_eq!(sql.text, text);
    let bound: Vec<_> = sql.values.iter().map(|value| value.as_deref().unwrap_or("NULL")).collect();
    assert_eq!(bound, values);
}

#[test]
fn a_reading_has_rows_key_filter_order_and_limit() {
    let orders = orders();
    let (rows, key) = (pairs(&[("owner", "ann")]), pairs(&[("no", "7")]));
    let json = r#"{"total": {"gte": 1.5}, "any": [{"note": {"contains": "5%"}}, {"note": null}]}"#;
    let filter = filter_of(&orders, json, Postgres);
    let order = order(&[("total", Direction::Descending), ("no", Direction::Ascending)]);
    let last = [Some("3.5".to_owned()), Some("9".to_owned())];
    let mut reading = reading(&orders, TargetRows { rows: &rows, key: &key, filter: &filter });
    reading.columns = orders.columns.iter().collect();
    reading.order = &order;
    reading.after = Some(&last);
    (reading.most, reading.lock) = (Some(51), true);
    check(
        &select(Postgres, &reading),
        r#"SELECT "orders"."no", CASE WHEN octet_length("orders"."owner"::text) > 11 THEN left("orders"."owner"::text, 11) ELSE "orders"."owner"::text END, left("orders"."total"::text, 11), CASE WHEN octet_length("orders"."note"::text) > 11 THEN left("orders"."note"::text, 11) ELSE "orders"."note"::text END, encode(substring("orders"."data" from 1 for 11), 'hex') FROM "public"."orders" WHERE "orders"."owner" = $1::text AND "orders"."no" = $2::text::bigint AND "orders"."total" >= $3::text::numeric(20,4) AND ("orders"."note"::text COLLATE "C" LIKE $4::text ESCAPE '!' OR "orders"."note" IS NULL) AND "orders"."total" <= $5::text::numeric(20,4) AND (("orders"."total" < $6::text::numeric(20,4)) OR ("orders"."total" = $7::text::numeric(20,4) AND "orders"."no" > $8::text::bigint)) ORDER BY "orders"."total" DESC, "orders"."no" LIMIT 51 FOR UPDATE"#,
        &["ann", "7", "1.5", "%5!%%", "3.5", "3.5", "3.5", "9"],
    );
    check(
        &select(Mysql, &reading),
        "SELECT CAST(`orders`.`no` AS CHAR), LEFT(CONVERT(`orders`.`owner` USING utf8mb4), 11), CAST(`orders`.`total` AS CHAR), LEFT(CONVERT(`orders`.`note` USING utf8mb4), 11), HEX(LEFT(`orders`.`data`, 11)) FROM `public`.`orders` WHERE `orders`.`owner` = ? AND CAST(CONVERT(`orders`.`owner` USING utf8mb4) AS BINARY) = CAST(? AS BINARY) AND `orders`.`no` = CAST(? AS SIGNED) AND `orders`.`total` >= CAST(? AS DECIMAL(20,4)) AND (CONVERT(`orders`.`note` USING utf8mb4) LIKE CONVERT(? USING utf8mb4) COLLATE utf8mb4_bin ESCAPE '!' OR `orders`.`note` IS NULL) AND `orders`.`total` <= CAST(? AS DECIMAL(20,4)) AND ((`orders`.`total` < CAST(? AS DECIMAL(20,4))) OR (`orders`.`total` = CAST(? AS DECIMAL(20,4)) AND `orders`.`no` > CAST(? AS SIGNED))) ORDER BY `orders`.`total` DESC, `orders`.`no` LIMIT 51 FOR UPDATE",
        &["ann", "ann", "7", "1.5", "%5!%%", "3.5", "3.5", "3.5", "9"],
    );
    let text = select(Sqlite, &reading).text;
    assert!(text.ends_with(" LIMIT 51"), "{text}");
    assert!(
        text.contains(
            "`orders`.`owner` COLLATE BINARY = ?1 AND `orders`.`no` = CAST(?2 AS INTEGER)"
        ),
        "{text}"
    );
    assert!(
        text.contains("CAST(`orders`.`note` AS TEXT) COLLATE BINARY GLOB ?4")
            || text.contains("`orders`.`note` COLLATE BINARY GLOB ?4"),
        "{text}"
    );
}

#[test]
fn rows_after_a_row_are_one_comparison_if_an_index_can_serve_it() {
    let orders = orders();
    let filter = Filter::default();
    let order = order(&[("owner", Direction::Descending), ("no", Direction::Descending)]);
    let last = [Some("ann".to_owned()), Some("9".to_owned())];
    let mut reading = reading(&orders, TargetRows { rows: &[], key: &[], filter: &filter });
    reading.order = &order;
    reading.after = Some(&last);
    check(
        &select(Postgres, &reading),
        r#"SELECT "orders"."no" FROM "public"."orders" WHERE ("orders"."owner", "orders"."no") < ($1::text, $2::text::bigint) ORDER BY "orders"."owner" DESC, "orders"."no" DESC"#,
        &["ann", "9"],
    );
    reading.after = Some(&last[..1]);
    let text = select(Postgres, &reading).text;
    assert!(text.contains("WHERE 1 = 0 "), "{text}");
}

#[test]
fn nulls_stand_where_each_engine_sorts_them() {
    let orders = orders();
    let filter = Filter::default();
    let check = |engine, direction, last: Option<&str>, expected: &str| {
        let order = order(&[("note", direction)]);
        let last = [last.map(str::to_owned)];
        let mut reading = reading(&orders, TargetRows { rows: &[], key: &[], filter: &filter });
        reading.order = &order;
        reading.after = Some(&last);
        let text = select(engine, &reading).text;
        assert!(text.contains(&format!(" WHERE {expected} ORDER BY ")), "{text}");
    };
    let note = r#""orders"."note" > $1::text::character varying(20)"#;
    check(
        Postgres,
        Direction::Ascending,
        Some("x"),
        &format!(r#"((({note} OR "orders"."note" IS NULL)))"#),
    );
    check(Postgres, Direction::Ascending, None, "1 = 0");
    check(Postgres, Direction::Descending, None, r#"(("orders"."note" IS NOT NULL))"#);
    check(Sqlite, Direction::Ascending, None, "((`orders`.`note` IS NOT NULL))");
    check(Sqlite, Direction::Descending, None, "1 = 0");
    check(
        Mysql,
        Direction::Descending,
        Some("x"),
        "(((`orders`.`note` < ? OR `orders`.`note` IS NULL)))",
    );
}

#[test]
fn rows_are_added_with_values_or_defaults() {
    let orders = orders();
    let columns: Vec<_> = orders.columns.iter().take(1).collect();
    let returning = Returning { columns: &columns, value_bytes: 5 };
    let values: Vec<_> = [(0, Some("7")), (3, None), (4, Some("00ff"))]
        .map(|(at, value): (usize, Option<&str>)| (&orders.columns[at], value.map(str::to_owned)))
        .to_vec();
    check(
        &insert(Postgres, &orders, &values, &returning),
        r#"INSERT INTO "public"."orders" ("no", "note", "data") VALUES ($1::text::bigint, $2::text::character varying(20), decode($3::text, 'hex')) RETURNING "orders"."no""#,
        &["7", "NULL", "00ff"],
    );
    let nothing = Returning { columns: &[], value_bytes: 5 };
    check(
        &insert(Postgres, &orders, &[], &nothing),
        r#"INSERT INTO "public"."orders" DEFAULT VALUES"#,
        &[],
    );
    check(
        &insert(Mysql, &orders, &[], &returning),
        "INSERT INTO `public`.`orders` () VALUES ()",
        &[],
    );
}

#[test]
fn rows_are_changed_and_removed_by_key_or_condition_only() {
    let orders = orders();
    let columns: Vec<_> = orders.columns.iter().take(1).collect();
    let returning = Returning { columns: &columns, value_bytes: 5 };
    let set = [(&orders.columns[3], Some("x".to_owned()))];
    let (rows, key) = (pairs(&[("owner", "ann")]), pairs(&[("no", "7")]));
    let empty = Filter::default();
    let all = TargetRows { rows: &rows, key: &[], filter: &empty };
    let one = TargetRows { key: &key, ..all };
    check(
        &update(Postgres, &orders, only(&set), &one, &returning),
        r#"UPDATE "public"."orders" SET "note" = $1::text::character varying(20) WHERE "orders"."owner" = $2::text AND "orders"."no" = $3::text::bigint RETURNING "orders"."no""#,
        &["x", "ann", "7"],
    );
    check(&delete(Sqlite, &orders, &all), "DELETE FROM `public`.`orders` WHERE 1 = 0", &[]);
    check(
        &update(Mysql, &orders, only(&set), &all, &returning),
        "UPDATE `public`.`orders` SET `note` = ? WHERE 1 = 0",
        &["x"],
    );
    let filter = filter_of(&orders, r#"{"no": {"in": [1, 2]}}"#, Postgres);
    check(
        &delete(Postgres, &orders, &TargetRows { filter: &filter, ..all }),
        r#"DELETE FROM "public"."orders" WHERE "orders"."owner" = $1::text AND "orders"."no" IN ($2::text::bigint, $3::text::bigint)"#,
        &["ann", "1", "2"],
    );
}

#[test]
fn a_column_that_the_catalog_does_not_have_matches_no_row() {
    let orders = orders();
    let key = pairs(&[("nope\"", "7")]);
    check(
        &select_if_present(Postgres, &orders, &key),
        r#"SELECT '1' FROM "public"."orders" WHERE 1 = 0 LIMIT 1"#,
        &[],
    );
    check(
        &select_if_present(Postgres, &orders, &[]),
        r#"SELECT '1' FROM "public"."orders" WHERE 1 = 0 LIMIT 1"#,
        &[],
    );
}

#[test]
fn padded_texts_and_arrays_are_compared_and_read_as_texts() {
    let list = ColumnKind::Array(Box::new(BIG));
    let table =
        table("t", vec![column("code", TEXT, "character(5)"), column("list", list, "bigint[]")]);
    let key = pairs(&[("code", "ab")]);
    let filter = Filter::default();
    let mut reading = reading(&table, TargetRows { rows: &[], key: &key, filter: &filter });
    reading.columns = table.columns.iter().collect();
    check(
        &select(Postgres, &reading),
        r#"SELECT CASE WHEN octet_length("t"."code"::text) > 11 THEN left("t"."code"::text, 11) ELSE "t"."code"::text END, left(array_to_json("t"."list")::text, 11) FROM "t" WHERE "t"."code"::text = $1::text"#,
        &["ab"],
    );
}
