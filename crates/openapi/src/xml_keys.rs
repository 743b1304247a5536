//! Finds members of an XML body that would write one part of an element: one attribute, or one name of child elements, by
//! the description alone. `call` refuses such members if both are given.

use std::collections::{BTreeMap, BTreeSet};

use callgate_tool::Value;

use crate::{
    body::{Body, BodyKind},
    code::Code,
    findings::Findings,
    input::{Input, InputLocation},
    keys::{Members, SchemaRoot},
};

/// Reports the members that write one part of an element; `schema` is that of all arguments.
pub(crate) fn report_xml_clashes(
    inputs: &[Input],
    body: Option<&Body>,
    schema: SchemaRoot<'_>,
    pointer: &str,
    findings: &mut Findings,
) {
    let Some(body) = body else { return };
    let whole =
        inputs.iter().find(|input| input.place() == InputLocation::Body && input.name.is_empty());
    let Some(argument) = whole.map(|input| input.argument.as_str()) else { return };
    let own = schema.own_schema().get("properties").and_then(|properties| properties.get(argument));
    let mut reported_clashes = BTreeSet::new();
    for media in body.media.iter().filter(|media| media.kind == BodyKind::Xml) {
        let mut walk = ClashSearch {
            schema,
            seen: BTreeSet::new(),
            clashes: Vec::new(),
            unused: Vec::new(),
            left: MOST_VISITED,
        };
        walk.visit_schema(argument, own.and_then(|own| media.schema_in(own)));
        for UnusedName { name, element, place } in walk.unused {
            let message = format!(
                "expected the XML name of a list without a wrapper in its `items`, got it beside them: `{name}` of `{place}`"
            );
            let help = format!(
                "write `xml: {{name: {name}}}` into the `items`, for example by an overlay; until then each item is an element `{element}`"
            );
            if reported_clashes.insert(message.clone()) {
                findings.note(Code::UnusedXmlName, pointer, message, &help);
            }
        }
        for Clash { kind, name, first, second } in walk.clashes {
            let message = format!(
                "expected one writer for the XML {kind} `{name}`, got two: `{first}` and `{second}`"
            );
            if reported_clashes.insert(message.clone()) {
                let help = "rename one of them by `xml: {name: …}`, or wrap one; a call that gives both is refused";
                findings.warning(Code::KeyCollision, pointer, message, help);
            }
        }
    }
}

struct Clash {
    kind: &'static str,
    name: String,
    first: String,
    second: String,
}

/// The name of a list without a wrapper, which names nothing (OpenAPI 3.0.3 §4.7.25.1).
struct UnusedName {
    name: String,
    /// The name of the elements of the items.
    element: String,
    place: String,
}

struct ClashSearch<'a> {
    schema: SchemaRoot<'a>,
    /// The addresses of the schemas that were visited: circles end, and shared schemas count once.
    seen: BTreeSet<*const Value>,
    clashes: Vec<Clash>,
    unused: Vec<UnusedName>,
    left: usize,
}

/// The name and the kind of the part that a member writes.
type Part<'a> = (&'static str, Option<&'a str>, &'a str);

impl<'a> ClashSearch<'a> {
    fn visit_schema(&mut self, at: &str, schema: Option<&'a Value>) {
        let Some(schema) = schema else { return };
        if self.left == 0 || !self.seen.insert(std::ptr::from_ref(schema)) {
            return;
        }
        self.left -= 1;
        let mut members = Members::new(self.schema);
        members.gather_members(Some(schema));
        let mut writers: BTreeMap<Part<'a>, String> = BTreeMap::new();
        for (name, own) in members.declared {
            let place = format!("{at}.{name}");
            self.unused.extend(self.unused_array_name(name, own, &place));
            let Some(part) = self.member_part(name, own) else { continue };
            match writers.get(&part) {
                None => drop(writers.insert(part, place.clone())),
                Some(first) => self.clashes.push(Clash {
                    kind: part.0,
                    name: part.2.to_owned(),
                    first: first.clone(),
                    second: place.clone(),
                }),
            }
            self.visit_schema(&place, Some(own));
        }
        if let Some(items) = self.first_match(schema, &|schema| schema.get("items")) {
            self.visit_schema(&format!("{at}[]"), Some(items));
        }
    }

    fn unused_array_name(
        &self,
        member: &str,
        schema: &'a Value,
        place: &str,
    ) -> Option<UnusedName> {
        let items = self.first_match(schema, &|schema| schema.get("items"))?;
        let name = self.xml_text(schema, "name").filter(|name| *name != member)?;
        let has_own_name = self.xml_text(items, "name").is_some();
        let (name, element, place) = (name.to_owned(), member.to_owned(), place.to_owned());
        (!self.is_wrapped(schema) && !has_own_name).then_some(UnusedName { name, element, place })
    }

    fn is_wrapped(&self, schema: &'a Value) -> bool {
        self.has_xml_flag(schema, "wrapped") || self.xml_text(schema, "nodeType") == Some("element")
    }

    /// The part of the enclosing element that a member writes; `None` if it has no name.
    fn member_part(&self, name: &'a str, schema: &'a Value) -> Option<Part<'a>> {
        let items = self.first_match(schema, &|schema| schema.get("items"));
        let named = match items {
            Some(items) if !self.is_wrapped(schema) => items,
            _ => schema,
        };
        let kind = match self.xml_text(named, "nodeType") {
            Some("attribute") => "attribute",
            Some("cdata" | "none" | "text") => return None,
            _ if self.has_xml_flag(named, "attribute") => "attribute",
            _ => "element",
        };
        let written = self.xml_text(named, "name").unwrap_or(name);
        Some((kind, self.xml_text(named, "namespace"), written))
    }

    fn xml_text(&self, schema: &'a Value, name: &str) -> Option<&'a str> {
        self.first_match(schema, &|schema| schema.get("xml")?.get(name)).and_then(Value::as_str)
    }

    fn has_xml_flag(&self, schema: &'a Value, name: &str) -> bool {
        self.first_match(schema, &|schema| schema.get("xml")?.get(name)).and_then(Value::as_bool)
            == Some(true)
    }

    /// The first result from a schema, from its reference or from its compositions.
    fn first_match(
        &self,
        schema: &'a Value,
        wanted: &dyn Fn(&'a Value) -> Option<&'a Value>,
    ) -> Option<&'a Value> {
        self.schema.first_match(schema, wanted, &mut { MOST_VISITED })
    }
}

/// The number of schemas that are visited. Real bodies in XML have fewer than a hundred.
const MOST_VISITED: usize = 500;
