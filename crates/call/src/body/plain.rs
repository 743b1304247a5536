//! Writes bodies that are a single text, binary data or a sequence of JSON values. Text is UTF-8, and its media type says so. Values come from
//! `content`, bytes from `upload`; `media_type` interprets media types.

use bytes::Bytes;
use callgate_tool::{Fault, Value};

use super::{
    content::Content,
    media_type::{can_hold_json, is_media_range, matches_type, with_charset},
    upload::{ANY_BYTES, upload_from_value},
};
use crate::{stored_results::StoredResults, wording};

pub(super) fn binary_body(
    content: &Content<'_>,
    declared: &str,
    kept: StoredResults<'_>,
) -> Result<(String, Bytes), Box<Fault>> {
    let Some((at, value)) = content.whole_body_value() else {
        return Ok((declared.to_owned(), Bytes::new()));
    };
    let given = upload_from_value(at, value, kept)?;
    let media_type = match given.media_type {
        Some(given) if !matches_type(declared, &given) => {
            return Err(wording::body::media_type_mismatch(at, declared, &given));
        }
        Some(given) if is_media_range(declared) => given.into_owned(),
        None if is_media_range(declared) && matches_type(declared, ANY_BYTES) => {
            ANY_BYTES.to_owned()
        }
        None if is_media_range(declared) => {
            return Err(wording::body::media_type_mismatch(
                at,
                declared,
                "bytes without a media type",
            ));
        }
        _ => declared.to_owned(),
    };
    Ok((media_type, given.data))
}

pub(super) fn text_body(
    content: &Content<'_>,
    declared: &str,
) -> Result<(String, Bytes), Box<Fault>> {
    let Some((at, value)) = content.body_argument_and_value() else {
        return Ok((declared.to_owned(), Bytes::new()));
    };
    if matches!(*value, Value::Array(_) | Value::Object(_)) && !can_hold_json(declared) {
        return Err(wording::body::not_a_text(at, declared, &value));
    }
    let text = text_or_json(&value);
    let media_type =
        with_charset(if is_media_range(declared) { "text/plain" } else { declared }, &text);
    let media_type =
        media_type.map_err(|charset| wording::body::unwritable_in_charset(at, &charset))?;
    Ok((media_type, text.into_bytes().into()))
}

/// A single value as its text, anything else as compact JSON.
pub(super) fn text_or_json(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The bytes of a sequence of JSON values: each item of a list on a line of its own, any other value on one line; with a
/// record separator before each in `json-seq` (RFC 7464 §2.2). A text counts as a finished sequence.
pub(super) fn json_sequence(content: &Content<'_>, media_type: &str) -> Vec<u8> {
    let separator = media_type.contains("json-seq").then_some(RECORD_SEPARATOR);
    let mut out = Vec::new();
    let mut push = |item: &Value| {
        out.extend(separator);
        out.extend_from_slice(item.to_string().as_bytes());
        out.push(b'\n');
    };
    match content.body_argument_and_value().as_ref().map(|(_, value)| &**value) {
        Some(Value::Array(items)) => items.iter().for_each(push),
        Some(Value::String(text)) => out.extend_from_slice(text.as_bytes()),
        Some(value) => push(value),
        None => {}
    }
    out
}

const RECORD_SEPARATOR: u8 = 0x1e;
