//! `oauth2_authorization_code:`, `oauth2_client_credentials:`, `jwt_bearer:` and `token_exchange:`: the token endpoint,
//! the client, the scopes and the audience. They differ only in the grant.

mod client;

use callgate_auth::{
    AuthConfig, LoginEndpoints, OAuth2Config, OAuth2Grant, SubjectToken, TokenEndpoint,
};
use callgate_tool::CallerToken;
use callgate_tree::Node;
use url::Url;

use crate::{
    code::ConfigCode,
    keys::{JWT_BEARER, OAUTH2_AUTHORIZATION_CODE, OAUTH2_CLIENT_CREDENTIALS, TOKEN_EXCHANGE},
    reader::{Mapping, Reader, at, escaped, secret::required_source},
};

/// A token of a person who logged in.
pub(super) fn authorization_code(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &OAUTH2_AUTHORIZATION_CODE)?;
    client::is_required(reader, mapping);
    let [authorization_url, device_authorization_url, revocation_url, redirect_url] =
        ["authorization_url", "device_authorization_url", "revocation_url", "redirect_url"].map(
            |key| reader.setting(mapping, key).filter(|text| is_url(reader, mapping, key, text)),
        );
    let is_local = |url: &Url| {
        url.scheme() == "http"
            && url.query().is_none()
            && matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"))
    };
    let parsed = redirect_url.as_deref().and_then(|url| Url::parse(url).ok());
    if parsed.is_some_and(|url| !is_local(&url)) {
        let message = "expected an address on this machine, got another URL";
        let help = "for example `http://127.0.0.1:8400/callback`";
        reader.complain(ConfigCode::WrongValue, at(mapping, "redirect_url"), message, help);
    }
    let endpoints = LoginEndpoints {
        authorization_url,
        device_authorization_url,
        revocation_url,
        redirect_url,
    };
    let grant = OAuth2Grant::AuthorizationCode(endpoints);
    config(reader, mapping, "oauth2_authorization_code", Some(grant))
}

/// A token that a client requests for itself.
pub(super) fn client_credentials(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &OAUTH2_CLIENT_CREDENTIALS)?;
    client::is_required(reader, mapping);
    config(reader, mapping, "oauth2_client_credentials", Some(OAuth2Grant::ClientCredentials))
}

/// A token for a JWT that represents a user.
pub(super) fn jwt_bearer(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &JWT_BEARER)?;
    let assertion = required_source(reader, mapping, "assertion");
    let grant = assertion.map(|assertion| OAuth2Grant::JwtBearer { assertion });
    config(reader, mapping, "jwt_bearer", grant)
}

/// A token that is exchanged for a user's token.
pub(super) fn token_exchange(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &TOKEN_EXCHANGE)?;
    let subject = subject(reader, mapping);
    let subject_type = token_type(reader, mapping, "subject_token_type");
    let actor_type = token_type(reader, mapping, "actor_token_type");
    let actor = if mapping.object.contains("actor_token") {
        let actor = required_source(reader, mapping, "actor_token");
        actor.map(|actor| (actor, actor_type.unwrap_or_else(access_token)))
    } else {
        None
    };
    let requested_type = token_type(reader, mapping, "requested_token_type");
    let grant = subject.map(|subject| OAuth2Grant::TokenExchange {
        subject,
        subject_type: subject_type.unwrap_or_else(access_token),
        actor,
        requested_type,
    });
    config(reader, mapping, "token_exchange", grant)
}

/// The user's token. No description may choose the endpoint that receives a caller's token.
fn subject(reader: &mut Reader, mapping: Mapping<'_>) -> Option<SubjectToken> {
    let text = mapping.object.get("subject_token").and_then(Node::as_str);
    if text != Some(CallerToken::PLACE) {
        return required_source(reader, mapping, "subject_token").map(SubjectToken::Source);
    }
    if ["token_url", "issuer"].into_iter().any(|key| mapping.object.contains(key)) {
        return Some(SubjectToken::Caller);
    }
    let message = "expected `token_url` or `issuer` beside the caller's token, got neither";
    let help = "no description says where a caller's token is sent: name the endpoint";
    reader.complain(ConfigCode::MissingKey, at(mapping, "subject_token"), message, help);
    None
}

fn config(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    name: &str,
    grant: Option<OAuth2Grant>,
) -> Option<AuthConfig> {
    let endpoint = endpoint(reader, mapping);
    let client = client::read(reader, mapping);
    let config = OAuth2Config {
        scopes: texts(reader, mapping, "scopes"),
        audiences: audiences(reader, mapping),
        resources: texts(reader, mapping, "resource"),
        parameters: parameters(reader, mapping),
        name: name.to_owned(),
        endpoint: endpoint?,
        client: client?,
        grant: grant?,
    };
    Some(AuthConfig::OAuth2(Box::new(config)))
}

