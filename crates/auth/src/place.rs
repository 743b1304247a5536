//! The places of credentials on a request, and the code that fills them, both with credentials and with the masks that
//! a dry run shows. The source of the value is not known here.

use bytes::Bytes;
use callgate_secret::{MASK, Secret};
use callgate_tool::is_framing_header;
use callgate_transport::{CredentialPlaces, decoded_cookie_name, decoded_query_name};
use http::Method;
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
    target: CredentialTarget,
    prefix: &'static str,
    environment: Option<String>,
    plain: Option<String>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum CredentialTarget {
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
            ApiKeyLocation::Cookie if !is_http_token(name) => {
                return Err(error::not_a_cookie_name());
            }
            ApiKeyLocation::Cookie => CredentialTarget::Cookie(name.to_owned()),
            ApiKeyLocation::Header => CredentialTarget::Header(unframed_header_name(name)?),
            ApiKeyLocation::Query if name.is_empty() => return Err(error::no_parameter_name()),
            ApiKeyLocation::Query => CredentialTarget::Query(name.to_owned()),
        };
        Ok(Self { target, prefix: "", environment: None, plain: None })
    }

    /// The `Authorization` header with a scheme, followed by the credential: `"Bearer "`.
    pub fn authorization(prefix: &'static str) -> Self {
        let target = CredentialTarget::Header(AUTHORIZATION);
        Self { target, prefix, environment: None, plain: None }
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
            CredentialTarget::Cookie(_) => ApiKeyLocation::Cookie,
            CredentialTarget::Header(_) => ApiKeyLocation::Header,
            CredentialTarget::Query(_) => ApiKeyLocation::Query,
        }
    }

    /// The header's name in lower case, or the cookie's, or the query parameter's name before encoding.
    pub fn name(&self) -> &str {
        match &self.target {
            CredentialTarget::Cookie(name) | CredentialTarget::Query(name) => name,
            CredentialTarget::Header(name) => name.as_str(),
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

    /// Sets the content of the place, which is no secret: everyone may see it.
    #[must_use]
    pub(crate) fn with_plain(mut self, text: String) -> Self {
        self.plain = Some(text);
        self
    }

    /// The content of the place, if it is no secret: a dry run shows it, and nothing is masked.
    pub fn plain(&self) -> Option<&str> {
        self.plain.as_deref()
    }

    /// Puts the content that is no secret here, and replaces the current value.
    pub(crate) fn put_plain(&self, request: &mut Request<Bytes>, text: &str) -> Result<(), Error> {
        let CredentialTarget::Header(name) = &self.target else { return self.put(request, text) };
        let value = HeaderValue::try_from(text).map_err(|_| error::no_place_in_header())?;
        request.headers_mut().insert(name, value);
        Ok(())
    }

    /// Puts a credential here, and replaces the current value.
    ///
    /// # Errors
    /// [`ErrorKind::UnusableSecret`](crate::ErrorKind::UnusableSecret) if the place cannot hold the text.
    #[doc(hidden)]
    pub fn put(&self, request: &mut Request<Bytes>, credential: &str) -> Result<(), Error> {
        match &self.target {
            CredentialTarget::Cookie(name) => replace_cookie(request, name, credential),
            CredentialTarget::Header(name) => {
                let mut value =
                    String::with_capacity(self.prefix.len().saturating_add(credential.len()));
                value.push_str(self.prefix);
                value.push_str(credential);
                put_marked_header(request, name, value)
            }
            CredentialTarget::Query(name) => replace_query_parameter(request, name, credential),
        }
    }

    /// Puts a header of [`bearer_header`] here, and replaces the current value.
    pub(crate) fn put_bearer(request: &mut Request<Bytes>, header: HeaderValue) {
        // The value is marked sensitive; a place in a header needs nothing else.
        request.headers_mut().insert(AUTHORIZATION, header);
    }

    fn put_mask(&self, request: &mut Request<Bytes>) -> Result<(), Error> {
        if let Some(text) = &self.plain {
            return self.put_plain(request, text);
        }
        match &self.target {
            CredentialTarget::Cookie(name) => replace_cookie(request, name, MASK),
            CredentialTarget::Header(name) => put_marked_header(request, name, MASK.to_owned()),
            CredentialTarget::Query(name) => replace_query_parameter(request, name, MASK),
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

fn unframed_header_name(name: &str) -> Result<HeaderName, Error> {
    let name: HeaderName = name.parse().map_err(|_| error::not_a_header_name())?;
    if is_framing_header(name.as_str()) {
        return Err(error::framing_header(name.as_str()));
    }
    Ok(name)
}

fn put_marked_header(
    request: &mut Request<Bytes>,
    name: &HeaderName,
    value: String,
) -> Result<(), Error> {
    insert_sensitive_header(request, name, value)?;
    CredentialPlaces::mark_header(request.extensions_mut(), name.clone());
    Ok(())
}

fn insert_sensitive_header(
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
fn replace_cookie(request: &mut Request<Bytes>, name: &str, value: &str) -> Result<(), Error> {
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
    insert_sensitive_header(request, &COOKIE, cookies)?;
    CredentialPlaces::mark_cookie(request.extensions_mut(), name);
    Ok(())
}

/// The bytes that the value of a cookie may contain: RFC 6265 §4.1.1.
fn is_cookie_octet(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}

/// RFC 9110 §5.6.2 (a method is a token), which RFC 6265 §4.1.1 requires for the name of a cookie.
fn is_http_token(name: &str) -> bool {
    Method::from_bytes(name.as_bytes()).is_ok()
}

/// Threat 8 of `SECURITY.md`: the credential wins, once. Pairs of its name are removed however they are spelled.
fn replace_query_parameter(
    request: &mut Request<Bytes>,
    name: &str,
    value: &str,
) -> Result<(), Error> {
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
mod tests;
