//! Reads JSON into nodes. `callgate_tool` owns the grammar; this module adds sharing, limits and the check for repeated
//! names. It reads text that `looks_like_json`.

use std::sync::Arc;

use callgate_tool::{InvalidJson, JsonReader, JsonToken, Number};

use super::Parsed;
use super::fault::{self, Fault};
use super::intern::Interner;
use super::members::{self, Member};
use super::scan;
use crate::diagnostic::{Diagnostic, Position};
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer::Path;

pub(super) fn read(text: &str, limits: &Limits) -> Result<Parsed<Node>, Fault> {
    let mut reader = JsonReader::new(text).with_depth(limits.depth);
    let mut builder = Builder::default();
    loop {
        match reader.next_token() {
            Ok(Some(token)) => builder.take_token(token),
            Ok(None) => break,
            Err(error) => return Err(json_fault(&error, limits)),
        }
        if builder.n_nodes > limits.nodes {
            let at = fault::position_of(text, reader.next_token_offset());
            return Err(fault::too_many_nodes(at, limits.nodes));
        }
    }
    let diagnostics = builder.diagnostics(text);
    Ok(Parsed { value: builder.root, diagnostics })
}

fn json_fault(error: &InvalidJson, limits: &Limits) -> Fault {
    let at = Position { line: error.line(), column: error.column() };
    if error.is_too_deep() {
        return fault::too_deep(at, limits.depth.min(callgate_tool::DEPTH));
    }
    fault::not_json(at, &error.reason().to_string())
}

/// The part read so far. One stack holds the items of all open lists, another the members of all open objects. The last
/// member has only its name until its value is read.
#[derive(Default)]
struct Builder {
    root: Node,
    n_nodes: usize,
    interner: Interner,
    open: Vec<Open>,
    items: Vec<Node>,
    members: Vec<Member<()>>,
    /// The pointers and names of members that occurred before.
    duplicates: Vec<(String, Arc<str>)>,
    n_duplicates: usize,
}

/// The start of the items or members of an open list or object on their stack.
#[derive(Clone, Copy)]
enum Open {
    Array(usize),
    Object(usize),
}

impl Builder {
    fn take_token(&mut self, token: JsonToken<'_>) {
        let node = match token {
            JsonToken::ArrayStart => return self.open_container(Open::Array(self.items.len())),
            JsonToken::ObjectStart => return self.open_container(Open::Object(self.members.len())),
            JsonToken::Name(name) => {
                let name = self.interner.shared_name(name);
                return self.members.push(Member { name, node: Node::Null, at: () });
            }
            JsonToken::ArrayEnd | JsonToken::ObjectEnd => {
                let node = self.close_container();
                return self.put_node(node);
            }
            JsonToken::Bool(value) => Node::Bool(value),
            JsonToken::Null => Node::Null,
            JsonToken::Number(digits) => {
                Node::Number(Number::from_checked_digits(digits, |digits| {
                    self.interner.shared_if_short(digits)
                }))
            }
            JsonToken::String(text) => Node::String(self.interner.shared_if_short(text)),
        };
        self.n_nodes += 1;
        self.put_node(node);
    }

    fn open_container(&mut self, open: Open) {
        self.n_nodes += 1;
        self.open.push(open);
    }

    fn put_node(&mut self, node: Node) {
        match self.open.last() {
            Some(Open::Array(_)) => self.items.push(node),
            Some(Open::Object(_)) => {
                if let Some(member) = self.members.last_mut() {
                    member.node = node;
                }
            }
            None => self.root = node,
        }
    }

    fn close_container(&mut self) -> Node {
        match self.open.pop() {
            Some(Open::Array(start)) => {
                Node::Array(self.interner.shared_list(self.items.drain(start..)))
            }
            Some(Open::Object(start)) => {
                let (object, duplicates) =
                    members::object_and_duplicates(&mut self.members, start, &mut self.interner);
                for duplicate in duplicates {
                    self.note_duplicate(duplicate.name);
                }
                Node::Object(object)
            }
            None => Node::Null,
        }
    }

    fn note_duplicate(&mut self, name: Arc<str>) {
        self.n_duplicates += 1;
        if self.n_duplicates <= fault::REPEATED_FINDINGS {
            let above = self.current_pointer();
            let pointer = Path::at(&above).name(&name).to_string();
            self.duplicates.push((pointer, name));
        }
    }

    fn current_pointer(&self) -> String {
        let mut pointer = String::new();
        let (mut n_items, mut n_members) = (self.items.len(), self.members.len());
        for open in self.open.iter().rev() {
            let segment = match *open {
                Open::Array(start) => {
                    let index = n_items - start;
                    n_items = start;
                    Path::at("").index(index).to_string()
                }
                Open::Object(start) => {
                    let member = n_members.checked_sub(1).and_then(|at| self.members.get(at));
                    n_members = start;
                    Path::at("").name(member.map_or("", |member| &member.name)).to_string()
                }
            };
            pointer.insert_str(0, &segment);
        }
        pointer
    }

    fn diagnostics(&self, text: &str) -> Vec<Diagnostic> {
        let pointers: Vec<_> = self.duplicates.iter().map(|(pointer, _)| &**pointer).collect();
        let places = scan::first_and_last_occurrences(text, &pointers);
        let located_duplicates = self.duplicates.iter().zip(places);
        let mut diagnostics: Vec<_> = located_duplicates
            .map(|((pointer, name), lines)| fault::duplicate_key(pointer.clone(), name, &lines))
            .collect();
        let n_more = self.n_duplicates - diagnostics.len();
        if n_more > 0 {
            diagnostics.push(fault::more_findings(n_more));
        }
        diagnostics
    }
}
