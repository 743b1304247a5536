//! Finds the credentials of an exchange by the names and looks of what it carries, and takes those of the request out.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_tool::Value;
use percent_encoding::percent_decode_str;

use super::{
    MASKED, Redacted,
    mask::parse_json_container,
    scan::{secret_value_ranges, unescaped_texts},
    secret_name::{
        VALUE_MEMBERS, ends_with_secret, is_flag_name, is_identifier_name, is_secret_input,
        is_secret_member, is_secret_pair,
    },
};
use crate::{
    body::Body,
    exchange::{Exchange, Message},
    header::is_transport_header,
    security::Scheme,
    text::{is_web_token, looks_random},
};

/// The shortest text that is masked wherever it stands: shorter ones occur by chance.
const SHORTEST: usize = 6;

/// Longer values of cookies are no settings such as `dark` or `en-US`.
const LONGEST_SETTING: usize = 10;

/// Takes the credentials of a request out, and adds what is secret in the exchange.
pub(super) fn take_credentials(mut exchange: Exchange, secrets: &mut BTreeSet<String>) -> Redacted {
    let mut schemes = std::mem::take(&mut exchange.schemes);
    let mut cookies = Vec::new();
    for secret in std::mem::take(&mut exchange.secrets) {
        add_secret(&secret, secrets);
    }
    if let Some((user, password)) = exchange.login.take() {
        let secret = if password.is_empty() { user } else { password };
        add_secret(&percent_decode_str(&secret).decode_utf8_lossy(), secrets);
        add_secret(&secret, secrets);
        schemes.insert(Scheme::Basic);
    }
    exchange.request.headers.retain(|(name, value)| {
        match take_header_scheme(name, value, secrets) {
            Some(scheme) => {
                schemes.insert(scheme);
                false
            }
            None if name == "cookie" => {
                take_cookies(value, &mut cookies, &mut schemes, secrets);
                false
            }
            None => !is_transport_header(name),
        }
    });
    exchange.query.retain(|(name, value)| {
        let is_secret =
            is_secret_input(name) || (is_random_or_token(value) && !is_identifier_name(name));
        if is_secret {
            add_secret(value, secrets);
            schemes.insert(Scheme::Key("query", name.clone()));
        }
        !is_secret
    });
    for (name, value) in &mut exchange.query {
        if value.is_empty() && !is_flag_name(name) {
            add_secret(name, secrets);
            MASKED.clone_into(name);
        }
    }
    exchange.visit_texts(|text| add_text_secrets(text, secrets));
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
fn take_header_scheme(name: &str, value: &str, secrets: &mut BTreeSet<String>) -> Option<Scheme> {
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
        && (is_secret_input(name)
            || (is_random_or_token(value)
                && !is_transport_header(name)
                && !is_identifier_name(name))
            || value.split_once(' ').is_some_and(|(kind, _)| is_scheme(kind)));
    is_secret.then(|| {
        add_secret(value, secrets);
        add_secret(value.split_once(' ').unwrap_or_default().1, secrets);
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
        if is_secret_input(name)
            || is_random_or_token(value)
            || name.to_ascii_lowercase().contains("sess")
            || value.len() > LONGEST_SETTING
        {
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
    if let Some((user, password)) = decoded.as_ref().and_then(|login| login.split_once(':')) {
        add_secret(if password.is_empty() { user } else { password }, secrets);
    }
}

fn is_scheme(kind: &str) -> bool {
    ["basic", "bearer"].iter().any(|scheme| kind.eq_ignore_ascii_case(scheme))
}

/// Adds the value of a member. A word is none where the name only begins with one for secrets, as in `secret_scanning: enabled`.
fn add_member_secret(name: &str, value: &str, secrets: &mut BTreeSet<String>) {
    if ends_with_secret(name) || !is_lowercase_word(value) {
        add_secret(value, secrets);
        if let Some((_, credential)) = value.split_once(' ').filter(|(kind, _)| is_scheme(kind)) {
            add_secret(credential, secrets);
        }
    }
}

fn is_lowercase_word(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Adds what stands behind names of secrets in a text, also below escapes.
pub(super) fn add_text_secrets(text: &str, secrets: &mut BTreeSet<String>) {
    if let Some(value) = parse_json_container(text) {
        return add_secret_members(&value, None, secrets);
    }
    for plain in std::iter::once(text.to_owned()).chain(unescaped_texts(text)) {
        let values = secret_value_ranges(&plain).into_iter().filter_map(|range| plain.get(range));
        values
            .filter(|value| !is_lowercase_word(value))
            .for_each(|value| add_secret(value, secrets));
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
    let mut add_pair = |name: &str, value: &str| {
        if is_secret_member(name) {
            add_member_secret(name, value, secrets);
        } else {
            add_text_secrets(value, secrets);
        }
    };
    match &message.body {
        Some(Body::Json(_, value)) => add_secret_members(value, None, secrets),
        Some(Body::Form(pairs)) => pairs.iter().for_each(|(name, value)| add_pair(name, value)),
        Some(Body::Multipart(parts)) => {
            for part in parts {
                add_pair(&part.name, part.text.as_deref().unwrap_or_default());
            }
        }
        Some(Body::Text(_, text)) => add_text_secrets(text, secrets),
        Some(Body::Binary(_) | Body::Unreadable(_)) | None => {}
    }
}

/// Adds all leaves below names of secrets; `above` is such a name, or [`NAMELESS`] for members further below, of which words such as
/// `credit` are masked where they stand, and looked for nowhere else.
fn add_secret_members(value: &Value, above: Option<&str>, secrets: &mut BTreeSet<String>) {
    match (value, above) {
        (Value::Array(items), _) => {
            for item in items {
                add_secret_members(item, above, secrets);
            }
        }
        (Value::Object(members), _) => {
            let is_pair = is_secret_pair(members);
            for (name, value) in members {
                let is_secret =
                    is_secret_member(name) || (is_pair && VALUE_MEMBERS.contains(&name.as_str()));
                let name = if is_secret { Some(name.as_str()) } else { above.map(|_| NAMELESS) };
                add_secret_members(value, name, secrets);
            }
        }
        (Value::String(text), Some(name)) => add_member_secret(name, text, secrets),
        (Value::String(text), None) => add_text_secrets(text, secrets),
        (Value::Number(number), Some(name)) if ends_with_secret(name) => {
            add_secret(&number.digits(), secrets);
        }
        (Value::Bool(_) | Value::Null | Value::Number(_), _) => {}
    }
}

const NAMELESS: &str = "";

fn is_random_or_token(value: &str) -> bool {
    looks_random(value) || is_web_token(value)
}
