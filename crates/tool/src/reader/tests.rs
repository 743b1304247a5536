//! Texts that are JSON, texts that are not, and the places where the reader stops.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check_fault(text: &str, line: usize, column: usize, reason: &str) {
    let fault = JsonReader::new(text).check().unwrap_err();
    assert_eq!(
        (fault.line(), fault.column(), &*fault.reason().to_string()),
        (line, column, reason),
        "{text}"
    );
}

#[test]
fn a_fault_of_json_has_its_line_column_and_reason() {
    for (text, line, column, reason) in [
        ("", 1, 1, "expected a value, the text ends"),
        ("nul", 1, 1, "expected a value"),
        ("[1,]", 1, 4, "a comma stands before the end"),
        ("{\"a\":1,}", 1, 8, "a comma stands before the end"),
        ("[1\n 2]", 2, 2, "expected `,` or `]`"),
        ("{\"a\":1 \"b\"}", 1, 8, "expected `,` or `}`"),
        ("{\"ä\" 1}", 1, 6, "expected `:`"),
        ("{a:1}", 1, 2, "expected a name in double quotes"),
        ("1 2", 1, 3, "expected nothing after the value"),
        ("01", 1, 1, "a number is not written as JSON writes it"),
        ("[", 1, 2, "expected a value, the text ends"),
        ("[1", 1, 3, "a list is not closed, the text ends"),
        ("{", 1, 2, "an object is not closed, the text ends"),
        ("\"a", 1, 3, "a text is not closed"),
        ("\"\\x\"", 1, 2, "an escape is none of JSON's"),
        ("\"\\ud83d\"", 1, 2, "half of a surrogate pair stands alone"),
        ("\"\u{1}\"", 1, 2, "a control character stands in a text, it must be escaped"),
    ] {
        check_fault(text, line, column, reason);
    }
}

#[test]
fn json_that_is_nested_too_deep_is_refused() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(JsonReader::new(&nested(DEPTH)).check().is_ok());
    assert!(JsonReader::new(&nested(DEPTH + 1)).check().unwrap_err().is_too_deep());
    assert!(JsonReader::new(&nested(3)).with_depth(2).check().unwrap_err().is_too_deep());
    assert!(JsonReader::new(&nested(2)).with_depth(2).check().is_ok());
    assert!(JsonReader::new(&nested(DEPTH + 1)).with_depth(usize::MAX).check().is_err());
}

#[test]
fn strings_of_every_length_end_at_their_quote() {
    for length in 0..40 {
        let plain = "é".repeat(length);
        for text in [plain.clone(), plain.clone() + "\\\"", plain + "\\ud83d\\ude00"] {
            let text = format!("\"{text}\"");
            let expected: String = serde_json::from_str(&text).unwrap();
            assert_eq!(
                JsonReader::new(&text).next_token().unwrap(),
                Some(JsonToken::String(&expected))
            );
        }
    }
}

proptest! {
    #[test]
    fn json_is_accepted_exactly_if_serde_json_accepts_it(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\\", "\\u", "d83d", "\\ude00", "\\\"", "1",
                "-", "0", ".", "e", "+", "true", "false", "null", " ", "\t", "\r", "\u{e9}", "\u{7f}", "\u{1f}", "\n",
            ]),
            0..12,
        )
    ) {
        let text = pieces.concat();
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        prop_assert_eq!(JsonReader::new(&text).check().is_ok(), theirs.is_ok(), "{}", text);
    }
}
