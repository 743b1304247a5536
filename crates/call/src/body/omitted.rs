//! Records in the journal which members a body omits: forms and multipart bodies cannot write a `null` or an empty list,
//! and XML cannot write some of them. Other bodies write both.

use callgate_openapi::{BodyKind, BodyLayout, BodyMedia};
use callgate_tool::{Event, Journal, Value};

use super::{content::Content, form::asks_for_json, xml};
use crate::omitted::note_styled;

/// Records the members that a body omits; `schema` is the schema of all arguments.
pub(crate) fn note_members(
    content: &Content<'_>,
    media: &BodyMedia,
    schema: &Value,
    journal: &mut Journal,
) {
    if !matches!(media.kind, BodyKind::Form | BodyKind::Multipart | BodyKind::Xml) {
        return;
    }
    for (input, value) in content.parts() {
        let at = input.argument.as_str();
        if media.kind == BodyKind::Xml {
            let own = schema.get("properties").and_then(|properties| properties.get(at));
            let own = own.and_then(|own| media.schema_in(own));
            xml::note_omitted(at, value, own, schema, journal);
            continue;
        }
        if content.layout == BodyLayout::Flat {
            note(media, &input.name, at, value, journal);
            continue;
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            note(media, name, &format!("{at}.{name}"), member, journal);
        }
    }
}

/// Records the omitted parts of one member, by its encoding.
fn note(media: &BodyMedia, name: &str, at: &str, member: &Value, journal: &mut Journal) {
    let argument = || at.to_owned();
    let encoding = media.encodings.iter().find(|known| *known.name == *name);
    let styled = encoding.and_then(|known| known.styled.as_ref());
    let is_json = media.kind == BodyKind::Form && encoding.is_some_and(asks_for_json);
    match (member, styled) {
        (Value::Null, _) => journal.note(Event::NullOmitted { argument: argument() }),
        (member, Some(styled)) => note_styled(at, member, styled.style, journal),
        (Value::Array(items), None) if items.is_empty() && !is_json => {
            journal.note(Event::EmptyOmitted { argument: argument() });
        }
        _ => {}
    }
}
