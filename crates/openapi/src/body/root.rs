//! Finds the name of the root element of an XML body: the name in its schema's `xml`, else the name of the component it
//! refers to (OpenAPI 3.0.4 §4.7.26). `call` names the elements below the root, from the arguments' schema.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{
    body::XmlName,
    document::Document,
    reference::{LocatedNode, reference_targets},
};

/// The root element of a body with this schema; `None` if the description does not name it.
pub(super) fn xml_root_name(document: &Document, schema: &LocatedNode<'_>) -> Option<XmlName> {
    let beyond = reference_targets(document, schema.node, &schema.path());
    let nodes = || std::iter::once(schema.node).chain(beyond.iter().map(|at| at.node));
    let said = |name: &str| {
        nodes().find_map(|node| node.get("xml")?.get(name).and_then(Node::as_shared_str)).cloned()
    };
    let component = || {
        let (above, name) = beyond.first()?.pointer.rsplit_once('/')?;
        let is_component = above.ends_with("/schemas") || above.ends_with("/definitions");
        is_component.then(|| Arc::from(name))
    };
    let name = said("name").or_else(component)?;
    Some(XmlName::new(name, said("namespace"), said("prefix")))
}

/// A name for the root element if the description has none: the only property of the body, which then is the element;
/// else the title of the schema; else the operation.
pub(super) fn substitute_root_name(
    schema: &LocatedNode<'_>,
    operation: Option<&Arc<str>>,
) -> Option<XmlName> {
    let properties = schema.node.get("properties").and_then(Node::as_object);
    if let Some((name, property)) =
        properties.filter(|all| all.len() == 1).and_then(|all| all.iter().next())
        && property.text("type").is_none_or(|kind| kind == "object")
    {
        return Some(XmlName { is_wrapper: true, ..XmlName::new(Arc::clone(name), None, None) });
    }
    let title =
        schema.node.get("title").and_then(Node::as_shared_str).filter(|title| is_xml_name(title));
    let name = title.or_else(|| operation.filter(|name| is_xml_name(name)))?;
    Some(XmlName::new(Arc::clone(name), None, None))
}

fn is_xml_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::document;

    #[track_caller]
    fn check(schema: &Value, expected: Option<&str>) {
        let document = document(json!({"schema": schema, "components": {"schemas": {
            "Pet": {"type": "object"}, "Toy": {"xml": {"name": "toy", "prefix": "t", "namespace": "urn:t"}}}}}));
        let node = document.root().get("schema").unwrap();
        let found = xml_root_name(&document, &LocatedNode { node, pointer: "/schema".into() });
        let shown = found.map(|root| {
            let part =
                |part: Option<Arc<str>>| part.map_or_else(String::new, |part| format!(" {part}"));
            format!("{}{}{}", root.name, part(root.prefix), part(root.namespace))
        });
        assert_eq!(shown.as_deref(), expected);
    }

    #[test]
    fn an_unnamed_xml_root_is_named_by_its_schema_or_operation() {
        for (schema, expected) in [
            (json!({"properties": {"Tagging": {"type": "object"}}}), Some("Tagging true")),
            (json!({"title": "Tags", "properties": {"a": {}, "b": {}}}), Some("Tags false")),
            (
                json!({"title": "All tags", "properties": {"a": {"type": "string"}}}),
                Some("putTags false"),
            ),
            (json!({}), Some("putTags false")),
        ] {
            let document = document(json!({"schema": schema}));
            let node = document.root().get("schema").unwrap();
            let schema = LocatedNode { node, pointer: "/schema".into() };
            let found = substitute_root_name(&schema, Some(&"putTags".into()));
            let shown = found.map(|root| format!("{} {}", root.name, root.is_wrapper));
            assert_eq!(shown.as_deref(), expected);
            assert_eq!(
                substitute_root_name(&schema, Some(&"put tags".into())).is_some(),
                expected != Some("putTags false")
            );
        }
    }

    #[test]
    fn a_root_element_is_named_by_its_schema_or_its_component() {
        check(&json!({"$ref": "#/components/schemas/Pet"}), Some("Pet"));
        check(&json!({"$ref": "#/components/schemas/Toy"}), Some("toy t urn:t"));
        check(
            &json!({"$ref": "#/components/schemas/Toy", "xml": {"name": "own"}}),
            Some("own t urn:t"),
        );
        check(&json!({"type": "object", "xml": {"name": "inline"}}), Some("inline"));
        check(&json!({"type": "object"}), None);
    }
}
