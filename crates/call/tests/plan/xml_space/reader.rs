//! Reads XML back to values with another reader of XML, by the rules of the specification.

use crate::prelude::*;
use std::cell::Cell;

use roxmltree::Node;

use super::{Form, Part, Shape};

/// Reads a value from what is in `element`, by the rules of the specification. A schema alone may not say which of two
/// members wrote a part, so that the members that were given are read; each part is read once.
struct Reader<'a, 'd> {
    element: Node<'a, 'd>,
    /// The number of attributes and elements that were read.
    n_read: Cell<usize>,
    n_texts: Cell<usize>,
}

impl<'a, 'd: 'a> Reader<'a, 'd> {
    fn new(element: Node<'a, 'd>) -> Self {
        Self { element, n_read: Cell::new(0), n_texts: Cell::new(0) }
    }

    /// Returns true if every part was read, and none twice.
    fn is_done(&self) -> bool {
        let n_elements = self.element.children().filter(Node::is_element).count();
        let n_parts = n_elements + self.element.attributes().count();
        let has_text =
            self.element.children().any(|node| node.is_text() && node.text() != Some(""));
        self.n_read.get() == n_parts
            && self.n_texts.get() <= 1
            && (!has_text || self.n_texts.get() == 1)
    }

    fn namespace(&self, part: &Part, prefix: Option<&str>) -> Option<String> {
        let stated = part.namespace.map(str::to_owned);
        // A declaration counts before the namespace that the prefix has by custom.
        let declared = self.element.lookup_namespace_uri(prefix);
        let known = declared.filter(|_| prefix.is_some()).map(str::to_owned);
        let custom = "http://www.w3.org/2001/XMLSchema-instance";
        let known = known.or_else(|| (prefix == Some("xsi")).then(|| custom.to_owned()));
        stated.or(known)
    }

    fn names<'p>(part: &'p Part, own: &'p str) -> (Option<&'p str>, &'p str) {
        let name = part.name.unwrap_or(own);
        match name.split_once(':').filter(|_| part.prefix.is_none()) {
            Some((prefix, local)) => (Some(prefix), local),
            None => (part.prefix, name),
        }
    }

    fn children(&self, part: &Part, own: &str) -> Vec<Node<'a, 'd>> {
        let (prefix, local) = Self::names(part, own);
        let stated = self.namespace(part, prefix);
        let expected = stated.or_else(|| self.element.default_namespace().map(str::to_owned));
        let is_it = |node: &Node<'_, '_>| {
            node.tag_name().name() == local
                && node.tag_name().namespace().map(str::to_owned) == expected
        };
        let found: Vec<_> =
            self.element.children().filter(|node| node.is_element() && is_it(node)).collect();
        self.n_read.set(self.n_read.get() + found.len());
        found
    }

    fn text(&self, shape: &Shape) -> Value {
        self.n_texts.set(self.n_texts.get() + 1);
        let texts = self.element.children().filter(Node::is_text).filter_map(|node| node.text());
        scalar(shape, &texts.collect::<String>())
    }

    fn member(&self, part: &Part, own: &str, given: &Value) -> Value {
        match (&part.shape, part.form) {
            (Shape::Object(members), Form::Bare) => self.object(members, given),
            (Shape::List(items), Form::Wrapped) => match self.children(part, own).as_slice() {
                [wrapper] => wrapped(*wrapper, items, part.name.unwrap_or(own), given),
                _ => "not one wrapper".into(),
            },
            (Shape::List(items), _) => self.list(items, own, given),
            (_, Form::Attribute) => {
                let (prefix, local) = Self::names(part, own);
                let namespace = self.namespace(part, prefix);
                let mut all = self.element.attributes();
                let found =
                    all.find(|one| one.name() == local && one.namespace() == namespace.as_deref());
                self.n_read.set(self.n_read.get() + 1);
                found.map_or(Value::Null, |found| scalar(&part.shape, found.value()))
            }
            (shape, Form::Bare | Form::Cdata | Form::Text) => self.text(shape),
            _ => match self.children(part, own).as_slice() {
                [only] => element(part, *only, given),
                _ => "not one element".into(),
            },
        }
    }

    fn list(&self, items: &Part, own: &str, given: &Value) -> Value {
        let given = given.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_element = match &items.shape {
            Shape::List(_) => items.form == Form::Wrapped,
            Shape::Object(_) => items.form != Form::Bare,
            _ => !matches!(items.form, Form::Bare | Form::Cdata | Form::Text),
        };
        if !is_element {
            let all = given.iter().map(|item| self.member(items, own, item));
            return Value::Array(all.collect());
        }
        let found = self.children(items, own);
        if found.len() != given.len() {
            return "another number of items".into();
        }
        let one = |(node, given)| match &items.shape {
            Shape::List(inner) => wrapped(node, inner, items.name.unwrap_or(own), given),
            _ => element(items, node, given),
        };
        Value::Array(found.into_iter().zip(given).map(one).collect())
    }

    fn object(&self, members: &[(&'static str, Part)], given: &Value) -> Value {
        let found = members.iter().filter_map(|(name, own)| {
            Some(((*name).to_owned(), self.member(own, name, given.get(*name)?)))
        });
        Value::Object(found.collect())
    }
}

/// The list in a wrapper.
pub(super) fn wrapped(wrapper: Node<'_, '_>, items: &Part, own: &str, given: &Value) -> Value {
    let reader = Reader::new(wrapper);
    let list = reader.list(items, own, given);
    if reader.is_done() { list } else { "more than the list".into() }
}

/// The value of one element.
pub(super) fn element(part: &Part, node: Node<'_, '_>, given: &Value) -> Value {
    let nil = ("http://www.w3.org/2001/XMLSchema-instance", "nil");
    let reader = Reader::new(node);
    let value = match &part.shape {
        _ if node.attribute(nil) == Some("true") => return Value::Null,
        Shape::Object(members) => reader.object(members, given),
        shape => reader.text(shape),
    };
    if reader.is_done() { value } else { "more than the value".into() }
}

fn scalar(shape: &Shape, text: &str) -> Value {
    match shape {
        Shape::Text => text.into(),
        _ => Value::parse(text).unwrap_or_else(|_| text.into()),
    }
}
