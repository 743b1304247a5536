//! The key `headers` of a toolset: headers of each of its requests, whatever the arguments are. A value is a text, which
//! everyone may see, a value of the session, or a reference to a secret. None of them frames a message, replaces a
//! credential or describes the body.

use callgate_secret::{SecretReference, SecretScheme};
use callgate_settings::{
    Kind, Reader, SettingCode, forms, member_pointer, note_secret, pointer_segment, session_source,
    warn_of_short_literal,
};
use callgate_tool::{SessionSource, is_framing_header};

use crate::secret_name::is_secret_header;

/// A header with a fixed value on every request.
#[derive(Clone, Debug)]
pub(crate) struct FixedHeader {
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) value: HeaderValue,
}

#[derive(Clone, Debug)]
pub(crate) enum HeaderValue {
    /// A text that everyone may see.
    Plain(String),
    Secret(SecretReference),
    /// A value of the session, which is no secret.
    Session(SessionSource),
}

impl FixedHeader {
    pub(crate) fn new(name: impl Into<String>, value: HeaderValue) -> Self {
        Self { pointer: String::new(), name: name.into(), value }
    }
}

forms! {
    struct Headers => Vec<FixedHeader>, Kind::Map(&Kind::Text), |reader, mapping, key| {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        if node.as_object().is_none() {
            let help = "for example `{X-Api-Version: \"2024-05-01\"}`";
            reader.report_wrong_type(&pointer, "a mapping from names of headers to texts", node, help);
        }
        let mut headers = Vec::new();
        for (name, node) in node.as_object()?.iter() {
            let pointer = format!("{pointer}/{}", pointer_segment(name));
            match node.as_str() {
                Some(text) => headers.extend(read_fixed_header(reader, name, text, &pointer)),
                None => reader.report_missing_text(&pointer, "a text or a reference to a secret", node),
            }
        }
        Some(headers)
    };
}

pub(crate) fn read_fixed_header(
    reader: &mut Reader,
    name: &str,
    text: &str,
    pointer: &str,
) -> Option<FixedHeader> {
    if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        let message =
            format!("expected a header that says nothing about the message, got: `{name}`");
        reader.report_fault(
            SettingCode::WrongValue,
            pointer,
            message,
            "remove it; it follows from the call",
        );
        return None;
    }
    if is_framing_header(name) {
        let message =
            format!("expected a header that the HTTP client leaves to others, got: `{name}`");
        let help = "remove it; it frames the message, or is the connection's";
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
        return None;
    }
    let value = read_header_value(reader, name, text, pointer)?;
    Some(FixedHeader { pointer: pointer.to_owned(), ..FixedHeader::new(name, value) })
}

/// A text that begins like a reference is one. Any other is plain, unless its header's name says that it is a secret.
fn read_header_value(
    reader: &mut Reader,
    name: &str,
    text: &str,
    pointer: &str,
) -> Option<HeaderValue> {
    if SecretScheme::is_reference_start(text) {
        return read_header_reference(reader, text, pointer);
    }
    if let Some(source) = session_source(text) {
        reader.session_texts.insert(pointer.to_owned());
        return Some(HeaderValue::Session(source));
    }
    if SESSION.iter().any(|beginning| text.starts_with(beginning)) {
        let message =
            format!("expected a value of the session that is no credential, got: `{text}`");
        let help = "write `$session.params.NAME`, `$request.payload.PATH` or `$context.PATH`; a credential goes into `auth: {api_key: {in: header, …}}`";
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
        return None;
    }
    if !is_secret_header(name, text) {
        return Some(HeaderValue::Plain(text.to_owned()));
    }
    let message = format!(
        "expected `literal:` before the value of a header whose name says that it is a secret, got a plain text: `{name}`"
    );
    let help = "write `literal:…`, or better where the secret is: `env:NAME`";
    reader.warn(SettingCode::LiteralSecret, pointer.to_owned(), &message, help);
    read_header_reference(reader, &format!("literal:{text}"), pointer)
}

fn read_header_reference(reader: &mut Reader, text: &str, pointer: &str) -> Option<HeaderValue> {
    match text.parse() {
        Ok(value) => {
            warn_of_short_literal(reader, pointer, &value);
            if !value.is_literal() {
                note_secret(reader, pointer.to_owned(), &value);
            }
            Some(HeaderValue::Secret(value))
        }
        Err(error) => {
            let help = "put `literal:` before a text that begins like a reference";
            reader.report_fault(SettingCode::SecretReference, pointer, error.to_string(), help);
            None
        }
    }
}

/// Headers that the call itself determines.
const OURS: [&str; 3] = ["content-encoding", "content-type", "cookie"];

/// The beginnings of values of the session and of the caller's token.
const SESSION: [&str; 4] = ["$caller.", "$context", "$request", "$session"];
