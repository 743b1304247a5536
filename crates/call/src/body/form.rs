//! Writes `application/x-www-form-urlencoded` bodies. Without an encoding object, texts stay as they are, lists are written
//! item by item and objects as JSON (OpenAPI 3.0.4 §4.7.15.1.1); with a style, members are written like query parameters of
//! that style. A space is `%20`, which every reader of forms decodes. Values come from `content`.

use callgate_openapi::{BodyMedia, PropertyEncoding};
use callgate_tool::{Fault, Value};

use super::{
    choice::is_structured_json_text,
    content::{Content, Member},
    media_type::{allows_json, is_json},
};
use crate::{
    query::{FORM, Pair, Pairs},
    style::{Escape, Unwritable},
    wording,
};

pub(super) fn form_bytes(content: &Content<'_>, media: &BodyMedia) -> Result<Vec<u8>, Box<Fault>> {
    let Some(members) = content.non_null_members() else {
        return Err(wording::body::not_an_object(content.whole_body_value(), FORM));
    };
    let mut out = String::new();
    for member in members {
        let encoding = media.encodings.iter().find(|encoding| *encoding.name == *member.name);
        let written = write_encoded_member(&mut out, &member, encoding);
        written.map_err(|why| wording::unwritable(&member.at, why))?;
    }
    Ok(out.into_bytes())
}

/// Writes one member by its encoding, like a query parameter.
pub(super) fn write_encoded_member(
    out: &mut String,
    member: &Member<'_>,
    encoding: Option<&PropertyEncoding>,
) -> Result<(), Unwritable> {
    let is_first = out.is_empty();
    let mut pairs = if is_first { Pairs::new(out, "&") } else { Pairs::continuing(out, "&") };
    let Member { name, value, .. } = *member;
    if let Some(styled) = encoding.and_then(|property_encoding| property_encoding.styled.as_ref()) {
        let escape = if styled.allow_reserved { Escape::Reserved } else { Escape::Unreserved };
        return pairs.write_parameter(Pair { name, value, styled, escape });
    }
    let declared =
        encoding.map(|property_encoding| &*property_encoding.content_types).unwrap_or_default();
    if !allows_json(declared) && has_structure(value) {
        return Err(Unwritable::Structure);
    }
    match value {
        value if encoding.is_some_and(has_json_content_type) => {
            pairs.write_text_pair(name, &json_text(value));
            Ok(())
        }
        Value::Array(items) => {
            items.iter().try_for_each(|item| pairs.write_pair(name, item, Escape::Unreserved))
        }
        _ => pairs.write_pair(name, value, Escape::Unreserved),
    }
}

/// True for an object, and for a list of which an item is a structure.
fn has_structure(value: &Value) -> bool {
    let is_structure = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
    match value {
        Value::Array(items) => items.iter().any(is_structure),
        other => other.is_object(),
    }
}

/// A value as JSON. An object or a list that is a text is finished JSON.
pub(super) fn json_text(value: &Value) -> String {
    match value.as_str() {
        Some(text) if is_structured_json_text(value) => text.to_owned(),
        _ => value.to_string(),
    }
}

pub(super) fn has_json_content_type(encoding: &PropertyEncoding) -> bool {
    encoding.content_types.first().is_some_and(|declared| is_json(declared))
}
