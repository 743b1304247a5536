//! Converts a value back to a tree with shared texts. Numbers keep their digits in both directions.

use callgate_tool::Value;
use callgate_tree::{Interner, Node, Object};

/// The tree of a JSON value; its depth was limited when it was made.
pub(super) fn node(value: Value) -> Node {
    built(value, &mut Interner::default())
}

fn built(value: Value, texts: &mut Interner) -> Node {
    match value {
        Value::Array(items) => {
            Node::Array(items.into_iter().map(|item| built(item, texts)).collect())
        }
        Value::Bool(value) => Node::Bool(value),
        Value::Null => Node::Null,
        Value::Number(number) => Node::Number(number),
        Value::Object(members) => {
            let member = |(name, value): (String, Value)| (texts.name(&name), built(value, texts));
            Node::Object(Object::new(members.into_iter().map(member).collect()))
        }
        Value::String(text) => Node::String(texts.value(&text)),
    }
}
