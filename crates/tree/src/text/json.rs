//! Reads JSON into nodes with `serde_json`, which owns the grammar; here are sharing, limits and repeated names. It
//! reads text that `looks_like_json`.

use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::Parsed;
use super::fault::{self, Fault};
use super::intern::Interner;
use super::members::{self, Member};
use super::scan;
use crate::diagnostic::{Diagnostic, Position};
use crate::limits::Limits;
use crate::node::{Node, Number};
use crate::pointer::Path;

/// The name under which `serde_json` hands over the digits of a number (its feature `arbitrary_precision`).
const NUMBER: &str = "$serde_json::private::Number";

/// The nesting `serde_json` itself stands; a higher limit is of no use.
const DEEPEST: usize = 126;

pub(super) fn read(text: &str, limits: &Limits) -> Result<Parsed<Node>, Fault> {
    let mut builder = Builder::new(limits);
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = Value { builder: &mut builder, path: &Path::ROOT, depth: 0 };
    match seed.deserialize(&mut reader).and_then(|node| reader.end().map(|()| node)) {
        Ok(node) => Ok(Parsed { value: node, diagnostics: builder.into_diagnostics(text) }),
        Err(error) => Err(builder.into_fault(text, &error)),
    }
}

struct Builder {
    depth: usize,
    nodes: usize,
    max_nodes: usize,
    interner: Interner,
    /// The items and members of all lists and objects that are still open.
    items: Vec<Node>,
    members: Vec<Member<()>>,
    /// The pointers and names of members that occurred before.
    duplicates: Vec<(String, Arc<str>)>,
    n_duplicates: usize,
    stopped: Option<Stop>,
}

/// A limit the reader was stopped by.
#[derive(Clone, Copy)]
enum Stop {
    Depth,
    Nodes,
}

impl Builder {
    fn new(limits: &Limits) -> Self {
        Self {
            depth: limits.depth.min(DEEPEST),
            nodes: 0,
            max_nodes: limits.nodes,
            interner: Interner::default(),
            items: Vec::new(),
            members: Vec::new(),
            duplicates: Vec::new(),
            n_duplicates: 0,
            stopped: None,
        }
    }

    fn count<E: Error>(&mut self) -> Result<(), E> {
        self.nodes += 1;
        if self.nodes > self.max_nodes {
            return Err(self.stop(Stop::Nodes));
        }
        Ok(())
    }

    fn stop<E: Error>(&mut self, stop: Stop) -> E {
        self.stopped = Some(stop);
        E::custom("over a limit")
    }

    fn close_object(&mut self, start: usize, path: &Path<'_>) -> Node {
        let (object, duplicates) = members::close(&mut self.members, start);
        for duplicate in duplicates {
            self.n_duplicates += 1;
            if self.n_duplicates <= fault::REPEATED_FINDINGS {
                let pointer = path.name(&duplicate.name).to_string();
                self.duplicates.push((pointer, duplicate.name));
            }
        }
        Node::Object(object)
    }

    fn into_diagnostics(self, text: &str) -> Vec<Diagnostic> {
        let pointers: Vec<_> = self.duplicates.iter().map(|(pointer, _)| &**pointer).collect();
        let places = scan::occurrences(text, &pointers);
        let found = self.duplicates.iter().zip(places);
        let mut diagnostics: Vec<_> = found
            .map(|((pointer, name), lines)| fault::duplicate_key(pointer.clone(), name, &lines))
            .collect();
        let n_more = self.n_duplicates - diagnostics.len();
        if n_more > 0 {
            diagnostics.push(fault::more_findings(n_more));
        }
        diagnostics
    }

    fn into_fault(self, text: &str, error: &serde_json::Error) -> Fault {
        let at = position(text, error);
        match self.stopped {
            Some(Stop::Depth) => fault::too_deep(Some(at), self.depth),
            Some(Stop::Nodes) => fault::too_many_nodes(Some(at), self.max_nodes),
            None => {
                let whole = error.to_string();
                let place = format!(" at line {} column {}", error.line(), error.column());
                fault::not_json(at, whole.strip_suffix(&place).unwrap_or(&whole))
            }
        }
    }
}

