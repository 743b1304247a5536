//! The key `headers` of a toolset: headers of each of its requests, whatever the arguments are. A value is a text or a
//! reference to a secret. None of them frames a message, replaces a credential or describes the body.

use callgate_secret::SecretReference;
use callgate_tool::is_framing_header;
use callgate_tree::Object;

use crate::{
    code::ConfigCode,
    reader::{Mapping, Reader, at, escaped, secret::noted_quietly},
    toolset::FixedHeader,
};

/// Reads the headers.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<FixedHeader> {
    let Some(node) = toolset.object.get("headers") else { return Vec::new() };
    let pointer = at(toolset, "headers");
    if node.as_object().is_none() {
        let help = "for example `{X-Api-Version: \"2024-05-01\"}`";
        reader.expected(&pointer, "a mapping from names of headers to texts", node, help);
    }
    let mut headers = Vec::new();
    for (name, node) in node.as_object().into_iter().flat_map(Object::iter) {
        let pointer = format!("{pointer}/{}", escaped(name));
        let Some(text) = node.as_str() else {
            reader.expected(&pointer, "a text or a reference to a secret", node, "quote it");
            continue;
        };
        headers.extend(one(reader, name, text, &pointer));
    }
    headers
}

/// One header, whose value is a text or a reference.
pub(crate) fn one(
    reader: &mut Reader,
    name: &str,
    text: &str,
    pointer: &str,
) -> Option<FixedHeader> {
    if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        let message =
            format!("expected a header that says nothing about the message, got: `{name}`");
        reader.complain(
            ConfigCode::WrongValue,
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
        reader.complain(ConfigCode::WrongValue, pointer, message, help);
        return None;
    }
    match value(text) {
        Ok(value) => {
            let pointer = pointer.to_owned();
            // A literal text is not a secret to look up.
            if !value.is_literal() {
                noted_quietly(reader, pointer.clone(), &value);
            }
            Some(FixedHeader { pointer, ..FixedHeader::new(name, value) })
        }
        Err(error) => {
            let help = "write `literal:` before a text that begins like a reference";
            reader.complain(ConfigCode::SecretReference, pointer, error.to_string(), help);
            None
        }
    }
}

/// A text that begins like a reference is one; any other is literal.
fn value(text: &str) -> Result<SecretReference, callgate_secret::Error> {
    let is_reference = REFERENCES.iter().any(|scheme| text.starts_with(scheme));
    if is_reference { text.parse() } else { format!("literal:{text}").parse() }
}

/// Headers that the call itself determines.
const OURS: [&str; 3] = ["content-encoding", "content-type", "cookie"];

/// The beginnings of references to secrets.
const REFERENCES: [&str; 9] =
    ["aws:", "directory:", "env:", "file:", "gcp:", "keyring:", "literal:", "projects/", "vault:"];
