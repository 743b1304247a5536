//! Writes elements. Each attribute, and each name of child elements, has one writer in its element: a value whose parts a
//! reader could not distinguish is refused.

use std::{collections::BTreeMap, sync::Arc};

use callgate_openapi::XmlName;
use callgate_tool::Value;

use super::{
    XmlRefusal,
    names::{ExpandedName, NamespaceScope, XSI, is_legal_xml_character, push_escaped_xml_text},
    schema::{DescribedValue, XmlForm},
};
use crate::style::Unwritable;

#[derive(Clone, Debug)]
pub(super) struct Child<'a> {
    /// The location of the value: `body.labels[2]`.
    pub(super) at: String,
    /// The member that writes the value, which is the same for all items of a list: `body.labels`.
    pub(super) writer: Arc<str>,
    pub(super) own: Arc<str>,
    pub(super) value: &'a Value,
    pub(super) described: DescribedValue<'a>,
    /// True for an item of a list, which never is an attribute.
    pub(super) is_item: bool,
}

/// The parts of one element that have a writer.
#[derive(Debug, Default)]
struct ClaimedParts {
    parts: BTreeMap<ElementPart, Arc<str>>,
}

/// A part of an element that a reader finds by its name, or by its kind.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum ElementPart {
    Attribute(ExpandedName),
    Cdata,
    Element(ExpandedName),
    Text,
}

/// Writes elements; the reader of arguments limits the nesting.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) out: String,
    scope: NamespaceScope,
}

impl<'a> Child<'a> {
    pub(super) fn member(&self, name: &str, value: &'a Value) -> Self {
        let at = format!("{}.{name}", self.at);
        let (writer, own) = (at.as_str().into(), name.into());
        Self { at, writer, own, value, described: self.described.member(name), is_item: false }
    }

    /// An item of a list; it has the name of the list, if it has none of its own.
    fn item(&self, index: usize, value: &'a Value) -> Self {
        let at = format!("{}[{index}]", self.at);
        Self { at, value, described: self.described.items(), is_item: true, ..self.clone() }
    }

    pub(super) fn members(&self) -> Option<Vec<Self>> {
        let members = self.value.as_object()?;
        Some(members.iter().map(|(name, value)| self.member(name, value)).collect())
    }

    pub(super) fn items(&self) -> Option<Vec<Self>> {
        let items = self.value.as_array()?.iter().enumerate();
        Some(items.map(|(index, value)| self.item(index, value)).collect())
    }

    fn name(&self) -> XmlName {
        self.described.name(&self.own)
    }
}

impl Writer {
    pub(super) fn continuing(out: &str) -> Self {
        Self { out: out.to_owned(), ..Self::default() }
    }

    pub(super) fn write_root(
        &mut self,
        name: &XmlName,
        children: Vec<Child<'_>>,
    ) -> Result<(), XmlRefusal> {
        self.write_element(name, children, &mut ClaimedParts::default(), &"".into())
    }

    pub(super) fn write_root_member(&mut self, member: &Child<'_>) -> Result<(), XmlRefusal> {
        self.write_child(member, &mut ClaimedParts::default())
    }

    pub(super) fn write_root_leaf(
        &mut self,
        name: &XmlName,
        child: &Child<'_>,
    ) -> Result<(), XmlRefusal> {
        self.write_leaf(name, child, &mut ClaimedParts::default())
    }

    fn write_element(
        &mut self,
        name: &XmlName,
        children: Vec<Child<'_>>,
        around: &mut ClaimedParts,
        writer: &Arc<str>,
    ) -> Result<(), XmlRefusal> {
        let n_before = self.scope.enter_element();
        let tag = self.begin_opening_tag(name, around, writer)?;
        let mut inside = ClaimedParts::default();
        let children = without_bare_objects(children)?;
        for child in attributes_to_write(&children) {
            self.write_attribute(child, &mut inside)?;
        }
        self.out.push('>');
        for child in &children {
            if !is_attribute(child) {
                self.write_child(child, &mut inside)?;
            }
        }
        self.write_end_tag(&tag, n_before);
        Ok(())
    }

    fn write_child(
        &mut self,
        child: &Child<'_>,
        around: &mut ClaimedParts,
    ) -> Result<(), XmlRefusal> {
        let form = child.described.xml_form();
        if let Some(items) = child.items() {
            if form == XmlForm::Wrapped {
                // Items without a name of their own get the name of their wrapper (§4.7.26.2).
                let name = child.name();
                let own = &name.name;
                let named = items.into_iter().map(|item| Child { own: Arc::clone(own), ..item });
                return self.write_element(&name, named.collect(), around, &child.writer);
            }
            // The borders of a list in a list would be lost.
            if child.is_item {
                return Err(XmlRefusal::Borders(child.at.clone()));
            }
            return items.iter().try_for_each(|item| self.write_child(item, around));
        }
        match child.members() {
            Some(members) => self.write_element(&child.name(), members, around, &child.writer),
            None => self.write_leaf(&child.name(), child, around),
        }
    }

