//! Reads the JSON of a response, or returns the reason why it cannot: invalid JSON and JSON that is nested too deeply are
//! distinguished. Lone surrogates, which no text can hold, become U+FFFD.

use std::borrow::Cow;

use callgate_tool::Json;

use super::media::Media;

/// The JSON of a body, with limited depth. RFC 8259 §8.1: it is UTF-8, and a byte order mark may be ignored; text in
/// another announced encoding is decoded, and invalid bytes become U+FFFD.
pub(super) fn decode_and_parse_json(body: &[u8], media: &Media<'_>) -> Result<ParsedJson, NoJson> {
    if let Some(json) = std::str::from_utf8(body).ok().and_then(|text| Json::parse(text).ok()) {
        return Ok(ParsedJson { json, n_replaced: 0 });
    }
    parse_repairing_surrogates(&media.decoded_text(body))
}

pub(super) fn parse_repairing_surrogates(text: &str) -> Result<ParsedJson, NoJson> {
    match Json::parse(text) {
        Ok(json) => return Ok(ParsedJson { json, n_replaced: 0 }),
        Err(fault) if fault.is_too_deep() => return Err(NoJson::TooDeep),
        Err(_) => {}
    }
    let (mended, n_replaced) = replace_lone_surrogates(text);
    if n_replaced == 0 {
        return Err(NoJson::Malformed);
    }
    match Json::parse(&mended) {
        Ok(json) => Ok(ParsedJson { json, n_replaced }),
        Err(fault) if fault.is_too_deep() => Err(NoJson::TooDeep),
        Err(_) => Err(NoJson::Malformed),
    }
}

#[derive(Debug)]
pub(super) struct ParsedJson {
    pub(super) json: Json,
    pub(super) n_replaced: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum NoJson {
    Malformed,
    TooDeep,
}

/// Returns true if the first byte of a body looks like JSON; other texts may begin with it too.
pub(super) fn begins_like_json(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    matches!(body.trim_ascii_start().first(), Some(b'[' | b'{'))
}

/// The text with every escaped lone surrogate replaced, and their number (RFC 8259 §8.2).
fn replace_lone_surrogates(text: &str) -> (Cow<'_, str>, usize) {
    let mut mended = String::new();
    let (mut rest, mut n_replaced) = (text, 0);
    while let Some((before, after)) = rest.split_once('\\') {
        let unit = |text: &str| {
            let digits = text.strip_prefix('u')?.get(..4)?;
            u32::from_str_radix(digits, 16).ok()
        };
        let low = |text: &str| unit(text).is_some_and(|unit| (0xdc00..0xe000).contains(&unit));
        let length = match unit(after) {
            Some(0xd800..0xdc00)
                if after.get(5..).is_some_and(|next| next.strip_prefix('\\').is_some_and(low)) =>
            {
                11
            }
            Some(0xd800..0xe000) => {
                mended.push_str(before);
                mended.push('\u{fffd}');
                n_replaced += 1;
                rest = after.get(5..).unwrap_or_default();
                continue;
            }
            // The escaped character does not begin another escape.
            _ => after.chars().next().map_or(0, char::len_utf8),
        };
        let (escaped, following) = after.split_at_checked(length).unwrap_or((after, ""));
        mended.extend([before, "\\", escaped]);
        rest = following;
    }
    if n_replaced == 0 {
        return (Cow::Borrowed(text), 0);
    }
    mended.push_str(rest);
    (Cow::Owned(mended), n_replaced)
}

#[cfg(test)]
mod tests {
    use callgate_tool::DEPTH;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, usize), NoJson>) {
        let taken = parse_repairing_surrogates(text)
            .map(|taken| (taken.json.text().to_owned(), taken.n_replaced));
        let taken = taken.as_ref().map(|(text, n)| (text.as_str(), *n)).map_err(|why| *why);
        assert_eq!(taken, expected, "{text}");
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_kept() {
        check(r#"["\ud83d\ude00"]"#, Ok((r#"["\ud83d\ude00"]"#, 0)));
        check(r#"["\ud83d"]"#, Ok(("[\"\u{fffd}\"]", 1)));
        check(r#"["\ude00a\ud83d\n"]"#, Ok(("[\"\u{fffd}a\u{fffd}\\n\"]", 2)));
        check(r#"["\ud83d\ud83d\ude00"]"#, Ok(("[\"\u{fffd}\\ud83d\\ude00\"]", 1)));
        check(r#"["\\ud83d", "\ud83d"]"#, Ok(("[\"\\\\ud83d\", \"\u{fffd}\"]", 1)));
        check(r#"["\ud83d\u"]"#, Err(NoJson::Malformed));
        check("[\"\\", Err(NoJson::Malformed));
    }

    #[test]
    fn json_that_is_too_deep_is_distinguished_from_malformed_json() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse_repairing_surrogates(&nested(DEPTH)).is_ok());
        check(&nested(DEPTH + 1), Err(NoJson::TooDeep));
        check(&"[".repeat(1000), Err(NoJson::TooDeep));
        check(&format!("[\"{}\",]", "[\\\"".repeat(1000)), Err(NoJson::Malformed));
        check("<html>", Err(NoJson::Malformed));
    }
}
