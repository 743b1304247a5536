//! Reads the encodings of a form's or multipart body's properties: the `encoding` objects of its media type, and which
//! properties are files. `call` writes the properties.

use std::sync::Arc;

use callgate_tree::Node;
use hashbrown::HashSet;

use crate::{
    body::{
        BodyKind, OpenFiles, PartHeader, PropertyEncoding,
        files::MemberNames,
        kind::{allows_json, holds_objects},
        untyped_part::is_untyped_bytes,
    },
    code::Code,
    cursor::Cursor,
    input::{Style, Styled},
    meter::KEPT,
    reference::{LocatedNode, follow_references, reference_chain},
};

/// Reads the encodings of a body's properties, if its media type object states them, and the files that have no name in
/// the description; empty for bodies without properties.
pub(super) fn read_encodings(
    media: Cursor<'_, '_>,
    kind: BodyKind,
) -> (Box<[PropertyEncoding]>, Option<OpenFiles>) {
    if !matches!(kind, BodyKind::Form | BodyKind::Multipart) {
        return (Box::default(), None);
    }
    let mut encodings = declared_encodings(media, kind);
    let names = member_names(media, kind, &encodings);
    let mut declared = HashSet::new();
    for encoding in &mut encodings {
        let name = &encoding.name;
        encoding.is_untyped = names.untyped.contains(name);
        let is_open_file = names.is_rest_binary && !names.declared.contains(name);
        encoding.is_binary = encoding.is_untyped || is_open_file || names.files.contains(name);
        if encoding.is_binary && kind == BodyKind::Multipart {
            // A style writes texts (OpenAPI 3.1.1 §4.8.15.1.2), and has no form for bytes.
            encoding.styled = None;
            report_ignored_file_style(media, &encoding.name);
        }
        declared.insert(Arc::clone(&encoding.name));
    }
    report_formless_objects(media, &encodings);
    // Beside files of any name, the names of other members must be stated.
    let is_needed = |name: &&&Arc<str>| {
        let is_binary = names.files.contains(**name) || names.untyped.contains(**name);
        !declared.contains(**name) && (is_binary || names.has_open_files())
    };
    let others = names.declared.iter().filter(is_needed);
    let others = media.document.while_affordable(others, KEPT);
    encodings.extend(others.map(|name| {
        let is_untyped = names.untyped.contains(*name);
        let is_binary = is_untyped || names.files.contains(*name);
        PropertyEncoding { is_binary, is_untyped, ..plain_encoding(name) }
    }));
    let open_files = names.has_open_files().then(|| OpenFiles {
        patterns: names.patterns.into(),
        is_rest_binary: names.is_rest_binary,
        encoding: PropertyEncoding { is_binary: true, ..plain_encoding(&"".into()) },
    });
    (encodings.into(), open_files)
}

/// Reports members that are objects although their media types have no form for one.
fn report_formless_objects(media: Cursor<'_, '_>, encodings: &[PropertyEncoding]) {
    let document = media.document;
    let is_text = |it: &&PropertyEncoding| it.styled.is_none() && !it.is_binary;
    let is_formless = |it: &&PropertyEncoding| is_text(it) && !allows_json(&it.content_types);
    let formless: Vec<&PropertyEncoding> = encodings.iter().filter(is_formless).collect();
    if formless.is_empty() {
        return;
    }
    let schema = media
        .unresolved_member_node("schema")
        .and_then(|schema| follow_references(document, schema.node, &schema.path()).ok());
    let Some(properties) = schema.and_then(|schema| schema.member("properties")) else { return };
    let map = media.with_report_member("encoding");
    for encoding in formless {
        let property = properties.member(&encoding.name);
        if property.is_some_and(|property| holds_objects(document, &property)) {
            let declared = encoding.content_types.join(", ");
            let message = format!("expected JSON for an object in a form, got: `{declared}`");
            let help = "name `application/json`, or describe the member as a text; a call that gives an object is refused";
            map.with_report_member(&encoding.name).warning(Code::EncodingNotWritten, message, help);
        }
    }
}

