//! Values that are longer or deeper than a result may show.

use super::*;

#[test]
fn a_longer_value_is_shown_as_the_text_that_the_limit_leaves() {
    let check = |kind: &ColumnKind, text: Option<&str>, most, expected: &str, is_cut| {
        let mut shown = String::new();
        assert_eq!(
            write_json_within_limit(kind, text, Postgres, most, &mut shown),
            is_cut,
            "{text:?}"
        );
        assert_eq!(shown, expected);
    };
    let text = ColumnKind::Text { most: None };
    check(&text, Some("äöü"), 5, r#""äö""#, true);
    check(&text, Some("ab\"\n\u{1}"), 5, r#""ab\"\n\u0001""#, false);
    check(&ColumnKind::Json, Some("[1,2,3]"), 4, r#""[1,2""#, true);
    check(&ColumnKind::Bytes, Some("00ff00"), 3, r#""AP8A""#, false);
    check(&ColumnKind::Bytes, Some("00ff00"), 2, r#""AP8=""#, true);
    check(&text, None, 2, "null", false);
    check(&numeric(9, 2), Some("-1.50"), 9, "-1.50", false);
    check(&numeric(9, 2), Some("NaN"), 9, r#""NaN""#, false);
}

/// A result is read again where it is kept, and by whoever gets it.
#[test]
fn json_that_a_result_has_no_room_for_is_shown_as_its_text() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let array = ColumnKind::Array(Box::new(ColumnKind::Json));
    for kind in [ColumnKind::Json, array] {
        for (levels, is_value) in [(1, true), (100, true), (124, true), (125, false)] {
            let read = value(&kind, Some(&nested(levels)), Postgres);
            assert_eq!(read.is_string(), !is_value, "{levels}");
            let result = json!({"rows": [{"more": read}]});
            assert!(Value::parse(&result.to_string()).is_ok(), "{levels}");
        }
    }
}
