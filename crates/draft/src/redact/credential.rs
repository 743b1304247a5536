//! Finds the credentials of an exchange by the names and looks of what it carries, and takes those of the request out.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_tool::Value;

use super::Redacted;
use crate::{
    body::Body,
    exchange::{Exchange, Message},
    header::is_transport_header,
    security::Scheme,
    text::{is_web_token, looks_random},
};

/// The shortest text that is masked wherever it stands: shorter ones occur by chance.
const SHORTEST: usize = 6;

/// Words of names that mean a secret, in lower case and without separators.
const SECRET_WORDS: [&str; 14] = [
    "accesskey",
    "apikey",
    "authtoken",
    "clientsecret",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "sessionid",
    "signature",
    "xsrf",
    "csrf",
];
/// Names that mean a secret in a header, a query or a cookie, and something else in a body.
const SECRET_NAMES: [&str; 10] =
    ["auth", "authorization", "jwt", "key", "pass", "pwd", "session", "sid", "sig", "xauth"];
/// Tokens that name a place in a list.
const PAGE_WORDS: [&str; 7] = ["page", "next", "prev", "cursor", "sync", "continu", "resume"];

/// Ends of names of identifiers.
const THING_ENDINGS: [&str; 8] = ["id", "ids", "hash", "sha", "digest", "commit", "etag", "ref"];

/// Takes the credentials of a request out, and adds what is secret in the exchange.
pub(super) fn take(mut exchange: Exchange, secrets: &mut BTreeSet<String>) -> Redacted {
    let mut schemes = std::mem::take(&mut exchange.schemes);
    let mut cookies = Vec::new();
    if let Some((_, password)) = exchange.login.take() {
        add_secret(&password, secrets);
        schemes.insert(Scheme::Basic);
    }
    exchange.request.headers.retain(|(name, value)| match header_scheme(name, value, secrets) {
        Some(scheme) => {
            schemes.insert(scheme);
            false
        }
        None if name == "cookie" => {
            take_cookies(value, &mut cookies, &mut schemes, secrets);
            false
        }
        None => !is_transport_header(name),
    });
    exchange.query.retain(|(name, value)| {
        let is_secret = is_secret_name(name) || (is_random(value) && !names_a_thing(name));
        if is_secret {
            add_secret(value, secrets);
            schemes.insert(Scheme::Key("query", name.clone()));
        }
        !is_secret
    });
    add_body_secrets(&exchange.request, secrets);
    if let Some(response) = &mut exchange.response {
        for (_, value) in response.message.headers.iter().filter(|header| header.0 == "set-cookie")
        {
            add_secret(
                value.split(';').next().unwrap_or_default().split_once('=').unwrap_or_default().1,
                secrets,
            );
        }
        response.message.headers.retain(|(name, _)| name == "content-type");
        add_body_secrets(&response.message, secrets);
    }
    Redacted { exchange, schemes, cookies }
}

/// The scheme of a header that carries a credential.
fn header_scheme(name: &str, value: &str, secrets: &mut BTreeSet<String>) -> Option<Scheme> {
    if matches!(name, "authorization" | "proxy-authorization") {
        let (kind, credential) = value.split_once(' ').unwrap_or(("", value));
        add_secret(credential.trim(), secrets);
        return Some(match kind.to_ascii_lowercase().as_str() {
            "basic" => {
                add_password(credential.trim(), secrets);
                Scheme::Basic
            }
            "bearer" => Scheme::Bearer,
            _ => Scheme::Key("header", "Authorization".to_owned()),
        });
    }
    let is_secret = name != "cookie"
        && (is_secret_name(name)
            || (is_random(value) && !is_transport_header(name) && !names_a_thing(name)));
    is_secret.then(|| {
        add_secret(value, secrets);
        Scheme::Key("header", name.to_owned())
    })
}

fn take_cookies(
    header: &str,
    cookies: &mut Vec<(String, String)>,
    schemes: &mut BTreeSet<Scheme>,
    secrets: &mut BTreeSet<String>,
) {
    for (name, value) in header.split(';').filter_map(|cookie| cookie.trim().split_once('=')) {
        if is_secret_name(name) || is_random(value) || name.to_ascii_lowercase().contains("sess") {
            add_secret(value, secrets);
            schemes.insert(Scheme::Key("cookie", name.to_owned()));
        } else {
            cookies.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// The password of `user:password` in base64 (RFC 7617).
fn add_password(credential: &str, secrets: &mut BTreeSet<String>) {
    let decoded = STANDARD.decode(credential).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some((_, password)) = decoded.as_ref().and_then(|login| login.split_once(':')) {
        add_secret(password, secrets);
    }
}

/// Adds the value of a member. A word is none where the name only begins with one for secrets, as in `secret_scanning: enabled`.
fn add_member_secret(name: &str, value: &str, secrets: &mut BTreeSet<String>) {
    let plain = plain(name);
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let ends_so = plain.ends_with("token") || SECRET_WORDS.iter().any(|word| plain.ends_with(word));
    if ends_so || !is_word {
        add_secret(value, secrets);
    }
}

fn add_secret(value: &str, secrets: &mut BTreeSet<String>) {
    if value.len() >= SHORTEST {
        secrets.insert(value.to_owned());
        let encoded = url::form_urlencoded::byte_serialize(value.as_bytes()).collect::<String>();
        secrets.insert(encoded);
    }
}

/// Adds the values of a body whose names mean a secret.
fn add_body_secrets(message: &Message, secrets: &mut BTreeSet<String>) {
    match &message.body {
        Some(Body::Json(_, value)) => add_secret_members(value, secrets),
        Some(Body::Form(pairs)) => {
            for (name, value) in pairs.iter().filter(|pair| is_secret_member(&pair.0)) {
                add_member_secret(name, value, secrets);
            }
        }
        Some(Body::Multipart(parts)) => {
            for part in parts.iter().filter(|part| is_secret_member(&part.name)) {
                add_member_secret(&part.name, part.text.as_deref().unwrap_or_default(), secrets);
            }
        }
        Some(Body::Binary(_) | Body::Text(..) | Body::Unreadable(_)) | None => {}
    }
}

fn add_secret_members(value: &Value, secrets: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_secret_members(item, secrets)),
        Value::Object(members) => {
            for (name, value) in members {
                if let Some(text) = value.as_str().filter(|_| is_secret_member(name)) {
                    add_member_secret(name, text, secrets);
                }
                add_secret_members(value, secrets);
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_random(value: &str) -> bool {
    looks_random(value) || is_web_token(value)
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// True for the name of an identifier or of a place in a list, whose values also look as if nobody had typed them.
fn names_a_thing(name: &str) -> bool {
    let plain = plain(name);
    THING_ENDINGS.iter().any(|ending| plain.ends_with(ending)) || names_a_page(name)
}

fn names_a_page(name: &str) -> bool {
    let name = plain(name);
    PAGE_WORDS.iter().any(|word| name.contains(word))
}

/// True for the name of a header, a query parameter or a cookie that carries a credential.
fn is_secret_name(name: &str) -> bool {
    let short = plain(name);
    let short = short.strip_prefix('x').unwrap_or(&short);
    is_secret_member(name) || SECRET_NAMES.contains(&short)
}

/// True for the name of a member whose value is secret.
pub(super) fn is_secret_member(name: &str) -> bool {
    let plain = plain(name);
    let is_token = plain.ends_with("token") && !names_a_page(name);
    is_token || SECRET_WORDS.iter().any(|word| plain.contains(word))
}
