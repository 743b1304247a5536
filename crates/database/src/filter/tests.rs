//! Conditions of a model are read, or refused where they are wrong.

use callgate_tool::{Value, json};

use super::{Condition, Filter, Pattern, Piece, Test, read, schema};
use crate::{
    catalog::{Column, ColumnKind},
    engine::Engine::{Mysql, Postgres, Sqlite},
};

fn column(name: &str, kind: ColumnKind) -> Column {
    Column { sql_type: "x".to_owned(), ..Column::of_statement(name, kind) }
}

/// The columns that tests of filters have.
pub(super) fn columns() -> Vec<Column> {
    vec![
        column("no", ColumnKind::Integer { least: i64::MIN.into(), most: i64::MAX.into() }),
        column("total", ColumnKind::Numeric { precision: Some(10), scale: Some(2) }),
        column("note", ColumnKind::Text { most: None }),
        column("state", ColumnKind::Enumeration(vec!["open".to_owned(), "paid".to_owned()])),
        column("is_late", ColumnKind::Boolean),
        column("since", ColumnKind::Timestamp { has_zone: true }),
        column("more", ColumnKind::Json),
        column("any", ColumnKind::Text { most: None }),
        column("odd \"name", ColumnKind::Text { most: None }),
    ]
}

/// A filter by its JSON, or the locations of its problems.
fn filter(text: &str) -> Result<Filter, Vec<String>> {
    let columns = columns();
    let columns: Vec<_> = columns.iter().collect();
    let problems = |problems: Vec<_>| {
        problems.into_iter().map(|problem: callgate_tool::Problem| problem.at).collect()
    };
    read(&Value::parse(text).unwrap(), &columns, Postgres).map_err(problems)
}

fn condition(column: &str, test: Test) -> Condition {
    Condition { column: column.to_owned(), test }
}

#[track_caller]
fn check(text: &str, all: Vec<Condition>, any: Vec<Vec<Condition>>) {
    assert_eq!(filter(text), Ok(Filter { all, any }), "{text}");
}

#[track_caller]
fn check_test(text: &str, column: &str, test: Test) {
    check(text, vec![condition(column, test)], Vec::new());
}

#[track_caller]
fn refuses(text: &str, locations: &[&str]) {
    assert_eq!(filter(text).unwrap_err(), locations, "{text}");
}

fn pattern(pieces: &[&str]) -> Test {
    let piece = |piece: &&str| match *piece {
        "*" => Piece::Any,
        text => Piece::Text(text.to_owned()),
    };
    let pieces: Vec<_> = pieces.iter().map(piece).collect();
    Test::Like(Pattern::from_pieces(pieces))
}

