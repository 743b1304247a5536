//! Finds the name of the root element of an XML body: what its schema says under `xml`, else the name of the component
//! it refers to (OpenAPI 3.0.4 §4.7.26). The elements below the root are named by `call`, from the arguments' schema.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{
    body::XmlName,
    document::Document,
    reference::{Located, beyond},
};

/// The root element of a body of this schema; `None` where the description does not name it.
pub(super) fn root(document: &Document, schema: &Located<'_>) -> Option<XmlName> {
    let beyond = beyond(document, schema.node, &schema.path());
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
    Some(XmlName { name, namespace: said("namespace"), prefix: said("prefix") })
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
        let found = root(&document, &Located { node, pointer: "/schema".into() });
        let shown = found.map(|root| {
            let part =
                |part: Option<Arc<str>>| part.map_or_else(String::new, |part| format!(" {part}"));
            format!("{}{}{}", root.name, part(root.prefix), part(root.namespace))
        });
        assert_eq!(shown.as_deref(), expected);
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
