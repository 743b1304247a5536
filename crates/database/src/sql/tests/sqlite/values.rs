//! Values that are added are read again as they were given.

use callgate_tool::{Number, Value};
use proptest::prelude::*;

use super::{
    BIG, EMPTY, Returning, Select, Sqlite, TEXT, TargetRows, column, database, insert, read, rows,
    select, table,
};
use crate::{catalog::ColumnKind, column};

/// The text that is read of a value that is added to a column of this type.
fn through(kind: ColumnKind, sql_type: &str, value: &Value) -> Value {
    let database = database(&format!("CREATE TABLE t (c {sql_type})"));
    let table = table("t", vec![column("c", kind, sql_type)]);
    let column = &table.columns[0];
    let bound = column::bound_text(column, value, Sqlite).unwrap();
    let columns = [column];
    let returning = Returning { columns: &columns, value_bytes: 10_000 };
    let rows = rows(&database, &insert(Sqlite, &table, &[(column, bound)], &returning));
    column::value(&column.kind, rows[0][0].as_deref(), Sqlite)
}

proptest! {
    #[test]
    fn a_whole_number_is_read_as_it_was_given(number: i64) {
        prop_assert_eq!(through(BIG, "INTEGER", &number.into()), Value::from(number));
    }

    #[test]
    fn a_floating_point_number_is_read_as_it_was_given(number: f64) {
        let given = Value::Number(Number::from_f64(number).unwrap());
        prop_assert_eq!(through(ColumnKind::Float, "REAL", &given).as_f64(), Some(number));
    }

    #[test]
    fn an_exact_number_of_fifteen_digits_is_read_with_its_worth(text in "-?[1-9][0-9]{0,8}\\.[0-9]{0,5}[1-9]") {
        let given = Number::from_digits(&text).unwrap();
        let kind = ColumnKind::Numeric { precision: None, scale: None };
        let read = through(kind, "DECIMAL(20,6)", &Value::Number(given.clone()));
        prop_assert!(read.as_number().unwrap().is_equal_to(&given), "{}", read);
    }

    #[test]
    fn a_text_is_read_as_it_was_given(text in "[^\0]{0,20}") {
        let given = Value::from(text);
        prop_assert_eq!(through(TEXT, "VARCHAR(20)", &given), given);
    }

    #[test]
    fn bytes_are_read_as_they_were_given(text in "([A-Za-z0-9+/]{4}){0,9}") {
        let given = Value::from(text);
        prop_assert_eq!(through(ColumnKind::Bytes, "BLOB", &given), given);
    }
}

#[test]
fn values_of_other_kinds_are_read_as_they_were_given() {
    let local = ColumnKind::Timestamp { has_zone: false };
    for (kind, sql_type, value) in [
        (ColumnKind::Boolean, "BOOLEAN", "true"),
        (ColumnKind::Date, "DATE", r#""2026-01-31""#),
        (local.clone(), "DATETIME", r#""2026-01-31 12:00:00""#),
        (local, "DATETIME", r#""2026-01-31T12:00:00.5Z""#),
        (ColumnKind::Uuid, "UUID", r#""123E4567-e89b-12d3-a456-426614174000""#),
        (ColumnKind::Json, "JSON", r#"{"a":[1.10,null]}"#),
        (ColumnKind::Numeric { precision: None, scale: None }, "NUMERIC", "9223372036854775807"),
    ] {
        let value = Value::parse(value).unwrap();
        assert_eq!(through(kind, sql_type, &value), value);
    }
}

#[test]
fn stored_texts_with_u_0000_are_read_to_their_end_and_cut_by_bytes() {
    for encoding in ["UTF-8", "UTF-16"] {
        let database = database(&format!(
            "PRAGMA encoding = '{encoding}'; CREATE TABLE t (c TEXT);
             INSERT INTO t VALUES ('a' || char(0) || 'b'), (''), (NULL), (char(0)), ('äöüß'), (printf('%.2000c', 'x'))"
        ));
        for (kind, before) in [(TEXT, ""), (ColumnKind::Any, "t")] {
            let table = table("t", vec![column("c", kind, "TEXT")]);
            let target = TargetRows { rows: &[], key: &[], filter: &EMPTY };
            let sql = select(Sqlite, &Select { value_bytes: 8, ..read(&table, target) });
            let texts: Vec<_> =
                rows(&database, &sql).into_iter().map(|mut row| row.remove(0)).collect();
            let whole = |text: &str| Some(format!("{before}{text}"));
            assert_eq!(texts[..5], [whole("a\0b"), whole(""), None, whole("\0"), whole("äöüß")]);
            assert!((9..=19).contains(&texts[5].as_ref().unwrap().len()));
        }
    }
}