fn endpoint(reader: &mut Reader, mapping: Mapping<'_>) -> Option<TokenEndpoint> {
    let has = |key: &str| mapping.object.contains(key);
    let (url, issuer) = (reader.setting(mapping, "token_url"), reader.setting(mapping, "issuer"));
    if url.is_none() && has("token_url") || issuer.is_none() && has("issuer") {
        return None;
    }
    let (key, text) = match (url, issuer) {
        (Some(url), None) => ("token_url", url),
        (None, Some(issuer)) => ("issuer", issuer),
        (None, None) => return Some(TokenEndpoint::Described),
        (Some(_), Some(_)) => {
            let message = "expected `token_url` or `issuer`, got both";
            reader.complain(ConfigCode::WrongValue, at(mapping, "issuer"), message, "keep one");
            return None;
        }
    };
    if !is_url(reader, mapping, key, &text) {
        return None;
    }
    Some(if key == "issuer" { TokenEndpoint::Issuer(text) } else { TokenEndpoint::Url(text) })
}

/// Returns true if a text is a URL that requests can be sent to; otherwise reports it.
fn is_url(reader: &mut Reader, mapping: Mapping<'_>, key: &str, text: &str) -> bool {
    let parsed = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let is_plain = |url: &Url| url.fragment().is_none() && url.username().is_empty();
    if parsed.is_some_and(|url| is_plain(&url)) {
        return true;
    }
    // What stands before the colon of a variable's value may be a part of a secret.
    let is_written = mapping.object.get(key).and_then(Node::as_str) == Some(text);
    let scheme = Url::parse(text).ok().filter(|_| is_written);
    let scheme = scheme.map(|url| url.scheme().to_owned());
    let got = match scheme.as_deref() {
        None => "got a text without a scheme or a host".to_owned(),
        Some("http" | "https") => "got one with a user or a fragment".to_owned(),
        Some(scheme) => format!("got one that begins with: `{scheme}:`"),
    };
    let message = format!("expected a URL that begins with `https://`, {got}");
    let help = "for example `https://idp.example.com/token`";
    reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
    false
}

/// One text or several.
fn texts(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Vec<String> {
    match mapping.object.get(key).and_then(Node::as_str) {
        Some(text) => vec![text.to_owned()],
        None => reader.strings(mapping, key).into_iter().map(ToOwned::to_owned).collect(),
    }
}

/// The audiences of the token: texts, or environment variables.
fn audiences(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<String> {
    let texts = texts(reader, mapping, "audience");
    let filled = texts.iter().filter_map(|text| reader.filled(text, || at(mapping, "audience")));
    filled.collect()
}

fn parameters(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<(String, String)> {
    let Some(node) = mapping.object.get("parameters") else { return Vec::new() };
    let pointer = at(mapping, "parameters");
    let Some(object) = node.as_object() else {
        let help = "`{organization: acme}`";
        reader.expected(&pointer, "a mapping from names to texts", node, help);
        return Vec::new();
    };
    let mut parameters = Vec::new();
    for (name, value) in object.iter() {
        let pointer = format!("{pointer}/{}", escaped(name));
        if OURS.contains(&name.as_ref()) {
            let message =
                format!("expected another parameter than those of callgate, got: `{name}`");
            reader.complain(ConfigCode::WrongValue, pointer, message, "a key of its own says it");
            continue;
        }
        match value.as_str() {
            Some(text) => parameters.push((name.to_string(), text.to_owned())),
            None => reader.expected(&pointer, "a text", value, "quote it"),
        }
    }
    parameters
}

/// A type of token: the last word of the URIs of RFC 8693 §3, or any URI.
fn token_type(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<String> {
    let text = reader.string(mapping, key)?;
    if TOKEN_TYPES.contains(&text) {
        return Some(format!("{TOKEN_TYPE}{text}"));
    }
    if text.contains(':') {
        return Some(text.to_owned());
    }
    let message = format!("expected a type of token, got: `{text}`");
    let help = format!("write a URI, or `{}`", TOKEN_TYPES.join("`, `"));
    reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
    None
}

fn access_token() -> String {
    format!("{TOKEN_TYPE}access_token")
}

const TOKEN_TYPE: &str = "urn:ietf:params:oauth:token-type:";
const TOKEN_TYPES: [&str; 6] =
    ["access_token", "id_token", "jwt", "refresh_token", "saml1", "saml2"];

/// Parameters of a token request that have keys of their own.
const OURS: [&str; 22] = [
    "actor_token",
    "actor_token_type",
    "assertion",
    "audience",
    "client_assertion",
    "client_assertion_type",
    "client_id",
    "client_secret",
    "grant_type",
    "requested_token_type",
    "resource",
    "scope",
    "subject_token",
    "subject_token_type",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "redirect_uri",
    "refresh_token",
    "response_type",
    "state",
];
