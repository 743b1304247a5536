//! Credentials and masks in each place of a request.

use callgate_transport::render_request;

use super::*;
use crate::ErrorKind;

fn request(uri: &str) -> Request<Bytes> {
    Request::get(uri).body(Bytes::new()).unwrap()
}

#[track_caller]
fn check_query(uri: &str, name: &str, value: &str, expected: &str) {
    let mut request = request(uri);
    CredentialPlace::new(ApiKeyLocation::Query, name).unwrap().put(&mut request, value).unwrap();
    assert_eq!(request.uri(), expected);
    let shown = String::from_utf8(render_request(&request)).unwrap();
    assert!(shown.contains("=****") && !shown.contains(value), "{shown}");
}

#[test]
fn a_credential_in_the_query_replaces_others_of_its_name() {
    check_query("http://h", "key", "secret", "http://h/?key=secret");
    check_query("http://h/p?", "key", "secret", "http://h/p?key=secret");
    check_query("http://h/p?a=1&b", "key", "secret", "http://h/p?a=1&b&key=secret");
    check_query("http://h/p?key=MODEL&a=1&key", "key", "secret", "http://h/p?a=1&key=secret");
    check_query("http://h/p?%6bey=MODEL&k%65y=2", "key", "secret", "http://h/p?key=secret");
    check_query(
        "http://h/p?api+key=1&api%20key=2",
        "api key",
        "secret",
        "http://h/p?api%20key=secret",
    );
    check_query("http://h/p?KEY=1&keys=2", "key", "secret", "http://h/p?KEY=1&keys=2&key=secret");
}

#[test]
fn a_credential_in_the_query_is_encoded() {
    check_query(
        "http://h/p?a=%26",
        "k",
        "x&a=1#?+ ü'%",
        "http://h/p?a=%26&k=x%26a%3D1%23%3F%2B%20%C3%BC%27%25",
    );
}

#[test]
fn a_credential_in_a_header_replaces_others_and_is_marked_sensitive() {
    let mut request = request("http://h/");
    for value in ["MODEL", "MODEL2"] {
        request.headers_mut().append("x-api-key", HeaderValue::from_static(value));
    }
    CredentialPlace::new(ApiKeyLocation::Header, "X-Api-Key")
        .unwrap()
        .put(&mut request, "canary")
        .unwrap();
    let values: Vec<_> = request.headers().get_all("x-api-key").into_iter().collect();
    assert_eq!(values, ["canary"]);
    assert!(values[0].is_sensitive());
    assert!(!format!("{request:?}").contains("canary"), "{request:?}");
}

#[track_caller]
fn check_cookie(cookies: &[&'static str], value: &str, expected: Result<&str, ErrorKind>) {
    let mut request = request("http://h/");
    for cookie in cookies {
        request.headers_mut().append(COOKIE, HeaderValue::from_static(cookie));
    }
    let put = CredentialPlace::new(ApiKeyLocation::Cookie, "sid").unwrap().put(&mut request, value);
    let values: Vec<_> = request.headers().get_all(COOKIE).into_iter().collect();
    match (put, expected) {
        (Ok(()), Ok(expected)) => {
            assert_eq!(values, [expected]);
            assert!(values[0].is_sensitive());
        }
        (Err(error), Err(kind)) => assert_eq!(error.kind(), kind),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_credential_in_a_cookie_replaces_others_of_its_name_and_comes_last() {
    check_cookie(&[], "canary", Ok("sid=canary"));
    check_cookie(&["a=1; b=2"], "canary", Ok("a=1; b=2; sid=canary"));
    check_cookie(&["sid=MODEL; a=1", "s%69d=2"], "canary", Ok("a=1; sid=canary"));
    check_cookie(&["SID=1"], "a=b%", Ok("SID=1; sid=a=b%"));
}

#[test]
fn a_credential_that_is_no_cookie_is_refused() {
    for value in ["a; admin=1", "a b", "a,b", "\"a\"", "a\\b", "ä"] {
        check_cookie(&[], value, Err(ErrorKind::UnusableSecret));
    }
}

#[test]
fn masks_are_placed_like_the_credentials() {
    let places = [
        CredentialPlace::new(ApiKeyLocation::Header, "x-b").unwrap(),
        CredentialPlace::authorization("Bearer "),
        CredentialPlace::new(ApiKeyLocation::Query, "key").unwrap(),
    ];
    let original = || {
        let mut request = request("http://h/p?key=1&a=2");
        for name in ["x-a", "authorization", "x-b", "x-c"] {
            request.headers_mut().insert(name, HeaderValue::from_static("1"));
        }
        request
    };
    let (mut masked, mut real) = (original(), original());
    place_masks(&mut masked, &places).unwrap();
    places.iter().try_for_each(|place| place.put(&mut real, "canary")).unwrap();
    assert_eq!(render_request(&masked), render_request(&real));
    assert_eq!(
        String::from_utf8(render_request(&real)).unwrap(),
        "GET http://h/p?a=2&key=**** HTTP/1.1\nx-a: 1\nauthorization: ****\nx-b: ****\nx-c: 1\n\n"
    );
}

#[test]
fn a_credential_larger_than_a_url_is_refused_without_changing_the_request() {
    let mut request = request("http://h/p?a=1");
    let place = CredentialPlace::new(ApiKeyLocation::Query, "key").unwrap();
    let error = place.put(&mut request, &"a".repeat(70_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnusableSecret);
    assert_eq!(request.uri(), "http://h/p?a=1");
}

#[test]
fn an_illegal_location_of_a_credential_is_refused() {
    for (place, name) in [
        (ApiKeyLocation::Header, ""),
        (ApiKeyLocation::Header, "x key"),
        (ApiKeyLocation::Header, "x:\r\n"),
        (ApiKeyLocation::Header, "Content-Length"),
        (ApiKeyLocation::Header, "host"),
        (ApiKeyLocation::Query, ""),
        (ApiKeyLocation::Cookie, ""),
        (ApiKeyLocation::Cookie, "a b"),
        (ApiKeyLocation::Cookie, "a;b"),
        (ApiKeyLocation::Cookie, "a=b"),
    ] {
        let error = CredentialPlace::new(place, name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{name}");
    }
}
