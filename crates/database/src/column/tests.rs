//! Values are checked, bound and read without a loss.

mod length;
mod round_trips;

use callgate_testkit::list;
use callgate_tool::{Value, json};

use super::{bound_text, schema, value, write_json_within_limit};
use crate::{
    catalog::{Column, ColumnKind},
    engine::Engine::{self, Mysql, Postgres, Sqlite},
};

const ENGINES: [Engine; 3] = [Mysql, Postgres, Sqlite];

fn column(kind: ColumnKind, sql_type: &str) -> Column {
    let sql_type = sql_type.to_owned();
    Column { sql_type, is_nullable: false, ..Column::of_statement("c", kind) }
}

const FLAG: ColumnKind = ColumnKind::Flag { least: -128, most: 127 };

const fn small() -> ColumnKind {
    ColumnKind::Integer { least: -32768, most: 32767 }
}

fn numeric(precision: u32, scale: i32) -> ColumnKind {
    ColumnKind::Numeric { precision: Some(precision), scale: Some(scale) }
}

fn mood() -> ColumnKind {
    ColumnKind::Enumeration(vec!["glad".to_owned(), "it's \"so\"".to_owned()])
}

#[track_caller]
fn check(
    engine: Engine,
    (kind, sql_type): (ColumnKind, &str),
    value: &str,
    expected: Option<&str>,
) {
    let value = Value::parse(value).unwrap();
    let bound = bound_text(&column(kind, sql_type), &value, engine).ok().flatten();
    assert_eq!(bound.as_deref(), expected, "{engine:?}: {value}");
}

#[track_caller]
fn accepts(kind: &ColumnKind, value: &str, expected: &str) {
    for engine in ENGINES {
        check(engine, (kind.clone(), "x"), value, Some(expected));
    }
}

#[track_caller]
fn refuses(kind: &ColumnKind, values: &[&str]) {
    for (engine, value) in
        ENGINES.into_iter().flat_map(|engine| values.iter().map(move |v| (engine, v)))
    {
        check(engine, (kind.clone(), "x"), value, None);
    }
}

