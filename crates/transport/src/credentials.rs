//! The locations of credentials on a request, so that code that shows the request can mask them. `auth` attaches them to
//! the request; they are names only. Values that count as credentials in any location are a separate extension.

use std::{borrow::Cow, sync::Arc};

use callgate_secret::Secret;
use http::{Extensions, HeaderName};
use percent_encoding::percent_decode_str;

/// The locations of a request that hold credentials, an extension of the [`http::Request`].
///
/// ```
/// use callgate_transport::CredentialPlaces;
/// use http::{Request, header::AUTHORIZATION};
///
/// let mut request = Request::get("https://api.example.com/pets?key=s3cr3t").body(())?;
/// CredentialPlaces::mark_query(request.extensions_mut(), "key");
/// // A transport of your own looks here before it writes a request into a log.
/// let places = request.extensions().get::<CredentialPlaces>().cloned().unwrap_or_default();
/// assert_eq!(places.query, ["key"]);
/// assert!(!places.headers.contains(&AUTHORIZATION));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct CredentialPlaces {
    /// Decoded names of cookies; the cookie header is marked sensitive too.
    pub cookies: Vec<String>,
    /// Headers, which are marked sensitive too.
    pub headers: Vec<HeaderName>,
    /// Decoded names of query parameters.
    pub query: Vec<String>,
}

/// Secrets that may stand anywhere in a request, an extension of the [`http::Request`]: session values that are
/// credentials, which an argument may hold too. The text of the request shows `****` for them.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct CredentialValues(pub Arc<[Secret]>);

impl CredentialPlaces {
    /// Records a cookie, by its decoded name, as a location of a credential.
    pub fn mark_cookie(extensions: &mut Extensions, name: &str) {
        let places = extensions.get_or_insert_default::<Self>();
        if places.cookies.iter().all(|cookie| cookie != name) {
            places.cookies.push(name.to_owned());
        }
    }

    /// Records a header as a location of a credential.
    pub fn mark_header(extensions: &mut Extensions, name: HeaderName) {
        let places = extensions.get_or_insert_default::<Self>();
        if !places.headers.contains(&name) {
            places.headers.push(name);
        }
    }

    /// Records a query parameter, by its decoded name, as a location of a credential.
    pub fn mark_query(extensions: &mut Extensions, name: impl Into<String>) {
        let places = extensions.get_or_insert_default::<Self>();
        let name = name.into();
        if !places.query.contains(&name) {
            places.query.push(name);
        }
    }
}

/// The name in one `name=value` pair of a `Cookie` header, percent-decoded as many services do.
pub fn decoded_cookie_name(pair: &str) -> Cow<'_, str> {
    let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
    percent_decode_str(name.trim()).decode_utf8_lossy()
}

/// The name in one `name=value` pair of a query as a server reads it: percent-decoded, with `+` as a space.
pub fn decoded_query_name(pair: &str) -> Cow<'_, str> {
    let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
    if !name.contains(['%', '+']) {
        return Cow::Borrowed(name);
    }
    let spaced = name.replace('+', " ");
    Cow::Owned(percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pair: &str, expected: &str) {
        assert_eq!(decoded_query_name(pair), expected, "{pair}");
    }

    #[test]
    fn a_credential_location_marked_twice_is_listed_once() {
        let mut extensions = Extensions::new();
        for _ in 0..2 {
            CredentialPlaces::mark_header(&mut extensions, http::header::AUTHORIZATION);
            CredentialPlaces::mark_query(&mut extensions, "key");
            CredentialPlaces::mark_cookie(&mut extensions, "sid");
        }
        let places = extensions.get::<CredentialPlaces>().unwrap();
        assert_eq!((places.headers.len(), places.query.len(), places.cookies.len()), (1, 1, 1));
    }

    #[test]
    fn a_query_name_is_decoded() {
        check("key=a=b", "key");
        check("key", "key");
        check("", "");
        check("%6Bey=1", "key");
        check("api%20key=1", "api key");
        check("api+key=1", "api key");
        check("a%2Bb=1", "a+b");
        check("%ff=1", "\u{fffd}");
    }
}
