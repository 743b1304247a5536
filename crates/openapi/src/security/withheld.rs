//! Which parameters a model may never fill, whatever a description declares: headers that steer the connection, the
//! message or the proxies on the way, and places that belong to credentials.

use crate::input::Place;

/// Why a parameter is not offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Withheld {
    /// A credential goes there.
    Credential,
    /// A header no argument may set.
    Forbidden,
    /// OpenAPI 3.0.3 §4.7.12.1: described elsewhere, a parameter of this name is ignored.
    Reserved,
}

/// Why a parameter is not offered; `None` when it is.
pub(crate) fn withheld(
    place: Place,
    name: &str,
    credential_places: &[(Place, String)],
) -> Option<Withheld> {
    let is_header = place == Place::Header;
    let folded = folded(name);
    if is_header && RESERVED.contains(&folded.as_str()) {
        return Some(Withheld::Reserved);
    }
    let same = |known: &str| if is_header { self::folded(known) == folded } else { known == name };
    if credential_places.iter().any(|(at, known)| *at == place && same(known)) {
        return Some(Withheld::Credential);
    }
    (is_header && is_forbidden(&folded)).then_some(Withheld::Forbidden)
}

/// Whether no argument may set a header of this name, whatever a description declares.
pub fn is_withheld_header(name: &str) -> bool {
    let folded = folded(name);
    RESERVED.contains(&folded.as_str()) || is_forbidden(&folded)
}

fn is_forbidden(folded: &str) -> bool {
    FORBIDDEN.contains(&folded)
        || FORBIDDEN_PREFIXES.iter().any(|prefix| folded.starts_with(prefix))
}

/// A header's name as services compare it: many read `_` as `-`.
fn folded(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

const RESERVED: [&str; 3] = ["accept", "authorization", "content-type"];

const FORBIDDEN: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
];

const FORBIDDEN_PREFIXES: [&str; 2] = ["proxy-", "x-forwarded-"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: Place, name: &str, expected: Option<Withheld>) {
        let places = [(Place::Header, "X-Api-Key".to_owned()), (Place::Query, "key".to_owned())];
        assert_eq!(withheld(place, name, &places), expected, "{name}");
    }

    #[test]
    fn headers_described_elsewhere_are_reserved() {
        for name in ["Accept", "content-type", "AUTHORIZATION", "Content_Type"] {
            check(Place::Header, name, Some(Withheld::Reserved));
        }
    }

    #[test]
    fn headers_that_steer_the_message_are_forbidden() {
        for name in [
            "Host",
            "Content-Length",
            "Cookie",
            "X-Forwarded-For",
            "X_Forwarded_User",
            "x-http-method-override",
            "X-Original-URL",
            "Proxy-Authorization",
            "TE",
            "Expect",
        ] {
            check(Place::Header, name, Some(Withheld::Forbidden));
        }
    }

    #[test]
    fn the_place_of_a_credential_is_taken() {
        check(Place::Header, "x_api_key", Some(Withheld::Credential));
        check(Place::Query, "key", Some(Withheld::Credential));
        check(Place::Query, "Key", None);
        check(Place::Header, "key", None);
    }

    #[test]
    fn other_parameters_are_offered() {
        check(Place::Header, "X-Request-ID", None);
        check(Place::Query, "host", None);
        check(Place::Cookie, "cookie", None);
        check(Place::Header, "Accept-Language", None);
    }

    #[test]
    fn headers_of_the_connection_and_of_credentials_are_never_set_by_arguments() {
        for name in
            ["Host", "TE", "X_Forwarded_User", "Proxy-Authorization", "cookie", "X-Original-URL"]
        {
            assert!(is_withheld_header(name), "{name}");
        }
        for name in ["X-Session", "Accept-Language", "If-Match", "Idempotency-Key"] {
            assert!(!is_withheld_header(name), "{name}");
        }
    }
}
