//! Refuses requests that the HTTP client would send without a check: headers that frame the message, a URL that the client
//! would change, sizes that no server accepts. It checks finished requests and does not know where their values came from.

use std::net::Ipv6Addr;

use callgate_tool::is_framing_header;
use http::{
    HeaderMap, HeaderValue, Uri,
    uri::{Authority, Scheme},
};
use url::Url;

use crate::error::{self, Error};

/// The longest URL that is sent. nginx and Apache accept 8 KiB for the request line.
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// The longest header that is sent, name and value. Tokens reach 4 KiB; most servers accept 8 KiB at most.
pub const MAX_HEADER_BYTES: usize = 8 * 1024;

/// The largest size of all headers together; nginx has four buffers of 8 KiB.
pub const MAX_HEADERS_BYTES: usize = 32 * 1024;

/// Refuses headers that the caller must not set, and headers larger than servers accept.
pub(crate) fn check_headers(headers: &HeaderMap) -> Result<(), Error> {
    let mut total: usize = 0;
    for (name, value) in headers {
        if is_framing_header(name.as_str()) {
            return Err(error::refused_error(
                "a header that only the HTTP client may set was on the request",
            ));
        }
        let length = name.as_str().len().saturating_add(value.len());
        if length > MAX_HEADER_BYTES {
            return Err(error::refused_error("a header is longer than 8 KiB"));
        }
        total = total.saturating_add(length);
    }
    if total > MAX_HEADERS_BYTES {
        return Err(error::refused_error("the headers are longer than 32 KiB together"));
    }
    Ok(())
}

/// The origin of requests, with its URL. Calls mostly go to one origin, and parsing it costs more than the rest of a URL.
#[derive(Debug)]
pub(crate) struct Origin {
    scheme: Scheme,
    authority: String,
    pub(crate) url: Url,
    /// The authority as a header, if it is sent exactly as it is written.
    host: Option<HeaderValue>,
}

impl Origin {
    /// The origin of a URI; `None` if the parser would change the origin. Copied, so that the rest of the URI is not kept.
    pub(crate) fn from_uri(uri: &Uri) -> Option<Self> {
        let (scheme, authority) = (uri.scheme()?.clone(), uri.authority()?.as_str().to_owned());
        let url = Url::parse(&format!("{scheme}://{authority}/")).ok()?;
        let host = has_same_authority_text(uri, &url).then(|| HeaderValue::from_str(&authority));
        let host = host.and_then(Result::ok);
        is_same_authority(uri, &url).then_some(Self { scheme, authority, url, host })
    }

    /// The header that names the origin in HTTP/1.1 (RFC 9112 §3.2), if no other version can be used.
    pub(crate) fn http1_host_header(&self) -> Option<&HeaderValue> {
        self.host.as_ref().filter(|_| self.scheme == Scheme::HTTP)
    }

    /// Returns true for a URI that [`checked_url`] and [`uri_with_url_host`] surely leave unchanged; looks at each byte once.
    pub(crate) fn needs_no_normalization(&self, uri: &Uri) -> bool {
        self.host.is_some()
            && self.is_origin_of(uri)
            && uri_length(uri) <= MAX_URL_BYTES
            && is_path_without_dots(uri.path().as_bytes())
            && uri
                .query()
                .unwrap_or_default()
                .bytes()
                .all(|byte| is_kept_by_parsers(byte) || byte == b'?')
    }

    fn is_origin_of(&self, uri: &Uri) -> bool {
        uri.scheme() == Some(&self.scheme)
            && uri.authority().is_some_and(|named| named.as_str() == self.authority)
    }

    fn url_if_same_origin(&self, uri: &Uri) -> Option<Url> {
        self.is_origin_of(uri).then(|| {
            let mut url = self.url.clone();
            url.set_path(uri.path());
            url.set_query(uri.query());
            url
        })
    }
}

