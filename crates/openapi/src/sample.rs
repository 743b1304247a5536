//! Trees for tests, written as JSON. For tests only: `text` reads real descriptions.

use callgate_tool::Value;
use callgate_tree::Node;

use crate::document::Document;

pub(crate) fn node(value: &Value) -> Node {
    crate::overlay::value_node(value.clone())
}

pub(crate) fn document(mut members: Value) -> Document {
    members["openapi"] = "3.0.3".into();
    Document::new(node(&members)).unwrap()
}
