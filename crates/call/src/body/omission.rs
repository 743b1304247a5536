//! Finds the members that a body omits: forms and multipart bodies cannot write a `null` or an empty list, and XML cannot
//! write some of them. Other bodies write both.

use callgate_openapi::{BodyKind, BodyLayout, BodyMedia};
use callgate_tool::Value;

use super::{content::Content, form::has_json_content_type, xml};
use crate::omission::{GivenValue, OmittedValues, find_omitted_by_style};

/// Finds the members that a body omits; `schema` is the schema of all arguments.
pub(crate) fn find_omitted_members(
    content: &Content<'_>,
    media: &BodyMedia,
    schema: &Value,
    omitted: &mut OmittedValues<'_>,
) {
    if !matches!(media.kind, BodyKind::Form | BodyKind::Multipart | BodyKind::Xml) {
        return;
    }
    for (input, value) in content.given_body_inputs() {
        let at = input.argument.as_str();
        let own = schema.get("properties").and_then(|properties| properties.get(at));
        let own = own.and_then(|own| media.schema_in(own));
        if media.kind == BodyKind::Xml {
            xml::note_omitted_xml_parts(at, value, own, schema, omitted.journal());
            continue;
        }
        let given =
            GivenValue { at, value, schema: own, arguments: schema, is_required: input.required };
        if content.layout == BodyLayout::Flat {
            find_omitted_in_member(media, &input.name, given, omitted);
            continue;
        }
        if media.kind == BodyKind::Multipart && has_no_parts(value, input.required) {
            // A body without members is complete.
            let is_required =
                input.required && value.as_object().is_some_and(|all| !all.is_empty());
            omitted.record_omission(GivenValue { is_required, ..given });
            continue;
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            find_omitted_in_member(media, name, given.member(&at, name, member), omitted);
        }
    }
}

/// Returns true if a multipart body would have no parts: it has nothing that could be one, or nothing but what is omitted
/// from a body that is required. An optional one is then omitted member by member.
fn has_no_parts(value: &Value, is_required: bool) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => {
            members.is_empty() || (is_required && members.values().all(is_partless))
        }
        _ => false,
    }
}

/// Returns true if a member is no part, whatever its encoding.
fn is_partless(member: &Value) -> bool {
    member.is_null() || member.as_array().is_some_and(Vec::is_empty)
}

fn find_omitted_in_member(
    media: &BodyMedia,
    name: &str,
    given: GivenValue<'_>,
    omitted: &mut OmittedValues<'_>,
) {
    let encoding =
        media.encodings.iter().find(|property_encoding| *property_encoding.name == *name);
    let styled = encoding.and_then(|property_encoding| property_encoding.styled.as_ref());
    let is_json = media.kind == BodyKind::Form && encoding.is_some_and(has_json_content_type);
    match (given.value, styled) {
        (Value::Null, _) => omitted.record_omission(given),
        (_, Some(styled)) => find_omitted_by_style(given, styled, omitted),
        (Value::Array(items), None) if items.is_empty() && !is_json => {
            omitted.record_omission(given);
        }
        _ => {}
    }
}