/// The URL as the HTTP client will send it. A URI is refused if the client's parser changes it (`..`, numeric hosts,
/// escapes), because the checked request would differ from the sent one (finding 1 of `SECURITY.md`).
pub(crate) fn checked_url(uri: &Uri, known_origin: Option<&Origin>) -> Result<Url, Error> {
    if uri.scheme() != Some(&Scheme::HTTP) && uri.scheme() != Some(&Scheme::HTTPS) {
        return Err(error::refused_error("the URL must begin with `http://` or `https://`"));
    }
    if uri_length(uri) > MAX_URL_BYTES {
        return Err(error::refused_error("the URL is longer than 8 KiB"));
    }
    let url = match known_origin.and_then(|origin| origin.url_if_same_origin(uri)) {
        Some(url) => url,
        None => url_with_same_authority(uri)?,
    };
    if uri.path() != url.path() {
        return Err(error::refused_error("the URL's path is not what would be sent"));
    }
    if uri.query() != url.query() {
        return Err(error::refused_error("the URL's query is not what would be sent"));
    }
    Ok(url)
}

/// The URI as it is sent: with the host as its URL writes it, in lower case, and an IPv6 address in canonical form.
pub(crate) fn uri_with_url_host(uri: Uri, url: &Url) -> Result<Uri, Error> {
    if has_same_authority_text(&uri, url) {
        return Ok(uri);
    }
    let authority = url.authority().parse();
    let authority = authority.map_err(|_| error::refused_error("the URL cannot be parsed"))?;
    let mut parts = uri.into_parts();
    parts.authority = Some(authority);
    Uri::from_parts(parts).map_err(|_| error::refused_error("the URL cannot be parsed"))
}

/// Returns true for a URI whose host and port are written as in its URL.
fn has_same_authority_text(uri: &Uri, url: &Url) -> bool {
    let named = uri.authority().map(Authority::as_str).unwrap_or_default();
    let (host, port) = (url.host_str().unwrap_or_default(), url.port());
    match (named.strip_prefix(host), port) {
        (Some(rest), Some(port)) => rest.strip_prefix(':') == Some(&*port.to_string()),
        (Some(rest), None) => rest.is_empty(),
        (None, _) => false,
    }
}

/// Returns true for a path without a segment that may be `.` or `..` in one of their spellings.
fn is_path_without_dots(path: &[u8]) -> bool {
    let is_dotted = |pair: &[u8]| matches!(pair, [b'/', b'.' | b'%']);
    path.first() == Some(&b'/')
        && path.iter().all(|byte| is_kept_by_parsers(*byte))
        && !path.windows(2).any(is_dotted)
}

/// Returns true for a byte that no URL parser replaces (RFC 3986 §2.2, §2.3), in a path or in a query.
fn is_kept_by_parsers(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&()*+,;=:@/%".contains(&byte)
}

fn uri_length(uri: &Uri) -> usize {
    let scheme = uri.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    let query = uri.query().map_or(0, |query| query.len() + "?".len());
    scheme + authority + uri.path().len() + query
}

fn url_with_same_authority(uri: &Uri) -> Result<Url, Error> {
    // The parser's error is not kept: some errors show the text.
    let url = Url::parse(&uri.to_string())
        .map_err(|_| error::refused_error("the URL cannot be parsed"))?;
    if !is_same_authority(uri, &url) {
        return Err(error::refused_error("the URL's host and port are not what would be sent"));
    }
    Ok(url)
}

fn is_same_authority(uri: &Uri, url: &Url) -> bool {
    // User information would become an `Authorization` header.
    let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    let default_port = if uri.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
    !has_user
        && uri.port_u16().unwrap_or(default_port) == url.port_or_known_default().unwrap_or_default()
        && is_same_host(uri.host().unwrap_or_default(), url.host_str().unwrap_or_default())
}

/// Compares names without regard to case (RFC 3986 §3.2.2), and IPv6 addresses in all their spellings.
fn is_same_host(left: &str, right: &str) -> bool {
    let address = |host: &str| -> Option<Ipv6Addr> {
        host.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
    };
    left.eq_ignore_ascii_case(right)
        || address(left).is_some_and(|left| Some(left) == address(right))
}

