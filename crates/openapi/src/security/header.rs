//! The names of headers that arguments do not set: those that frame the message or belong to the connection, those that
//! OpenAPI describes elsewhere, and those that give services and proxies another sender, address or method.

use callgate_tool::is_framing_header;

/// Returns true if no argument may set a header with this name unless the operator allows it, even if the description
/// declares it.
pub fn is_withheld_header(name: &str) -> bool {
    let folded = folded_name(name);
    is_openapi_reserved(&folded) || is_connection_header(&folded)
}

/// Returns true if a header can have this name (RFC 9110 §5.1): it must be a token.
pub(crate) fn is_header_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}

/// Returns true if OpenAPI describes the header elsewhere.
pub(super) fn is_openapi_reserved(folded: &str) -> bool {
    RESERVED.contains(&folded)
}

/// Returns true if a header controls the connection, the message or the proxies on the way.
pub(super) fn is_connection_header(folded: &str) -> bool {
    is_framing_header(folded) || FORBIDDEN.contains(&folded) || folded.starts_with("x-forwarded-")
}

/// A header's name as services compare it: many read `_` as `-`.
pub(super) fn folded_name(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

/// Returns true if two names are equal after [`folded_name`], without allocating.
pub(super) fn are_equal_header_names(one: &str, other: &str) -> bool {
    let fold = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    one.trim().bytes().map(fold).eq(other.trim().bytes().map(fold))
}

const RESERVED: [&str; 3] = ["accept", "authorization", "content-type"];

const FORBIDDEN: &[&str] = &[
    "accept-encoding",
    "content-encoding",
    "cookie",
    "forwarded",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_connection_and_of_credentials_are_never_set_by_arguments() {
        let texts = "Host TE HTTP2-Settings X_Forwarded_User Proxy-Authorization cookie
            X-Original-URL";
        for name in texts.split_whitespace() {
            assert!(is_withheld_header(name), "{name}");
        }
        for name in ["", "X Own", "X-\u{e9}", "a:b", "a\nb", "{x}"] {
            assert!(!is_header_name(name), "{name}");
        }
        assert!(is_header_name("X_Own.1"));
        for (one, other) in
            [("X_Own", " x-own"), ("X-Own", "X-Owner"), ("", "-"), ("\u{e9}", "\u{c9}")]
        {
            assert_eq!(
                are_equal_header_names(one, other),
                folded_name(one) == folded_name(other),
                "{one} {other}"
            );
        }
        for name in ["X-Session", "Accept-Language", "If-Match", "Idempotency-Key"] {
            assert!(!is_withheld_header(name), "{name}");
        }
    }
}
