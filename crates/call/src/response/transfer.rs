//! Decodes the `Content-Transfer-Encoding` of a part (RFC 2045 §6), which programs for mail write.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use http::HeaderValue;

use super::multipart::{RawPart, SplitError, TRANSFER_ENCODING, malformed_parts_error};

pub(super) fn transfer_decoded_body(part: &RawPart) -> Result<Bytes, SplitError> {
    let encoding = part.headers.get(TRANSFER_ENCODING).map(HeaderValue::as_bytes);
    let (decoded, expected) = match &*encoding.unwrap_or_default().to_ascii_lowercase() {
        b"" | b"7bit" | b"8bit" | b"binary" => return Ok(part.body.clone()),
        b"base64" => (decode_base64(&part.body), "base64, as `Content-Transfer-Encoding` says"),
        b"quoted-printable" => (
            decode_quoted_printable(&part.body),
            "quoted-printable text, as `Content-Transfer-Encoding` says",
        ),
        _ => (
            None,
            "`Content-Transfer-Encoding` to be `base64`, `quoted-printable`, `7bit`, `8bit` or `binary`",
        ),
    };
    decoded.ok_or_else(|| malformed_parts_error(part.at, expected, "something else"))
}

fn decode_base64(body: &[u8]) -> Option<Bytes> {
    let digits: Vec<u8> = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    BASE64.decode(digits).ok().map(Bytes::from)
}

/// RFC 2045 §6.7: `=` and two digits stand for a byte; `=` at the end of a line joins the lines. White space at line ends
/// was added in transit.
fn decode_quoted_printable(body: &[u8]) -> Option<Bytes> {
    let mut out = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let said = line.trim_ascii_end();
        let line_end = [&b"\r\n"[..], b"\n"].into_iter().find(|ends| line.ends_with(ends));
        let (said, line_end) = match said.strip_suffix(b"=") {
            Some(said) => (said, None),
            None => (said, line_end),
        };
        let mut pieces = said.split(|byte| *byte == b'=');
        out.extend_from_slice(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (digits, rest) = piece.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|them| !them.starts_with('+'))?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            out.extend_from_slice(rest);
        }
        out.extend_from_slice(line_end.unwrap_or_default());
    }
    Some(out.into())
}

/// Some programs omit the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use proptest::prelude::*;

    use super::*;

    fn part(encoding: &'static str, body: impl Into<Bytes>) -> RawPart {
        let value = HeaderValue::from_static(encoding);
        let headers = HeaderMap::from_iter([(TRANSFER_ENCODING, value)]);
        RawPart { at: 7, headers, body: body.into() }
    }

    #[track_caller]
    fn check(encoding: &'static str, body: &'static str, expected: Option<&'static str>) {
        let found = transfer_decoded_body(&part(encoding, body));
        match expected {
            Some(expected) => assert_eq!(found, Ok(expected.into()), "{body:?}"),
            None => assert!(matches!(found, Err(SplitError::Form { at: 7, .. })), "{body:?}"),
        }
    }

    #[test]
    fn content_transfer_encodings_are_decoded() {
        check("binary", "a=3D\r\n", Some("a=3D\r\n"));
        check("8BIT", "\u{e9}", Some("\u{e9}"));
        check("base64", "aGVs\r\nbG8=\r\n", Some("hello"));
        check("Base64", "aGVsbG8", Some("hello"));
        check("base64", "a?", None);
        check("quoted-printable", "caf=C3=A9 =\r\nau lait \r\n=3D", Some("caf\u{e9} au lait\r\n="));
        check("quoted-printable", "a=\nb\n", Some("ab\n"));
        for wrong in ["=G0", "=4", "a=+1", "=\u{e9}"] {
            check("quoted-printable", wrong, None);
        }
        check("x-uuencode", "", None);
    }

    proptest! {
        #[test]
        fn base64_and_quoted_printable_are_decoded_to_their_content(content in prop::collection::vec(any::<u8>(), 0..200)) {
            let digits = base64::prelude::BASE64_STANDARD.encode(&content);
            let lines: Vec<&[u8]> = digits.as_bytes().chunks(76).collect();
            prop_assert_eq!(transfer_decoded_body(&part("base64", lines.join(&b"\r\n"[..]))), Ok(content.clone().into()));
            let escaped: Vec<String> = content.iter().map(|byte| format!("={byte:02X}")).collect();
            let lines: Vec<String> = escaped.chunks(25).map(<[String]>::concat).collect();
            prop_assert_eq!(transfer_decoded_body(&part("quoted-printable", lines.join("=\r\n"))), Ok(content.into()));
        }

        #[test]
        fn any_transfer_encoded_text_is_decoded_or_refused(content in prop_oneof![".{0,60}", "[=0-9A-F \r\n]{0,60}"]) {
            for encoding in ["base64", "quoted-printable"] {
                let found = transfer_decoded_body(&part(encoding, content.clone()));
                prop_assert!(found.is_err() || found.is_ok_and(|found| found.len() <= content.len()));
            }
        }
    }
}
