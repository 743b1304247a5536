//! Requests and responses as text, the form of fixtures: a first line, headers, a blank line, the body. Writes requests
//! with masked credentials, and responses; reads responses. `replay` matches recordings with requests.
//!
//! Lines of the head end with LF; CRLF is read too. The body is every byte after the blank line except one LF at the very
//! end, which ends the text as editors expect. A body that itself ends with LF is therefore followed by one more.

mod response;

use std::borrow::Cow;

use bytes::Bytes;
use callgate_secret::{MASK, Masker};
use http::{HeaderName, Request, header::COOKIE};

use crate::credentials::{
    CredentialPlaces, CredentialValues, decoded_cookie_name, decoded_query_name,
};

pub use self::response::{parse_response, render_response};

/// The text of a request, in the form that [`canonical_request`] leaves unchanged.
///
/// Sensitive headers, and the headers, cookies and query parameters named by the request's [`CredentialPlaces`], show
/// `****`, as do its `CredentialValues` in any location.
///
/// ```
/// # use callgate_transport::render_request;
/// let request = http::Request::get("https://api.example.com/v1/pets/7?x=1")
///     .header("Accept", "application/json")
///     .body(bytes::Bytes::new())
///     .expect("a well-formed request");
/// let text = b"GET https://api.example.com/v1/pets/7?x=1 HTTP/1.1\naccept: application/json\n\n";
/// assert_eq!(render_request(&request), text);
/// ```
pub fn render_request(request: &Request<Bytes>) -> Vec<u8> {
    let mut text = format!("{} {} HTTP/1.1\n", request.method(), masked_url(request)).into_bytes();
    for (name, value) in masked_headers(request) {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(&value);
        text.push(b'\n');
    }
    text.push(b'\n');
    push_body_and_newline(&mut text, request.body());
    let Some(CredentialValues(secrets)) = request.extensions().get() else { return text };
    match Masker::new(&**secrets).mask(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(masked) => masked,
    }
}

/// The URL of a request, with `****` as the value of each query parameter that holds a credential.
pub fn masked_url(request: &Request<Bytes>) -> String {
    let uri = request.uri();
    let places = request.extensions().get::<CredentialPlaces>();
    let names = places.map(|places| &*places.query).unwrap_or_default();
    let Some(query) = uri.query().filter(|_| !names.is_empty()) else {
        return uri.to_string();
    };
    let pairs: Vec<_> = query
        .split('&')
        .map(|pair| mask_if_credential(pair, &decoded_query_name(pair), names))
        .collect();
    let scheme = uri.scheme_str().unwrap_or_default();
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    format!("{scheme}://{authority}{}?{}", uri.path(), pairs.join("&"))
}

/// The headers of a request in their order, with `****` as the value of each that is sensitive or holds a credential.
/// Cookies share a header; only the cookies that hold a credential are masked.
pub fn masked_headers(
    request: &Request<Bytes>,
) -> impl Iterator<Item = (&HeaderName, Cow<'_, [u8]>)> {
    let places = request.extensions().get::<CredentialPlaces>();
    let names = places.map(|places| &*places.headers).unwrap_or_default();
    let cookies = places.map(|places| &*places.cookies).unwrap_or_default();
    request.headers().iter().map(move |(name, value)| {
        let is_whole = !names.contains(name);
        let shown = match value.to_str() {
            Ok(value) if is_whole && *name == COOKIE && !cookies.is_empty() => {
                Cow::Owned(masked_cookies(value, cookies).into_bytes())
            }
            _ if is_whole && !value.is_sensitive() => Cow::Borrowed(value.as_bytes()),
            _ => Cow::Borrowed(MASK.as_bytes()),
        };
        (name, shown)
    })
}

fn masked_cookies(header: &str, names: &[String]) -> String {
    let cookies =
        header.split(';').map(|pair| mask_if_credential(pair, &decoded_cookie_name(pair), names));
    cookies.collect::<Vec<_>>().join(";")
}

/// A pair `name=value`, with `****` as the value if its decoded name is a credential's.
fn mask_if_credential<'a>(pair: &'a str, name: &str, names: &[String]) -> Cow<'a, str> {
    if !names.iter().any(|credential| *credential == name) {
        return pair.into();
    }
    let (raw_name, _) = pair.split_once('=').unwrap_or((pair, ""));
    format!("{raw_name}={MASK}").into()
}

/// The text of a recorded request with LF at the ends of the lines before the body, a blank line even if there is no body,
/// and one LF after a body.
pub fn canonical_request(text: &[u8]) -> Vec<u8> {
    let (head, body) = head_and_body(text);
    let mut canonical = Vec::with_capacity(text.len().saturating_add(2));
    for line in head {
        canonical.extend_from_slice(line);
        canonical.push(b'\n');
    }
    canonical.push(b'\n');
    push_body_and_newline(&mut canonical, body);
    canonical
}

fn push_body_and_newline(text: &mut Vec<u8>, body: &[u8]) {
    if body.is_empty() {
        return;
    }
    text.extend_from_slice(body);
    text.push(b'\n');
}

