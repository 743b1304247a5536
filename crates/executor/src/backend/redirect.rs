//! Whether a redirect is followed: only within the origin, only for reads, only where the toolset allows it. Gives the
//! next request; credentials are put on it anew, like on the first.

use bytes::Bytes;
use callgate_transport::overrides_method;
use http::{HeaderMap, Method, Request, StatusCode, Uri, header::LOCATION};
use url::Url;

use crate::toolset::Redirects;

/// How many redirects of one call are followed (security §4); more is a loop.
pub(super) const MAX_REDIRECTS: usize = 5;

/// Whether an answer to `request` may be followed if it is a redirect.
pub(super) fn may_follow(redirects: Redirects, request: &Request<Bytes>) -> bool {
    redirects == Redirects::SameOrigin
        && matches!(*request.method(), Method::GET | Method::HEAD)
        && !overrides_method(request.headers())
}

/// The request that a redirect asks for; `None` where the answer is no redirect within the origin of `request`.
pub(super) fn next(
    request: &Request<Bytes>,
    status: StatusCode,
    headers: &HeaderMap,
) -> Option<Request<Bytes>> {
    // RFC 9110 §15.4: 300 offers a choice, 304 is none, 305 and 306 are deprecated.
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let from = Url::parse(&request.uri().to_string()).ok()?;
    let mut to = from.join(headers.get(LOCATION)?.to_str().ok()?).ok()?;
    let has_user = !to.username().is_empty() || to.password().is_some();
    if has_user || to.origin() != from.origin() || !from.origin().is_tuple() {
        return None;
    }
    to.set_fragment(None);
    let mut next = request.clone();
    *next.uri_mut() = to.as_str().parse::<Uri>().ok()?;
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, location: &str, expected: Option<&str>) {
        let request = Request::get("https://h.example/v1/a?x=1").header("x-a", "1");
        let request = request.body(Bytes::new()).unwrap();
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
        let next = next(&request, StatusCode::from_u16(status).unwrap(), &headers);
        let followed = next.as_ref().map(|next| next.uri().to_string());
        assert_eq!(followed.as_deref(), expected, "{status} {location}");
        assert!(next.is_none_or(|next| next.headers()["x-a"] == "1"));
    }

    #[test]
    fn only_the_same_origin_is_followed() {
        for status in [301, 302, 303, 307, 308] {
            check(status, "/v2/b", Some("https://h.example/v2/b"));
        }
        check(302, "b?y=2#part", Some("https://h.example/v1/b?y=2"));
        check(302, "../c", Some("https://h.example/c"));
        check(302, "https://H.example:443/c", Some("https://h.example/c"));
        check(302, "//h.example/c", Some("https://h.example/c"));
        for location in [
            "https://other.example/",
            "http://h.example/",
            "https://h.example:8443/",
            "//other.example/",
            "https://user:pass@h.example/",
            "https://h.example.evil.example/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://",
        ] {
            check(302, location, None);
        }
        for status in [200, 300, 304, 305, 306] {
            check(status, "/b", None);
        }
    }

    #[test]
    fn only_reads_are_followed_and_only_where_allowed() {
        for (method, follows) in [("GET", true), ("HEAD", true), ("POST", false), ("DELETE", false)]
        {
            let request = Request::builder().method(method).uri("https://h.example/");
            let request = request.body(Bytes::new()).unwrap();
            assert_eq!(may_follow(Redirects::SameOrigin, &request), follows, "{method}");
            assert!(!may_follow(Redirects::None, &request), "{method}");
        }
    }
}
