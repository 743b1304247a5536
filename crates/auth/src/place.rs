//! The places of credentials on a request, and the code that fills them, both with credentials and with the masks that
//! a dry run shows. The source of the value is not known here.

use bytes::Bytes;
use callgate_secret::{MASK, Secret};
use callgate_tool::is_framing_header;
use callgate_transport::{CredentialPlaces, decoded_cookie_name, decoded_query_name};
use http::{
    HeaderName, HeaderValue, Request, Uri,
    header::{AUTHORIZATION, COOKIE},
    uri::PathAndQuery,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use zeroize::Zeroizing;

use crate::error::{self, Error};

/// The part of a request that holds an API key: OpenAPI's `in` of a security scheme.
///
/// ```
/// # use callgate_auth::{ApiKeyLocation, CredentialPlace};
/// let place = CredentialPlace::new(ApiKeyLocation::Header, "X-Api-Key").expect("the name of a header");
/// assert_eq!((place.place(), place.name()), (ApiKeyLocation::Header, "x-api-key"));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ApiKeyLocation {
    /// A cookie.
    Cookie,
    /// A header.
    Header,
    /// A parameter of the query.
    Query,
}

/// One place of a request that holds a credential. Does not hold the value.
///
/// ```
/// # use callgate_auth::CredentialPlace;
/// let place = CredentialPlace::authorization("Bearer ").with_environment(Some("PETS_TOKEN"));
/// assert_eq!((place.name(), place.prefix()), ("authorization", "Bearer "));
/// assert_eq!(place.environment(), Some("PETS_TOKEN"));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CredentialPlace {
    target: Target,
    prefix: &'static str,
    environment: Option<String>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Target {
    Cookie(String),
    Header(HeaderName),
    Query(String),
}

impl CredentialPlace {
    /// A header, query parameter or cookie that holds the credential without a prefix.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if no header, parameter or cookie can have this name.
    pub fn new(place: ApiKeyLocation, name: &str) -> Result<Self, Error> {
        let target = match place {
            ApiKeyLocation::Cookie if !is_token(name) => return Err(error::not_a_cookie_name()),
            ApiKeyLocation::Cookie => Target::Cookie(name.to_owned()),
            ApiKeyLocation::Header => Target::Header(header_name(name)?),
            ApiKeyLocation::Query if name.is_empty() => return Err(error::no_parameter_name()),
            ApiKeyLocation::Query => Target::Query(name.to_owned()),
        };
        Ok(Self { target, prefix: "", environment: None })
    }

    /// The `Authorization` header with a scheme, followed by the credential: `"Bearer "`.
    pub fn authorization(prefix: &'static str) -> Self {
        Self { target: Target::Header(AUTHORIZATION), prefix, environment: None }
    }

    /// Sets the environment variable that holds the text after the prefix.
    #[must_use]
    pub fn with_environment(mut self, variable: Option<&str>) -> Self {
        self.environment = variable.map(str::to_owned);
        self
    }

    /// The part of the request.
    pub fn place(&self) -> ApiKeyLocation {
        match self.target {
            Target::Cookie(_) => ApiKeyLocation::Cookie,
            Target::Header(_) => ApiKeyLocation::Header,
            Target::Query(_) => ApiKeyLocation::Query,
        }
    }

    /// The header's name in lower case, or the cookie's, or the query parameter's name before encoding.
    pub fn name(&self) -> &str {
        match &self.target {
            Target::Cookie(name) | Target::Query(name) => name,
            Target::Header(name) => name.as_str(),
        }
    }

    /// The text that precedes the credential: `"Basic "`, `"Bearer "` or nothing.
    pub fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// The environment variable that holds the text after the prefix, if there is one; a dry run shows `"$NAME"`.
    pub fn environment(&self) -> Option<&str> {
        self.environment.as_deref()
    }

    /// Puts a credential here, and replaces the current value.
    pub(crate) fn put(&self, request: &mut Request<Bytes>, credential: &str) -> Result<(), Error> {
        match &self.target {
            Target::Cookie(name) => put_cookie(request, name, credential),
            Target::Header(name) => {
                let mut value =
                    String::with_capacity(self.prefix.len().saturating_add(credential.len()));
                value.push_str(self.prefix);
                value.push_str(credential);
                put_header(request, name, value)
            }
            Target::Query(name) => put_query(request, name, credential),
        }
    }

    /// Puts a header of [`bearer_header`] here, and replaces the current value.
    pub(crate) fn put_bearer(request: &mut Request<Bytes>, header: HeaderValue) {
        // The value is marked sensitive; a place in a header needs nothing else.
        request.headers_mut().insert(AUTHORIZATION, header);
    }

    fn put_mask(&self, request: &mut Request<Bytes>) -> Result<(), Error> {
        match &self.target {
            Target::Cookie(name) => put_cookie(request, name, MASK),
            Target::Header(name) => put_header(request, name, MASK.to_owned()),
            Target::Query(name) => put_query(request, name, MASK),
        }
    }
}

/// Puts `****` in these places, in the order and with the sensitive marks of credentials, for a dry run.
///
/// # Errors
/// [`ErrorKind::UnusableSecret`](crate::ErrorKind::UnusableSecret) if the URL is too long for another parameter.
pub fn place_masks(request: &mut Request<Bytes>, places: &[CredentialPlace]) -> Result<(), Error> {
    places.iter().try_for_each(|place| place.put_mask(request))
}

