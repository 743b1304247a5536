//! Reads the encodings of a form's or multipart body's properties: the `encoding` objects of its media type, and which
//! properties are files. `call` writes the properties.

use std::sync::Arc;

use callgate_tree::{Node, Path};
use hashbrown::HashSet;
use indexmap::IndexSet;

use crate::{
    body::{BodyKind, PartHeader, PropertyEncoding},
    code::Code,
    cursor::Cursor,
    document::Document,
    input::{Style, Styled},
    meter::KEPT,
    reference::{LocatedNode, reference_chain, reference_targets},
    schema::bytes::is_bytes,
};

/// Reads the encodings of a body's properties, if its media type object states them; empty for bodies without properties.
pub(super) fn read_encodings(media: Cursor<'_, '_>, kind: BodyKind) -> Box<[PropertyEncoding]> {
    if !matches!(kind, BodyKind::Form | BodyKind::Multipart) {
        return Box::default();
    }
    let document = media.document;
    let mut encodings = declared_encodings(media, kind);
    let mut files = IndexSet::new();
    if let Some(schema) = media.unresolved_member_node("schema") {
        let mut left = MOST_VISITED;
        collect_files(document, schema, &mut files, &mut left);
    }
    let mut declared = HashSet::new();
    for encoding in &mut encodings {
        encoding.is_binary = files.contains(&encoding.name);
        if encoding.is_binary && kind == BodyKind::Multipart {
            // A style writes texts (OpenAPI 3.1.1 §4.8.15.1.2), and has no form for bytes.
            encoding.styled = None;
            report_style(media, &encoding.name);
        }
        declared.insert(Arc::clone(&encoding.name));
    }
    let others = files.into_iter().filter(|name| !declared.contains(*name));
    let others = document.while_affordable(others, KEPT);
    encodings
        .extend(others.map(|name| PropertyEncoding { is_binary: true, ..plain_encoding(name) }));
    encodings.into()
}

/// The encoding of a property that the description says nothing about.
pub(super) fn plain_encoding(name: &Arc<str>) -> PropertyEncoding {
    PropertyEncoding {
        name: Arc::clone(name),
        content_types: Box::default(),
        styled: None,
        headers: Box::default(),
        is_binary: false,
    }
}

