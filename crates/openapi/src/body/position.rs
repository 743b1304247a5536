//! Reads the encodings of multipart parts that have no names, by their position in a list (OpenAPI 3.2.0 §4.14.5). It
//! reports the encodings that this build does not write: parts of a form by position, and parts in parts.

use crate::{
    body::{
        BodyKind, PositionEncodings, PropertyEncoding,
        encoding::{content_types, part_headers, plain_encoding, report_nested_encodings},
        files::{is_file_or_files, schema_and_targets},
    },
    code::Code,
    cursor::Cursor,
    document::Document,
    meter::KEPT,
    reference::LocatedNode,
};

pub(super) fn read_position_encodings(
    media: Cursor<'_, '_>,
    media_type: &str,
) -> PositionEncodings {
    let bare = media_type.split(';').next().unwrap_or_default().trim();
    let is_form = bare.eq_ignore_ascii_case("multipart/form-data");
    let document = media.document;
    let is_known = document.version().is_at_least(3, 2);
    let declared = |name: &str| media.unresolved_member_node(name).filter(|_| is_known);
    let (prefix, rest) = (declared("prefixEncoding"), declared("itemEncoding"));
    let shape = ListShape::from_media(document, &media.located_node());
    if let Some(first) = prefix.as_ref().or(rest.as_ref()) {
        let first = media.at_node(first);
        if is_form {
            let message = "expected parts of a form by name, got parts by position".to_owned();
            let help =
                "describe the form as an object, and its parts under `encoding`; lists are refused";
            first.warning(Code::EncodingNotWritten, message, help);
        } else if shape.is_object {
            let message = "expected a list for encodings by position, got: object".to_owned();
            let help = "describe the body as a list, or its parts under `encoding`";
            first.warning(Code::MalformedNode, message, help);
        }
        if media.node.get("encoding").is_some() {
            let message = "expected encodings by name or by position, got both".to_owned();
            let help = "remove one of them; an object is written by name, a list by position";
            first.warning(Code::MalformedNode, message, help);
        }
    }
    if is_form {
        return PositionEncodings::default();
    }
    let prefix = prefix.map(|prefix| list_items(document, &prefix)).unwrap_or_default();
    let n_first = prefix.len().max(shape.first.len());
    let first = document.while_affordable(0..n_first, KEPT).map(|at| {
        let object = prefix.get(at).or(rest.as_ref());
        position_encoding(media, object, shape.first.get(at).or(shape.rest.as_ref()))
    });
    let first: Vec<_> = first.collect();
    let is_said = rest.is_some() || shape.rest.is_some();
    let rest =
        is_said.then(|| Box::new(position_encoding(media, rest.as_ref(), shape.rest.as_ref())));
    PositionEncodings { prefix: first.into(), rest }
}

#[derive(Default)]
struct ListShape<'d> {
    first: Vec<LocatedNode<'d>>,
    rest: Option<LocatedNode<'d>>,
    is_object: bool,
}

impl<'d> ListShape<'d> {
    fn from_media(document: &'d Document, media: &LocatedNode<'d>) -> Self {
        let Some(schema) = media.member("schema") else {
            return Self { rest: media.member("itemSchema"), ..Self::default() };
        };
        let mut shape = Self::default();
        for at in schema_and_targets(document, schema, &mut 1) {
            if shape.first.is_empty()
                && let Some(first) = at.member("prefixItems")
            {
                shape.first = list_items(document, &first);
            }
            shape.rest = shape.rest.or_else(|| at.member("items"));
            let kind = at.node.text("type");
            shape.is_object |= kind == Some("object") || at.node.get("properties").is_some();
        }
        shape
    }
}

/// The items of a list, while steps remain.
fn list_items<'d>(document: &Document, list: &LocatedNode<'d>) -> Vec<LocatedNode<'d>> {
    let above = list.path();
    let nodes = list.node.as_array().unwrap_or_default().iter().enumerate();
    let nodes = document.while_affordable(nodes, 1 + above.step_cost());
    nodes.map(|(at, node)| LocatedNode::new(node, &above.index(at))).collect()
}

