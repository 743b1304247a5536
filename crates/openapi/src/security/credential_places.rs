//! The places of credentials on a request, and the other spellings from which services read them: no argument fills
//! one. The places are a table of kinds, locations and names; `withheld` decides if a parameter is offered.

use std::sync::Arc;

use crate::{
    input::InputLocation,
    security::{
        Security, SecurityScheme, SecuritySchemeKind,
        header::{are_equal_header_names, folded_name},
    },
};

/// Kinds of credential that services read from their own places.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum CredentialKind {
    /// An AWS signature, Version 4.
    AwsSigV4,
    /// A user name and a password.
    Basic,
    /// A key at its own place.
    Key,
    /// A bearer token.
    Token,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CredentialOptions<'a> {
    pub(crate) kind: Option<CredentialKind>,
    pub(crate) places: &'a [(InputLocation, String)],
    /// The names that are arguments nevertheless.
    pub(crate) returned: &'a [String],
}

#[derive(Clone, Debug)]
pub(crate) struct CredentialPlaces<'a> {
    exact: Vec<ExactPlace<'a>>,
    kinds: Vec<CredentialKind>,
    is_secured: bool,
    returned: &'a [String],
}

#[derive(Clone, Copy, Debug)]
struct ExactPlace<'a> {
    place: InputLocation,
    name: &'a str,
    /// The scheme of the description that uses the place; `None` if the configuration does.
    scheme: Option<&'a Arc<SecurityScheme>>,
    is_asked: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredParameter<'a> {
    pub(crate) place: InputLocation,
    pub(crate) name: &'a str,
    pub(crate) required: bool,
    pub(crate) description: &'a str,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum PlaceOwner {
    /// The configured credential of this place, or one that services also read from it.
    Credential,
    /// The configured credential, in a form that the service requires: nothing fills the parameter.
    Demanded,
    /// Perhaps a credential: the name and the text say so, and no scheme does.
    Described,
    Scheme(Arc<SecurityScheme>),
}

impl<'a> CredentialPlaces<'a> {
    pub(crate) fn new(
        configured: CredentialOptions<'a>,
        security: &Security,
        schemes: impl Iterator<Item = &'a Arc<SecurityScheme>>,
    ) -> Self {
        let required =
            || security.alternatives.iter().flat_map(|alternative| alternative.schemes.iter());
        let is_asked = |scheme: &SecurityScheme| {
            required().any(|required| required.scheme.name == scheme.name)
        };
        let places = configured.places.iter().map(|(place, name)| ExactPlace {
            place: *place,
            name,
            scheme: None,
            is_asked: true,
        });
        let mut exact: Vec<_> = places.collect();
        let mut n_schemes = 0_usize;
        for scheme in schemes {
            n_schemes = n_schemes.saturating_add(1);
            if let SecuritySchemeKind::ApiKey { place, name } = &scheme.kind {
                let (place, is_asked) = (*place, is_asked(scheme));
                exact.push(ExactPlace { place, name, scheme: Some(scheme), is_asked });
            }
        }
        let kinds = required().filter_map(|required| required.scheme.kind.credential_kind());
        let mut kinds: Vec<_> = configured.kind.into_iter().chain(kinds).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Self {
            exact,
            is_secured: !kinds.is_empty() || n_schemes > 0,
            kinds,
            returned: configured.returned,
        }
    }

    pub(crate) fn parameter_step_cost(&self) -> usize {
        self.exact.len().saturating_add(1)
    }

    /// The owner of a parameter's place; `None` if the parameter is an argument.
    pub(crate) fn place_owner(&self, declared: DeclaredParameter<'_>) -> Option<PlaceOwner> {
        let DeclaredParameter { place, name, required, .. } = declared;
        let exact = || self.exact.iter().filter(|entry| entry.is_at(place, name));
        if exact().any(|entry| entry.scheme.is_none()) {
            return Some(PlaceOwner::Credential);
        }
        if self.returned.iter().any(|returned| are_equal_for_services(place, returned, name)) {
            return None;
        }
        if let Some(scheme) = exact().find_map(|entry| entry.scheme) {
            return Some(PlaceOwner::Scheme(Arc::clone(scheme)));
        }
        if self.is_alternative_spelling(place, name) {
            return Some(if required { PlaceOwner::Demanded } else { PlaceOwner::Credential });
        }
        (self.is_secured && is_described_credential(declared)).then_some(PlaceOwner::Described)
    }

    /// Returns true if services read the credential from this place in addition to its own.
    pub(crate) fn is_alternative_spelling(&self, place: InputLocation, name: &str) -> bool {
        let rows = SPELLINGS.iter().filter(|row| self.kinds.contains(&row.kind));
        let mut rows = rows.filter(|row| row.places.contains(&place));
        rows.any(|row| row.names.iter().any(|spelling| are_equal_header_names(spelling, name)))
    }

