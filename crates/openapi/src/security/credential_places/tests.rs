//! Tests the table of credentials' places, with rows and a generator.

use proptest::prelude::*;

use super::*;
use crate::{
    options::LoadOptions,
    security::{RequiredScheme, Requirement},
};

const PLACES: [InputLocation; 4] =
    [InputLocation::Body, InputLocation::Cookie, InputLocation::Header, InputLocation::Query];
const KINDS: [CredentialKind; 4] =
    [CredentialKind::AwsSigV4, CredentialKind::Basic, CredentialKind::Key, CredentialKind::Token];

fn scheme(kind: SecuritySchemeKind) -> Arc<SecurityScheme> {
    Arc::new(SecurityScheme { name: "s".into(), kind, file: None, pointer: "/s".into() })
}

fn key(place: InputLocation, name: &str) -> SecuritySchemeKind {
    SecuritySchemeKind::ApiKey { place, name: name.into() }
}

fn asking(scheme: &Arc<SecurityScheme>) -> Security {
    let required = RequiredScheme { scheme: Arc::clone(scheme), scopes: Box::default() };
    Security::default().with_schemes(&[Arc::clone(&required.scheme)])
}

/// Checks a row: the configured options, the declared scheme, and the result for an optional parameter, written
/// `in name: text`.
#[track_caller]
fn check(options: &LoadOptions, kind: Option<SecuritySchemeKind>, row: &str, expected: bool) {
    let scheme = kind.map(scheme);
    let security = scheme.as_ref().map(asking).unwrap_or_default();
    let taken = CredentialPlaces::new(options.credential_options(), &security, scheme.iter());
    let (head, description) = row.split_once(": ").unwrap_or((row, ""));
    let (place, name) = head.split_once(' ').unwrap();
    let place = PLACES.into_iter().find(|known| known.as_str() == place).unwrap();
    let declared = DeclaredParameter { place, name, required: false, description };
    assert_eq!(taken.place_owner(declared).is_some(), expected, "{row}");
}

fn configured(kind: CredentialKind) -> LoadOptions {
    LoadOptions { credential: Some(kind), ..LoadOptions::default() }
}

#[test]
fn access_token_of_a_query_or_form_is_a_bearer_credential() {
    let options = configured(CredentialKind::Token);
    check(&options, None, "query access_token", true);
    check(&options, None, "query Access_Token", true);
    check(&options, None, "body access_token", true);
    check(&options, None, "cookie access_token", false);
    check(&options, None, "header x_serverless_authorization", true);
    check(&options, None, "query access_tokens", false);
    check(&options, None, "query X-Amz-Date", false);
    for kind in [CredentialKind::AwsSigV4, CredentialKind::Basic, CredentialKind::Key] {
        check(&configured(kind), None, "query access_token", false);
    }
    check(&LoadOptions::default(), None, "query access_token", false);
}

#[test]
fn a_bearer_scheme_reserves_names_like_a_configured_token() {
    let none = LoadOptions::default();
    let bearer = SecuritySchemeKind::Http { scheme: "bearer".into(), bearer_format: None };
    let basic = SecuritySchemeKind::Http { scheme: "basic".into(), bearer_format: None };
    check(&none, Some(bearer), "query access_token", true);
    check(&none, Some(basic), "query access_token", false);
    check(&none, Some(key(InputLocation::Header, "Authorization")), "query access_token", true);
    check(&none, Some(key(InputLocation::Header, "X-Key")), "query access_token", false);
    check(&none, Some(SecuritySchemeKind::AwsSigV4), "query access_token", false);
    check(&none, Some(SecuritySchemeKind::AwsSigV4), "header X-Amz-Security-Token", true);
}

#[test]
fn an_aws_signature_reserves_its_own_parameters_only() {
    let options = configured(CredentialKind::AwsSigV4);
    for name in ["X-Amz-Date", "x-amz-signature", "X-AMZ-CREDENTIAL", "X-Amz-SignedHeaders"] {
        check(&options, None, &format!("header {name}"), true);
        check(&options, None, &format!("query {name}"), true);
    }
    check(&options, None, "query X-Amz-Expires", true);
    for name in ["X-Amz-Target", "x-amz-acl", "x-amz-meta-owner", "X-Amz-Expires"] {
        check(&options, None, &format!("header {name}"), false);
    }
    check(&LoadOptions::default(), None, "header X-Amz-Date", false);
}

#[test]
fn a_parameter_named_key_is_a_credential_if_its_description_says_so() {
    let options = configured(CredentialKind::Token);
    for (row, expected) in [
        ("query key: API key. Your API key identifies your project.", true),
        ("query key: The key the value is cached under", false),
        ("query key: PEM-encoded private key. Required when updating a certificate.", false),
        ("query key", false),
        ("query api_key: Your Api-Key", true),
        ("header ApiKey: the API key", true),
        ("query oauth_token: OAuth 2.0 token for the current user.", true),
        ("query oauth_token", false),
        ("query key_id: The API key to delete", false),
        ("query token: Authentication token", false),
    ] {
        check(&options, None, row, expected);
    }
    // Without a credential and without a scheme only the model can supply it.
    check(&LoadOptions::default(), None, "query key: Your API key", false);
}

