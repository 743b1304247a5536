//! Reads the XML rules of a value from the schema of the arguments: its `xml` object, and the schemas of its members and
//! items, through references and compositions. It writes nothing.

use std::sync::Arc;

use callgate_openapi::XmlName;
use callgate_tool::Value;

use crate::check::resolved_schema;

/// A schema, if there is one, and the document that its references point into.
#[derive(Clone, Copy, Debug)]
pub(super) struct DescribedValue<'a> {
    schema: Option<&'a Value>,
    root: &'a Value,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum XmlForm {
    Attribute,
    /// The content, without an element around it.
    Bare,
    Cdata,
    /// An element; for an array, one element per item.
    Element,
    Text,
    /// The items of an array in a wrapper element.
    Wrapped,
}

impl<'a> DescribedValue<'a> {
    pub(super) fn new(schema: Option<&'a Value>, root: &'a Value) -> Self {
        Self { schema, root }
    }

    /// The name of a value; `own` is its default name.
    pub(super) fn name(self, own: &str) -> XmlName {
        let text = |name: &str| self.xml_field(name).and_then(Value::as_str).map(Arc::from);
        let name = text("name").unwrap_or_else(|| own.into());
        XmlName::new(name, text("namespace"), text("prefix"))
    }

    pub(super) fn xml_form(self) -> XmlForm {
        let says = |name: &str| self.xml_field(name).and_then(Value::as_bool) == Some(true);
        match self.xml_field("nodeType").and_then(Value::as_str) {
            Some("attribute") => XmlForm::Attribute,
            Some("cdata") => XmlForm::Cdata,
            Some("element") => XmlForm::Wrapped,
            Some("none") => XmlForm::Bare,
            Some("text") => XmlForm::Text,
            _ if says("attribute") => XmlForm::Attribute,
            _ if says("wrapped") => XmlForm::Wrapped,
            _ => XmlForm::Element,
        }
    }

    pub(super) fn member(self, name: &str) -> Self {
        let member_schema = self.first_in_schemas(&|schema| {
            let declared = schema.get("properties").and_then(|properties| properties.get(name));
            declared.or_else(|| schema.get("additionalProperties"))
        });
        Self { schema: member_schema, root: self.root }
    }

    pub(super) fn items(self) -> Self {
        Self { schema: self.first_in_schemas(&|schema| schema.get("items")), root: self.root }
    }

    fn xml_field(self, name: &str) -> Option<&'a Value> {
        self.first_in_schemas(&|schema| schema.get("xml")?.get(name))
    }

    /// The first result from the schema, from its reference or from its compositions.
    fn first_in_schemas(
        self,
        wanted: &dyn Fn(&'a Value) -> Option<&'a Value>,
    ) -> Option<&'a Value> {
        let mut left = MOST_VISITED;
        find_in_compositions(self.schema?, self.root, wanted, &mut left)
    }
}

fn find_in_compositions<'a>(
    schema: &'a Value,
    root: &'a Value,
    wanted: &dyn Fn(&'a Value) -> Option<&'a Value>,
    left: &mut usize,
) -> Option<&'a Value> {
    *left = left.checked_sub(1)?;
    if let Some(result) = wanted(schema) {
        return Some(result);
    }
    let target = schema.get("$ref").and_then(|_| resolved_schema(schema, root));
    let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword));
    let branches = branches.filter_map(Value::as_array).flatten();
    target
        .into_iter()
        .chain(branches)
        .find_map(|schema| find_in_compositions(schema, root, wanted, left))
}

/// The most schemas that are searched: nested compositions have more paths than parts; real ones have fewer than fifty.
const MOST_VISITED: usize = 200;
