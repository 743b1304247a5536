//! Values of every kind are read again as they were bound, and no text of a database makes reading panic.

use callgate_tool::{Number, Value, json};
use proptest::prelude::*;

use super::{
    super::write_json_within_limit, ENGINES, Postgres, bound_text, column, numeric, value,
};
use crate::catalog::ColumnKind;

/// A kind with a value that its columns hold, in the form in which it is read again.
fn kind_and_value() -> impl Strategy<Value = (ColumnKind, Value)> {
    let date = || {
        (1_i32..=9999, 1_u8..=12, 1_u8..=28).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"))
    };
    let clock = || {
        (0_u8..24, 0_u8..60, 0_u8..60, "(\\.[0-9]{1,6})?")
            .prop_map(|(h, m, s, f)| format!("{h:02}:{m:02}:{s:02}{f}"))
    };
    let zone = || "(Z|[+-](0[1-9]|1[0-3]):[0-5][0-9])";
    let word = || any::<String>().prop_map(|text| text.replace('\0', ""));
    let scalar = |kind: ColumnKind| move |text: String| (kind.clone(), Value::String(text));
    let digits = |text: String| Value::Number(Number::from_digits(&text).unwrap());
    prop_oneof![
        any::<bool>().prop_map(|truth| (ColumnKind::Boolean, truth.into())),
        any::<i64>().prop_map(|n| (
            ColumnKind::Integer { least: i64::MIN.into(), most: i64::MAX.into() },
            n.into()
        )),
        "-?(0|[1-9][0-9]{0,29})(\\.[0-9]{1,10})?"
            .prop_filter("negative zero", |text| !text.starts_with("-0"))
            .prop_map(move |text| (numeric(40, 10), digits(text))),
        any::<f64>().prop_filter_map("finite", |n| Some((
            ColumnKind::Float,
            Value::Number(Number::from_f64(n)?)
        ))),
        word().prop_map(scalar(ColumnKind::Text { most: None })),
        date().prop_map(scalar(ColumnKind::Date)),
        clock().prop_map(scalar(ColumnKind::Time { has_zone: false })),
        (date(), clock())
            .prop_map(|(d, c)| format!("{d}T{c}"))
            .prop_map(scalar(ColumnKind::Timestamp { has_zone: false })),
        (date(), clock(), zone())
            .prop_map(|(d, c, z)| format!("{d}T{c}{z}"))
            .prop_map(scalar(ColumnKind::Timestamp { has_zone: true })),
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}".prop_map(scalar(ColumnKind::Uuid)),
        "([A-Za-z0-9+/]{4}){0,9}".prop_map(scalar(ColumnKind::Bytes)),
        word().prop_map(|text| (ColumnKind::Json, json!({"a": [text, null, 1.5]}))),
    ]
}

proptest! {
    #[test]
    fn a_value_that_is_bound_is_read_again(case in kind_and_value()) {
        let (kind, given) = case;
        let bound = bound_text(&column(kind.clone(), "x"), &given, Postgres).unwrap();
        prop_assert_eq!(value(&kind, bound.as_deref(), Postgres), given);
    }

    #[test]
    fn any_text_is_read_and_bound_without_a_panic(
        written in prop_oneof![any::<String>(), "-?[0-9]{0,22}"],
        case in kind_and_value(),
    ) {
        let kind = case.0;
        for engine in ENGINES {
            let list = ColumnKind::Array(Box::new(kind.clone()));
            for kind in [&kind, &list] {
                let read = value(kind, Some(&written), engine);
                drop(bound_text(&column(kind.clone(), &written), &read, engine));
                let mut shown = String::new();
                write_json_within_limit(kind, Some(&written), engine, written.len() / 2, &mut shown);
                prop_assert!(Value::parse(&shown).is_ok(), "{}", shown);
                shown.clear();
                write_json_within_limit(kind, Some(&written), engine, usize::MAX, &mut shown);
                prop_assert_eq!(Value::parse(&shown).unwrap(), read);
            }
        }
    }
}
