//! Finds a PATCH that requires members since its body has the schema of the method that creates or replaces the thing: by one
//! reference, or written again by a framework that writes each schema where it is used.

use std::ptr;

use callgate_tree::Node;

use crate::{code::Code, cursor::Cursor, document::Document};

/// Reports a PATCH whose body has the schema of a POST or PUT that requires members.
pub(crate) fn report_patch_sharing_schema(operation: Cursor<'_, '_>) {
    let document = operation.document;
    let own = body_schemas(document, operation.node).into_iter();
    let mut required = own
        .filter_map(|schema| Some((schema, first_required_member(document, schema, MOST_NESTED)?)));
    let Some((schema, first)) = required.next() else { return };
    let pointer = operation.located_node().pointer;
    let creator = near_creator(document, &pointer, schema);
    let creator = creator.or_else(|| creator_by_reference(document, operation.node));
    let Some((method, path)) = creator else { return };
    let message = format!(
        "expected a PATCH without required members, got the schema of {} {path}, which requires `{first}`",
        method.to_ascii_uppercase()
    );
    let help = "describe the body of the PATCH by a schema of its own, for example by an overlay; until then each call gives all of them";
    operation.note(Code::PatchRequires, message, help);
}

/// The method and path of the thing itself, or of its collection, whose body has this schema.
fn near_creator(
    document: &Document,
    pointer: &str,
    schema: &Node,
) -> Option<(&'static str, String)> {
    let own = pointer.strip_prefix("/paths/")?.strip_suffix("/patch")?;
    let own = own.replace("~1", "/").replace("~0", "~");
    let above = own.trim_end_matches('/').rsplit_once('/')?.0.to_owned();
    let paths = document.root().get("paths")?;
    [own, format!("{above}/"), above].into_iter().find_map(|path| {
        let item = paths.get(&path)?;
        let has_schema = |node: &Node| {
            let mut schemas = body_schemas(document, node).into_iter();
            schemas.any(|other| is_written_alike(document, schema, other))
        };
        let method =
            CREATING.into_iter().find(|method| item.get(method).is_some_and(has_schema))?;
        Some((method, path))
    })
}

/// True if two schemas are one, or written alike. Many operations may share large ones, so each of their parts costs a step.
fn is_written_alike(document: &Document, schema: &Node, other: &Node) -> bool {
    match (schema, other) {
        _ if ptr::eq(schema, other) => true,
        (Node::Array(own), Node::Array(others)) => {
            let pairs = document.while_affordable(own.iter().zip(&**others), 1);
            let alike = pairs.take_while(|(own, it)| is_written_alike(document, own, it));
            own.len() == others.len() && alike.count() == own.len()
        }
        (Node::Object(own), Node::Object(others)) => {
            let pairs = document.while_affordable(own.iter().zip(others.iter()), 1);
            let alike = pairs.take_while(|((name, own), (its, it))| {
                name == its && is_written_alike(document, own, it)
            });
            own.len() == others.len() && alike.count() == own.len()
        }
        _ => schema == other,
    }
}

/// The method and path of any operation whose body has the same reference.
fn creator_by_reference(document: &Document, operation: &Node) -> Option<(&'static str, String)> {
    let reference = first_body_reference(operation)?;
    let paths = document.root().get("paths").map(Node::members).into_iter().flatten();
    document.while_affordable(paths, 1).find_map(|(path, item)| {
        let is_its = |node: &Node| first_body_reference(node) == Some(reference);
        let method = CREATING.into_iter().find(|method| item.get(method).is_some_and(is_its))?;
        Some((method, path.to_string()))
    })
}

/// The reference in the first schema of an operation's body.
fn first_body_reference(operation: &Node) -> Option<&str> {
    let (_, media) = operation.get("requestBody")?.get("content")?.members().next()?;
    media.get("schema")?.text("$ref")
}

/// The schemas of an operation's body, one for each media type, behind their references.
fn body_schemas<'d>(document: &'d Document, operation: &'d Node) -> Vec<&'d Node> {
    let body = operation.get("requestBody").map(|body| dereferenced_node(document, body));
    let content = body.and_then(|body| body.get("content"));
    let media = content.map(Node::members).into_iter().flatten().map(|(_, media)| media);
    let parameters = operation.list("parameters").iter().map(|it| dereferenced_node(document, it));
    // Swagger 2.0 describes the body among the parameters.
    let bodies = parameters.filter(|parameter| parameter.text("in") == Some("body"));
    let holders = document.while_affordable(media.chain(bodies), 1);
    let schemas = holders.filter_map(|holder| holder.get("schema"));
    schemas.map(|schema| dereferenced_node(document, schema)).collect()
}

/// The node behind the references within the document, and behind compositions of one part.
fn dereferenced_node<'d>(document: &'d Document, node: &'d Node) -> &'d Node {
    let mut meant = node;
    for _ in 0..MOST_HOPS {
        let pointer = meant.text("$ref").and_then(|reference| reference.strip_prefix('#'));
        let target = pointer.and_then(|pointer| document.root().at(pointer));
        let says_more = meant.get("properties").is_some() || meant.get("required").is_some();
        let part = match meant.list("allOf") {
            [part] if !says_more => Some(part),
            _ => None,
        };
        let Some(next) = target.or(part) else { break };
        meant = next;
    }
    meant
}

/// The first required member of a schema or of a part of its composition.
fn first_required_member<'d>(
    document: &'d Document,
    schema: &'d Node,
    left: usize,
) -> Option<&'d str> {
    let own = schema.list("required").iter().find_map(Node::as_str);
    own.or_else(|| {
        let left = left.checked_sub(1)?;
        let mut parts = document.while_affordable(schema.list("allOf"), 1);
        parts.find_map(|part| {
            first_required_member(document, dereferenced_node(document, part), left)
        })
    })
}

/// The methods that create or replace a thing.
const CREATING: [&str; 2] = ["post", "put"];
/// The number of references that are followed one after the other.
const MOST_HOPS: usize = 8;
/// The number of compositions within each other.
const MOST_NESTED: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn each_part_of_compared_schemas_costs_a_step() {
        let text = b"openapi: 3.1.0
servers: [{url: https://a.example}]
paths: {}
components: {schemas: {A: {type: object, required: [a]}, B: {type: object, required: [a]}}}";
        let document = Document::read(text, &Limits::default()).unwrap().value;
        let schema = |name| document.root().get("components")?.get("schemas")?.get(name);
        let (own, other) = (schema("A").unwrap(), schema("B").unwrap());
        for (most, expected) in [(1, false), (2, false), (3, true)] {
            let metered = document.with_step_limit(most);
            assert_eq!(is_written_alike(&metered, own, other), expected, "{most}");
            assert!(is_written_alike(&metered, own, own), "{most}");
        }
    }
}
