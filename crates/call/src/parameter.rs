//! Writes one parameter of a query or a cookie by its encoding: a style, or a media type. `query` writes styles; `check`
//! has checked the values.

use std::borrow::Cow;

use callgate_openapi::{Encoding, Style};
use callgate_tool::Value;

use crate::{
    query::{Pair, Pairs},
    style::{Escape, Unwritable},
};

pub(crate) fn write_encoded_pair(
    pairs: &mut Pairs<'_>,
    name: &str,
    encoding: &Encoding,
    value: &Value,
) -> Result<(), Unwritable> {
    match encoding {
        Encoding::Styled(styled) => pairs.write_parameter(Pair {
            name,
            value,
            styled,
            escape: match styled.style {
                Style::Cookie => Escape::Verbatim,
                _ if styled.allow_reserved => Escape::Reserved,
                _ => Escape::Unreserved,
            },
        }),
        Encoding::Content { media_type } => {
            pairs.write_text_pair(name, &text_in_media_type(value, media_type)?);
            Ok(())
        }
    }
}

/// True for a media type of JSON, in small letters and without parameters.
pub(crate) fn is_json(media_type: &str) -> bool {
    media_type.ends_with("/json") || media_type.ends_with("+json")
}

/// A value by a media type: as JSON, or for another media type as its text. Other media types cannot write a structure.
pub(crate) fn text_in_media_type<'a>(
    value: &'a Value,
    media_type: &str,
) -> Result<Cow<'a, str>, Unwritable> {
    if is_json(media_type) {
        return Ok(Cow::Owned(value.to_string()));
    }
    match value {
        Value::Array(_) | Value::Object(_) => Err(Unwritable::Structure),
        Value::Null => Err(Unwritable::Null),
        Value::String(text) => Ok(Cow::Borrowed(text)),
        other => Ok(Cow::Owned(other.to_string())),
    }
}
