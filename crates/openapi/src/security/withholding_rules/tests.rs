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
    let places = CredentialPlaces::new(
        options.credential_options(),
        &Security::default(),
        std::iter::empty(),
    );
    let declared = DeclaredParameter { place, name, required: false, description: "" };
    let found = withholding_reason(declared, WithholdingRules { places: &places, let_through });
    assert_eq!(found.as_ref(), expected, "{name}");
}

#[track_caller]
fn check(place: InputLocation, name: &str, expected: Option<&WithholdingReason>) {
    let known = if place == InputLocation::Header { "X-Api-Key" } else { "key" };
    check_with((place, known), &[], (place, name), expected);
}

const CREDENTIAL: WithholdingReason = WithholdingReason::Credential(PlaceOwner::Credential);

#[test]
fn the_operator_may_allow_headers_but_not_those_of_a_credential() {
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
fn headers_that_openapi_describes_elsewhere_are_reserved() {
    for name in ["Accept", "content-type", "AUTHORIZATION", "Content_Type"] {
        check(InputLocation::Header, name, Some(&WithholdingReason::Reserved));
    }
}

#[test]
fn headers_of_framing_and_routing_are_withheld() {
    let texts = "Host Content-Length Cookie X-Forwarded-For X_Forwarded_User
        x-http-method-override X-Original-URL Proxy-Authorization TE Expect";
    for name in texts.split_whitespace() {
        check(InputLocation::Header, name, Some(&WithholdingReason::Forbidden));
    }
}

#[test]
fn parameters_at_the_location_of_a_credential_are_withheld() {
    check(InputLocation::Header, "x_api_key", Some(&CREDENTIAL));
    check(InputLocation::Query, "key", Some(&CREDENTIAL));
    check(InputLocation::Query, "Key", Some(&CREDENTIAL));
    check(InputLocation::Header, "key", None);
}

#[test]
fn parameters_that_carry_no_credential_are_offered() {
    check(InputLocation::Header, "X-Request-ID", None);
    check(InputLocation::Query, "host", None);
    check(InputLocation::Cookie, "cookie", None);
    check(InputLocation::Header, "Accept-Language", None);
}
