//! Turns a person's answer for a security scheme into its credential in a configuration: a reference, or a user or a client
//! with one. A text without a reference is refused and not repeated, because it may be the secret.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use callgate::secret::SecretReference;
use callgate_openapi::{OAuthFlow, OAuthFlowKind, Operation, SecurityScheme, SecuritySchemeKind};
use callgate_tool::{Object, Value, json};

use crate::args::DescriptionArguments;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Takes {
    /// A client whose user logs in.
    Client,
    ClientAndSecret,
    Key,
    Nothing,
    Token,
    UserAndPassword,
}

pub(super) fn credential_value(scheme: &SecurityScheme, text: &str) -> Result<Value, String> {
    let name = &scheme.name;
    let expected = || {
        let (words, got) = (expectation_words(scheme), describe_refused_text(text));
        format!("expected {words} for the security scheme `{name}`, got {got}")
    };
    let is_reference = is_reference(text);
    if let Some(client) = text.strip_prefix(LOGIN).filter(|_| allows_person_login(scheme)) {
        return login_credential(scheme, client).ok_or_else(expected);
    }
    match credential_kind(scheme) {
        Takes::Key if is_reference => Ok(json!({"api_key": {"value": text}})),
        Takes::Token | Takes::Client | Takes::ClientAndSecret if is_reference => {
            Ok(json!({"bearer": {"token": text}}))
        }
        Takes::UserAndPassword => {
            let (user, password) = split_name_and_reference(text).ok_or_else(expected)?;
            Ok(json!({"basic": {"username": user, "password": password}}))
        }
        Takes::ClientAndSecret => {
            let (id, secret) = split_name_and_reference(text).ok_or_else(expected)?;
            Ok(json!({"oauth2_client_credentials": {"client_id": id, "client_secret": secret}}))
        }
        _ => Err(expected()),
    }
}

/// The credential of a person who logs in with this client: its id, and a reference to its secret if it has one.
fn login_credential(scheme: &SecurityScheme, client: &str) -> Option<Value> {
    let (id, secret) = match client.split_once(':') {
        Some(_) => split_name_and_reference(client).map(|(id, secret)| (id, Some(secret)))?,
        None => (client, None),
    };
    let mut credential = Object::new();
    for (key, url) in login_endpoints(scheme) {
        // Relative URLs stay in the description.
        if url.starts_with("https://") || url.starts_with("http://") {
            credential.insert(key, Value::from(url));
        }
    }
    credential.insert("client_id", Value::from(id));
    credential.extend(secret.map(|secret| ("client_secret".to_owned(), Value::from(secret))));
    let is_client = !id.is_empty();
    is_client.then(|| json!({"oauth2_authorization_code": (Value::Object(credential))}))
}

/// The login and token endpoints from the description, written down so that the operator sees them.
fn login_endpoints(scheme: &SecurityScheme) -> Vec<(&'static str, &str)> {
    let flows = match &scheme.kind {
        SecuritySchemeKind::OpenIdConnect { url } => {
            let issuer = url.strip_suffix("/.well-known/openid-configuration");
            return issuer.map(|issuer| ("issuer", issuer)).into_iter().collect();
        }
        SecuritySchemeKind::OAuth2 { flows, .. } => flows,
        _ => return Vec::new(),
    };
    let of = |kind| flows.iter().find(move |flow: &&OAuthFlow| flow.kind == kind);
    let (code, device) =
        (of(OAuthFlowKind::AuthorizationCode), of(OAuthFlowKind::DeviceAuthorization));
    let named = [
        ("authorization_url", code.and_then(|flow| flow.authorization_url.as_deref())),
        ("token_url", code.or(device).and_then(|flow| flow.token_url.as_deref())),
        (
            "device_authorization_url",
            device.and_then(|flow| flow.device_authorization_url.as_deref()),
        ),
    ];
    named.into_iter().filter_map(|(key, url)| Some((key, url?))).collect()
}

fn allows_person_login(scheme: &SecurityScheme) -> bool {
    match &scheme.kind {
        SecuritySchemeKind::OAuth2 { flows, .. } => flows.iter().any(|flow| {
            matches!(
                flow.kind,
                OAuthFlowKind::AuthorizationCode | OAuthFlowKind::DeviceAuthorization
            )
        }),
        SecuritySchemeKind::OpenIdConnect { .. } => true,
        _ => false,
    }
}

/// A name and a reference, separated by a colon.
pub(super) fn split_name_and_reference(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(name, rest)| !name.is_empty() && is_reference(rest))
}

/// Describes a refused text without showing it, because it may be the secret.
pub(super) fn describe_refused_text(text: &str) -> &'static str {
    match text.split_once(':') {
        _ if text.is_empty() => "an empty text",
        _ if text.starts_with("literal:") => "a secret as it is (`literal:`)",
        _ if is_reference(text) => "a reference alone",
        Some((LOGIN_NAME, _)) => "`login:`, which is for a person who logs in",
        Some(("", _)) => "a text that begins with `:`",
        Some((_, "")) => "a text that ends with `:`",
        Some((_, rest)) if is_reference(rest) => "a name with a reference",
        Some(_) => "a text that no `env:` or `file:` begins",
        None => "a text without `env:` or `file:`, which may be the secret itself",
    }
}