/// The lines before the blank one without their line ends, and the body.
fn head_and_body(text: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut head = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut parts = rest.splitn(2, |byte| *byte == b'\n');
        let line = parts.next().unwrap_or_default();
        rest = parts.next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    (head, rest.strip_suffix(b"\n").unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use callgate_secret::Secret;
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check_rendered(request: &Request<Bytes>, expected: &str) {
        let rendered = render_request(request);
        assert_eq!(String::from_utf8_lossy(&rendered), expected);
        assert_eq!(canonical_request(&rendered), rendered, "rendering is canonical");
    }

    #[test]
    fn a_request_is_rendered_in_the_order_of_its_headers() {
        let request = Request::post("https://api.example.com/v1/pets?dry=1")
            .header("X-B", "2")
            .header("Accept", "application/json")
            .header("X-B", "3")
            .body(Bytes::from_static(b"{\"name\":\"Rex\"}"))
            .unwrap();
        check_rendered(
            &request,
            "POST https://api.example.com/v1/pets?dry=1 HTTP/1.1\nx-b: 2\nx-b: 3\n\
             accept: application/json\n\n{\"name\":\"Rex\"}\n",
        );
    }

    #[test]
    fn credentials_of_a_recorded_request_are_masked() {
        let mut sensitive = HeaderValue::from_static("canary");
        sensitive.set_sensitive(true);
        let mut request = Request::get("http://h:8080/p?key=canary&a=1&%6Bey=canary&flag&key")
            .header("authorization", sensitive)
            .header("x-api-key", "canary")
            .header("x-other", "shown")
            .body(Bytes::new())
            .unwrap();
        CredentialPlaces::mark_header(
            request.extensions_mut(),
            HeaderName::from_static("x-api-key"),
        );
        CredentialPlaces::mark_query(request.extensions_mut(), "key");
        check_rendered(
            &request,
            "GET http://h:8080/p?key=****&a=1&%6Bey=****&flag&key=**** HTTP/1.1\n\
             authorization: ****\nx-api-key: ****\nx-other: shown\n\n",
        );
    }

    #[test]
    fn only_cookies_that_are_credentials_are_masked() {
        let sensitive = || {
            let mut cookies = HeaderValue::from_static("theme=dark; s%69d=canary; sid=canary");
            cookies.set_sensitive(true);
            Request::get("http://h/").header(COOKIE, cookies).body(Bytes::new()).unwrap()
        };
        let mut request = sensitive();
        CredentialPlaces::mark_cookie(request.extensions_mut(), "sid");
        let shown = "GET http://h/ HTTP/1.1\ncookie: theme=dark; s%69d=****; sid=****\n\n";
        check_rendered(&request, shown);
        CredentialPlaces::mark_header(request.extensions_mut(), COOKIE);
        check_rendered(&request, "GET http://h/ HTTP/1.1\ncookie: ****\n\n");
        check_rendered(&sensitive(), "GET http://h/ HTTP/1.1\ncookie: ****\n\n");
    }

    #[test]
    fn values_of_credentials_are_masked_in_every_part_of_a_request() {
        let mut request = Request::post("http://h/canary-1/x")
            .body(Bytes::from_static(b"[\"canary-1\"]"))
            .unwrap();
        let secrets = [Secret::new("canary-1".to_owned())];
        request.extensions_mut().insert(CredentialValues(secrets.into()));
        check_rendered(&request, "POST http://h/****/x HTTP/1.1\n\n[\"****\"]\n");
    }

    #[test]
    fn a_body_is_read_byte_for_byte() {
        let bodies: [&[u8]; 9] = [
            b"",
            b"a",
            b"a\n",
            b"a\n\n",
            b"a\r\n",
            b"--b\r\n\r\nx\r\n--b--\r\n",
            b"{}\n{}\n",
            b"\n",
            b"\0\xff\n\r",
        ];
        for body in bodies {
            let request = Request::post("http://h/").body(Bytes::from_static(body)).unwrap();
            let text = render_request(&request);
            assert_eq!(canonical_request(&text), text, "{body:?}");
            let answer = [b"HTTP/1.1 200 OK\n\n", body, b"\n"].concat();
            assert_eq!(parse_response(&answer).unwrap().body(), body);
        }
    }

    #[track_caller]
    fn check_canonical(text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&canonical_request(text.as_bytes())), expected);
    }

    #[test]
    fn a_recorded_request_is_read_with_either_line_end() {
        let expected = "GET http://h/ HTTP/1.1\na: b\n\n";
        for text in [
            "GET http://h/ HTTP/1.1\na: b",
            "GET http://h/ HTTP/1.1\na: b\n",
            "GET http://h/ HTTP/1.1\na: b\n\n",
            "GET http://h/ HTTP/1.1\na: b\n\n\n",
            "GET http://h/ HTTP/1.1\r\na: b\r\n\r\n",
        ] {
            check_canonical(text, expected);
        }
        check_canonical("P\r\n\r\na\r\nb", "P\n\na\r\nb\n");
        check_canonical("P\n\nbody\n", "P\n\nbody\n");
        check_canonical("P\n\nbody\n\n", "P\n\nbody\n\n");
        check_canonical("P\n\n\n\n", "P\n\n\n\n");
        check_canonical("", "\n");
    }
}