/// Where a fault is: `serde_json` counts the bytes of the line up to and with the byte it read last.
fn position(text: &str, error: &serde_json::Error) -> Position {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = line.as_bytes().get(..error.column().saturating_sub(1)).unwrap_or(line.as_bytes());
    let n_chars = before.iter().filter(|byte| !matches!(byte, 0x80..0xC0)).count();
    Position { line: error.line().max(1), column: n_chars + 1 }
}

struct Value<'a, 'p> {
    builder: &'a mut Builder,
    path: &'p Path<'p>,
    depth: usize,
}

impl Value<'_, '_> {
    fn text(self, text: &str) -> Node {
        Node::String(self.builder.interner.value(text))
    }

    /// The depth of what is inside this list or object.
    fn below<E: Error>(&mut self) -> Result<usize, E> {
        if self.depth >= self.builder.depth {
            return Err(self.builder.stop(Stop::Depth));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.builder.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(Number::small(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        let interner = &mut self.builder.interner;
        let large =
            |_| Number::from_checked_digits(&value.to_string(), |text| interner.value(text));
        Ok(Node::Number(i64::try_from(value).map_or_else(large, Number::small)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(self.text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Node, A::Error> {
        let depth = self.below()?;
        let start = self.builder.items.len();
        for index in 0.. {
            let path = self.path.index(index);
            let seed = Value { builder: &mut *self.builder, path: &path, depth };
            let Some(item) = items.next_element_seed(seed)? else { break };
            self.builder.items.push(item);
        }
        Ok(Node::Array(self.builder.items.drain(start..).collect()))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Node, A::Error> {
        let start = self.builder.members.len();
        while let Some(name) = entries.next_key_seed(Name(&mut self.builder.interner))? {
            if &*name == NUMBER {
                let value = Value { builder: &mut *self.builder, ..self };
                match entries.next_value_seed(Digits(value))? {
                    Digit::Number(number) => return Ok(Node::Number(number)),
                    Digit::Member(node) => self.builder.members.push(Member { name, node, at: () }),
                }
                continue;
            }
            let depth = self.below()?;
            let path = self.path.name(&name);
            let value = Value { builder: &mut *self.builder, path: &path, depth };
            let node = entries.next_value_seed(value)?;
            self.builder.members.push(Member { name, node, at: () });
        }
        self.below()?;
        Ok(self.builder.close_object(start, self.path))
    }
}

/// The value of a member with the name of a number. Only the digits of a number arrive as owned text; what a description
/// has in a member of this name is a value like any other, its text is borrowed.
struct Digits<'a, 'p>(Value<'a, 'p>);

enum Digit {
    Number(Number),
    Member(Node),
}

impl<'de> DeserializeSeed<'de> for Digits<'_, '_> {
    type Value = Digit;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Digit, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Digits<'_, '_> {
    type Value = Digit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Digit, E> {
        self.0.builder.count()?;
        self.0.visit_bool(value).map(Digit::Member)
    }

    fn visit_unit<E: Error>(self) -> Result<Digit, E> {
        self.0.builder.count()?;
        self.0.visit_unit().map(Digit::Member)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Digit, E> {
        self.0.builder.count()?;
        self.0.visit_str(text).map(Digit::Member)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, items: A) -> Result<Digit, A::Error> {
        self.0.builder.count()?;
        let depth = self.0.below()?;
        let path = self.0.path.name(NUMBER);
        let value = Value { builder: self.0.builder, path: &path, depth };
        value.visit_seq(items).map(Digit::Member)
    }

    /// Numbers arrive as maps of this one member.
    fn visit_map<A: MapAccess<'de>>(mut self, entries: A) -> Result<Digit, A::Error> {
        self.0.builder.count()?;
        let depth = self.0.below()?;
        let path = self.0.path.name(NUMBER);
        let value = Value { builder: self.0.builder, path: &path, depth };
        value.visit_map(entries).map(Digit::Member)
    }

    fn visit_string<E: Error>(self, digits: String) -> Result<Digit, E> {
        let interner = &mut self.0.builder.interner;
        let number = Number::from_checked_digits(&digits, |digits| interner.value(digits));
        Ok(Digit::Number(number))
    }
}

/// A name of a member, shared.
struct Name<'a>(&'a mut Interner);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Arc<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arc<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Arc<str>, E> {
        Ok(self.0.name(name))
    }
}
