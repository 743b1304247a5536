//! Reads XML back by the `xml` objects of a schema (OpenAPI 3.1.1 §4.8.26, 3.2.0 §4.23) with another reader of XML. Single values
//! are read as texts.

use crate::prelude::*;
use roxmltree::Node;

use super::parts::Parts;

/// The value of an element whose schema is an object, a list in a wrapper, or a single value.
pub(super) fn element(
    node: Node<'_, '_>,
    parts: &Parts<'_>,
    given: &Value,
) -> Result<Value, String> {
    match given {
        Value::Array(given) => {
            let own =
                parts.xml("name").and_then(Value::as_str).unwrap_or_else(|| node.tag_name().name());
            list(node, parts, own, given)
        }
        Value::Object(given) => object(node, parts, given),
        _ if node.children().any(|child| child.is_element()) => {
            Err(format!("elements in {node:?}"))
        }
        _ => Ok(node.text().unwrap_or_default().into()),
    }
}

/// The name of a value in XML.
fn name<'a>(parts: &Parts<'a>, own: &'a str) -> &'a str {
    parts.xml("name").and_then(Value::as_str).unwrap_or(own)
}

fn is_true(parts: &Parts<'_>, keyword: &str, node_type: &str) -> bool {
    parts
        .xml("nodeType")
        .map_or_else(|| parts.xml(keyword) == Some(&Value::Bool(true)), |own| own == node_type)
}

fn object(node: Node<'_, '_>, parts: &Parts<'_>, given: &Object) -> Result<Value, String> {
    let mut members = Object::new();
    let mut n_read = 0;
    for (own, value) in given {
        let member = parts.member(own);
        let called = name(&member, own);
        let (read, n_nodes) = if is_true(&member, "attribute", "attribute") {
            let local = called.split_once(':').map_or(called, |(_, local)| local);
            let mut all = node.attributes().filter(|one| one.name() == local);
            let found = all.next().ok_or_else(|| format!("no attribute {called}"))?;
            check_namespace(&member, found.namespace(), false)?;
            (found.value().into(), 1)
        } else if let (Value::Array(items), false) = (value, is_true(&member, "wrapped", "element"))
        {
            let called = name(&member.items(), own).to_owned();
            (list(node, &member, own, items)?, children(node, &called).count())
        } else {
            let mut all = children(node, called);
            let (Some(only), None) = (all.next(), all.next()) else {
                return Err(format!("not one element {called} in {}", node.tag_name().name()));
            };
            check_namespace(&member, only.tag_name().namespace(), true)?;
            (element(only, &member, value)?, 1)
        };
        n_read += n_nodes;
        members.insert(own.clone(), read);
    }
    let n_nodes = node.children().filter(Node::is_element).count() + node.attributes().count();
    if n_nodes != n_read {
        return Err(format!("{n_nodes} parts of {} and not {n_read}", node.tag_name().name()));
    }
    Ok(Value::Object(members))
}

fn list(
    node: Node<'_, '_>,
    parts: &Parts<'_>,
    own: &str,
    given: &[Value],
) -> Result<Value, String> {
    let items = parts.items();
    let called = name(&items, own).to_owned();
    let found: Vec<_> = children(node, &called).collect();
    if found.len() != given.len() {
        return Err(format!("{} elements {called}, not {}", found.len(), given.len()));
    }
    found.into_iter().zip(given).map(|(node, given)| element(node, &items, given)).collect()
}

fn check_namespace(parts: &Parts<'_>, found: Option<&str>, is_element: bool) -> Result<(), String> {
    let declared = parts.xml("namespace").and_then(Value::as_str);
    // An element without a namespace of its own may be in that of the elements around it.
    if declared == found || (declared.is_none() && is_element) {
        return Ok(());
    }
    let has_prefix =
        parts.xml("name").and_then(Value::as_str).is_some_and(|name| name.contains(':'));
    if has_prefix { Ok(()) } else { Err(format!("the namespace {found:?}, not {declared:?}")) }
}

fn children<'a, 'd: 'a>(node: Node<'a, 'd>, name: &str) -> impl Iterator<Item = Node<'a, 'd>> {
    let local = name.split_once(':').map_or(name, |(_, local)| local).to_owned();
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == local)
}

/// The value with its single values as texts.
pub(super) fn as_texts(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(as_texts).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, own)| (name.clone(), as_texts(own))).collect())
        }
        Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    }
}
