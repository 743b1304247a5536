//! Writes the body by its media type, and its `Content-Type`. JSON is compact; members of a flat body stand in the order of
//! the description, members inside values in the order in which they were given; numbers keep their digits. Bodies are
//! never compressed. Values come from `inputs`; each other kind has a module of its own below.
//!
//! | media type | value | written as |
//! |---|---|---|
//! | JSON, `+json` | any | compact JSON |
//! | `application/x-www-form-urlencoded` | an object | `form`: texts as they are, lists item by item, objects as JSON; by the query rules where a style is declared |
//! | `multipart/*` | an object | `multipart`: one part per member, or per item of a list; files with a name |
//! | JSON lines, `json-seq` | a list | `plain`: one value per line; a text unchanged |
//! | XML | an object, a list or a finished text | `xml`: by the `xml` objects of the schemas |
//! | `text/*` | a single value | its text in UTF-8; plain text and YAML may hold JSON |
//! | anything else | bytes | `upload`: base64, a `data:` URL, a handle or an object |

mod boundary;
mod choice;
mod content;
pub(crate) mod fields;
mod form;
mod media_type;
mod multipart;
mod nulls;
pub(crate) mod omission;
mod plain;
mod upload;
mod xml;

use bytes::Bytes;
use callgate_openapi::{BodyKind, BodyLayout, BodyMedia};
use callgate_tool::{Fault, Value};
use http::HeaderValue;

use self::media_type::is_json_patch;
pub use self::upload::file_from_value;
pub(crate) use self::{
    choice::{chosen_media, note_chosen_media},
    content::Content,
    nulls::null_handling,
};
use crate::{query::FORM, stored_results::StoredResults, wording};

/// The bytes of a body in a media type, and their `Content-Type`. `schema` is the schema of all arguments.
pub(crate) fn body_with_content_type(
    content: &Content<'_>,
    media: &BodyMedia,
    schema: &Value,
    kept: StoredResults<'_>,
) -> Result<(HeaderValue, Bytes), Box<Fault>> {
    let declared = &*media.media_type;
    if let Some((at, value)) = content.body_argument_and_value().filter(|_| is_json_patch(declared))
        && value.is_object()
    {
        return Err(wording::body::not_a_patch_list(at, declared));
    }
    let (media_type, bytes): (String, Bytes) = match media.kind {
        BodyKind::Json => (declared.into(), json_bytes(content).into()),
        BodyKind::Binary => plain::binary_body(content, declared, kept)?,
        BodyKind::Form => (FORM.into(), form::form_bytes(content, media)?.into()),
        BodyKind::JsonLines => (declared.into(), plain::json_sequence(content, declared).into()),
        BodyKind::Multipart => multipart::multipart_body(content, media, kept)?,
        BodyKind::Text => plain::text_body(content, declared)?,
        BodyKind::Xml => {
            let text = xml::xml_text(content, media, schema)?;
            (declared.to_owned(), text.into_bytes().into())
        }
    };
    if bytes.len() > MAX_BODY {
        return Err(wording::too_long(&content.longest_argument_name(), "a body", MAX_BODY));
    }
    let media_type = HeaderValue::from_str(&media_type);
    Ok((media_type.map_err(|_| wording::unwritable_body(declared))?, bytes))
}

fn json_bytes(content: &Content<'_>) -> Vec<u8> {
    let mut out = String::with_capacity(128);
    if content.layout != BodyLayout::Flat {
        content.given_body_inputs().for_each(|(_, value)| value.write_to(&mut out));
        return out.into_bytes();
    }
    for (input, value) in content.given_body_inputs() {
        out.push(if out.is_empty() { '{' } else { ',' });
        Value::from(&*input.name).write_to(&mut out);
        out.push(':');
        value.write_to(&mut out);
    }
    if out.is_empty() {
        out.push('{');
    }
    out.push('}');
    out.into_bytes()
}

/// The largest body: a body lies in memory as a whole, and arguments of a model are far shorter; common servers accept no
/// larger ones by default either.
const MAX_BODY: usize = 16 * 1024 * 1024;
