//! The name of a file in `Content-Disposition` (RFC 6266), as servers write it: also without a type before it, in the encoded words
//! of mail (RFC 2047), and in the escapes of an address.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use encoding_rs::Encoding;
use http::{HeaderMap, header::CONTENT_DISPOSITION};
use percent_encoding::percent_decode_str;

use super::parameter::{header_text, parameter_by_name};

/// The name of a file in the headers of a response or a part, on one line.
pub(super) fn file_name(headers: &HeaderMap) -> Option<String> {
    let text = header_text(headers.get(CONTENT_DISPOSITION)?);
    let (kind, rest) = text.split_once(';').unwrap_or((&*text, ""));
    let parameters = if kind.contains('=') { &*text } else { rest };
    let name = parameter_by_name(parameters, "filename")?;
    let name = decoded_mime_words(&name).or_else(|| percent_decoded_name(&name)).unwrap_or(name);
    // Escapes can hide a break of the line.
    Some(name.replace(['\n', '\r', '\t'], " "))
}

/// The text of encoded words, as Spring and libraries of mail write them; `None` for other texts.
fn decoded_mime_words(text: &str) -> Option<String> {
    let mut rest = text.trim().strip_prefix("=?")?;
    let mut decoded = String::new();
    loop {
        let mut parts = rest.splitn(3, '?');
        let (charset, encoding) = (parts.next()?, parts.next()?);
        let (word, after) = parts.next()?.split_once("?=")?;
        let bytes = match encoding {
            "B" | "b" => STANDARD.decode(word).ok()?,
            "Q" | "q" => decoded_q_word(word),
            _ => return None,
        };
        let charset = Encoding::for_label(charset.as_bytes())?;
        decoded.push_str(&charset.decode_without_bom_handling(&bytes).0);
        // Blanks between encoded words are no part of the text (RFC 2047 §6.2).
        let Some(next) = after.trim_start().strip_prefix("=?") else {
            decoded.push_str(after);
            return Some(decoded);
        };
        rest = next;
    }
}

/// The bytes of a word in the encoding `Q`, whose escapes are those of an address with another sign.
fn decoded_q_word(word: &str) -> Vec<u8> {
    let escaped = word.replace('%', "%25").replace('=', "%").replace('_', " ");
    percent_decode_str(&escaped).collect()
}

/// The text of a name in which characters beyond ASCII are escaped as in an address; other escapes may be the name's own.
fn percent_decoded_name(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    (text.is_ascii() && !decoded.is_ascii()).then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(value: &[u8], expected: Option<&str>) {
        let header = HeaderValue::from_bytes(value).unwrap();
        let headers = HeaderMap::from_iter([(CONTENT_DISPOSITION, header)]);
        let shown = String::from_utf8_lossy(value);
        assert_eq!(file_name(&headers).as_deref(), expected, "{shown}");
    }

    /// As public reports have them: of Spring, of a bank, of servers in Java and PHP.
    #[test]
    fn the_name_of_a_file_is_read_as_servers_write_it() {
        for (value, expected) in [
            (
                "attachment; filename=\"=?UTF-8?Q?myFile.txt?=\"; filename*=UTF-8''myFile.txt",
                "myFile.txt",
            ),
            (
                "attachment; filename=\"=?UTF-8?B?TUVJU0FJMjAyMTAxMjkyMzAwMjYuY3N2?=\";",
                "MEISAI20210129230026.csv",
            ),
            (
                "attachment; filename=\"=?UTF-8?B?5pel5pys6KqeLmNzdg==?=\"",
                "\u{65e5}\u{672c}\u{8a9e}.csv",
            ),
            ("attachment; filename=\"=?iso-8859-1?q?caf=E9_50%.pdf?=\"", "caf\u{e9} 50%.pdf"),
            ("attachment; filename=\"=?utf-8?b?w7w=?= =?utf-8?b?YmVy?=.txt\"", "\u{fc}ber.txt"),
            ("attachment; filename=\"=?utf-8?Q?a=0Ab.pdf?=\"", "a b.pdf"),
            ("attachment; filename*=UTF-8''a%0D%0Ab%09c.pdf", "a  b c.pdf"),
            ("attachment;filename=%E6%B8%AC%E8%A9%A6.txt", "\u{6e2c}\u{8a66}.txt"),
            ("attachment; filename=my%20file.pdf", "my%20file.pdf"),
            ("attachment; filename=\"100%.pdf\"", "100%.pdf"),
            ("attachment; filename=\"=?x?B?YQ==?=\"", "=?x?B?YQ==?="),
            ("attachment; filename=\"=?utf-8?B?YQ\"", "=?utf-8?B?YQ"),
            ("filename=report.pdf", "report.pdf"),
            ("filename=\"a;b.pdf\"", "a;b.pdf"),
            ("attachment; filename=Le robot gardien.docx", "Le robot gardien.docx"),
            (
                "attachment; filename=John's.pdf; filename*=UTF-8''John's%20Resume.pdf",
                "John's Resume.pdf",
            ),
            (
                "attachment;filename=\"__.txt\";filename*=UTF-8''%E6%B8%AC%E8%A9%A6.txt",
                "\u{6e2c}\u{8a66}.txt",
            ),
        ] {
            check(value.as_bytes(), Some(expected));
        }
        check(b"attachment; filename=\"caf\xe9.pdf\"", Some("caf\u{e9}.pdf"));
        check("attachment; filename=\"caf\u{e9}.pdf\"".as_bytes(), Some("caf\u{e9}.pdf"));
        for none in ["attachment", "inline; name=a", ""] {
            check(none.as_bytes(), None);
        }
    }
}
