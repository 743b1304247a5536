//! Writes the body by its media type. JSON is compact; members of a flat body stand in the order of the description,
//! members inside values in the order they were given; numbers keep their digits. Values come from `inputs`.

use bytes::Bytes;
use callgate_openapi::{Body, BodyKind, BodyLayout, BodyMedia, Place};
use callgate_tool::{Arguments, Fault};
use serde_json::Value;

use crate::{
    inputs::{Fillings, Subject},
    wording,
};

/// The media type a body is written in: the one the argument for it names, else the first that can be
/// written.
pub(crate) fn chosen_media<'a>(
    body: &'a Body,
    arguments: &Arguments,
) -> Result<&'a BodyMedia, Box<Fault>> {
    let chooser = body.content_type.as_ref().and_then(|name| arguments.get(name.as_str()));
    if let Some(asked) = chooser.filter(|asked| !asked.is_null()) {
        let found = body.media.iter().find(|media| *asked == *media.media_type);
        return found.ok_or_else(|| unknown_media(body, asked));
    }
    let json = body.media.iter().find(|media| media.kind == BodyKind::Json);
    json.or_else(|| body.media.first()).ok_or_else(|| wording::unwritable_body("unknown"))
}

/// The bytes of a body.
pub(crate) fn body_bytes(
    subject: Subject<'_>,
    fillings: &Fillings<'_>,
    (body, media): (&Body, &BodyMedia),
) -> Result<Bytes, Box<Fault>> {
    match media.kind {
        BodyKind::Json => Ok(json_bytes(subject, fillings, body.layout)),
        BodyKind::Binary
        | BodyKind::Form
        | BodyKind::JsonLines
        | BodyKind::Multipart
        | BodyKind::Text
        | BodyKind::Xml => Err(wording::unwritable_body(&media.media_type)),
    }
}

fn unknown_media(body: &Body, asked: &Value) -> Box<Fault> {
    let known = body.media.iter().map(|media| &*media.media_type);
    let mut problem = wording::unknown_argument(asked.as_str().unwrap_or_default(), known);
    problem.at = body.content_type.as_ref().map_or_else(String::new, ToString::to_string);
    problem.got = wording::shown(asked);
    wording::invalid_arguments(vec![problem])
}

fn json_bytes(subject: Subject<'_>, fillings: &Fillings<'_>, layout: BodyLayout) -> Bytes {
    let parts = subject
        .inputs
        .iter()
        .zip(fillings)
        .filter(|(input, _)| input.place == Place::Body)
        .filter_map(|(input, filling)| Some((&*input.name, &*filling.as_ref()?.value)));
    let mut out = Vec::with_capacity(128);
    if layout == BodyLayout::Whole {
        for (_, value) in parts {
            push_json(&mut out, value);
        }
        return out.into();
    }
    for (name, value) in parts {
        out.push(if out.is_empty() { b'{' } else { b',' });
        push_json(&mut out, name);
        out.push(b':');
        push_json(&mut out, value);
    }
    if out.is_empty() {
        out.push(b'{');
    }
    out.push(b'}');
    out.into()
}

fn push_json(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) {
    // Values and texts are always JSON, and writing to memory cannot fail.
    drop(serde_json::to_writer(out, value));
}
