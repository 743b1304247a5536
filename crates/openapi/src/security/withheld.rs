//! Which parameters a model may never fill, whatever a description declares: headers that steer the connection, the
//! message or the proxies on the way, and places that belong to credentials.

use crate::{
    input::Place,
    security::{
        argument_header::ArgumentHeader,
        header::{folded, is_forbidden, is_reserved},
    },
};

/// Why a parameter is not offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Withheld {
    /// A credential goes there.
    Credential,
    /// A header no argument may set.
    Forbidden,
    /// OpenAPI 3.0.3 §4.7.12.2: described elsewhere, a parameter of this name is ignored.
    Reserved,
}

/// What decides whether parameters are offered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// Where credentials go.
    pub(crate) credential_places: &'a [(Place, String)],
    /// The headers that the operator lets through.
    pub(crate) let_through: &'a [&'a ArgumentHeader],
}

/// Why a parameter is not offered; `None` when it is.
pub(crate) fn withheld(place: Place, name: &str, rules: Rules<'_>) -> Option<Withheld> {
    let is_header = place == Place::Header;
    let folded = folded(name);
    if is_header && is_reserved(&folded) {
        return Some(Withheld::Reserved);
    }
    let places = rules.credential_places;
    let same = |known: &str| if is_header { self::folded(known) == folded } else { known == name };
    let is_let_through =
        is_header && rules.let_through.iter().any(|header| header.is_folded(&folded));
    // A whole cookie header would carry the credential's cookie too.
    let is_whole = is_let_through && folded == "cookie";
    let holds = |(at, known): &(Place, String)| {
        (*at == place && same(known)) || (is_whole && *at == Place::Cookie)
    };
    if places.iter().any(holds) {
        return Some(Withheld::Credential);
    }
    (is_header && is_forbidden(&folded) && !is_let_through).then_some(Withheld::Forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: Place, name: &str, expected: Option<Withheld>) {
        let places = [(Place::Header, "X-Api-Key".to_owned()), (Place::Query, "key".to_owned())];
        let rules = Rules { credential_places: &places, let_through: &[] };
        assert_eq!(withheld(place, name, rules), expected, "{name}");
    }

    #[test]
    fn the_operator_lets_headers_through_but_not_where_a_credential_goes() {
        let cookie = ArgumentHeader::new("cookie").unwrap();
        let check = |place: (Place, &str), name: &str, expected: Option<Withheld>| {
            let places = [(place.0, place.1.to_owned())];
            let rules = Rules { credential_places: &places, let_through: &[&cookie] };
            assert_eq!(withheld(Place::Header, name, rules), expected, "{name}");
        };
        check((Place::Header, "X-Api-Key"), "Cookie", None);
        check((Place::Header, "X-Api-Key"), "X-Forwarded-For", Some(Withheld::Forbidden));
        check((Place::Cookie, "sid"), "Cookie", Some(Withheld::Credential));
        check((Place::Cookie, "sid"), "X-Forwarded-For", Some(Withheld::Forbidden));
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
}