#[test]
fn a_whole_number_is_within_the_range_of_its_column() {
    accepts(&small(), "7", "7");
    accepts(&small(), "-32768", "-32768");
    accepts(&small(), "1e3", "1000");
    accepts(&small(), "7.0", "7");
    accepts(&small(), r#""7""#, "7");
    let id = ColumnKind::Integer { least: 0, most: u64::MAX.into() };
    accepts(&id, "18446744073709551615", "18446744073709551615");
    refuses(
        &small(),
        &list(r#"32768 | -32769 | 1.5 | 1e400 | true | [1] | "7 or bob" | "nobody" | "" | " 7""#),
    );
}

#[test]
fn an_exact_number_is_within_its_precision_and_scale() {
    accepts(&numeric(20, 4), "123.4500", "123.4500");
    accepts(&numeric(5, 2), "-1.5e2", "-150");
    check(
        Postgres,
        (numeric(20, 4), "numeric(20,4)"),
        "1234567890123456.1234",
        Some("1234567890123456.1234"),
    );
    refuses(&numeric(5, 2), &["1000", "0.001", r#""1,5""#, "null", r#""0x10""#]);
}

#[test]
fn sqlite_takes_no_number_that_it_would_round() {
    let any = || ColumnKind::Numeric { precision: None, scale: None };
    check(Sqlite, (any(), "NUMERIC"), "9007199254740993", Some("9007199254740993"));
    check(Sqlite, (any(), "NUMERIC"), "12345678901234567890.12", None);
    check(Postgres, (any(), "numeric"), "12345678901234567890.12", Some("12345678901234567890.12"));
}

#[test]
fn a_floating_point_number_is_within_its_range() {
    let float = || ColumnKind::Float;
    check(Postgres, (float(), "double precision"), "1e300", Some("1e300"));
    check(Postgres, (float(), "real"), "1e300", None);
    check(Postgres, (float(), "real"), "1e-300", None);
    check(Mysql, (float(), "float"), "1e39", None);
    check(Mysql, (float(), "double"), "1e39", Some("1e39"));
    check(Postgres, (float(), "real"), r#""NaN""#, Some("NaN"));
    refuses(&float(), &["1e400", "1e-400", r#""nan""#, r#""inf""#]);
    check(Sqlite, (float(), "REAL"), r#""NaN""#, None);
}

#[test]
fn a_text_keeps_its_characters_or_is_refused() {
    let text = |most| ColumnKind::Text { most };
    accepts(&text(None), r#""' OR 1=1 --""#, "' OR 1=1 --");
    accepts(&text(Some(3)), r#""äöü""#, "äöü");
    refuses(&text(Some(3)), &[r#""abcd""#]);
    refuses(&text(None), &["7", "true", "{}", r#""a\u0000b""#]);
    check(Postgres, (text(Some(5)), "character(5)"), r#""ann ""#, None);
    check(Mysql, (text(Some(5)), "char(5)"), r#""ann ""#, None);
    check(Postgres, (text(Some(5)), "character varying(5)"), r#""ann ""#, Some("ann "));
    check(Postgres, (text(None), "name"), &format!("\"{}\"", "é".repeat(32)), None);
}

#[test]
fn dates_and_times_are_those_of_the_calendar() {
    accepts(&ColumnKind::Date, r#""2024-02-29""#, "2024-02-29");
    refuses(
        &ColumnKind::Date,
        &list(
            r#""2023-02-29" | "0000-01-01" | "2024-2-9" | "2024-02-29x" | "Infinity" | "0044-03-15 BC" | "١٢٣٤-01-01""#,
        ),
    );
    let time = ColumnKind::Time { has_zone: false };
    accepts(&time, r#""23:59:59""#, "23:59:59");
    refuses(&time, &[r#""24:00:01Z""#, r#""23:59:60""#, r#""23:59""#, r#""12:00:00.""#]);
}

#[test]
fn an_end_of_time_is_a_date_where_the_engine_has_it() {
    for (kind, sql_type) in [
        (ColumnKind::Date, "date"),
        (ColumnKind::Timestamp { has_zone: false }, "timestamp(3)"),
        (ColumnKind::Timestamp { has_zone: true }, "timestamp with time zone"),
    ] {
        check(Postgres, (kind.clone(), sql_type), r#""-infinity""#, Some("-infinity"));
        check(Mysql, (kind.clone(), sql_type), r#""infinity""#, None);
        check(Sqlite, (kind, sql_type), r#""infinity""#, None);
    }
    check(Postgres, (ColumnKind::Time { has_zone: false }, "time(3)"), r#""infinity""#, None);
}

#[test]
fn a_time_beyond_a_day_is_one_where_the_engine_has_it() {
    let time = || (ColumnKind::Time { has_zone: false }, "time(3)");
    check(Postgres, time(), r#""24:00:00""#, Some("24:00:00"));
    check(Postgres, time(), r#""25:00:00""#, None);
    check(Sqlite, time(), r#""24:00:00""#, None);
    check(Mysql, time(), r#""-838:59:59""#, Some("-838:59:59"));
    check(Mysql, time(), r#""100:00:00.123""#, Some("100:00:00.123"));
    for text in
        list("839:00:00 | 24:00:00.1234 | 24:60:00 | 24:00:60 | 24:00:00. | +24:00:00 | --1:00:00")
    {
        check(Mysql, time(), &format!("\"{text}\""), None);
    }
}

#[test]
fn a_timestamp_is_bound_in_the_form_of_its_engine() {
    let local = || (ColumnKind::Timestamp { has_zone: false }, "timestamp(3) without time zone");
    let zoned = || (ColumnKind::Timestamp { has_zone: true }, "timestamp with time zone");
    let at = r#""2026-01-31 12:00:00.120""#;
    check(Postgres, local(), at, Some("2026-01-31T12:00:00.120"));
    check(Mysql, local(), at, Some("2026-01-31 12:00:00.120"));
    check(Sqlite, local(), at, Some("2026-01-31 12:00:00.120"));
    check(Postgres, local(), r#""2026-01-31T12:00:00.1234""#, None);
    check(Postgres, local(), r#""2026-01-31T12:00:00Z""#, None);
    check(Postgres, zoned(), r#""2026-01-31T12:00:00""#, None);
    check(Postgres, zoned(), r#""2026-01-31t12:00:00-08:00""#, Some("2026-01-31T12:00:00-08:00"));
    let zoned = || (ColumnKind::Timestamp { has_zone: true }, "timestamp(6)");
    check(Mysql, zoned(), r#""2026-01-01T01:00:00.5+02:00""#, Some("2025-12-31 23:00:00.5"));
    check(Mysql, (ColumnKind::Timestamp { has_zone: false }, "datetime"), at, None);
}

#[test]
fn other_kinds_have_their_own_forms() {
    accepts(&ColumnKind::Boolean, "true", "1");
    refuses(&ColumnKind::Boolean, &["1", r#""true""#]);
    accepts(&FLAG, "true", "1");
    accepts(&FLAG, "38", "38");
    refuses(&FLAG, &["128", "1.5", r#""true""#]);
    accepts(&ColumnKind::Bytes, r#""AP8=""#, "00ff");
    refuses(&ColumnKind::Bytes, &[r#""AP8""#, r#""\\x00""#, "1"]);
    accepts(&mood(), r#""it's \"so\"""#, "it's \"so\"");
    refuses(&mood(), &[r#""Glad""#, "1"]);
    accepts(&ColumnKind::Json, r#"{"a": [1.10, null]}"#, r#"{"a":[1.10,null]}"#);
    accepts(&ColumnKind::Json, "null", "null");
    refuses(&ColumnKind::Json, &[r#"{"a": ["\u0000"]}"#, r#"{"\u0000": 1}"#]);
    accepts(
        &ColumnKind::Uuid,
        r#""123e4567-e89b-12d3-a456-426614174000""#,
        "123e4567-e89b-12d3-a456-426614174000",
    );
    refuses(
        &ColumnKind::Uuid,
        &[r#""123e4567e89b12d3a456426614174000""#, r#""{123e4567-e89b-12d3-a456-42661417400}""#],
    );
    refuses(&ColumnKind::Other, &["1", r#""a""#, "null"]);
}

#[test]
fn an_array_is_checked_item_by_item() {
    let list = |item| (ColumnKind::Array(Box::new(item)), "x[]");
    let texts = || list(ColumnKind::Text { most: Some(9) });
    check(
        Postgres,
        texts(),
        r#"["a,b", "\"\\{}", "NULL", null, ""]"#,
        Some(r#"{"a,b","\"\\{}","NULL",NULL,""}"#),
    );
    check(Postgres, list(small()), "[1, 40000]", None);
    check(Postgres, list(ColumnKind::Bytes), r#"["AP8="]"#, Some(r#"{"\\x00ff"}"#));
    check(Postgres, list(small()), "[]", Some("{}"));
    check(Mysql, list(small()), "[1]", None);
    let problem =
        bound_text(&column(list(small()).0, "smallint[]"), &json!([1, "x"]), Postgres).unwrap_err();
    assert_eq!((problem.at.as_str(), problem.got.as_str()), ("[1]", "`x`"));
}

#[test]
fn null_is_bound_only_where_a_column_allows_it() {
    let mut column = column(ColumnKind::Json, "jsonb");
    assert_eq!(bound_text(&column, &Value::Null, Postgres).unwrap().as_deref(), Some("null"));
    column.is_nullable = true;
    assert_eq!(bound_text(&column, &Value::Null, Postgres), Ok(None));
    column.kind = small();
    assert_eq!(bound_text(&column, &Value::Null, Sqlite), Ok(None));
}

#[test]
fn a_problem_shows_no_more_than_the_start_of_a_value() {
    let column = column(small(), "smallint");
    let problem =
        bound_text(&column, &Value::from("\u{202e}x".repeat(9999)), Postgres).unwrap_err();
    assert!(problem.got.len() < 400, "{}", problem.got);
    assert!(!problem.got.contains('\u{202e}'));
    assert_eq!(problem.expected, "a whole number from -32768 to 32767");
}

#[track_caller]
fn read(kind: &ColumnKind, engine: Engine, written: &str, expected: &str) {
    assert_eq!(value(kind, Some(written), engine).to_string(), expected, "{engine:?}: {written}");
    let mut shown = String::new();
    assert!(!write_json_within_limit(kind, Some(written), engine, usize::MAX, &mut shown));
    assert_eq!(shown, expected, "{engine:?}: {written}");
}

#[test]
fn numbers_keep_the_digits_of_the_database() {
    let any = ColumnKind::Numeric { precision: None, scale: None };
    read(&any, Postgres, "12345678901234567890.1200", "12345678901234567890.1200");
    read(&any, Postgres, "NaN", r#""NaN""#);
    read(&any, Postgres, "-Infinity", r#""-Infinity""#);
    read(&ColumnKind::Float, Postgres, "1e+20", "1e+20");
    read(&any, Sqlite, "12.340000000000000", "12.34");
    read(&ColumnKind::Float, Sqlite, "0.10000000000000001", "0.1");
    read(&small(), Sqlite, "9007199254740993", "9007199254740993");
    read(&small(), Postgres, "-9223372036854775808", "-9223372036854775808");
    read(&small(), Mysql, "18446744073709551615", "18446744073709551615");
    // `zerofill`
    read(&small(), Mysql, "00042", r#""00042""#);
    for odd in ["", "-", "--1", "1-1", "-01"] {
        read(&small(), Sqlite, odd, &format!("\"{odd}\""));
    }
    read(&small(), Sqlite, "nobody", r#""nobody""#);
    read(&small(), Sqlite, "x'00FF'", r#""x'00FF'""#);
}

#[test]
fn dates_and_times_are_read_in_the_form_of_rfc_3339() {
    let zoned = ColumnKind::Timestamp { has_zone: true };
    let local = ColumnKind::Timestamp { has_zone: false };
    read(&zoned, Postgres, "2026-01-02 03:04:05+00", r#""2026-01-02T03:04:05Z""#);
    read(&zoned, Postgres, "2026-01-02 03:04:05.120-05:30", r#""2026-01-02T03:04:05.120-05:30""#);
    read(&zoned, Postgres, "2026-01-02T03:04:05+00:00", r#""2026-01-02T03:04:05Z""#);
    read(&zoned, Mysql, "2026-01-02 03:04:05", r#""2026-01-02T03:04:05Z""#);
    read(&local, Postgres, "2026-01-02 03:04:05", r#""2026-01-02T03:04:05""#);
    read(&local, Sqlite, "2026-01-02 03:04:05", r#""2026-01-02 03:04:05""#);
    for odd in ["infinity", "44-03-15 12:00:00 BC", "12026-01-01 00:00:00", "0000-00-00 00:00:00"] {
        read(&local, Postgres, odd, &format!("\"{odd}\""));
    }
    read(&ColumnKind::Time { has_zone: true }, Postgres, "03:04:05+02", r#""03:04:05+02:00""#);
    read(&ColumnKind::Time { has_zone: false }, Mysql, "838:59:59", r#""838:59:59""#);
    read(&ColumnKind::Date, Postgres, "0044-03-15 BC", r#""0044-03-15 BC""#);
}

#[test]
fn other_texts_are_read_as_their_kind() {
    read(&ColumnKind::Boolean, Postgres, "true", "true");
    read(&ColumnKind::Boolean, Mysql, "0", "false");
    read(&ColumnKind::Boolean, Sqlite, "7", r#""7""#);
    read(&FLAG, Mysql, "1", "true");
    read(&FLAG, Mysql, "38", "38");
    read(&FLAG, Sqlite, "yes", r#""yes""#);
    read(&ColumnKind::Bytes, Sqlite, "00FF", r#""AP8=""#);
    read(&ColumnKind::Bytes, Mysql, "odd", r#""odd""#);
    read(&ColumnKind::Json, Postgres, r#"{"a": 1.10}"#, r#"{"a":1.10}"#);
    read(&ColumnKind::Json, Postgres, r#"{"a":1,"a":2}"#, r#""{\"a\":1,\"a\":2}""#);
    read(&ColumnKind::Json, Sqlite, "{", r#""{""#);
    let list = |item| ColumnKind::Array(Box::new(item));
    read(&list(ColumnKind::Bytes), Postgres, r#"["\\x00ff",null]"#, r#"["AP8=",null]"#);
    let moment = ColumnKind::Timestamp { has_zone: true };
    read(
        &list(moment),
        Postgres,
        r#"["2026-01-02T03:04:05+00:00"]"#,
        r#"["2026-01-02T03:04:05Z"]"#,
    );
    let any = ColumnKind::Numeric { precision: None, scale: None };
    read(&list(any), Postgres, r#"[[1.10,"NaN"],[2,null]]"#, r#"[[1.10,"NaN"],[2,null]]"#);
    assert_eq!(value(&small(), None, Postgres), Value::Null);
}

#[test]
fn a_schema_says_the_type_and_null() {
    let check = |engine, kind, is_nullable, expected: Value| {
        let mut column = column(kind, "x");
        column.is_nullable = is_nullable;
        assert_eq!(schema(&column, engine), expected);
    };
    check(Postgres, small(), false, json!({"type": "integer"}));
    check(Postgres, small(), true, json!({"type": ["integer", "null"]}));
    check(Postgres, ColumnKind::Json, true, json!({}));
    let labels = json!({"type": ["string", "null"], "enum": ["glad", "it's \"so\"", null]});
    check(Postgres, mood(), true, labels);
    check(
        Postgres,
        ColumnKind::Text { most: Some(3) },
        false,
        json!({"type": "string", "maxLength": 3}),
    );
    let zoned = ColumnKind::Timestamp { has_zone: true };
    check(Postgres, zoned.clone(), false, json!({"type": "string", "format": "date-time"}));
    let stored = "date and time as stored: 2026-01-31 12:00:00";
    check(Sqlite, zoned, false, json!({"type": "string", "description": stored}));
    let list = ColumnKind::Array(Box::new(ColumnKind::Boolean));
    check(Postgres, list, false, json!({"type": "array", "items": {"type": ["boolean", "null"]}}));
    let mut column = column(small(), "x");
    column.comment = Some(" Pieces ".to_owned());
    assert_eq!(schema(&column, Postgres)["description"], "Pieces");
}
