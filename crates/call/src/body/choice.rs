//! Chooses the media type of a body: the one that the argument for it names, else the first that the value can have. A
//! file may name its own type. The order of the media types comes from `openapi`; nothing is written here.

use callgate_openapi::{Body, BodyKind, BodyMedia, Input, InputLocation, Operation};
use callgate_tool::{Arguments, Event, Fault, Journal, Value};

use super::{
    media_type::{can_hold_json, essence, is_json_patch, is_media_range, matches_type},
    upload::own_media_type,
};
use crate::{check::resolved_schema, wording};

pub(crate) fn chosen_media<'a>(
    operation: &'a Operation,
    body: &'a Body,
    arguments: &Arguments,
) -> Result<&'a BodyMedia, Box<Fault>> {
    let chooser = body.content_type.as_ref().and_then(|name| arguments.get(name.as_str()));
    if let Some(asked) = chooser.filter(|asked| !asked.is_null()) {
        let matching_media = selectable_media(body).find(|media| *asked == *media.media_type);
        return matching_media.ok_or_else(|| unknown_media(body, asked));
    }
    let first = body.media.first().ok_or_else(|| wording::unwritable_body("unknown"))?;
    if let Some(own) = media_named_by_file(body, first, arguments) {
        return Ok(own);
    }
    let Some(value) = whole_body_value(operation, arguments) else { return Ok(first) };
    let fits = |media: &&BodyMedia| can_write(operation, media, value);
    Ok(selectable_media(body).find(fits).unwrap_or(first))
}

/// Records a media type that was chosen by the value, if it is not the first.
pub(crate) fn note_chosen_media(
    body: &Body,
    chosen: &BodyMedia,
    arguments: &Arguments,
    journal: &mut Journal,
) {
    let Some(first) = body.media.first() else { return };
    let chooser = body.content_type.as_ref().and_then(|name| arguments.get(name.as_str()));
    let is_asked_for = chooser.is_some_and(|asked| !asked.is_null());
    let is_own = || media_named_by_file(body, first, arguments).is_some();
    if !is_asked_for && chosen.media_type != first.media_type && !is_own() {
        journal.note(Event::MediaChosen { media_type: chosen.media_type.to_string() });
    }
}

fn whole_body_value<'a>(operation: &Operation, arguments: &'a Arguments) -> Option<&'a Value> {
    let whole = whole_body_input(operation)?;
    arguments.get(whole.argument.as_str()).filter(|value| !value.is_null())
}

fn whole_body_input(operation: &Operation) -> Option<&Input> {
    let mut inputs = operation.inputs.iter();
    inputs.find(|input| input.place() == InputLocation::Body && input.name.is_empty())
}

/// Returns true if a value can be written in a media type, and has a type that its schema there allows.
fn can_write(operation: &Operation, media: &BodyMedia, value: &Value) -> bool {
    let is_structure = matches!(value, Value::Array(_) | Value::Object(_));
    let is_written = match media.kind {
        BodyKind::Binary => value.is_object() || value.is_string(),
        BodyKind::Form => value.is_object() || is_structured_json_text(value),
        BodyKind::Json if is_json_patch(&media.media_type) => !value.is_object(),
        BodyKind::Multipart => is_structure || is_structured_json_text(value),
        BodyKind::Text => !is_structure || can_hold_json(&media.media_type),
        BodyKind::Json | BodyKind::JsonLines | BodyKind::Xml => true,
    };
    is_written && (media.alternative.is_none() || allows_value_type(operation, media, value))
}

/// Returns true if the schema of an alternative allows values of this type, as far as its `type` says.
fn allows_value_type(operation: &Operation, media: &BodyMedia, value: &Value) -> bool {
    // Bytes are declared as texts and as objects that name a file.
    if media.kind == BodyKind::Binary || is_structured_json_text(value) {
        return true;
    }
    let root = operation.arguments_schema();
    let whole = whole_body_input(operation)
        .and_then(|body| root.get("properties")?.get(body.argument.as_str()));
    let Some(mut schema) = whole.and_then(|whole| media.schema_in(whole)) else { return true };
    let mut left = MOST_REFERENCES;
    while let Some(target) = schema.get("$ref").and_then(|_| resolved_schema(schema, root)) {
        let Some(next) = left.checked_sub(1) else { return true };
        (schema, left) = (target, next);
    }
    let is_type = |name: &Value| match name.as_str() {
        // An integer may come as a number without a fraction, or as a text; the check decides.
        Some("integer" | "number" | "boolean") => {
            !matches!(value, Value::Array(_) | Value::Object(_))
        }
        Some(name) => name == value.kind(),
        None => true,
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is_type),
        Some(name) => is_type(name),
    }
}

/// Returns true if a text is an object or a list that a model wrote as text.
pub(super) fn is_structured_json_text(value: &Value) -> bool {
    let text = value.as_str().map(str::trim_start).filter(|text| text.starts_with(['{', '[']));
    text.is_some_and(|text| Value::parse(text).is_ok())
}

/// The media type for a file that names its own type, if the preferred one is binary: that type itself, or a range that
/// includes it.
fn media_named_by_file<'a>(
    body: &'a Body,
    first: &BodyMedia,
    arguments: &Arguments,
) -> Option<&'a BodyMedia> {
    let is_binary = first.kind == BodyKind::Binary && body.content_type.is_some();
    let value = arguments.get("body").filter(|_| is_binary)?;
    let given = own_media_type(value)?;
    let alike = || selectable_media(body).filter(|media| media.alternative == first.alternative);
    let exact = alike().find(|media| essence(&media.media_type) == essence(&given));
    exact.or_else(|| {
        alike().find(|media| {
            is_media_range(&media.media_type) && matches_type(&media.media_type, &given)
        })
    })
}

fn selectable_media(body: &Body) -> impl Iterator<Item = &BodyMedia> + Clone {
    body.media.iter().filter(|media| media.is_selectable)
}

fn unknown_media(body: &Body, asked: &Value) -> Box<Fault> {
    let media_types = selectable_media(body).map(|media| &*media.media_type);
    let mut problem = wording::unknown_argument(asked.as_str().unwrap_or_default(), media_types);
    problem.at = body.content_type.as_ref().map_or_else(String::new, ToString::to_string);
    problem.got = wording::value_description(asked);
    wording::invalid_arguments(vec![problem])
}

/// The number of references that are followed; real chains have fewer than five.
const MOST_REFERENCES: usize = 20;