/// Returns true for a reference to a secret, or a credential of the session; never for a literal.
fn is_reference(text: &str) -> bool {
    let session = text.strip_prefix("$session.credentials.");
    let reference = text.parse::<SecretReference>();
    session.is_some_and(|name| !name.is_empty())
        || reference.is_ok_and(|secret_reference| !secret_reference.is_literal())
}

fn credential_kind(scheme: &SecurityScheme) -> Takes {
    match &scheme.kind {
        SecuritySchemeKind::ApiKey { .. } => Takes::Key,
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "basic" => Takes::UserAndPassword,
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "bearer" => Takes::Token,
        SecuritySchemeKind::OAuth2 { flows, .. }
            if flows.iter().any(|flow| flow.kind == OAuthFlowKind::ClientCredentials) =>
        {
            Takes::ClientAndSecret
        }
        SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => {
            if allows_person_login(scheme) {
                Takes::Client
            } else {
                Takes::Token
            }
        }
        _ => Takes::Nothing,
    }
}

pub(super) fn expectation_words(scheme: &SecurityScheme) -> &'static str {
    credential_kind(scheme).words_and_form().0
}

/// The form of a scheme's credential; `None` if there is none to suggest.
pub(super) fn suggested_form(scheme: &SecurityScheme) -> Option<&'static str> {
    credential_kind(scheme).words_and_form().1
}

impl Takes {
    /// The expectation in words, and the form to suggest.
    fn words_and_form(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Key => ("a reference to the key", Some("env:NAME")),
            Self::Token => ("a reference to the token", Some("env:NAME")),
            Self::Client => (
                "the client that you log in with (`login:ID`, or `login:ID:REFERENCE` with its secret), or a reference to a token",
                Some("login:CLIENT_ID"),
            ),
            Self::UserAndPassword => {
                ("a user and a reference to the password (`USER:REFERENCE`)", Some("USER:env:NAME"))
            }
            Self::ClientAndSecret => (
                "a client and a reference to its secret (`ID:REFERENCE`), or a reference to a token",
                Some("ID:env:NAME"),
            ),
            Self::Nothing => ("nothing: no credential is written", None),
        }
    }
}

/// The settings that the flags for one credential give a scheme, if the scheme is the only one of its kind.
pub(super) fn flag_credential<'a>(
    given: &'a DescriptionArguments,
    schemes: &[Arc<SecurityScheme>],
    scheme: &SecurityScheme,
) -> Option<&'a str> {
    let kind = credential_kind(scheme);
    let is_alone =
        schemes.iter().filter(|other_scheme| credential_kind(other_scheme) == kind).count() == 1;
    match kind {
        Takes::Key => given.api_key.as_deref().filter(|_| is_alone),
        Takes::UserAndPassword => given.basic.as_deref(),
        Takes::Client | Takes::ClientAndSecret | Takes::Token => given.bearer.as_deref(),
        Takes::Nothing => None,
    }
}

/// Writes into the logins among these credentials, by scheme, all scopes that operations of the description need, so that one
/// login is enough.
pub(super) fn add_login_scopes(
    credentials: &mut BTreeMap<String, Value>,
    operations: &[Arc<Operation>],
) {
    for (scheme, credential) in credentials {
        let Some(login) = credential.get_mut("oauth2_authorization_code") else { continue };
        let scopes = needed_scopes(scheme, operations);
        if let (Value::Object(login), false) = (login, scopes.is_empty()) {
            let scopes = scopes.into_iter().map(Value::from).collect();
            login.insert("scopes", Value::Array(scopes));
        }
    }
}

/// The scopes of a scheme, ordered by name. A login at an `OpenID` provider begins with `openid`.
fn needed_scopes<'a>(scheme: &str, operations: &'a [Arc<Operation>]) -> Vec<&'a str> {
    let alternatives =
        operations.iter().flat_map(|operation| operation.security.alternatives.iter());
    let needed = alternatives.flat_map(|alternative| alternative.schemes.iter());
    let (mut scopes, mut is_openid) = (BTreeSet::new(), false);
    for requirement in needed.filter(|requirement| &*requirement.scheme.name == scheme) {
        is_openid |= matches!(requirement.scheme.kind, SecuritySchemeKind::OpenIdConnect { .. });
        scopes.extend(requirement.scopes.iter().map(|scope| &**scope));
    }
    if is_openid {
        scopes.remove(OPENID);
    }
    is_openid.then_some(OPENID).into_iter().chain(scopes).collect()
}

/// The scope that turns a login into one of `OpenID` Connect (its Core 1.0, §3.1.2.1).
const OPENID: &str = "openid";

const LOGIN: &str = "login:";
const LOGIN_NAME: &str = "login";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_refused_is_named_by_its_kind_and_not_repeated() {
        for (text, expected) in [
            ("", "empty"),
            ("literal:canary", "as it is"),
            ("env:KEY", "a reference alone"),
            ("login:me", "logs in"),
            (":canary", "begins with `:`"),
            ("me:", "ends with `:`"),
            ("me:env:KEY", "a name with a reference"),
            ("me:canary", "no `env:` or `file:` begins"),
            ("canary", "may be the secret itself"),
        ] {
            let told = describe_refused_text(text);
            assert!(told.contains(expected) && !told.contains("canary"), "{text}: {told}");
        }
    }
}
