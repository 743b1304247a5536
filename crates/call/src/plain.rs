//! Finds out whether a URL parser would change an address: without parsing if no parser changes any of its bytes, otherwise
//! by parsing. It gets finished addresses from `request` and refuses nothing itself.

use url::Url;

pub(crate) fn is_unchanged_by_parsing(url: &str) -> bool {
    Url::parse(url).is_ok_and(|parsed| parsed.as_str() == url)
}

/// Returns true if `prefix`, made from the address of a server, ends inside a path, so that a plain tail only extends the
/// path.
pub(crate) fn can_append_plain_tails(server: &Url, prefix: &str) -> bool {
    matches!(server.scheme(), "http" | "https")
        && server.host_str().is_some_and(|host| !host.is_empty())
        && server.query().is_none()
        && server.fragment().is_none()
        && is_unchanged_by_parsing(&[prefix, "/"].concat())
}

/// Returns true if parsing certainly leaves `tail`, a path and a query, unchanged: bytes that the URL Standard escapes in
/// neither, in segments that do not begin with a dot in any spelling (<https://url.spec.whatwg.org/#path-state>).
pub(crate) fn is_parse_stable_tail(tail: &str) -> bool {
    let mut begins_segment = false;
    let mut bytes = tail.bytes().peekable();
    if bytes.peek() != Some(&b'/') {
        return false;
    }
    while let Some(byte) = bytes.next() {
        let may_be_dot = byte == b'.' || (byte == b'%' && bytes.peek() == Some(&b'2'));
        if !is_plain_url_byte(byte) || (begins_segment && may_be_dot) {
            return false;
        }
        begins_segment = byte == b'/';
    }
    true
}

fn is_plain_url_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'/'..=b';' | b'$'..=b'&' | b'('..=b'.')
        || matches!(byte, b'!' | b'=' | b'?' | b'@' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SERVERS: [&str; 6] = [
        "http://h",
        "https://api.example.com/v1/",
        "http://127.0.0.1:8080//",
        "http://[::1]/a%20b/c",
        "https://h/a?b=c",
        "urn:h",
    ];

    #[track_caller]
    fn check(tail: &str, is_sure: bool) {
        assert_eq!(is_parse_stable_tail(tail), is_sure, "{tail}");
    }

    #[test]
    fn common_paths_are_joined_without_a_url_parser() {
        for tail in
            ["/", "/pets/7", "/pets/a%20b?tag=x%26y&n=1.5", "/a..b/c.?..", "//", "/:;@,=!$()*+~_-"]
        {
            check(tail, true);
        }
    }

    #[test]
    fn paths_that_a_url_parser_may_change_are_left_to_it() {
        let texts = r#"pets ?a /. /.. /a/../b /a/%2e%2E /a/.%2e /.hidden /a\b /a#b /a?b=' /" /<
            /{a} /a|b /a^ /` /["#;
        for tail in texts.split_whitespace().chain(["", "/a b", "/\u{e9}", "/\t"]) {
            check(tail, false);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000.max(ProptestConfig::default().cases)))]
        #[test]
        fn a_url_parser_changes_no_path_that_is_joined_without_it(
            server in prop::sample::select(SERVERS.to_vec()),
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec![
                        "/", ".", "..", "%2e", "%2E", "%", "%2", "?", "#", "\\", "a", "7", "&", "=", "'", "@",
                        ":", "//", "C:", "C|", "%41", ";", "+", "*", "\t", " ",
                    ]).prop_map(str::to_owned),
                    any::<char>().prop_map(String::from),
                    (0x20_u8..0x7f).prop_map(|byte| char::from(byte).to_string()),
                ],
                0..8,
            )
        ) {
            let server: Url = server.parse().unwrap();
            let prefix = server.as_str().trim_end_matches('/');
            let tail = "/".to_owned() + &pieces.concat();
            if can_append_plain_tails(&server, prefix) && is_parse_stable_tail(&tail) {
                prop_assert!(is_unchanged_by_parsing(&[prefix, &tail].concat()), "{prefix}{tail}");
            }
        }
    }
}
