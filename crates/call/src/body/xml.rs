//! Writes XML from structured values by the `xml` objects of their schemas (OpenAPI 3.0.4 §4.7.26, 3.2.0 §4.23): name,
//! namespace, prefix, attribute, wrapped and `nodeType`. A text that begins with `<`, or has no root, counts as finished
//! XML. This module decides open cases: `null` is `xsi:nil`, a prefix without a namespace is omitted. The root's name comes
//! from `openapi`.

mod omitted;
mod schema;

use callgate_openapi::{BodyMedia, XmlName};
use callgate_tool::{Fault, Journal, Value};

use self::schema::{Described, Form};
use super::content::Content;
use crate::{style::Unwritable, wording};

/// A member of an object with its schema.
type Child<'a> = (&'a str, &'a Value, Described<'a>);

/// Records the omitted parts of one argument's value; `schema` is its schema in this media type, `arguments` the schema of
/// all arguments.
pub(super) fn note_omitted(
    at: &str,
    value: &Value,
    schema: Option<&Value>,
    arguments: &Value,
    journal: &mut Journal,
) {
    omitted::note(at, value, Described::new(schema, arguments), journal);
}

/// The text of an XML body. `arguments` is the schema of all arguments.
pub(super) fn write(
    content: &Content<'_>,
    media: &BodyMedia,
    arguments: &Value,
) -> Result<String, Box<Fault>> {
    let root = media.root.as_ref();
    if let Some((_, Value::String(ready))) = content.whole()
        && (root.is_none() || ready.trim_start().starts_with('<'))
    {
        return Ok(ready.clone());
    }
    let at = content.whole().map_or("body", |(argument, _)| argument);
    let Some(root) = root else { return Err(wording::unwritable_body(NAMELESS)) };
    let mut writer = Writer { out: String::from(PROLOG), scope: Vec::new() };
    let of_argument = |name: &str| {
        let schema = arguments.get("properties").and_then(|properties| properties.get(name));
        Described::new(schema.and_then(|schema| media.schema_in(schema)), arguments)
    };
    let written = match content.whole() {
        Some((argument, Value::Object(members))) if root.is_wrapper => {
            let schema = of_argument(argument);
            match members.iter().collect::<Vec<_>>().as_slice() {
                [(name, value)] if !value.is_array() => {
                    writer.child(name, value, schema.member(name))
                }
                _ => Err(Refusal::Name(root.name.to_string())),
            }
        }
        Some((argument, Value::Object(members))) => {
            let schema = of_argument(argument);
            let members = members.iter();
            let children = members.map(|(name, value)| (name.as_str(), value, schema.member(name)));
            writer.element(root, &children.collect::<Vec<_>>())
        }
        Some((argument, Value::Array(items))) => {
            let item = of_argument(argument).items();
            let children = items.iter().map(|value| (&*root.name, value, item));
            writer.element(root, &children.collect::<Vec<_>>())
        }
        Some((_, value)) => writer.leaf(root, value, Form::Element),
        None => {
            let parts = content.parts();
            let children = parts
                .map(|(input, value)| (&*input.name, value, of_argument(input.argument.as_str())));
            writer.element(root, &children.collect::<Vec<_>>())
        }
    };
    written.map_err(|why| match why {
        Refusal::Name(name) => wording::body::no_element_name(at, &name),
        Refusal::Text(why) => wording::unwritable(at, why),
    })?;
    Ok(writer.out)
}

/// The reason why a value cannot be written as XML.
#[derive(Debug)]
enum Refusal {
    /// The name cannot be the name of an element.
    Name(String),
    /// The text cannot be written.
    Text(Unwritable),
}

/// Writes elements; the reader of arguments limits the nesting.
#[derive(Debug)]
struct Writer {
    out: String,
    /// The prefixes that the open elements declare.
    scope: Vec<String>,
}

