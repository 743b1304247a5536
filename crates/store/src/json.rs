//! Takes secrets out of JSON without keeping copies: members stay slices of the response until one of them becomes a
//! secret. The store interprets the response.

use std::collections::BTreeMap;

use callgate_secret::Secret;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The members of an object, not yet parsed.
pub(crate) type Members<'a> = BTreeMap<String, &'a RawValue>;

pub(crate) fn parse_json<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Option<T> {
    // The error is dropped: it may show parts of the text.
    serde_json::from_slice(text).ok()
}

/// A string, number or boolean as a secret; `None` for `null`, lists and objects.
pub(crate) fn secret_of_json_scalar(value: &RawValue) -> Option<Secret> {
    let text = value.get();
    match text.bytes().next()? {
        b'"' => serde_json::from_str(text).ok().map(Secret::from_stored_text),
        b'[' | b'{' | b'n' => None,
        _ => Some(Secret::new(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let members: Members<'_> = parse_json(text.as_bytes()).unwrap();
        let secret = members.get("k").copied().and_then(secret_of_json_scalar);
        assert_eq!(secret.as_ref().map(Secret::expose), expected, "{text}");
    }

    #[test]
    fn a_member_of_a_json_secret_is_selected_by_its_key() {
        check(r#"{"k": "abc"}"#, Some("abc"));
        check(r#"{"k": "a\"b\u00fc\n"}"#, Some("a\"b\u{fc}"));
        check(r#"{"k": 12345678901234567890}"#, Some("12345678901234567890"));
        check(r#"{"k": true}"#, Some("true"));
        check(r#"{"k": null}"#, None);
        check(r#"{"k": {"a": 1}}"#, None);
        check(r#"{"k": ["a"]}"#, None);
        check(r#"{"x": "abc"}"#, None);
        assert!(parse_json::<Members<'_>>(b"<html>").is_none());
    }
}
