//! Writes header values in style `simple`. Text stays as it is, in UTF-8; control characters are refused. Names come from
//! the description, values from `inputs`.

use callgate_openapi::Styled;
use callgate_tool::Value;
use http::HeaderValue;

use crate::{
    lists::write_nested_lists,
    style::{
        BARE_MEMBERS, Escape, Unwritable, has_control_in_value, joint, write_exploded_members,
        write_members, write_value,
    },
};

pub(crate) fn header_value(value: &Value, styled: &Styled) -> Result<HeaderValue, Unwritable> {
    let mut text = String::new();
    if has_control_in_value(value) {
        return Err(Unwritable::Control);
    }
    match value {
        Value::Array(list) => {
            write_nested_lists(&mut text, list, styled.style, &styled.items, Escape::Verbatim)?;
        }
        Value::Object(members) if !styled.explode => {
            let joint = joint(styled.style, Escape::Verbatim);
            write_members(&mut text, members, joint, Escape::Verbatim)?;
        }
        Value::Object(members) => {
            write_exploded_members(&mut text, members, BARE_MEMBERS, Escape::Verbatim)?;
        }
        _ => write_value(&mut text, value, Escape::Verbatim)?,
    }
    header_value_allowing_tabs(&text)
}

pub(crate) fn checked_header_value(text: &str) -> Result<HeaderValue, Unwritable> {
    if text.chars().any(char::is_control) {
        return Err(Unwritable::Control);
    }
    header_value_allowing_tabs(text)
}

/// A text as a header value; its only control characters may be tabs between items (Swagger 2.0, `tsv`).
fn header_value_allowing_tabs(text: &str) -> Result<HeaderValue, Unwritable> {
    if text.len() > MAX_HEADER {
        return Err(Unwritable::TooLong);
    }
    if text.trim_matches([' ', '\t']).len() != text.len() {
        // RFC 9110 §5.5: a receiver strips the blank, so another value would arrive.
        return Err(Unwritable::Edge);
    }
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| Unwritable::Control)
}

/// The longest header value, in bytes.
pub(crate) const MAX_HEADER: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use callgate_openapi::Style;
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(value: &Value, explode: bool, expected: Result<&str, Unwritable>) {
        let styled = Styled { explode, ..Styled::plain(Style::Simple) };
        let got = header_value(value, &styled);
        let got = got.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        assert_eq!(got, expected.map(str::to_owned));
    }

    #[test]
    fn simple_values_lists_and_objects_are_written_to_headers() {
        check(&json!("blue"), false, Ok("blue"));
        check(&json!(""), false, Ok(""));
        check(&json!("a, b=c"), false, Ok("a, b=c"));
        check(&json!("žluť"), false, Ok("žluť"));
        check(&json!(true), false, Ok("true"));
        check(&json!(["a", "b"]), false, Ok("a,b"));
        check(&json!({"R": 100, "G": 200}), false, Ok("R,100,G,200"));
        check(&json!({"R": 100, "G": 200}), true, Ok("R=100,G=200"));
    }

    #[test]
    fn tab_delimited_lists_are_written_only_without_tabs_in_their_items() {
        let styled = Styled::plain(Style::TabDelimited);
        let written = |value| header_value(&value, &styled);
        assert_eq!(written(json!(["a b", "c"])), Ok(HeaderValue::from_static("a b\tc")));
        assert_eq!(written(json!(["a\tb"])), Err(Unwritable::Control));
        assert_eq!(written(json!(["", "a"])), Err(Unwritable::Edge));
    }

    #[test]
    fn a_header_value_that_would_be_read_back_differently_is_refused() {
        check(&json!("a\r\nX-Evil: 1"), false, Err(Unwritable::Control));
        for control in ["a\u{0}b", "a\u{7f}", "a\tb", "\n"] {
            check(&json!(control), false, Err(Unwritable::Control));
        }
        check(&json!(["a,b"]), false, Err(Unwritable::Delimiter(',')));
        check(&json!({"a": "b=c"}), true, Err(Unwritable::Delimiter('=')));
        check(&json!(" a"), false, Err(Unwritable::Edge));
        check(&json!("a".repeat(MAX_HEADER + 1)), false, Err(Unwritable::TooLong));
        check(&json!(null), false, Err(Unwritable::Null));
    }
}