/// The value of `Authorization` for a bearer token. All requests share its bytes, which are zeroized when the last of
/// them is dropped. `None` if no header can hold the token.
pub(crate) fn bearer_header(token: &Secret) -> Option<HeaderValue> {
    let value = Zeroizing::new([BEARER.as_bytes(), token.expose().as_bytes()].concat());
    let mut header = HeaderValue::from_maybe_shared(Bytes::from_owner(value)).ok()?;
    header.set_sensitive(true);
    Some(header)
}

fn header_name(name: &str) -> Result<HeaderName, Error> {
    let name: HeaderName = name.parse().map_err(|_| error::not_a_header_name())?;
    if is_framing_header(name.as_str()) {
        return Err(error::framing_header(name.as_str()));
    }
    Ok(name)
}

fn put_header(request: &mut Request<Bytes>, name: &HeaderName, value: String) -> Result<(), Error> {
    insert_header(request, name, value)?;
    CredentialPlaces::mark_header(request.extensions_mut(), name.clone());
    Ok(())
}

fn insert_header(
    request: &mut Request<Bytes>,
    name: &HeaderName,
    value: String,
) -> Result<(), Error> {
    let mut value = HeaderValue::try_from(value).map_err(|_| error::no_place_in_header())?;
    value.set_sensitive(true);
    request.headers_mut().insert(name, value);
    Ok(())
}

/// The credential wins, once, and comes last: cookies of its name are removed however they are spelled.
fn put_cookie(request: &mut Request<Bytes>, name: &str, value: &str) -> Result<(), Error> {
    if !value.bytes().all(is_cookie_octet) {
        return Err(error::no_place_in_cookie());
    }
    let mut cookies = String::new();
    for header in request.headers().get_all(COOKIE) {
        let header = header.to_str().map_err(|_| error::no_place_in_cookie())?;
        let pairs = header.split(';').map(str::trim).filter(|pair| !pair.is_empty());
        for pair in pairs.filter(|pair| decoded_cookie_name(pair) != name) {
            cookies.push_str(pair);
            cookies.push_str("; ");
        }
    }
    cookies.push_str(name);
    cookies.push('=');
    cookies.push_str(value);
    insert_header(request, &COOKIE, cookies)?;
    CredentialPlaces::mark_cookie(request.extensions_mut(), name);
    Ok(())
}

/// The bytes that the value of a cookie may contain: RFC 6265 §4.1.1.
fn is_cookie_octet(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}

/// RFC 9110 §5.6.2, which RFC 6265 §4.1.1 requires for the name of a cookie.
fn is_token(name: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_tchar)
}

/// Threat 8 of `SECURITY.md`: the credential wins, once. Pairs of its name are removed however they are spelled.
fn put_query(request: &mut Request<Bytes>, name: &str, value: &str) -> Result<(), Error> {
    let uri = request.uri();
    let query = uri.query().filter(|query| !query.is_empty());
    let pairs = query.into_iter().flat_map(|query| query.split('&'));
    let mut target = format!("{}?", uri.path());
    for pair in pairs.filter(|pair| decoded_query_name(pair) != name) {
        target.push_str(pair);
        target.push('&');
    }
    target.extend(utf8_percent_encode(name, QUERY));
    target.push('=');
    target.extend(utf8_percent_encode(value, QUERY));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query =
        Some(PathAndQuery::try_from(target).map_err(|_| error::no_place_in_url())?);
    *request.uri_mut() = Uri::from_parts(parts).map_err(|_| error::no_place_in_url())?;
    CredentialPlaces::mark_query(request.extensions_mut(), name);
    Ok(())
}

/// RFC 6750 §2.1.
pub(crate) const BEARER: &str = "Bearer ";

/// All but the unreserved characters of RFC 3986 §2.3.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use callgate_transport::render_request;

    use super::*;
    use crate::ErrorKind;

    fn request(uri: &str) -> Request<Bytes> {
        Request::get(uri).body(Bytes::new()).unwrap()
    }

    #[track_caller]
    fn check_query(uri: &str, name: &str, value: &str, expected: &str) {
        let mut request = request(uri);
        CredentialPlace::new(ApiKeyLocation::Query, name)
            .unwrap()
            .put(&mut request, value)
            .unwrap();
        assert_eq!(request.uri(), expected);
        let shown = String::from_utf8(render_request(&request)).unwrap();
        assert!(shown.contains("=****") && !shown.contains(value), "{shown}");
    }

    #[test]
    fn a_credential_in_the_query_wins_once() {
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
        check_query(
            "http://h/p?KEY=1&keys=2",
            "key",
            "secret",
            "http://h/p?KEY=1&keys=2&key=secret",
        );
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
    fn a_credential_in_a_header_wins_once_and_is_sensitive() {
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
        let put =
            CredentialPlace::new(ApiKeyLocation::Cookie, "sid").unwrap().put(&mut request, value);
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
    fn a_credential_in_a_cookie_wins_once_and_comes_last() {
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
    fn masks_are_shown_as_the_credentials_are() {
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
    fn a_credential_larger_than_a_url_is_refused_and_leaves_the_request_as_it_was() {
        let mut request = request("http://h/p?a=1");
        let place = CredentialPlace::new(ApiKeyLocation::Query, "key").unwrap();
        let error = place.put(&mut request, &"a".repeat(70_000)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnusableSecret);
        assert_eq!(request.uri(), "http://h/p?a=1");
    }

    #[test]
    fn a_place_where_no_credential_can_be_is_refused() {
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
}
