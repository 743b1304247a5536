//! Where on a request credentials lie, so that whoever shows the request can mask them. Attached to the request by
//! `auth`; holds names only, never a value.

use std::borrow::Cow;

use http::{Extensions, HeaderName};
use percent_encoding::percent_decode_str;

/// The places of a request that hold credentials, an extension of the [`http::Request`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct CredentialPlaces {
    /// Headers, which are marked sensitive too.
    pub headers: Vec<HeaderName>,
    /// Decoded names of query parameters.
    pub query: Vec<String>,
}

impl CredentialPlaces {
    /// Notes a header as a credential's place.
    pub fn mark_header(extensions: &mut Extensions, name: HeaderName) {
        extensions.get_or_insert_default::<Self>().headers.push(name);
    }

    /// Notes a query parameter, by its decoded name, as a credential's place.
    pub fn mark_query(extensions: &mut Extensions, name: impl Into<String>) {
        extensions.get_or_insert_default::<Self>().query.push(name.into());
    }
}

/// The name in one `name=value` pair of a query as a server reads it: percent-decoded, `+` being a space.
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