#[cfg(test)]
mod tests {
    use http::HeaderName;
    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;

    proptest! {
        /// A URI that skips the URL parser is one that the parser would leave unchanged.
        #[test]
        fn a_uri_covered_by_an_origin_is_sent_unchanged(
            host in "[a-zA-Z0-9.-]{1,12}(:(80|443|8080))?",
            rest in r"[/.%2eE5cC\\ -~]{0,24}(\?[ -~]{0,12})?",
            is_https: bool,
        ) {
            let scheme = if is_https { "https" } else { "http" };
            let parsed = |text: String| text.parse::<Uri>().ok();
            let uri = parsed(format!("{scheme}://{host}/{rest}"));
            let origin = parsed(format!("{scheme}://{host}/")).and_then(|uri| Origin::from_uri(&uri));
            if let (Some(uri), Some(origin)) = (uri, origin)
                && origin.needs_no_normalization(&uri)
            {
                let url = checked_url(&uri, None).unwrap();
                prop_assert_eq!(url.as_str(), uri.to_string());
                prop_assert_eq!(uri_with_url_host(uri.clone(), &url).unwrap(), uri);
            }
        }
    }

    #[test]
    fn an_origin_covers_plain_uris_but_not_those_that_a_parser_may_change() {
        let origin = Origin::from_uri(&"http://h:8080/".parse().unwrap()).unwrap();
        assert_eq!(origin.http1_host_header().unwrap(), "h:8080");
        let covers = |rest: &str| {
            origin.needs_no_normalization(&format!("http://h:8080{rest}").parse().unwrap())
        };
        for rest in ["/", "", "/v1/pets/7", "/a//b/", "/a%2Fb/c.d?x=1&y=%20a+b&z=/?", "/v1/x:run"] {
            assert!(covers(rest), "{rest}");
        }
        for rest in
            ["/a/..", "/./a", "/a/%2e%2e/b", "/a/.%2E", "/a?q='", "/.hidden", "/%41", "/a|b"]
        {
            assert!(!covers(rest), "{rest}");
        }
        assert!(!origin.needs_no_normalization(&"http://h/a".parse().unwrap()));
        assert!(!origin.needs_no_normalization(
            &format!("http://h:8080/{}", "a".repeat(MAX_URL_BYTES)).parse().unwrap()
        ));
        let spelt = Origin::from_uri(&"http://H:80/".parse().unwrap()).unwrap();
        assert!(!spelt.needs_no_normalization(&"http://H:80/".parse().unwrap()));
        assert_eq!(
            Origin::from_uri(&"https://h/".parse().unwrap()).unwrap().http1_host_header(),
            None
        );
    }

    #[track_caller]
    fn check_url(uri: &str, is_allowed: bool) {
        let uri: Uri = uri.parse().unwrap();
        let anew = checked_url(&uri, None);
        let origin = Origin::from_uri(&uri);
        let again = checked_url(&uri, origin.as_ref());
        assert_eq!(again.as_ref().ok(), anew.as_ref().ok(), "{uri}");
        if origin.is_some_and(|origin| origin.needs_no_normalization(&uri)) {
            let sent = uri_with_url_host(uri.clone(), anew.as_ref().unwrap()).unwrap();
            assert_eq!(sent, uri);
        }
        for checked in [anew, again] {
            assert_eq!(checked.is_ok(), is_allowed, "{uri}: {checked:?}");
            if let Err(error) = checked {
                assert_eq!(error.kind(), ErrorKind::Refused);
                assert!(!error.to_string().contains("canary"), "{error}");
            }
        }
    }

