//! The names of headers that frame a message or belong to one connection. `openapi` decides which other headers no argument
//! may set.

/// Reports whether a header frames the message or belongs to one connection: only the HTTP client sets such headers (RFC
/// 9110 §7.6.1, RFC 9112 §6). Case does not count, and `_` counts as `-`, because CGI servers do not distinguish the two.
///
/// ```
/// use callgate_tool::is_framing_header;
///
/// assert!(is_framing_header("Transfer_Encoding"));
/// assert!(is_framing_header("proxy-authorization"));
/// assert!(!is_framing_header("accept"));
/// ```
pub fn is_framing_header(name: &str) -> bool {
    begins_with_folded(name, PROXY)
        || FRAMING.iter().any(|framing_header| is_same_folded_name(name, framing_header))
}

fn begins_with_folded(name: &str, start: &str) -> bool {
    name.len() >= start.len()
        && lowercase_dashed_bytes(name).zip(start.bytes()).all(|(got, expected)| got == expected)
}

fn is_same_folded_name(name: &str, header_name: &str) -> bool {
    name.len() == header_name.len() && begins_with_folded(name, header_name)
}

fn lowercase_dashed_bytes(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().map(|byte| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() })
}

const PROXY: &str = "proxy-";

const FRAMING: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: bool) {
        assert_eq!(is_framing_header(name), expected, "{name}");
        assert_eq!(is_framing_header(&name.to_ascii_uppercase()), expected, "{name}");
        assert_eq!(is_framing_header(&name.replace('-', "_")), expected, "{name}");
    }

    #[test]
    fn headers_of_the_connection_are_recognized() {
        for name in FRAMING.iter().chain(&["proxy-authorization", "proxy-x"]) {
            check(name, true);
        }
    }

    #[test]
    fn headers_of_the_message_are_no_headers_of_the_connection() {
        for name in ["", "accept", "authorization", "proxy", "t", "tea", "x-host", "hosts", "žluť"]
        {
            check(name, false);
        }
    }
}
