//! Trees for tests, written as JSON. For tests only: `text` reads real descriptions.

use callgate_tool::Value;
use callgate_tree::{Node, Object};

use crate::document::Document;

pub(crate) fn node(value: &Value) -> Node {
    match value {
        Value::Array(items) => Node::Array(items.iter().map(node).collect()),
        Value::Bool(value) => Node::Bool(*value),
        Value::Null => Node::Null,
        Value::Number(number) => Node::Number(number.clone()),
        Value::Object(members) => Node::Object(Object::new(
            members.iter().map(|(name, value)| (name.as_str().into(), node(value))).collect(),
        )),
        Value::String(text) => Node::String(text.as_str().into()),
    }
}

pub(crate) fn document(mut members: Value) -> Document {
    members["openapi"] = "3.0.3".into();
    Document::new(node(&members)).unwrap()
}