fn member_names<'d>(
    media: Cursor<'d, '_>,
    kind: BodyKind,
    encodings: &[PropertyEncoding],
) -> MemberNames<'d> {
    let Some(schema) = media.unresolved_member_node("schema") else {
        return MemberNames::default();
    };
    let is_untyped = |name: &str, part: LocatedNode<'d>| {
        let encoding = encodings.iter().find(|encoding| *encoding.name == *name);
        let content_types = encoding.map(|encoding| &*encoding.content_types).unwrap_or_default();
        // OpenAPI 3.1.1 §4.8.15.1.2: a style writes text, whatever the content type says.
        let is_styled = encoding.is_some_and(|encoding| encoding.styled.is_some());
        kind == BodyKind::Multipart
            && !is_styled
            && is_untyped_bytes(media.document, part, content_types)
    };
    MemberNames::from_schema(media.document, schema, &is_untyped)
}

/// The encoding of a property that the description says nothing about.
pub(super) fn plain_encoding(name: &Arc<str>) -> PropertyEncoding {
    PropertyEncoding {
        name: Arc::clone(name),
        content_types: Box::default(),
        styled: None,
        headers: Box::default(),
        is_binary: false,
        is_untyped: false,
    }
}

fn declared_encodings(media: Cursor<'_, '_>, kind: BodyKind) -> Vec<PropertyEncoding> {
    let Some(map) = media.unresolved_member("encoding") else { return Vec::new() };
    let mut encodings = Vec::new();
    for (name, at) in map.affordable_members(KEPT) {
        let Some(target) = at.target_or_report() else { continue };
        let object = at.at_node(&target);
        if object.node.as_object().is_none() {
            let message = format!("expected an encoding object, got: {}", object.node.kind());
            at.warning(Code::MalformedNode, message, "write an object");
            continue;
        }
        report_nested_encodings(object);
        encodings.push(PropertyEncoding {
            content_types: content_types(object.node),
            styled: property_style(object, kind),
            headers: part_headers(object, kind),
            ..plain_encoding(name)
        });
    }
    encodings
}

/// Reports a style of files that says something else than one part for each file.
fn report_ignored_file_style(media: Cursor<'_, '_>, name: &str) {
    let object = media
        .unresolved_member("encoding")
        .and_then(|map| map.unresolved_member(name)?.target_without_report().ok());
    let Some(object) = object else { return };
    let object = media.at_node(&object);
    let is_other = |keyword: &str| match keyword {
        "explode" => object.flag(keyword) == Some(false),
        "style" => object.text_without_report(keyword) != Some("form"),
        _ => object.flag(keyword) == Some(true),
    };
    let mut other = STYLES.into_iter().filter(|keyword| is_other(keyword));
    let said = other.find_map(|keyword| object.unresolved_member(keyword));
    let Some(said) = said else { return };
    let message = "expected an encoding of files without a style, got one of texts".to_owned();
    let help = "remove it: each file is a part of its own, with its name";
    said.note(Code::UndefinedForm, message, help);
}

/// Reports the encodings in an encoding object that are not written: those of parts inside a part.
pub(super) fn report_nested_encodings(object: Cursor<'_, '_>) {
    let nested = NESTED.iter().find_map(|name| Some((name, object.unresolved_member(name)?)));
    let is_nested = |object: &Cursor<'_, '_>| {
        has_multipart_or_form_type(object.node) && object.document.version().is_at_least(3, 2)
    };
    let Some((name, at)) = nested.filter(|_| is_nested(&object)) else { return };
    let message = format!("expected parts without parts of their own, got: `{name}`");
    let help =
        "send what is in the part as JSON, or as parts of the body; calls with it are refused";
    at.warning(Code::EncodingNotWritten, message, help);
}

/// True if the encoding divides a part into parts; encodings of other parts do not count.
fn has_multipart_or_form_type(object: &Node) -> bool {
    content_types(object).iter().any(|media_type| {
        let media_type = media_type.to_ascii_lowercase();
        media_type.starts_with("multipart/") || media_type.starts_with("application/x-www-form")
    })
}

