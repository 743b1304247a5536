//! Decides whether a redirect is followed: only below the server, only for reads, only if the toolset allows
//! it. Makes the next request; credentials are put on it anew, as on the first.

use bytes::Bytes;
use callgate_transport::overrides_method;
use http::{Method, Request, Response, Uri, header::LOCATION};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::toolset::Redirects;

/// The most redirects that one call follows; more are a loop.
pub(super) const MAX_REDIRECTS: usize = 5;

pub(super) fn may_follow(redirects: Redirects, request: &Request<Bytes>) -> bool {
    redirects == Redirects::SameOrigin
        && matches!(*request.method(), Method::GET | Method::HEAD)
        && !overrides_method(request.headers())
}

/// The request that a redirect asks for; `None` if the response to `request` is no redirect to a location below `server`.
pub(super) fn next_request<T>(
    request: &Request<Bytes>,
    answer: &Response<T>,
    server: &Url,
) -> Option<Request<Bytes>> {
    // RFC 9110 §15.4: 300 offers a choice, 304 is no redirect, 305 and 306 are deprecated.
    if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let from = Url::parse(&request.uri().to_string()).ok()?;
    let mut to = from.join(answer.headers().get(LOCATION)?.to_str().ok()?).ok()?;
    let has_user = !to.username().is_empty() || to.password().is_some();
    if has_user || to.origin() != from.origin() || !from.origin().is_tuple() {
        return None;
    }
    if !is_safely_below(to.path(), server.path()) {
        return None;
    }
    to.set_fragment(None);
    let mut next = request.clone();
    *next.uri_mut() = to.as_str().parse::<Uri>().ok()?;
    Some(next)
}

/// Returns true if a path is the server's or below it, and stays there however often its escapes are decoded.
fn is_safely_below(path: &str, server: &str) -> bool {
    let rest = path.strip_prefix(server.trim_end_matches('/'));
    let is_within = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let mut read = path.to_owned();
    for _ in 0..MAX_DECODINGS {
        read = percent_decode_str(&read).decode_utf8_lossy().into_owned();
    }
    // Some servers remove parameters from a segment before they read it: `..;x`.
    let is_dots = |segment: &str| matches!(segment.split(';').next(), Some("." | ".."));
    is_within && !read.split(['/', '\\']).any(is_dots)
}

/// The number of times that escapes are decoded when a path is built.
const MAX_DECODINGS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, location: &str, expected: Option<&str>) {
        let request = Request::get("https://h.example/v1/a?x=1").header("x-a", "1");
        let request = request.body(Bytes::new()).unwrap();
        let answer = Response::builder().status(status).header(LOCATION, location);
        let server = Url::parse("https://h.example/v1").unwrap();
        let next = next_request(&request, &answer.body(()).unwrap(), &server);
        let followed = next.as_ref().map(|next| next.uri().to_string());
        assert_eq!(followed.as_deref(), expected, "{status} {location}");
        assert!(next.is_none_or(|next| next.headers()["x-a"] == "1"));
    }

    #[test]
    fn redirects_are_followed_only_to_paths_below_the_server() {
        for status in [301, 302, 303, 307, 308] {
            check(status, "/v1/b", Some("https://h.example/v1/b"));
        }
        check(302, "b?y=2#part", Some("https://h.example/v1/b?y=2"));
        check(302, "/v1", Some("https://h.example/v1"));
        check(302, "x/../c", Some("https://h.example/v1/c"));
        check(302, "https://H.example:443/v1/c", Some("https://h.example/v1/c"));
        check(302, "//h.example/v1/c", Some("https://h.example/v1/c"));
        let texts = "../c / /v10 /v2/b /V1/b /v1/../admin /v1/%2e%2e/admin /v1/..%2fadmin
            /v1/%252e%252e%252fadmin /v1/..%5cadmin /v1/..;/admin /v1/%2e.;x/admin /v1%2fb
            https://other.example/ http://h.example/ https://h.example:8443/ //other.example/
            https://user:pass@h.example/ https://h.example.evil.example/ file:///etc/passwd
            javascript:alert(1) https://";
        for location in texts.split_whitespace() {
            check(302, location, None);
        }
        for status in [200, 300, 304, 305, 306] {
            check(status, "/v1/b", None);
        }
    }

    #[test]
    fn redirects_are_followed_only_for_get_and_head_and_only_if_allowed() {
        for (method, follows) in [("GET", true), ("HEAD", true), ("POST", false), ("DELETE", false)]
        {
            let request = Request::builder().method(method).uri("https://h.example/");
            let request = request.body(Bytes::new()).unwrap();
            assert_eq!(may_follow(Redirects::SameOrigin, &request), follows, "{method}");
            assert!(!may_follow(Redirects::None, &request), "{method}");
        }
    }
}
