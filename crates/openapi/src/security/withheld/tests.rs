//! Rows of parameters, and why each is withheld or not.

use super::*;
use crate::{options::LoadOptions, security::Security};

#[track_caller]
fn check_with(
    (at, known): (Place, &str),
    let_through: &[&ArgumentHeader],
    (place, name): (Place, &str),
    expected: Option<&Withheld>,
) {
    let options =
        LoadOptions { credential_places: vec![(at, known.to_owned())], ..LoadOptions::default() };
    let taken = TakenPlaces::new(options.configured(), &Security::default(), std::iter::empty());
    let asked = Asked { place, name, required: false, description: "" };
    let found = withheld(asked, Rules { taken: &taken, let_through });
    assert_eq!(found.as_ref(), expected, "{name}");
}

#[track_caller]
fn check(place: Place, name: &str, expected: Option<&Withheld>) {
    let known = if place == Place::Header { "X-Api-Key" } else { "key" };
    check_with((place, known), &[], (place, name), expected);
}

const CREDENTIAL: Withheld = Withheld::Credential(Taker::Credential);

#[test]
fn the_operator_lets_headers_through_but_not_where_a_credential_goes() {
    let cookie = ArgumentHeader::new("cookie").unwrap();
    let check = |known: (Place, &str), name: &str, expected: Option<&Withheld>| {
        check_with(known, &[&cookie], (Place::Header, name), expected);
    };
    check((Place::Header, "X-Api-Key"), "Cookie", None);
    check((Place::Header, "X-Api-Key"), "X-Forwarded-For", Some(&Withheld::Forbidden));
    check((Place::Cookie, "sid"), "Cookie", Some(&CREDENTIAL));
    check((Place::Cookie, "sid"), "X-Forwarded-For", Some(&Withheld::Forbidden));
}

#[test]
fn headers_described_elsewhere_are_reserved() {
    for name in ["Accept", "content-type", "AUTHORIZATION", "Content_Type"] {
        check(Place::Header, name, Some(&Withheld::Reserved));
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
        check(Place::Header, name, Some(&Withheld::Forbidden));
    }
}

#[test]
fn the_place_of_a_credential_is_taken() {
    check(Place::Header, "x_api_key", Some(&CREDENTIAL));
    check(Place::Query, "key", Some(&CREDENTIAL));
    check(Place::Query, "Key", Some(&CREDENTIAL));
    check(Place::Header, "key", None);
}

#[test]
fn other_parameters_are_offered() {
    check(Place::Header, "X-Request-ID", None);
    check(Place::Query, "host", None);
    check(Place::Cookie, "cookie", None);
    check(Place::Header, "Accept-Language", None);
}
