//! Tests rows of parameters, with the reason why each is withheld.

use super::*;
use crate::{options::LoadOptions, security::Security};

#[track_caller]
fn check_with(
    (at, known): (InputLocation, &str),
    let_through: &[&ArgumentHeader],
    (place, name): (InputLocation, &str),
    expected: Option<&WithholdingReason>,
) {
    let options =
        LoadOptions { credential_places: vec![(at, known.to_owned())], ..LoadOptions::default() };
    let places =
        CredentialPlaces::new(options.configured(), &Security::default(), std::iter::empty());
    let declared = DeclaredParameter { place, name, required: false, description: "" };
    let found = withheld(declared, WithholdingRules { places: &places, let_through });
    assert_eq!(found.as_ref(), expected, "{name}");
}

#[track_caller]
fn check(place: InputLocation, name: &str, expected: Option<&WithholdingReason>) {
    let known = if place == InputLocation::Header { "X-Api-Key" } else { "key" };
    check_with((place, known), &[], (place, name), expected);
}

const CREDENTIAL: WithholdingReason = WithholdingReason::Credential(PlaceOwner::Credential);

#[test]
fn the_operator_lets_headers_through_but_not_where_a_credential_goes() {
    let cookie = ArgumentHeader::new("cookie").unwrap();
    let check = |known: (InputLocation, &str), name: &str, expected: Option<&WithholdingReason>| {
        check_with(known, &[&cookie], (InputLocation::Header, name), expected);
    };
    check((InputLocation::Header, "X-Api-Key"), "Cookie", None);
    check(
        (InputLocation::Header, "X-Api-Key"),
        "X-Forwarded-For",
        Some(&WithholdingReason::Forbidden),
    );
    check((InputLocation::Cookie, "sid"), "Cookie", Some(&CREDENTIAL));
    check((InputLocation::Cookie, "sid"), "X-Forwarded-For", Some(&WithholdingReason::Forbidden));
}

#[test]
fn headers_described_elsewhere_are_reserved() {
    for name in ["Accept", "content-type", "AUTHORIZATION", "Content_Type"] {
        check(InputLocation::Header, name, Some(&WithholdingReason::Reserved));
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
        check(InputLocation::Header, name, Some(&WithholdingReason::Forbidden));
    }
}

#[test]
fn the_place_of_a_credential_is_taken() {
    check(InputLocation::Header, "x_api_key", Some(&CREDENTIAL));
    check(InputLocation::Query, "key", Some(&CREDENTIAL));
    check(InputLocation::Query, "Key", Some(&CREDENTIAL));
    check(InputLocation::Header, "key", None);
}

#[test]
fn other_parameters_are_offered() {
    check(InputLocation::Header, "X-Request-ID", None);
    check(InputLocation::Query, "host", None);
    check(InputLocation::Cookie, "cookie", None);
    check(InputLocation::Header, "Accept-Language", None);
}