/// `image/png, image/jpeg` is two media types (OpenAPI 3.0.3 §4.7.15.1).
pub(super) fn content_types(object: &Node) -> Box<[Arc<str>]> {
    let written = object.text("contentType").unwrap_or_default();
    written.split(',').map(str::trim).filter(|name| name.contains('/')).map(Arc::from).collect()
}

/// The style, if the description states one of the fields of a style; else the media type decides (OpenAPI 3.0.4
/// §4.7.15.1.1).
fn property_style(object: Cursor<'_, '_>, kind: BodyKind) -> Option<Styled> {
    let (explode, allow_reserved) = (object.flag("explode"), object.flag("allowReserved"));
    let said = object.unresolved_member("style");
    let has_style = said.is_some() || explode.is_some() || allow_reserved.is_some();
    // OpenAPI 3.0.3 §4.7.15.1: only forms have styles; since 3.1 `multipart/form-data` has them too.
    let is_allowed = kind == BodyKind::Form || object.document.version().is_at_least(3, 1);
    if !has_style || !is_allowed {
        return None;
    }
    let declared_style = object.text_without_report("style").and_then(style_by_name);
    if let (Some(said), None) = (said, declared_style) {
        let got = said.node.as_str().unwrap_or_else(|| said.node.kind());
        let message = format!("expected a style for query parameters, got: `{got}`");
        said.warning(Code::InvalidStyle, message, "correct the style; `form` is used");
    }
    let style = declared_style.unwrap_or(Style::Form);
    Some(Styled {
        style,
        explode: explode.unwrap_or(style == Style::Form),
        allow_reserved: allow_reserved.unwrap_or_default(),
        items: Box::default(),
    })
}

fn style_by_name(name: &str) -> Option<Style> {
    match name {
        "deepObject" => Some(Style::DeepObject),
        "form" => Some(Style::Form),
        "pipeDelimited" => Some(Style::PipeDelimited),
        "spaceDelimited" => Some(Style::SpaceDelimited),
        _ => None,
    }
}

/// The headers of a part that have only one value; no argument can supply the others.
pub(super) fn part_headers(object: Cursor<'_, '_>, kind: BodyKind) -> Box<[PartHeader]> {
    let Some(map) = object.unresolved_member("headers").filter(|_| kind == BodyKind::Multipart)
    else {
        return Box::default();
    };
    // OpenAPI 3.0.3 §4.7.15.1: `Content-Type` is described by `contentType`.
    let is_read = |name: &str| !name.eq_ignore_ascii_case("content-type");
    let mut headers = Vec::new();
    for (name, at) in map.affordable_named_members(is_read, KEPT) {
        let Some(header) = at.target_or_report_loss() else { continue };
        if let Some(value) = const_default_or_only(at.at_node(&header)) {
            headers.push(PartHeader { name: Arc::clone(name), value });
            continue;
        }
        let message = format!("expected a header with one legal value, got: `{name}`");
        let help = "give its schema a `default` or a `const`; it is not sent";
        if header.node.is_true("required") {
            at.warning(Code::PartHeader, message, help);
        } else {
            at.note(Code::PartHeader, message, help);
        }
    }
    headers.into()
}

fn const_default_or_only(header: Cursor<'_, '_>) -> Option<Arc<str>> {
    let schema = header.node.get("schema").unwrap_or(header.node);
    let value = reference_chain(header.document, schema, header.path()).find_map(|node| {
        let only = node.get("enum").and_then(Node::as_array).filter(|values| values.len() == 1);
        node.get("const").or_else(|| node.get("default")).or_else(|| only?.first())
    })?;
    let text = match value {
        Node::Bool(value) => value.to_string().into(),
        Node::Number(number) => number.to_string().into(),
        Node::String(text) => Arc::clone(text),
        _ => return None,
    };
    text.bytes().all(|byte| byte == b'\t' || (b' '..0x7f).contains(&byte)).then_some(text)
}

/// The keywords that divide a part into parts (OpenAPI 3.2.0 §4.15.1).
const NESTED: [&str; 3] = ["encoding", "itemEncoding", "prefixEncoding"];

/// The keywords of a style.
const STYLES: [&str; 3] = ["style", "explode", "allowReserved"];

#[cfg(test)]
mod tests;