#[test]
fn a_filter_whose_text_names_a_key_is_distinguished_from_the_place_of_a_scheme() {
    let scheme = scheme(key(InputLocation::Header, "x-own-key"));
    let options = LoadOptions::default();
    let taken = CredentialPlaces::new(
        options.credential_options(),
        &asking(&scheme),
        [&scheme].into_iter(),
    );
    let owner = |place, name| {
        let description = "View spend for a specific api key";
        taken.place_owner(DeclaredParameter { place, name, required: false, description })
    };
    assert_eq!(owner(InputLocation::Query, "api_key"), Some(PlaceOwner::Described));
    assert_eq!(
        owner(InputLocation::Header, "X-Own-Key"),
        Some(PlaceOwner::Scheme(Arc::clone(&scheme)))
    );
}

#[test]
fn the_owner_of_a_credential_parameter_says_whether_it_is_required() {
    let scheme = scheme(key(InputLocation::Query, "key"));
    let options = configured(CredentialKind::Token);
    let security = asking(&scheme);
    let taken =
        CredentialPlaces::new(options.credential_options(), &security, [&scheme].into_iter());
    let owner = |name, description| {
        taken.place_owner(DeclaredParameter {
            place: InputLocation::Query,
            name,
            required: true,
            description,
        })
    };
    assert_eq!(owner("key", ""), Some(PlaceOwner::Scheme(Arc::clone(&scheme))));
    assert_eq!(owner("access_token", ""), Some(PlaceOwner::Demanded));
    assert_eq!(owner("api_key", "Your API key"), None);
}

#[test]
fn the_operator_may_release_names_but_not_those_of_a_configured_credential() {
    let mut options = configured(CredentialKind::Token);
    options.credential_arguments = vec!["access_token".to_owned(), "key".to_owned()];
    check(&options, Some(key(InputLocation::Query, "key")), "query key", false);
    check(&options, None, "query Access_Token", false);
    options.credential_places = vec![(InputLocation::Query, "key".to_owned())];
    check(&options, None, "query key", true);
}

#[test]
fn demanded_security_schemes_join_every_alternative() {
    let (one, two) =
        (scheme(SecuritySchemeKind::MutualTls), scheme(key(InputLocation::Query, "key")));
    let two = Arc::new(SecurityScheme { name: "t".into(), ..SecurityScheme::clone(&two) });
    let requirement = |known: &Requirement| known.schemes.len();
    let security = asking(&one).with_schemes(&[Arc::clone(&two)]).with_schemes(&[two]);
    assert_eq!(security.alternatives.iter().map(requirement).collect::<Vec<_>>(), [2]);
    assert!(security.is_stated);
}

proptest! {
    /// For every configuration and every declared scheme: a parameter at the credential's place, in any letter case, or
    /// at a place that services also read it from, is not an argument, and no object may write it.
    #[test]
    fn no_spelling_of_a_credential_is_an_argument(
        kind in 0..KINDS.len(),
        place in 0..PLACES.len(),
        name in "[A-Za-z][A-Za-z0-9_-]{0,12}",
        case in any::<u64>(),
        is_configured in any::<bool>(),
        required in any::<bool>(),
    ) {
        let place = PLACES[place];
        let respelled = |name: &str| -> String {
            let upper = |(at, c): (usize, char)| {
                if case >> (at % 64) & 1 == 1 { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
            };
            name.chars().enumerate().map(upper).collect()
        };
        let mut options = configured(KINDS[kind]);
        let declared = scheme(key(place, &name));
        let schemes = if is_configured {
            options.credential_places.push((place, name.clone()));
            Vec::new()
        } else {
            vec![&declared]
        };
        let taken = CredentialPlaces::new(options.credential_options(), &Security::default(), schemes.into_iter());
        let rows = SPELLINGS.iter().filter(|row| row.kind == KINDS[kind]);
        let too = rows.flat_map(|row| {
            row.places.iter().flat_map(|place| row.names.iter().map(|name| (*place, *name)))
        });
        let keys: Vec<_> = taken.protected_keys().collect();
        for (place, name) in too.chain([(place, &*name)]) {
            let name = respelled(name);
            let declared = DeclaredParameter { place, name: &name, required, description: "" };
            prop_assert!(taken.place_owner(declared).is_some(), "{place:?} {name}");
            let is_key = place != InputLocation::Header;
            let is_kept = keys.iter().any(|(at, known)| *at == place && known.eq_ignore_ascii_case(&name));
            prop_assert!(!is_key || is_kept, "{place:?} {name}");
        }
    }

    /// Without any credential or scheme, no place is taken.
    #[test]
    fn a_description_without_credentials_loses_no_argument(
        place in 0..PLACES.len(),
        name in "(?i)(key|api_key|access_token|oauth_token|x-amz-date|token|[a-z_]{1,9})",
        description in "(API key|OAuth token|)",
        required in any::<bool>(),
    ) {
        let options = LoadOptions::default();
        let taken = CredentialPlaces::new(options.credential_options(), &Security::default(), std::iter::empty());
        let declared = DeclaredParameter { place: PLACES[place], name: &name, required, description: &description };
        prop_assert_eq!(taken.place_owner(declared), None);
    }
}