    fn write_leaf(
        &mut self,
        name: &XmlName,
        child: &Child<'_>,
        around: &mut ClaimedParts,
    ) -> Result<(), XmlRefusal> {
        let form = child.described.xml_form();
        if child.value.is_null() && matches!(form, XmlForm::Bare | XmlForm::Cdata | XmlForm::Text) {
            return Ok(());
        }
        let text = child_text(child)?;
        match form {
            XmlForm::Bare | XmlForm::Text => {
                around.claim_text(ElementPart::Text, child)?;
                push_escaped_xml_text(&mut self.out, &text);
            }
            XmlForm::Cdata => {
                around.claim_text(ElementPart::Cdata, child)?;
                let parts = text.replace("]]>", "]]]]><![CDATA[>");
                // A reader makes one line end of every carriage return (XML 1.0 §2.11), and a section has no escapes.
                let parts = parts.replace('\r', "]]>&#13;<![CDATA[");
                self.out.extend(["<![CDATA[", &parts, "]]>"]);
            }
            XmlForm::Attribute | XmlForm::Element | XmlForm::Wrapped => {
                let n_before = self.scope.enter_element();
                let tag = self.begin_opening_tag(name, around, &child.writer)?;
                if child.value.is_null() {
                    let nil = XmlName::new("nil".into(), Some(XSI.into()), Some("xsi".into()));
                    let nil = self.scope.declare_attribute_name(&nil)?;
                    self.out.extend([nil.declaration.as_str(), " ", &nil.text, "=\"true\""]);
                }
                self.out.push('>');
                push_escaped_xml_text(&mut self.out, &text);
                self.write_end_tag(&tag, n_before);
            }
        }
        Ok(())
    }

    fn write_attribute(
        &mut self,
        child: &Child<'_>,
        inside: &mut ClaimedParts,
    ) -> Result<(), XmlRefusal> {
        if matches!(child.value, Value::Array(_) | Value::Object(_)) {
            return Err(XmlRefusal::Structure(child.at.clone()));
        }
        let text = child_text(child)?;
        let name = self.scope.declare_attribute_name(&child.name())?;
        inside.claim_part(ElementPart::Attribute(name.expanded), &name.text, &child.writer)?;
        self.out.extend([name.declaration.as_str(), " ", &name.text, "=\""]);
        push_escaped_xml_text(&mut self.out, &text);
        self.out.push('"');
        Ok(())
    }

    fn begin_opening_tag(
        &mut self,
        name: &XmlName,
        around: &mut ClaimedParts,
        writer: &Arc<str>,
    ) -> Result<String, XmlRefusal> {
        let name = self.scope.declare_element_name(name)?;
        around.claim_part(ElementPart::Element(name.expanded), &name.text, writer)?;
        self.out.extend(["<", &name.text, &name.declaration]);
        Ok(name.text)
    }

    fn write_end_tag(&mut self, tag: &str, n_before: usize) {
        self.out.extend(["</", tag, ">"]);
        self.scope.leave_element(n_before);
    }
}

impl ClaimedParts {
    fn claim_part(
        &mut self,
        part: ElementPart,
        name: &str,
        writer: &Arc<str>,
    ) -> Result<(), XmlRefusal> {
        let kind = match part {
            ElementPart::Attribute(_) => "attribute",
            ElementPart::Cdata | ElementPart::Text => "text",
            ElementPart::Element(_) => "element",
        };
        let first = self.parts.entry(part).or_insert_with(|| Arc::clone(writer));
        if first == writer {
            return Ok(());
        }
        Err(XmlRefusal::Twice {
            kind,
            name: name.to_owned(),
            first: first.to_string(),
            second: writer.to_string(),
        })
    }

    /// Gives the text of an element to a value. A second item of a list could not be told from the first.
    fn claim_text(&mut self, part: ElementPart, child: &Child<'_>) -> Result<(), XmlRefusal> {
        if self.parts.get(&part) == Some(&child.writer) {
            return Err(XmlRefusal::Borders(child.at.clone()));
        }
        self.claim_part(part, &child.own, &child.writer)
    }
}

/// The children with the members of objects that have no element of their own in place of these objects.
fn without_bare_objects(children: Vec<Child<'_>>) -> Result<Vec<Child<'_>>, XmlRefusal> {
    let mut out = Vec::with_capacity(children.len());
    for child in children {
        let is_bare = |child: &Child<'_>| child.described.xml_form() == XmlForm::Bare;
        match (child.members(), child.items()) {
            (Some(members), _) if is_bare(&child) => out.extend(without_bare_objects(members)?),
            (_, Some(items))
                if child.described.xml_form() != XmlForm::Wrapped
                    && items.iter().any(|item| item.value.is_object() && is_bare(item)) =>
            {
                // The members of one item could not be told from those of the next.
                if let [_, second, ..] = items.as_slice() {
                    return Err(XmlRefusal::Borders(second.at.clone()));
                }
                out.extend(without_bare_objects(items)?);
            }
            _ => out.push(child),
        }
    }
    Ok(out)
}

/// The attributes that are written. Those that declare a namespace come first, so that their prefixes mean the same for the
/// others, in whatever order the members were given.
fn attributes_to_write<'c, 'a>(children: &'c [Child<'a>]) -> Vec<&'c Child<'a>> {
    let is_written = |child: &&Child<'_>| is_attribute(child) && !child.value.is_null();
    let mut attributes: Vec<_> = children.iter().filter(is_written).collect();
    attributes.sort_by_key(|child| child.name().namespace.is_none());
    attributes
}

/// Returns true if a child of an element is its attribute; an item of a list never is.
fn is_attribute(child: &Child<'_>) -> bool {
    child.described.xml_form() == XmlForm::Attribute && !child.is_item
}

fn child_text(child: &Child<'_>) -> Result<String, XmlRefusal> {
    let text = match child.value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.chars().all(is_legal_xml_character) {
        Ok(text)
    } else {
        Err(XmlRefusal::Text(Unwritable::Control))
    }
}
