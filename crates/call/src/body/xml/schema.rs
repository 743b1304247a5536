//! Reads what a schema of the arguments says about the XML of a value: its `xml` object, the schemas of its members and
//! items; through references and compositions. It writes nothing.

use std::sync::Arc;

use callgate_openapi::XmlName;
use callgate_tool::Value;

use crate::check::resolved;

/// A schema, as far as there is one, and what its references point into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Described<'a> {
    schema: Option<&'a Value>,
    root: &'a Value,
}

/// The form that a value takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    /// An attribute of the element it is in.
    Attribute,
    /// Its content, without an element around.
    Bare,
    /// A CDATA section.
    Cdata,
    /// An element; the items of an array, an element each.
    Element,
    /// Text of the element it is in.
    Text,
    /// The items of an array in an element of their own.
    Wrapped,
}

impl<'a> Described<'a> {
    /// Reads the parts of `schema` that matter to XML.
    pub(super) fn new(schema: Option<&'a Value>, root: &'a Value) -> Self {
        Self { schema, root }
    }

    /// The name of a value whose own name is `own`.
    pub(super) fn name(self, own: &str) -> XmlName {
        let text = |name: &str| self.said(name).and_then(Value::as_str).map(Arc::from);
        let name = text("name").unwrap_or_else(|| own.into());
        XmlName::new(name, text("namespace"), text("prefix"))
    }

    /// The form that the value takes.
    pub(super) fn form(self) -> Form {
        let says = |name: &str| self.said(name).and_then(Value::as_bool) == Some(true);
        match self.said("nodeType").and_then(Value::as_str) {
            Some("attribute") => Form::Attribute,
            Some("cdata") => Form::Cdata,
            Some("element") => Form::Wrapped,
            Some("none") => Form::Bare,
            Some("text") => Form::Text,
            _ if says("attribute") => Form::Attribute,
            _ if says("wrapped") => Form::Wrapped,
            _ => Form::Element,
        }
    }

    /// The schema of a member.
    pub(super) fn member(self, name: &str) -> Self {
        let found = self.find(&|schema| {
            let declared = schema.get("properties").and_then(|properties| properties.get(name));
            declared.or_else(|| schema.get("additionalProperties"))
        });
        Self { schema: found, root: self.root }
    }

    /// The schema of the items.
    pub(super) fn items(self) -> Self {
        Self { schema: self.find(&|schema| schema.get("items")), root: self.root }
    }

    fn said(self, name: &str) -> Option<&'a Value> {
        self.find(&|schema| schema.get("xml")?.get(name))
    }

    /// The first answer of the schema, of what it refers to, or of what it is composed of.
    fn find(self, wanted: &dyn Fn(&'a Value) -> Option<&'a Value>) -> Option<&'a Value> {
        let mut left = MOST_VISITED;
        find(self.schema?, self.root, wanted, &mut left)
    }
}

fn find<'a>(
    schema: &'a Value,
    root: &'a Value,
    wanted: &dyn Fn(&'a Value) -> Option<&'a Value>,
    left: &mut usize,
) -> Option<&'a Value> {
    *left = left.checked_sub(1)?;
    if let Some(found) = wanted(schema) {
        return Some(found);
    }
    let target = schema.get("$ref").and_then(|_| resolved(schema, root));
    let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword));
    let branches = branches.filter_map(Value::as_array).flatten();
    target.into_iter().chain(branches).find_map(|schema| find(schema, root, wanted, left))
}

/// Compositions of compositions can be walked on more ways than there are parts; real ones have fewer than fifty.
const MOST_VISITED: usize = 200;
