//! Writes cookie parameters into one `Cookie` header: style `form` percent-encodes names and values, style `cookie` does
//! not. Either way, no value can begin another cookie. Values come from `inputs`.

use callgate_tool::Value;

use crate::{query::Pairs, style::Unwritable};

/// The separator of two cookies (RFC 6265 §4.2.1).
const SEPARATOR: &str = "; ";

pub(crate) fn cookie_pairs_writer(out: &mut String) -> Pairs<'_> {
    if out.is_empty() { Pairs::new(out, SEPARATOR) } else { Pairs::continuing(out, SEPARATOR) }
}

pub(crate) fn cookie_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name).trim())
}

/// Checks that a value can stand unescaped in a cookie of style `cookie` (OpenAPI 3.2.0, appendix D: nothing is escaped
/// there).
///
/// # Errors
/// The value holds a character that ends the cookie for a receiver or that a receiver strips (RFC 6265 §5.2). An item of a
/// list must not hold `%` either: a reader decodes items, since only encoding can write a comma in one.
pub(crate) fn check_unescaped_cookie_value(value: &Value) -> Result<(), Unwritable> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| {
            let has_percent = item.as_str().is_some_and(|text| text.contains('%'));
            if has_percent {
                Err(Unwritable::Delimiter('%'))
            } else {
                check_unescaped_cookie_value(item)
            }
        }),
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            if name.contains('=') {
                return Err(Unwritable::Delimiter('='));
            }
            check_cookie_text(name).and_then(|()| check_unescaped_cookie_value(member))
        }),
        Value::String(text) => check_cookie_text(text),
        _ => Ok(()),
    }
}

fn check_cookie_text(text: &str) -> Result<(), Unwritable> {
    if text.chars().any(char::is_control) {
        Err(Unwritable::Control)
    } else if text.contains(';') {
        Err(Unwritable::Delimiter(';'))
    } else if text.trim_matches(' ').len() == text.len() {
        Ok(())
    } else {
        Err(Unwritable::Edge)
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn characters_that_would_end_a_cookie_are_refused() {
        assert_eq!(
            check_unescaped_cookie_value(&json!({"a": ["x y", 1, "\"é\""], "b": "%2C", "c": null})),
            Ok(())
        );
        for (value, why) in [
            (json!("a; b=1"), Unwritable::Delimiter(';')),
            (json!(["a\r\nx: 1"]), Unwritable::Control),
            (json!({"a": " x"}), Unwritable::Edge),
            (json!({"a;b": 1}), Unwritable::Delimiter(';')),
            (json!({"a=b": 1}), Unwritable::Delimiter('=')),
            (json!(["a%2Cb"]), Unwritable::Delimiter('%')),
        ] {
            assert_eq!(check_unescaped_cookie_value(&value), Err(why), "{value}");
        }
    }
}