fn position_encoding<'d>(
    cursor: Cursor<'d, '_>,
    object: Option<&LocatedNode<'d>>,
    schema: Option<&LocatedNode<'d>>,
) -> PropertyEncoding {
    let is_binary =
        schema.is_some_and(|schema| is_file_or_files(cursor.document, schema.node, &schema.path()));
    let part = PropertyEncoding { is_binary, ..plain_encoding(&"".into()) };
    let Some(object) = object else { return part };
    let Some(target) = cursor.at_node(object).target_or_report() else { return part };
    let object = cursor.at_node(&target);
    if object.node.as_object().is_none() {
        let message = format!("expected an encoding object, got: {}", object.node.kind());
        object.warning(Code::MalformedNode, message, "write an object");
        return part;
    }
    report_nested_encodings(object);
    PropertyEncoding {
        content_types: content_types(object.node),
        headers: part_headers(object, BodyKind::Multipart),
        ..part
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::{findings::Findings, sample::node};

    /// Checks the encodings, one line for each position, then that of the rest, then the codes of the findings.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(version: &str, media_type: &str, media: Value, expected: &[&str]) {
        let document = json!({"openapi": version, "media": media});
        let document = Document::new(node(&document)).unwrap();
        let media = document.root().get("media").unwrap();
        let media = LocatedNode { node: media, pointer: "/media".into() };
        let mut findings = Findings::default();
        let cursor = Cursor::new(&document, &mut findings);
        let PositionEncodings { prefix, rest } =
            read_position_encodings(cursor.at_node(&media), media_type);
        let line = |part: &PropertyEncoding, first: &str| {
            let mut line = first.to_owned();
            part.content_types.iter().for_each(|name| line.push_str(&format!(" {name}")));
            part.headers.iter().for_each(|header| {
                line.push_str(&format!(" {}={}", header.name, header.value));
            });
            line + if part.is_binary { " file" } else { "" }
        };
        let lines = prefix.iter().map(|part| line(part, "-"));
        let lines = lines.chain(rest.iter().map(|part| line(part, "*")));
        let codes = findings.into_diagnostics();
        let codes = codes.iter().map(|finding| finding.code.as_str().to_owned());
        assert_eq!(lines.chain(codes).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_encoding_of_a_part_is_found_by_its_position() {
        let mixed = json!({
            "schema": {"type": "array", "prefixItems": [{"type": "object"}, {"format": "binary"}], "items": {"contentMediaType": "image/png"}},
            "prefixEncoding": [{"contentType": "application/json", "headers": {"X-A": {"schema": {"const": "b"}}}}],
            "itemEncoding": {"contentType": "image/png, image/*"}});
        let expected =
            ["- application/json X-A=b", "- image/png image/* file", "* image/png image/* file"];
        check("3.2.0", "multipart/mixed", mixed.clone(), &expected);
        check("3.1.0", "multipart/mixed", mixed, &["-", "- file", "* file"]);
        let streamed = json!({"itemSchema": {"type": "object"}, "itemEncoding": {"contentType": "application/json"}});
        check("3.2.0", "multipart/mixed; a=b", streamed, &["* application/json"]);
        check("3.2.0", "multipart/related", json!({"schema": {}}), &[]);
        check("3.2.0", "multipart/related", json!({"prefixEncoding": [{}, {}]}), &["-", "-"]);
    }

    #[test]
    fn positional_encodings_that_cannot_be_written_are_reported() {
        let list = |encoding: Value| json!({"schema": {"type": "array"}, "itemEncoding": encoding});
        let nested = list(json!({"contentType": "multipart/mixed", "itemEncoding": {}}));
        check("3.2.0", "multipart/mixed", nested, &["* multipart/mixed", "encoding-not-written"]);
        let unused = list(json!({"contentType": "application/json", "encoding": {}}));
        check("3.2.0", "multipart/mixed", unused, &["* application/json"]);
        check("3.2.0", "Multipart/Form-Data", list(json!({})), &["encoding-not-written"]);
        check("3.1.0", "multipart/form-data", list(json!({})), &[]);
        let object = json!({"schema": {"type": "object"}, "prefixEncoding": [7]});
        check("3.2.0", "multipart/mixed", object, &["-", "malformed-node", "malformed-node"]);
        let both = json!({"itemSchema": {}, "encoding": {}, "itemEncoding": {}});
        check("3.2.0", "multipart/mixed", both, &["*", "malformed-node"]);
    }
}