    #[test]
    fn a_url_that_a_parser_leaves_unchanged_is_allowed() {
        let texts = "http://127.0.0.1:8080 http://127.0.0.1:8080/
            https://API.example.com/v1/pets/7?x=1 https://api.example.com:443/a//b/?
            http://[::1]:8080/%2F%3F%23%25?a=%26&b=%5B%5D&c=a+b http://[0:0:0:0:0:0:0:1]/
            http://xn--bcher-kva.example/a;b=c/@:!$&()*,=~-._ http://h/..a/a../.../%2e%2ea";
        for uri in texts.split_whitespace() {
            check_url(uri, true);
        }
    }

    #[test]
    fn a_url_that_a_parser_would_change_is_refused() {
        let texts = r"http://h/canary/.. http://h/canary/../admin http://h/./canary
            http://h/canary/%2e%2e/admin http://h/canary/.%2E/admin http://h/canary/%2E
            http://h/canary\admin http://h/canary?q=' http://user:canary@h/ http://canary@h/
            http://0x7f.1/canary http://2130706433/canary http://127.1/canary ftp://h/canary
            /canary canary.example:80";
        for uri in texts.split_whitespace() {
            if uri.parse::<Uri>().is_ok() {
                check_url(uri, false);
            }
        }
    }

    #[test]
    fn a_host_is_sent_in_its_normal_form() {
        for (uri, sent) in [
            ("https://API.example.com/v1?x=A", "https://api.example.com/v1?x=A"),
            ("https://api.example.com:443/a", "https://api.example.com/a"),
            ("http://h:8080/a?", "http://h:8080/a?"),
            ("http://H:8080", "http://h:8080/"),
            ("http://[0:0:0:0:0:0:0:1]:81/", "http://[::1]:81/"),
        ] {
            let uri: Uri = uri.parse().unwrap();
            let url = checked_url(&uri, None).unwrap();
            assert_eq!(uri_with_url_host(uri, &url).unwrap().to_string(), sent);
        }
    }

    #[test]
    fn a_similar_origin_does_not_match_the_remembered_one() {
        let known: Uri = "http://h:80/".parse().unwrap();
        let known = Origin::from_uri(&known).unwrap();
        let texts = "https://h:80/a http://h/a http://H:80/a http://h:8080/a?b http://h:80@evil/";
        for uri in texts.split_whitespace() {
            assert_eq!(known.url_if_same_origin(&uri.parse().unwrap()), None, "{uri}");
        }
    }

    #[test]
    fn a_url_of_more_than_eight_kilobytes_is_refused() {
        let start = "http://h/";
        check_url(&format!("{start}{}", "a".repeat(MAX_URL_BYTES - start.len())), true);
        check_url(&format!("{start}{}", "a".repeat(MAX_URL_BYTES - start.len() + 1)), false);
    }

    #[track_caller]
    fn check_header(name: &str, is_allowed: bool) {
        let name: HeaderName = name.parse().unwrap();
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static("canary"))]);
        let checked = check_headers(&headers);
        assert_eq!(checked.is_ok(), is_allowed, "{headers:?}");
        if let Err(error) = checked {
            assert_eq!(error.kind(), ErrorKind::Refused);
        }
    }

    #[test]
    fn headers_that_frame_the_message_are_refused() {
        for name in ["host", "te", "content-length", "proxy-x", "Transfer_Encoding"] {
            check_header(name, false);
        }
        for name in ["accept", "authorization", "content-type", "cookie", "x-host", "x_api_key"] {
            check_header(name, true);
        }
    }

    #[test]
    fn headers_larger_than_common_server_limits_are_refused() {
        let header = |number: usize, length: usize| {
            let name: HeaderName = format!("x-{number}").parse().unwrap();
            (name, HeaderValue::from_bytes(&vec![b'a'; length]).unwrap())
        };
        let one = |length| check_headers(&HeaderMap::from_iter([header(1, length)])).is_ok();
        assert!(one(MAX_HEADER_BYTES - 3) && !one(MAX_HEADER_BYTES - 2));
        let five: HeaderMap = (0..5).map(|number| header(number, 7000)).collect();
        assert!(check_headers(&five).is_err());
    }
}
