//! Parameters of headers: `boundary` of `Content-Type`, and the names in a part's `Content-Disposition`.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

/// The parameter of a header (RFC 9110 §5.6.6), a token or a quoted text; `name*` in another encoding takes precedence (RFC
/// 8187 §3.2).
pub(super) fn header_parameter(
    headers: &HeaderMap,
    header: HeaderName,
    name: &str,
) -> Option<String> {
    let text = header_text(headers.get(header)?);
    let (_, parameters) = text.split_once(';')?;
    parameter_by_name(parameters, name)
}

/// The text of a header. Browsers and programs write names in UTF-8, older servers in Latin 1.
pub(super) fn header_text(value: &HeaderValue) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    std::str::from_utf8(bytes)
        .map_or_else(|_| WINDOWS_1252.decode_without_bom_handling(bytes).0, Cow::Borrowed)
}

/// The parameter of a name among those of a header.
pub(super) fn parameter_by_name(parameters: &str, name: &str) -> Option<String> {
    let extended = parameter_value(parameters, &format!("{name}*"))
        .and_then(|value| decoded_extended_value(&value));
    extended.or_else(|| parameter_value(parameters, name).map(Cow::into_owned))
}

fn parameter_value<'a>(mut rest: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    loop {
        let (before, after) = rest.split_once('=')?;
        // A parameter without a value may precede it.
        let name = before.rsplit(';').next().unwrap_or_default().trim();
        let (value, behind) = split_parameter_value(after.trim_start());
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = behind;
    }
}

fn split_parameter_value(text: &str) -> (Cow<'_, str>, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return (value.trim_end().into(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            // Windows paths are often not escaped.
            '\\' if characters.as_str().starts_with(['"', '\\']) => {
                value.extend(characters.next());
            }
            other => value.push(other),
        }
    }
    (value.into(), characters.as_str())
}

/// `UTF-8''na%C3%AFve`.
fn decoded_extended_value(value: &str) -> Option<String> {
    let mut pieces = value.splitn(3, '\'');
    let encoding = Encoding::for_label(pieces.next()?.as_bytes())?;
    let bytes: Cow<'_, [u8]> = percent_decode_str(pieces.nth(1)?).into();
    Some(encoding.decode(&bytes).0.into_owned())
}

#[cfg(test)]
mod tests {
    use http::header::CONTENT_DISPOSITION;

    use super::*;

    #[track_caller]
    fn check(value: &str, name: &str, expected: Option<&str>) {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        let headers = HeaderMap::from_iter([(CONTENT_DISPOSITION, value)]);
        let found = header_parameter(&headers, CONTENT_DISPOSITION, name);
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn a_header_parameter_is_a_token_or_a_quoted_text() {
        check("form-data; name=a", "name", Some("a"));
        check("form-data; filename=\"b;name=c\"; NAME = \"a\" ", "name", Some("a"));
        check("form-data; x; name=a ; y=z", "name", Some("a"));
        check(r#"form-data; name="a \"b\" \\ C:\d""#, "name", Some(r#"a "b" \ C:\d"#));
        check("form-data; name=\"caf\u{e9}", "name", Some("caf\u{e9}"));
        check("form-data; name=\"\"", "name", Some(""));
        for none in ["form-data", "name=a", "form-data; filename=a", "form-data; name", ""] {
            check(none, "name", None);
        }
    }

    #[test]
    fn an_extended_header_parameter_wins_over_the_plain_one() {
        let both = "attachment; filename=\"na_ve.txt\"; filename*=UTF-8''na%C3%AFve.txt";
        check(both, "filename", Some("na\u{ef}ve.txt"));
        check("attachment; filename*=iso-8859-1'fr'caf%E9", "filename", Some("caf\u{e9}"));
        check("attachment; filename*=x''b; filename=a", "filename", Some("a"));
    }
}
