//! Writes XML from structured values by the `xml` objects of their schemas (OpenAPI 3.0.4 §4.7.26, 3.2.0 §4.23): name,
//! namespace, prefix, attribute, wrapped and `nodeType`. A text that begins with `<`, or has no root, counts as finished
//! XML. This module decides open cases: `null` is `xsi:nil`, a prefix without a namespace is omitted. The root's name comes
//! from `openapi`; `writer` writes elements.

mod names;
mod omission;
mod schema;
mod writer;

use callgate_openapi::{BodyMedia, XmlName};
use callgate_tool::{Fault, Journal, Value};

use self::{
    schema::DescribedValue,
    writer::{Child, Writer},
};
use super::content::Content;
use crate::{style::Unwritable, wording};

/// Records the omitted parts of one argument's value, whose schema in this media type is `schema`.
pub(super) fn note_omitted_xml_parts(
    at: &str,
    value: &Value,
    schema: Option<&Value>,
    arguments: &Value,
    journal: &mut Journal,
) {
    omission::note_omitted_parts(at, value, DescribedValue::new(schema, arguments), journal);
}

/// The text of an XML body. `arguments` is the schema of all arguments.
pub(super) fn xml_text(
    content: &Content<'_>,
    media: &BodyMedia,
    arguments: &Value,
) -> Result<String, Box<Fault>> {
    let root = media.root.as_ref();
    if let Some((_, Value::String(ready))) = content.whole_body_value()
        && (root.is_none() || ready.trim_start().starts_with('<'))
    {
        return Ok(ready.clone());
    }
    let at = content.whole_body_value().map_or("body", |(argument, _)| argument);
    let Some(root) = root else { return Err(wording::unwritable_body(NAMELESS)) };
    let of_argument = |name: &str| {
        let schema = arguments.get("properties").and_then(|properties| properties.get(name));
        DescribedValue::new(schema.and_then(|schema| media.schema_in(schema)), arguments)
    };
    let argument = |at: &str, own: &str, value| Child {
        at: at.to_owned(),
        writer: at.into(),
        own: own.into(),
        value,
        described: of_argument(at),
        is_item: false,
    };
    let mut writer = Writer::continuing(PROLOG);
    let written = if let Some((at, value)) = content.whole_body_value() {
        write_root_value(&mut writer, root, &argument(at, &root.name, value))
    } else {
        let parts = content.given_body_inputs();
        let members =
            parts.map(|(input, value)| argument(input.argument.as_str(), &input.name, value));
        writer.write_root(root, members.collect())
    };
    written.map_err(|why| why.into_fault(at))?;
    Ok(writer.out)
}

fn write_root_value(
    writer: &mut Writer,
    root: &XmlName,
    whole: &Child<'_>,
) -> Result<(), XmlRefusal> {
    let name = &*root.name;
    match (whole.members(), whole.items()) {
        (Some(members), _) if root.is_wrapper => {
            let others = || members.iter().find(|member| *member.own != *name);
            match members.as_slice() {
                [only] if *only.own == *name && only.value.is_array() => {
                    Err(XmlRefusal::Structure(only.at.clone()))
                }
                [only] if *only.own == *name => writer.write_root_member(only),
                _ => Err(match others() {
                    Some(other) => {
                        XmlRefusal::Beside { at: other.at.clone(), name: name.to_owned() }
                    }
                    None => XmlRefusal::Missing(format!("{}.{name}", whole.at)),
                }),
            }
        }
        (Some(members), _) => writer.write_root(root, members),
        (_, Some(items)) => writer.write_root(root, items),
        _ => writer.write_root_leaf(root, whole),
    }
}

#[derive(Debug)]
enum XmlRefusal {
    /// A member beside the only element that the body may have.
    Beside {
        at: String,
        name: String,
    },
    /// A reader could not tell where the value here begins.
    Borders(String),
    Missing(String),
    Name(String),
    /// The prefix has no namespace, two of them, or one that is reserved.
    Prefix(String),
    Structure(String),
    Text(Unwritable),
    /// Two members would write one part of an element.
    Twice {
        kind: &'static str,
        name: String,
        first: String,
        second: String,
    },
}

impl XmlRefusal {
    /// The fault; `at` is the location of the body.
    fn into_fault(self, at: &str) -> Box<Fault> {
        use wording::xml;
        match self {
            Self::Beside { at, name } => xml::member_beside_root(&at, &name),
            Self::Borders(at) => xml::indistinguishable_values(&at),
            Self::Missing(at) => xml::missing_root_value(&at),
            Self::Name(name) => xml::invalid_element_name(at, &name),
            Self::Prefix(prefix) => xml::invalid_namespace(at, &prefix),
            Self::Structure(at) => xml::not_a_single_value(&at),
            Self::Text(why) => wording::unwritable(at, why),
            Self::Twice { kind, name, first, second } => {
                xml::duplicate_writer(&second, kind, &name, &first)
            }
        }
    }
}

const PROLOG: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMELESS: &str = "XML without a named root element";