impl Writer {
    /// An element with attributes, texts and elements.
    fn element(&mut self, name: &XmlName, children: &[Child<'_>]) -> Result<(), Refusal> {
        let depth = self.scope.len();
        let name = self.open(name)?;
        for (own, value, described) in children {
            if described.form() == Form::Attribute && !value.is_null() {
                self.attribute(&described.name(own), value)?;
            }
        }
        self.out.push('>');
        for (own, value, described) in children {
            if described.form() != Form::Attribute {
                self.child(own, value, *described)?;
            }
        }
        self.out.extend(["</", &name, ">"]);
        self.scope.truncate(depth);
        Ok(())
    }

    fn child(&mut self, own: &str, value: &Value, described: Described<'_>) -> Result<(), Refusal> {
        let Value::Array(items) = value else { return self.single(own, value, described) };
        let item = described.items();
        if described.form() == Form::Wrapped {
            let name = described.name(own);
            // Items without a name of their own get the name of their wrapper (§4.7.26.2).
            let inner = name.name.clone();
            let children = items.iter().map(|value| (&*inner, value, item));
            return self.element(&name, &children.collect::<Vec<_>>());
        }
        items.iter().try_for_each(|value| self.child(own, value, item))
    }

    fn single(
        &mut self,
        own: &str,
        value: &Value,
        described: Described<'_>,
    ) -> Result<(), Refusal> {
        let name = described.name(own);
        match (value, described.form()) {
            (Value::Object(members), Form::Bare) => members
                .iter()
                .try_for_each(|(name, value)| self.child(name, value, described.member(name))),
            (Value::Object(members), _) => {
                let members = members.iter();
                let children =
                    members.map(|(name, value)| (name.as_str(), value, described.member(name)));
                self.element(&name, &children.collect::<Vec<_>>())
            }
            (value, form) => self.leaf(&name, value, form),
        }
    }

    /// A value without parts.
    fn leaf(&mut self, name: &XmlName, value: &Value, form: Form) -> Result<(), Refusal> {
        let text = match value {
            Value::Null if form == Form::Cdata || form == Form::Text => return Ok(()),
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !text.chars().all(is_legal) {
            return Err(Refusal::Text(Unwritable::Control));
        }
        match form {
            Form::Bare | Form::Text => push_escaped(&mut self.out, &text),
            Form::Cdata => {
                let parts = text.replace("]]>", "]]]]><![CDATA[>");
                self.out.extend(["<![CDATA[", &parts, "]]>"]);
            }
            Form::Attribute | Form::Element | Form::Wrapped => {
                let depth = self.scope.len();
                let name = self.open(name)?;
                self.out.push_str(if value.is_null() { NIL } else { ">" });
                push_escaped(&mut self.out, &text);
                self.out.extend(["</", &name, ">"]);
                self.scope.truncate(depth);
            }
        }
        Ok(())
    }

    fn attribute(&mut self, name: &XmlName, value: &Value) -> Result<(), Refusal> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !text.chars().all(is_legal) {
            return Err(Refusal::Text(Unwritable::Control));
        }
        let qualified = self.qualified(name)?;
        if let (Some(prefix), Some(namespace)) = (&name.prefix, &name.namespace)
            && !self.scope.iter().any(|known| **known == **prefix)
        {
            self.declare(prefix, namespace)?;
        }
        self.out.extend([" ", &qualified, "=\""]);
        push_escaped(&mut self.out, &text);
        self.out.push('"');
        Ok(())
    }

    /// Begins a tag and declares its namespace; returns the name for the end tag.
    fn open(&mut self, name: &XmlName) -> Result<String, Refusal> {
        let qualified = self.qualified(name)?;
        self.out.extend(["<", &qualified]);
        match (&name.prefix, &name.namespace) {
            (Some(prefix), Some(namespace)) => self.declare(prefix, namespace)?,
            (None, Some(namespace)) => {
                self.out.push_str(" xmlns=\"");
                push_escaped(&mut self.out, namespace);
                self.out.push('"');
            }
            (_, None) => {}
        }
        Ok(qualified)
    }

    fn declare(&mut self, prefix: &str, namespace: &str) -> Result<(), Refusal> {
        if !is_name(prefix) || !namespace.chars().all(is_legal) {
            return Err(Refusal::Name(prefix.to_owned()));
        }
        self.out.extend([" xmlns:", prefix, "=\""]);
        push_escaped(&mut self.out, namespace);
        self.out.push('"');
        self.scope.push(prefix.to_owned());
        Ok(())
    }

    fn qualified(&self, name: &XmlName) -> Result<String, Refusal> {
        if !is_name(&name.name) {
            return Err(Refusal::Name(name.name.to_string()));
        }
        let is_known = |prefix: &&std::sync::Arc<str>| {
            name.namespace.is_some() || self.scope.iter().any(|known| **known == ***prefix)
        };
        Ok(match name.prefix.as_ref().filter(is_known) {
            Some(prefix) => format!("{prefix}:{}", name.name),
            None => name.name.to_string(),
        })
    }
}

/// Returns true if a text is a name without a colon, as far as it matters here: no character may end a tag (XML Names §4).
fn is_name(text: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.starts_with(starts) && text.chars().all(goes_on)
}

/// Returns true if XML 1.0 has the character (§2.2).
fn is_legal(character: char) -> bool {
    let is_space = matches!(character, '\t' | '\n' | '\r');
    (is_space || character >= ' ') && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// Writes text so that a reader gets it back unchanged, between tags and between quotes.
fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 §2.11 and §3.3.3 would change them.
            '\r' => out.push_str("&#13;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            other => out.push(other),
        }
    }
}

const PROLOG: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NIL: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\">";
const NAMELESS: &str = "XML without a named root element";
