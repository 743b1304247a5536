//! Says in the journal which members of a body leave nothing in it: forms and multipart bodies have no way to write a `null` or
//! an empty list, and XML has none for some. Other bodies write both.

use callgate_openapi::{Body, BodyKind, BodyLayout, BodyMedia, InputLocation};
use callgate_tool::{Event, Journal, Value};

use super::{form::asks_for_json, xml};
use crate::{
    inputs::{Fillings, Subject},
    omitted::note_styled,
};

/// Notes what the members of a body leave out; `schema` is the one of all arguments.
pub(crate) fn note_members(
    (subject, fillings): (Subject<'_>, &Fillings<'_>),
    (body, media, schema): (&Body, &BodyMedia, &Value),
    journal: &mut Journal,
) {
    if !matches!(media.kind, BodyKind::Form | BodyKind::Multipart | BodyKind::Xml) {
        return;
    }
    let inputs = subject.inputs.iter().zip(fillings);
    for (input, filling) in inputs.filter(|(input, _)| input.place() == InputLocation::Body) {
        let Some(filling) = filling else { continue };
        let at = input.argument.as_str();
        if media.kind == BodyKind::Xml {
            let own = schema.get("properties").and_then(|properties| properties.get(at));
            let own = own.and_then(|own| media.schema_in(own));
            xml::note_omitted((at, &filling.value), (own, schema), journal);
            continue;
        }
        if body.layout == BodyLayout::Flat {
            note(media, (&input.name, at), &filling.value, journal);
            continue;
        }
        for (name, member) in filling.value.as_object().into_iter().flatten() {
            note(media, (name, &format!("{at}.{name}")), member, journal);
        }
    }
}

/// Notes what one member leaves out, by the way it is written.
fn note(media: &BodyMedia, (name, at): (&str, &str), member: &Value, journal: &mut Journal) {
    let argument = || at.to_owned();
    let encoding = media.encodings.iter().find(|known| *known.name == *name);
    let styled = encoding.and_then(|known| known.styled.as_ref());
    let is_json = media.kind == BodyKind::Form && encoding.is_some_and(asks_for_json);
    match (member, styled) {
        (Value::Null, _) => journal.note(Event::NullOmitted { argument: argument() }),
        (member, Some(styled)) => note_styled((at, member), styled.style, journal),
        (Value::Array(items), None) if items.is_empty() && !is_json => {
            journal.note(Event::EmptyOmitted { argument: argument() });
        }
        _ => {}
    }
}