    /// The query keys, cookies and form fields that no object with separate members may write.
    pub(crate) fn protected_keys(&self) -> impl Iterator<Item = (InputLocation, Arc<str>)> {
        let is_key = |place: InputLocation| {
            matches!(place, InputLocation::Body | InputLocation::Cookie | InputLocation::Query)
        };
        let is_returned = |place, name: &str| {
            self.returned
                .iter()
                .any(|returned_name| are_equal_for_services(place, returned_name, name))
        };
        let exact = self.exact.iter().map(|entry| (entry.place, entry.name, entry.scheme));
        let exact = exact
            .filter(move |(place, name, scheme)| scheme.is_none() || !is_returned(*place, name));
        let rows = SPELLINGS.iter().filter(|row| self.kinds.contains(&row.kind));
        let names = |row: &'static Spelling| {
            row.places.iter().flat_map(|place| row.names.iter().map(|name| (*place, *name)))
        };
        let too = rows.flat_map(names).filter(move |(place, name)| !is_returned(*place, name));
        let all = exact.map(|(place, name, _)| (place, name)).chain(too);
        all.filter(move |(place, _)| is_key(*place)).map(|(place, name)| (place, name.into()))
    }

    pub(crate) fn has_required_cookie(&self) -> bool {
        self.exact.iter().any(|entry| entry.place == InputLocation::Cookie && entry.is_asked)
    }
}

impl ExactPlace<'_> {
    fn is_at(&self, place: InputLocation, name: &str) -> bool {
        self.place == place && are_equal_for_services(place, self.name, name)
    }
}

impl SecuritySchemeKind {
    fn credential_kind(&self) -> Option<CredentialKind> {
        match self {
            Self::ApiKey { place: InputLocation::Header, name }
                if folded_name(name) == "authorization" =>
            {
                // Many descriptions declare a bearer token as a key in this header.
                Some(CredentialKind::Token)
            }
            Self::ApiKey { .. } => Some(CredentialKind::Key),
            Self::AwsSigV4 => Some(CredentialKind::AwsSigV4),
            Self::Http { scheme, .. } if &**scheme == "bearer" => Some(CredentialKind::Token),
            Self::Http { .. } => Some(CredentialKind::Basic),
            Self::OAuth2 { .. } | Self::OpenIdConnect { .. } => Some(CredentialKind::Token),
            Self::MutualTls | Self::Unknown => None,
        }
    }
}

/// Returns true if a service regards two names as equal: headers also with `_` for `-`, and everything else without
/// regard to case, as many frameworks read queries, forms and cookies.
fn are_equal_for_services(place: InputLocation, expected_name: &str, name: &str) -> bool {
    match place {
        InputLocation::Header => are_equal_header_names(expected_name, name),
        _ => expected_name.eq_ignore_ascii_case(name),
    }
}

/// True if an optional parameter is described as a credential: its name is one from which some services read
/// credentials and which others use differently, and its text says so.
fn is_described_credential(
    DeclaredParameter { place, name, required, description }: DeclaredParameter<'_>,
) -> bool {
    if required || place == InputLocation::Path {
        return false;
    }
    let letters = || name.bytes().filter(|byte| !matches!(byte, b'-' | b'_'));
    let is_named = |described_name: &str| {
        described_name.bytes().eq(letters().map(|byte| byte.to_ascii_lowercase()))
    };
    let Some((_, words)) = DESCRIBED.iter().find(|(entry, _)| is_named(entry)) else {
        return false;
    };
    let text = description.to_ascii_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// A place from which a kind of credential is read in addition to its own.
#[derive(Debug)]
struct Spelling {
    kind: CredentialKind,
    places: &'static [InputLocation],
    names: &'static [&'static str],
}

const SPELLINGS: &[Spelling] = &[
    // RFC 6750 §2.2 and §2.3: a bearer token in a form or in the query.
    Spelling {
        kind: CredentialKind::Token,
        places: &[InputLocation::Body, InputLocation::Query],
        names: &["access_token"],
    },
    // Google's service front ends prefer this header to `Authorization`.
    Spelling {
        kind: CredentialKind::Token,
        places: &[InputLocation::Header],
        names: &["X-Serverless-Authorization"],
    },
    // AWS Signature Version 4, "Authenticating requests": equal names in headers and in the query.
    Spelling {
        kind: CredentialKind::AwsSigV4,
        places: &[InputLocation::Header, InputLocation::Query],
        names: &[
            "X-Amz-Algorithm",
            "X-Amz-Content-Sha256",
            "X-Amz-Credential",
            "X-Amz-Date",
            "X-Amz-Security-Token",
            "X-Amz-Signature",
            "X-Amz-SignedHeaders",
        ],
    },
    Spelling {
        kind: CredentialKind::AwsSigV4,
        places: &[InputLocation::Query],
        names: &["X-Amz-Expires"],
    },
];

/// Names without `-` and `_` that are credentials to some services, and the words by which a description says so. A
/// `key` may also name a stored item.
const DESCRIBED: &[(&str, &[&str])] =
    &[("accesstoken", TOKEN), ("apikey", KEY), ("key", KEY), ("oauthtoken", TOKEN)];

const KEY: &[&str] = &[
    "api key",
    "api-key",
    "api_key",
    "apikey",
    "access key",
    "application key",
    "authenticat",
    "credential",
    "developer key",
    "subscription key",
];

const TOKEN: &[&str] = &["authenticat", "authoriz", "bearer", "credential", "oauth", "token"];

#[cfg(test)]
mod tests;