fn declared_encodings(media: Cursor<'_, '_>, kind: BodyKind) -> Vec<PropertyEncoding> {
    let Some(map) = media.unresolved_member("encoding") else { return Vec::new() };
    let mut encodings = Vec::new();
    for (name, at) in map.members(KEPT) {
        let Some(target) = at.resolved_node() else { continue };
        let object = at.at_node(&target);
        if object.node.as_object().is_none() {
            let message = format!("expected an encoding object, got: {}", object.node.kind());
            at.warning(Code::MalformedNode, message, "write an object");
            continue;
        }
        report_nested(object);
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
fn report_style(media: Cursor<'_, '_>, name: &str) {
    let object = media
        .unresolved_member("encoding")
        .and_then(|map| map.unresolved_member(name)?.target().ok());
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
pub(super) fn report_nested(object: Cursor<'_, '_>) {
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
    for (name, at) in map.members_where(is_read, KEPT) {
        let Some(header) = at.resolved_node_or_loss() else { continue };
        if let Some(value) = fixed_value(at.at_node(&header)) {
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

fn fixed_value(header: Cursor<'_, '_>) -> Option<Arc<str>> {
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

fn collect_files<'d>(
    document: &'d Document,
    schema: LocatedNode<'d>,
    files: &mut IndexSet<&'d Arc<str>>,
    left: &mut usize,
) {
    for at in schema_and_targets(document, schema, left) {
        let members = at.node.members_of("properties");
        for (name, property) in document.while_affordable(members, 1) {
            if !files.contains(name) && is_file(document, property, &at.path()) {
                files.insert(name);
            }
        }
        for branch in composition_branches(at.node) {
            collect_files(document, LocatedNode::new(branch, &at.path()), files, left);
        }
    }
}

/// True if a value, or each item of it, represents bytes; one of several alternatives suffices. The path is that of the
/// schema or of one of its ancestors in its document.
pub(super) fn is_file<'d>(document: &'d Document, schema: &'d Node, path: &Path<'_>) -> bool {
    let mut left = MOST_VISITED;
    is_file_within(document, LocatedNode::new(schema, path), &mut left)
}

fn is_file_within<'d>(document: &'d Document, schema: LocatedNode<'d>, left: &mut usize) -> bool {
    schema_and_targets(document, schema, left).iter().any(|at| {
        let mut below = at.node.get("items").into_iter().chain(composition_branches(at.node));
        let path = at.path();
        is_bytes(at.node)
            || below.any(|node| is_file_within(document, LocatedNode::new(node, &path), left))
    })
}

/// A schema and all its references' targets; `None` if the limit is reached: `left` is the number of schemas that may
/// still be read.
pub(super) fn schema_and_targets<'d>(
    document: &'d Document,
    schema: LocatedNode<'d>,
    left: &mut usize,
) -> Vec<LocatedNode<'d>> {
    let rest = document.descend_to_remaining_depth(*left, 1 + schema.path().weight());
    *left = rest.unwrap_or_default();
    if rest.is_none() {
        return Vec::new();
    }
    let beyond = reference_targets(document, schema.node, &schema.path());
    std::iter::once(schema).chain(beyond).collect()
}

pub(super) fn composition_branches(node: &Node) -> impl Iterator<Item = &Node> {
    ["allOf", "anyOf", "oneOf"].iter().flat_map(|keyword| node.list(keyword))
}

/// The keywords that divide a part into parts (OpenAPI 3.2.0 §4.15.1).
const NESTED: [&str; 3] = ["encoding", "itemEncoding", "prefixEncoding"];

/// The keywords of a style.
const STYLES: [&str; 3] = ["style", "explode", "allowReserved"];

/// The number of schemas that are visited. Nested compositions can be walked in more ways than they have parts; real
/// ones have fewer than fifty.
const MOST_VISITED: usize = 200;

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::{findings::Findings, sample::node};

    /// Checks the encodings, one line for each property, then the codes of the findings.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(version: &str, kind: BodyKind, media: Value, expected: &[&str]) {
        let document = json!({"openapi": version, "media": media,
            "components": {"schemas": {"File": {"type": "string", "format": "binary"}}}});
        let document = Document::new(node(&document)).unwrap();
        let media = document.root().get("media").unwrap();
        let media = LocatedNode { node: media, pointer: "/media".into() };
        let mut findings = Findings::default();
        let encodings = read_encodings(Cursor::new(&document, &mut findings).at_node(&media), kind);
        let lines = encodings.iter().map(|property| {
            let mut line = property.name.to_string();
            property.content_types.iter().for_each(|name| line.push_str(&format!(" {name}")));
            if let Some(Styled { style, explode, allow_reserved, .. }) = &property.styled {
                line.push_str(&format!(" {style:?} {explode} {allow_reserved}"));
            }
            property.headers.iter().for_each(|header| {
                line.push_str(&format!(" {}={}", header.name, header.value));
            });
            line + if property.is_binary { " file" } else { "" }
        });
        let codes = findings.into_diagnostics();
        let codes = codes.iter().map(|finding| finding.code.as_str().to_owned());
        assert_eq!(lines.chain(codes).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_style_of_a_part_is_used_if_any_style_keyword_is_written() {
        let encoding = json!({"encoding": {
            "expand": {"style": "deepObject", "explode": true}, "tags": {"explode": false},
            "raw": {"allowReserved": true}, "json": {"contentType": "application/json"}}});
        check(
            "3.0.3",
            BodyKind::Form,
            encoding.clone(),
            &[
                "expand DeepObject true false",
                "tags Form false false",
                "raw Form true true",
                "json application/json",
            ],
        );
        check(
            "3.0.3",
            BodyKind::Multipart,
            encoding.clone(),
            &["expand", "tags", "raw", "json application/json"],
        );
        check(
            "3.1.0",
            BodyKind::Multipart,
            json!({"encoding": {"tags": {"explode": false}}}),
            &["tags Form false false"],
        );
        check("3.0.3", BodyKind::Json, encoding, &[]);
        check(
            "3.0.3",
            BodyKind::Form,
            json!({"encoding": {"a": {"style": "matrix"}}}),
            &["a Form true false", "invalid-style"],
        );
    }

    #[test]
    fn file_parts_are_found_wherever_they_are_declared() {
        let schema = json!({"allOf": [{"properties": {"photo": {"$ref": "#/components/schemas/File"},
            "pages": {"type": "array", "items": {"format": "binary"}}, "name": {"type": "string"}}}],
            "properties": {"raw": {"contentMediaType": "image/png"}}});
        check(
            "3.1.0",
            BodyKind::Multipart,
            json!({"schema": schema, "encoding": {"photo": {"contentType": "image/png, image/jpeg"}}}),
            &["photo image/png image/jpeg file", "raw file", "pages file"],
        );
    }

    #[test]
    fn files_have_no_style() {
        let file = json!({"type": "string", "format": "binary"});
        let schema = json!({"properties": {"f": {"type": "array", "items": file}}});
        for (encoding, codes) in [
            (json!({"explode": true}), &["f file"][..]),
            (json!({"style": "form", "allowReserved": false}), &["f file"]),
            (json!({"style": "deepObject"}), &["f file", "undefined-form"]),
            (json!({"explode": false}), &["f file", "undefined-form"]),
            (json!({"allowReserved": true}), &["f file", "undefined-form"]),
        ] {
            let media = json!({"schema": schema, "encoding": {"f": encoding}});
            check("3.1.0", BodyKind::Multipart, media.clone(), codes);
            check("3.2.0", BodyKind::Multipart, media, codes);
        }
    }

    #[test]
    fn headers_of_parts_are_sent_only_with_a_fixed_value() {
        let headers = json!({"X-Rate": {"schema": {"type": "integer", "default": 3}},
            "X-Kind": {"schema": {"enum": ["a"]}}, "X-Any": {"schema": {"type": "string"}},
            "Content-Type": {"schema": {"default": "text/plain"}}, "X-Split": {"schema": {"default": "a\r\nb"}}});
        check(
            "3.0.3",
            BodyKind::Multipart,
            json!({"encoding": {"a": {"headers": headers}}}),
            &["a X-Rate=3 X-Kind=a", "part-header", "part-header"],
        );
    }

    #[test]
    fn malformed_encodings_are_reported() {
        check("3.0.3", BodyKind::Multipart, json!({"encoding": {"a": 7}}), &["malformed-node"]);
        check("3.0.3", BodyKind::Multipart, json!({"encoding": []}), &[]);
    }
}
