//! Writes a whole query string (OpenAPI 3.2.0 §4.12.1): a form member by member, any other media type as one text. Values
//! come from `inputs`, encodings of members from the description.

use std::sync::Arc;

use callgate_openapi::Encoding;
use callgate_tool::Value;

use crate::{
    parameter::{is_json, text_in_media_type, write_encoded_pair},
    query::{FORM, Pairs},
    style::{Escape, Unwritable, is_empty_or_null, write_escaped},
};

/// The encodings of members, by name.
pub(crate) type MemberEncodings = [(Arc<str>, Encoding)];

pub(crate) fn write_querystring(
    url: &mut String,
    media_type: &str,
    encodings: &MemberEncodings,
    value: &Value,
) -> Result<(), Unwritable> {
    let Some(members) = value.as_object().filter(|_| media_type == FORM) else {
        write_escaped(url, &text_in_media_type(value, media_type)?, Escape::Unreserved);
        return Ok(());
    };
    let mut pairs = Pairs::new(url, "&");
    members
        .iter()
        .try_for_each(|(name, member)| write_encoded_member(&mut pairs, name, encodings, member))
}

/// Writes a member by its encoding, or else like a field of a form; one that has no text there is omitted.
pub(crate) fn write_encoded_member(
    pairs: &mut Pairs<'_>,
    name: &str,
    encodings: &MemberEncodings,
    member: &Value,
) -> Result<(), Unwritable> {
    let encoding = encoding_of_member(encodings, name);
    match (encoding, member) {
        _ if is_member_omitted(encoding, member) => Ok(()),
        // OpenAPI 3.2.0 §4.15.1: as in a form, each item is a pair of its own.
        (Some(encoding @ Encoding::Content { media_type }), Value::Array(items))
            if !is_json(media_type) =>
        {
            items.iter().try_for_each(|item| write_encoded_pair(pairs, name, encoding, item))
        }
        (Some(encoding), _) => write_encoded_pair(pairs, name, encoding, member),
        (None, Value::Array(items)) => {
            items.iter().try_for_each(|item| pairs.write_pair(name, item, Escape::Unreserved))
        }
        (None, _) => pairs.write_pair(name, member, Escape::Unreserved),
    }
}

pub(crate) fn encoding_of_member<'a>(
    encodings: &'a MemberEncodings,
    name: &str,
) -> Option<&'a Encoding> {
    encodings.iter().find(|(own, _)| **own == *name).map(|(_, encoding)| encoding)
}

/// True if a member is not written: only JSON has a text for an empty list or object.
pub(crate) fn is_member_omitted(encoding: Option<&Encoding>, member: &Value) -> bool {
    match encoding {
        Some(Encoding::Content { media_type }) if is_json(media_type) => member.is_null(),
        Some(Encoding::Content { .. } | Encoding::Styled(_)) | None => is_empty_or_null(member),
    }
}
