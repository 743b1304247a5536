//! Reads JSON that a model or an operator wrote, and refuses JSON that readers understand differently, so that the checked
//! value is the sent value. Numbers keep their digits. It does not interpret the values.

use std::collections::BTreeSet;

use callgate_tool::{JsonReader, JsonToken, Value};

use crate::envelope::{EnvelopeError, invalid_json_error};

/// Reads one JSON value. A repeated key in an object (RFC 8259 §4: readers treat it differently) and a lone surrogate are
/// refused.
///
/// ```
/// let read = callgate_dialect::read_json(r#"{"id": 9007199254740993}"#)?;
/// assert_eq!(read["id"].to_string(), "9007199254740993");
///
/// let error = callgate_dialect::read_json(r#"{"id": 1, "\u0069d": 2}"#).unwrap_err();
/// let message = "expected each key once, got twice: `id` at line 1 column 11";
/// assert_eq!(error.to_string(), message);
/// # Ok::<(), callgate_dialect::EnvelopeError>(())
/// ```
///
/// # Errors
/// [`EnvelopeError`] with line and column.
pub fn read_json(text: &str) -> Result<Value, EnvelopeError> {
    if let Ok(Some(value)) = Value::parse_unambiguous(text) {
        return Ok(value);
    }
    // The first problem in the text is the one that is reported.
    check_unique_keys(text)?;
    Value::parse(text).map_err(invalid_json_error)
}

/// Reads to the end, unless an object repeats a key.
fn check_unique_keys(text: &str) -> Result<(), EnvelopeError> {
    let mut reader = JsonReader::new(text);
    let mut open = Vec::new();
    while let Some(token) = reader.next_token().map_err(invalid_json_error)? {
        match token {
            JsonToken::Name(name) => {
                let names: Option<&mut BTreeSet<String>> = open.last_mut();
                if names.is_some_and(|names| !names.insert(name.to_owned())) {
                    let message = format!("expected each key once, got twice: `{name}`");
                    let (line, column) = reader.name_line_and_column();
                    return Err(invalid_json_error(format_args!(
                        "{message} at line {line} column {column}"
                    )));
                }
            }
            JsonToken::ObjectStart => open.push(BTreeSet::new()),
            JsonToken::ObjectEnd => drop(open.pop()),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let read = read_json(text);
        assert_eq!(
            read.map_or_else(|error| error.to_string(), |value| value.to_string()),
            expected
        );
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused_at_any_depth() {
        let twice =
            |at: &str| format!("expected each key once, got twice: `id` at line 1 column {at}");
        check(r#"{"id":1,"id":1}"#, &twice("9"));
        check(r#"{"id":1,"\u0069d":2}"#, &twice("9"));
        check(r#"[{"a":{"id":1,"id":2}}]"#, &twice("15"));
        check(r#"{"id":1,"a":{"id":2},"__proto__":[]}"#, r#"{"id":1,"a":{"id":2},"__proto__":[]}"#);
    }

    #[test]
    fn digits_and_characters_are_not_changed() {
        for text in
            ["9007199254740993", "0.10000000000000000001", "1e400", "-0.0", "\"e\u{301}．\""]
        {
            check(text, text);
        }
        check(r#"{"a":[1.50,18446744073709551616]}"#, r#"{"a":[1.50,18446744073709551616]}"#);
    }

    #[test]
    fn a_lone_surrogate_is_refused() {
        check(r#""\ud83d\ude00""#, "\"😀\"");
        for text in [r#""\ud800""#, r#""\udc00""#, r#"{"\ud800":1}"#] {
            let error = read_json(text).unwrap_err().to_string();
            assert!(error.contains("surrogate"), "{error}");
        }
    }
}
