//! The kinds of credential that satisfy a security scheme, and the place of an API key, which the description states.

use callgate_auth::{ApiKeyLocation, AuthConfig, CredentialForm, CredentialPlace};
use callgate_openapi::{InputLocation, OAuthFlowKind, SecurityScheme, SecuritySchemeKind};

use crate::toolset::{SchemeChoice, SchemeCredential};

/// The credential in the form that the scheme requires; `None` if the scheme requires another kind.
pub(super) fn compatible_credential(
    scheme: &SecurityScheme,
    credential: &SchemeCredential,
) -> Option<AuthConfig> {
    match (&scheme.kind, &credential.choice) {
        (SecuritySchemeKind::ApiKey { place, name }, SchemeChoice::ApiKey(value)) => {
            let place = api_key_location(*place)?;
            Some(AuthConfig::ApiKey { place, name: name.to_string(), value: value.clone() })
        }
        (kind, SchemeChoice::Other(config)) => {
            accepts_form(kind, config.credential_form()).then(|| AuthConfig::clone(config))
        }
        _ => None,
    }
}

/// The kinds that a scheme accepts, in words for a message.
pub(super) fn expected_kind_words(kind: &SecuritySchemeKind) -> &'static str {
    match kind {
        SecuritySchemeKind::ApiKey { .. } if is_authorization_api_key(kind) => {
            "`api_key`, or a kind that fills the header `Authorization`"
        }
        SecuritySchemeKind::ApiKey { .. } => "`api_key`",
        SecuritySchemeKind::AwsSigV4 => "`aws_sigv4`",
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "basic" => "`basic`",
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "bearer" => TOKEN,
        SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => TOKEN,
        SecuritySchemeKind::MutualTls => "no credential but the client certificate of the toolset",
        SecuritySchemeKind::Http { .. } | _ => "a scheme that callgate knows a credential for",
    }
}

/// An example of the credential to write for a scheme; `None` if no credential can be written for it.
pub(super) fn example_credential(kind: &SecuritySchemeKind) -> Option<&'static str> {
    match kind {
        SecuritySchemeKind::ApiKey { .. } => Some("{api_key: {value: env:NAME}}"),
        SecuritySchemeKind::AwsSigV4 => Some("{aws_sigv4: {service: NAME, region: NAME}}"),
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "basic" => {
            Some("{basic: {username: NAME, password: env:NAME}}")
        }
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "bearer" => {
            Some("{bearer: {token: env:NAME}}")
        }
        SecuritySchemeKind::OAuth2 { flows, .. }
            if flows.iter().any(|flow| flow.kind == OAuthFlowKind::ClientCredentials) =>
        {
            Some("{oauth2_client_credentials: {client_id: ID, client_secret: env:NAME}}")
        }
        SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => {
            Some("{bearer: {token: env:NAME}}")
        }
        _ => None,
    }
}

fn accepts_form(kind: &SecuritySchemeKind, form: CredentialForm) -> bool {
    if form == CredentialForm::Own {
        return true;
    }
    match kind {
        // Many descriptions declare a credential in this header as an API key.
        SecuritySchemeKind::ApiKey { .. } => {
            let is_taken = matches!(
                form,
                CredentialForm::Basic | CredentialForm::Signature | CredentialForm::Token
            );
            is_authorization_api_key(kind) && is_taken
        }
        SecuritySchemeKind::AwsSigV4 => form == CredentialForm::Signature,
        SecuritySchemeKind::Http { scheme, .. } => match &**scheme {
            "basic" => form == CredentialForm::Basic,
            "bearer" => form == CredentialForm::Token,
            _ => false,
        },
        SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => {
            form == CredentialForm::Token
        }
        _ => false,
    }
}

fn is_authorization_api_key(kind: &SecuritySchemeKind) -> bool {
    let SecuritySchemeKind::ApiKey { place: InputLocation::Header, name } = kind else {
        return false;
    };
    name.eq_ignore_ascii_case("authorization")
}

pub(super) fn is_place_of_scheme(
    credential_place: &CredentialPlace,
    scheme: &SecurityScheme,
) -> bool {
    let SecuritySchemeKind::ApiKey { place, name } = &scheme.kind else { return false };
    api_key_location(*place) == Some(credential_place.place())
        && credential_place.name().eq_ignore_ascii_case(name)
}

fn api_key_location(place: InputLocation) -> Option<ApiKeyLocation> {
    match place {
        InputLocation::Cookie => Some(ApiKeyLocation::Cookie),
        InputLocation::Header => Some(ApiKeyLocation::Header),
        InputLocation::Query => Some(ApiKeyLocation::Query),
        _ => None,
    }
}

const TOKEN: &str = "`bearer` or another kind that is a token";