#[test]
fn every_operator_is_read() {
    let text = |text: &str| text.to_owned();
    check_test(r#"{"no": {"eq": 7}}"#, "no", Test::Equal(text("7")));
    check_test(r#"{"no": 7}"#, "no", Test::Equal(text("7")));
    check_test(r#"{"no": {"neq": 7}}"#, "no", Test::NotEqual(text("7")));
    check_test(r#"{"total": {"lt": 1.50}}"#, "total", Test::Less(text("1.50")));
    check_test(r#"{"total": {"lte": 1}}"#, "total", Test::AtMost(text("1")));
    check_test(r#"{"note": {"gt": "b"}}"#, "note", Test::More(text("b")));
    check_test(r#"{"note": {"gte": "b"}}"#, "note", Test::AtLeast(text("b")));
    check_test(
        r#"{"state": {"in": ["open", "paid"]}}"#,
        "state",
        Test::In(vec![text("open"), text("paid")]),
    );
    check_test(r#"{"more": {"is_null": true}}"#, "more", Test::IsNull);
    check_test(r#"{"more": {"is_null": false}}"#, "more", Test::IsNotNull);
    check_test(r#"{"note": null}"#, "note", Test::IsNull);
    check_test(r#"{"more": null}"#, "more", Test::IsNull);
    check_test(r#"{"note": {"neq": null}}"#, "note", Test::IsNotNull);
    check_test(r#"{"note": {"starts_with": "a*%"}}"#, "note", pattern(&["a*%", "*"]));
    check_test(r#"{"note": {"contains": "a_"}}"#, "note", pattern(&["*", "a_", "*"]));
    check_test(r#"{"note": {"like": "a**b%"}}"#, "note", pattern(&["a", "*", "b%"]));
}

#[test]
fn a_number_between_two_values_of_a_column_orders_rows_by_the_one_nearer_to_zero() {
    let text = |text: &str| text.to_owned();
    check_test(r#"{"no": {"gt": 393599.21}}"#, "no", Test::More(text("393599")));
    check_test(r#"{"no": {"gte": 0.5}}"#, "no", Test::More(text("0")));
    check_test(r#"{"no": {"lt": 7.5}}"#, "no", Test::AtMost(text("7")));
    check_test(r#"{"no": {"lte": -7.5}}"#, "no", Test::Less(text("-7")));
    check_test(r#"{"no": {"gt": -0.5}}"#, "no", Test::AtLeast(text("0")));
    check_test(r#"{"total": {"lt": 5.651941747572815}}"#, "total", Test::AtMost(text("5.65")));
    check_test(r#"{"total": {"gte": 5.650}}"#, "total", Test::AtLeast(text("5.650")));
    refuses(r#"{"no": 7.5, "total": {"eq": 1.105, "gt": 1e30}}"#, &["no", "total.eq", "total.gt"]);
    refuses(r#"{"no": {"gt": 1e20}, "total": {"gt": 1000000000.001}}"#, &["no.gt", "total.gt"]);
    let columns = columns();
    let columns: Vec<_> = columns.iter().collect();
    let average = Value::parse(r#"{"total": {"gt": 5.6519417475728154}}"#).unwrap();
    let filter = read(&average, &columns, Sqlite).unwrap();
    assert!(matches!(&*filter.all, [Condition { test: Test::More(_), .. }]), "{filter:?}");
}

#[test]
fn a_date_beside_a_column_of_times_is_the_beginning_of_its_day() {
    let text = |text: &str| text.to_owned();
    let begin = || text("2024-02-29T00:00:00Z");
    check_test(r#"{"since": {"gte": "2024-02-29"}}"#, "since", Test::AtLeast(begin()));
    check_test(r#"{"since": {"lt": "2024-02-29"}}"#, "since", Test::Less(begin()));
    check_test(r#"{"since": {"gte": "infinity"}}"#, "since", Test::AtLeast(text("infinity")));
    refuses(r#"{"since": {"gt": "2024-02-29", "gte": "2023-02-29"}}"#, &["since.gt", "since.gte"]);
    refuses(r#"{"since": {"eq": "2024-02-29", "lte": "2024-02-29"}}"#, &["since.eq", "since.lte"]);
    let columns = columns();
    let columns: Vec<_> = columns.iter().collect();
    let filter = Value::parse(r#"{"since": {"gte": "2024-02-29"}}"#).unwrap();
    for (engine, begin) in [(Mysql, "2024-02-29 00:00:00"), (Sqlite, "2024-02-29")] {
        let all = read(&filter, &columns, engine).unwrap().all;
        assert_eq!(all, [condition("since", Test::AtLeast(begin.to_owned()))]);
    }
}

#[test]
fn conditions_are_joined_and_one_level_of_choices_is_read() {
    let no = |no: &str| condition("no", Test::Equal(no.to_owned()));
    let late = || condition("is_late", Test::Equal("1".to_owned()));
    check("{}", vec![], vec![]);
    check(r#"{"is_late": true, "no": 1}"#, vec![late(), no("1")], vec![]);
    check(
        r#"{"is_late": true, "any": [{"no": 1}, {"no": 2, "is_late": true}]}"#,
        vec![late()],
        vec![vec![no("1")], vec![no("2"), late()]],
    );
    check(r#"{"any": [{"no": 1}]}"#, vec![no("1")], vec![]);
    check_test(r#"{"any": {"eq": "x"}}"#, "any", Test::Equal("x".to_owned()));
    check_test(r#"{"any": "x"}"#, "any", Test::Equal("x".to_owned()));
    assert!(filter("{}").unwrap().is_empty());
}

#[test]
fn each_problem_names_its_location() {
    refuses("[]", &[""]);
    refuses(r#"{"nope": 1, "no": {"gte": "x", "like": "y"}}"#, &["nope", "no.gte", "no.like"]);
    refuses(r#"{"no": {}}"#, &["no"]);
    refuses(r#"{"no": [1]}"#, &["no"]);
    refuses(r#"{"no": {"in": [1, "x"]}}"#, &["no.in[1]"]);
    refuses(r#"{"no": {"in": []}, "note": {"in": ["a", null]}}"#, &["no.in", "note.in[1]"]);
    refuses(r#"{"no": {"lt": null}}"#, &["no.lt"]);
    refuses(r#"{"more": {"eq": 1}, "state": {"gt": "open"}}"#, &["more.eq", "state.gt"]);
    refuses(r#"{"any": []}"#, &["any"]);
    refuses(
        r#"{"any": [{"no": 1}, {}, 7, {"any": [{"no": 1}]}]}"#,
        &["any[1]", "any[2]", "any[3].any"],
    );
    refuses(r#"{"note": {"like": "*a*b*c*d*e*"}}"#, &["note.like"]);
    refuses(r#"{"note": {"contains": "\u0000"}, "is_late": 1}"#, &["note.contains", "is_late"]);
}

#[test]
fn a_wrong_name_is_answered_with_the_right_ones() {
    let columns = columns();
    let columns: Vec<_> = columns.iter().take(2).collect();
    let problems = read(&json!({"totl": 1}), &columns, Postgres).unwrap_err();
    assert_eq!(problems[0].expected, "one of the columns `no`, `total`");
    assert_eq!(problems[0].suggestion.as_deref(), Some("`total`"));
    let problems = read(&json!({"no": {"ge": 1}}), &columns, Postgres).unwrap_err();
    assert_eq!(
        problems[0].expected,
        "one of the operators `eq`, `neq`, `lt`, `lte`, `gt`, `gte`, `in`, `is_null`"
    );
}

#[test]
fn a_filter_is_bounded() {
    let conditions = |n: usize| json!({"any": vec![json!({"no": 1}); n]}).to_string();
    assert!(filter(&conditions(20)).is_ok());
    refuses(&conditions(21), &["any"]);
    let pairs = json!({"any": vec![json!({"no": 1, "is_late": true}); 11]}).to_string();
    refuses(&pairs, &[""]);
    let list = |n: usize| json!({"no": {"in": vec![1; n]}}).to_string();
    assert!(filter(&list(100)).is_ok());
    refuses(&list(101), &["no.in"]);
}

#[test]
fn a_schema_names_columns_with_their_types_and_operators_once() {
    let columns = columns();
    let columns: Vec<_> = columns.iter().collect();
    let schema_of = schema(&columns, Sqlite);
    let properties = &schema_of["properties"];
    assert_eq!(properties["no"], json!({"type": ["integer", "object"]}));
    assert_eq!(properties["more"], json!({"type": "object"}));
    let groups = json!({"type": ["string", "array", "object"], "items": {"type": "object"}});
    assert_eq!(properties["any"], groups);
    let flag = column("is_open", ColumnKind::Flag { least: 0, most: 1 });
    let of_flag = schema(&[&flag], Sqlite);
    let types = json!({"type": ["boolean", "integer", "object"]});
    assert_eq!(of_flag["properties"]["is_open"], types);
    assert_eq!(
        properties["state"],
        json!({"type": ["string", "object"], "description": "open, paid"})
    );
    let words = schema_of["description"].as_str().unwrap();
    assert!(words.contains("starts_with") && words.contains("case-sensitive"), "{words}");
    let numbers = schema(&columns[..2], Mysql);
    assert!(!numbers["description"].as_str().unwrap().contains("starts_with"));
}
