//! Writes the body by its media type, and its `Content-Type`. JSON is compact; members of a flat body stand in the order of
//! the description, members inside values in the order in which they were given; numbers keep their digits. Bodies are
//! never compressed. Values come from `inputs`; each other kind has a module of its own below.
//!
//! | media type | value | written as |
//! |---|---|---|
//! | JSON, `+json` | any | compact JSON |
//! | `application/x-www-form-urlencoded` | an object | `form`: texts as they are, lists item by item, objects as JSON; by the query rules where a style is declared |
//! | `multipart/*` | an object | `multipart`: one part per member, or per item of a list; files with a name |
//! | JSON lines, `json-seq` | a list | `sequence`: one value per line; a text unchanged |
//! | XML | an object, a list or a finished text | `xml`: by the `xml` objects of the schemas |
//! | `text/*` | a single value | its text in UTF-8 |
//! | anything else | bytes | `upload`: base64, a `data:` URL, a handle or an object |

mod boundary;
mod content;
pub(crate) mod fields;
mod form;
mod media_type;
mod multipart;
pub(crate) mod omitted;
mod plain;
mod sequence;
mod upload;
mod xml;

use bytes::Bytes;
use callgate_openapi::{Body, BodyKind, BodyLayout, BodyMedia};
use callgate_tool::{Arguments, Fault, Value};
use http::HeaderValue;

pub(crate) use self::content::Content;
use self::{
    media_type::{essence, is_range, matches_type},
    upload::own_media_type,
};
use crate::{check::Nulls, stored_results::StoredResults, wording};

/// The media type of the body: the one that the argument for it names, else the first that can be written.
pub(crate) fn chosen_media<'a>(
    body: &'a Body,
    arguments: &Arguments,
) -> Result<&'a BodyMedia, Box<Fault>> {
    let chooser = body.content_type.as_ref().and_then(|name| arguments.get(name.as_str()));
    if let Some(asked) = chooser.filter(|asked| !asked.is_null()) {
        let found = selectable(body).find(|media| *asked == *media.media_type);
        return found.ok_or_else(|| unknown_media(body, asked));
    }
    let first = body.media.first().ok_or_else(|| wording::unwritable_body("unknown"))?;
    Ok(media_of_file(body, first, arguments).unwrap_or(first))
}

/// The meaning of `null` in a body of a media type.
pub(crate) fn nulls_of(media: &BodyMedia) -> Nulls {
    if media.is_merge_patch() { Nulls::Remove } else { Nulls::Omit }
}

/// The media type for a file that names its own type, if the preferred one is binary: that type itself, or a range that
/// includes it.
fn media_of_file<'a>(
    body: &'a Body,
    first: &BodyMedia,
    arguments: &Arguments,
) -> Option<&'a BodyMedia> {
    let is_binary = first.kind == BodyKind::Binary && body.content_type.is_some();
    let value = arguments.get("body").filter(|_| is_binary)?;
    let given = own_media_type(value)?;
    let alike = || selectable(body).filter(|media| media.alternative == first.alternative);
    let exact = alike().find(|media| essence(&media.media_type) == essence(&given));
    exact.or_else(|| {
        alike().find(|media| is_range(&media.media_type) && matches_type(&media.media_type, &given))
    })
}

fn selectable(body: &Body) -> impl Iterator<Item = &BodyMedia> + Clone {
    body.media.iter().filter(|media| media.is_selectable)
}

/// The bytes of a body in a media type, and their `Content-Type`. `schema` is the schema of all arguments.
pub(crate) fn body_bytes(
    content: &Content<'_>,
    media: &BodyMedia,
    schema: &Value,
    kept: StoredResults<'_>,
) -> Result<(HeaderValue, Bytes), Box<Fault>> {
    let declared = &*media.media_type;
    let (media_type, bytes): (String, Bytes) = match media.kind {
        BodyKind::Json => (declared.into(), json_bytes(content).into()),
        BodyKind::Binary => plain::binary(content, declared, kept)?,
        BodyKind::Form => (form::MEDIA_TYPE.into(), form::write(content, media)?.into()),
        BodyKind::JsonLines => (declared.into(), sequence::write(content, declared).into()),
        BodyKind::Multipart => multipart::write(content, media, kept)?,
        BodyKind::Text => plain::text(content, declared)?,
        BodyKind::Xml => {
            let text = xml::write(content, media, schema)?;
            (declared.to_owned(), text.into_bytes().into())
        }
    };
    if bytes.len() > MAX_BODY {
        return Err(wording::too_long(&content.longest(), "a body", MAX_BODY));
    }
    let media_type = HeaderValue::from_str(&media_type);
    Ok((media_type.map_err(|_| wording::unwritable_body(declared))?, bytes))
}

fn unknown_media(body: &Body, asked: &Value) -> Box<Fault> {
    let known = selectable(body).map(|media| &*media.media_type);
    let mut problem = wording::unknown_argument(asked.as_str().unwrap_or_default(), known);
    problem.at = body.content_type.as_ref().map_or_else(String::new, ToString::to_string);
    problem.got = wording::shown(asked);
    wording::invalid_arguments(vec![problem])
}

fn json_bytes(content: &Content<'_>) -> Vec<u8> {
    let mut out = String::with_capacity(128);
    if content.layout != BodyLayout::Flat {
        content.parts().for_each(|(_, value)| value.write_to(&mut out));
        return out.into_bytes();
    }
    for (input, value) in content.parts() {
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
