//! Builds nodes from the events of the YAML parser, one frame for each open list or object.

use std::sync::Arc;

use callgate_tool::{Digits, Number};
use granit_parser::{Event, Marker};

use super::super::core_schema::Meaning;
use super::super::fault::{self, Fault};
use super::super::intern::Interner;
use super::super::members::{self, Member};
use super::alias::{self, Anchored, Anchors, Mark, Size};
use super::position;
use super::scalar::{self, Scalar};
use crate::diagnostic::{Diagnostic, Position};
use crate::limits::Limits;
use crate::node::Node;
use crate::pointer::Path;

#[derive(Debug)]
struct Frame {
    /// The number of its anchor; 0 for none.
    anchor: usize,
    kind: Kind,
    /// The start of its items or members on the common stack.
    start: usize,
    size: Size,
}

#[derive(Debug)]
enum Kind {
    List,
    /// An object, with the name whose value comes next.
    Object(Option<(Arc<str>, Mark)>),
}

#[derive(Debug)]
pub(super) struct Builder {
    limits: Limits,
    alias_bytes: usize,
    nodes: usize,
    interner: Interner,
    anchors: Anchors,
    frames: Vec<Frame>,
    items: Vec<Node>,
    members: Vec<Member<Mark>>,
    root: Option<Node>,
    diagnostics: Vec<Diagnostic>,
    n_findings: usize,
}

/// Aliases may make a text this many times larger,
const EXPANSION: usize = 10;
/// but a small text may always grow to this size.
const SMALL_EXPANSION: usize = 1 << 20;

impl Builder {
    pub(super) fn new(text_bytes: usize, limits: &Limits) -> Self {
        let expansion = text_bytes.saturating_mul(EXPANSION).max(SMALL_EXPANSION);
        let alias_bytes = limits.alias_bytes.min(expansion);
        Self {
            limits: Limits { alias_bytes, ..*limits },
            alias_bytes: 0,
            nodes: 0,
            interner: Interner::default(),
            anchors: Anchors::new(),
            frames: Vec::new(),
            items: Vec::new(),
            members: Vec::new(),
            root: None,
            diagnostics: Vec::new(),
            n_findings: 0,
        }
    }

    pub(super) fn finish(mut self) -> (Option<Node>, Vec<Diagnostic>) {
        let n_more = self.n_findings - self.diagnostics.len();
        if n_more > 0 {
            self.diagnostics.push(fault::more_findings(n_more));
        }
        (self.root, self.diagnostics)
    }

    pub(super) fn take_event(&mut self, event: Event<'_>, marker: Marker) -> Result<(), Fault> {
        let at = position(marker);
        match event {
            Event::Alias(anchor) => self.put_alias(anchor, at),
            Event::DocumentStart(..) if self.root.is_some() => Err(fault::unreadable_fault(
                at,
                "expected one document, found a second one",
                "remove the line `---` and what follows, or keep each document in a file of its own",
            )),
            Event::MappingEnd | Event::SequenceEnd => self.close_container(at),
            Event::MappingStart(_, anchor, tag) => {
                self.note_ignored_tag(tag.and_then(|tag| scalar::non_default_tag(&tag, "map")), at);
                self.open_container(anchor, Kind::Object(None), at)
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.put_scalar(Scalar { text: &text, style, tag: tag.as_deref() }, anchor, at)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.note_ignored_tag(tag.and_then(|tag| scalar::non_default_tag(&tag, "seq")), at);
                self.open_container(anchor, Kind::List, at)
            }
            _ => Ok(()),
        }
    }

    fn open_container(&mut self, anchor: usize, kind: Kind, at: Position) -> Result<(), Fault> {
        if self.expects_member_name() {
            return Err(fault::unreadable_fault(
                at,
                "expected a text as the name of a member, found a list or an object",
                "quote a name that begins with a bracket or a brace",
            ));
        }
        if self.frames.len() >= self.limits.depth {
            return Err(fault::too_deep(at, self.limits.depth));
        }
        self.count_nodes(1, at)?;
        let start = match kind {
            Kind::List => self.items.len(),
            Kind::Object(_) => self.members.len(),
        };
        self.frames.push(Frame {
            anchor,
            kind,
            start,
            size: Size { nodes: 1, bytes: 0, height: 1 },
        });
        Ok(())
    }

    fn close_container(&mut self, at: Position) -> Result<(), Fault> {
        let Some(Frame { anchor, kind, start, size }) = self.frames.pop() else { return Ok(()) };
        let node = match kind {
            Kind::List => Node::Array(self.interner.shared_list(self.items.drain(start..))),
            Kind::Object(_) => self.close_object(start, at)?,
        };
        self.put_node(node, size, anchor);
        Ok(())
    }

    fn close_object(&mut self, start: usize, at: Position) -> Result<Node, Fault> {
        let own = self.members.get(start..).unwrap_or_default();
        if own.iter().any(|member| member.at.merge) {
            let merged = alias::expand_merge_keys(self.members.drain(start..).collect());
            self.count_nodes(merged.len(), at)?;
            self.members.extend(merged);
        }
        let (object, duplicates) =
            members::object_and_duplicates(&mut self.members, start, &mut self.interner);
        for duplicate in duplicates {
            let pointer = Path::at(&self.pointer_of_next_node()).name(&duplicate.name).to_string();
            let lines = [duplicate.first.at, duplicate.last.at];
            self.add_diagnostic(fault::duplicate_key(pointer, &duplicate.name, &lines));
        }
        Ok(Node::Object(object))
    }

    fn put_alias(&mut self, anchor: usize, at: Position) -> Result<(), Fault> {
        let Some(Anchored { node, size }) = self.anchors.get(&anchor) else {
            return Err(fault::cyclic_alias(at));
        };
        let (node, size) = (node.clone(), *size);
        self.alias_bytes = self.alias_bytes.saturating_add(size.bytes);
        if self.alias_bytes > self.limits.alias_bytes {
            return Err(fault::too_many_alias_bytes(at, self.limits.alias_bytes));
        }
        if self.expects_member_name() {
            let Some(name) = node.as_shared_str() else {
                return Err(fault::unreadable_fault(
                    at,
                    "expected a text as the name of a member, found an alias of something else",
                    "write the name instead of the alias",
                ));
            };
            let name = self.interner.shared_name(name);
            self.set_member_name(name, Mark { at, merge: false });
            return Ok(());
        }
        if self.frames.len() + size.height > self.limits.depth {
            return Err(fault::too_deep(at, self.limits.depth));
        }
        self.count_nodes(size.nodes, at)?;
        self.put_node(node, size, 0);
        Ok(())
    }

    fn put_scalar(&mut self, scalar: Scalar<'_>, anchor: usize, at: Position) -> Result<(), Fault> {
        if self.expects_member_name() {
            let name = self.interner.shared_name(scalar.member_name());
            if anchor != 0 {
                let size = Size { nodes: 1, bytes: name.len(), height: 0 };
                self.anchors.insert(anchor, Anchored { node: Node::String(name.clone()), size });
            }
            self.set_member_name(name, Mark { at, merge: scalar.is_merge_key() });
            return Ok(());
        }
        self.count_nodes(1, at)?;
        let node = self.scalar_value(scalar, at);
        self.put_node(node, Size { nodes: 1, bytes: scalar.text.len(), height: 0 }, anchor);
        Ok(())
    }

    fn scalar_value(&mut self, scalar: Scalar<'_>, at: Position) -> Node {
        let meaning = scalar.meaning();
        self.note_ignored_tag(scalar.ignored_tag(&meaning), at);
        match meaning {
            Meaning::Bool(value) => Node::Bool(value),
            Meaning::NonFinite => {
                let pointer = self.pointer_of_next_node();
                self.add_diagnostic(fault::non_finite(pointer, at, scalar.text));
                Node::String(self.interner.shared_if_short(scalar.text))
            }
            Meaning::Null => Node::Null,
            Meaning::Number(digits) => {
                let share = |digits: &str| self.interner.shared_if_short(digits);
                let number =
                    Digits::new(&digits).map(|digits| Number::from_checked_digits(digits, share));
                number.map_or_else(|| Node::String((*digits).into()), Node::Number)
            }
            Meaning::Text => Node::String(self.interner.shared_if_short(scalar.text)),
        }
    }

    fn note_ignored_tag(&mut self, tag: Option<String>, at: Position) {
        if let Some(tag) = tag {
            let pointer = self.pointer_of_next_node();
            self.add_diagnostic(fault::ignored_tag(pointer, at, &tag));
        }
    }

    fn put_node(&mut self, node: Node, size: Size, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), size });
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.size.add_size(size);
        match &mut frame.kind {
            Kind::List => self.items.push(node),
            Kind::Object(next) => {
                let Some((name, mark)) = next.take() else { return };
                frame.size.bytes += name.len();
                let merge = mark.merge && alias::is_merge_key_value(&node);
                self.members.push(Member { name, node, at: Mark { merge, ..mark } });
            }
        }
    }

    fn count_nodes(&mut self, nodes: usize, at: Position) -> Result<(), Fault> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > self.limits.nodes {
            return Err(fault::too_many_nodes(at, self.limits.nodes));
        }
        Ok(())
    }

    fn expects_member_name(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: Kind::Object(None), .. }))
    }

    fn set_member_name(&mut self, name: Arc<str>, mark: Mark) {
        if let Some(Frame { kind: Kind::Object(next), .. }) = self.frames.last_mut() {
            *next = Some((name, mark));
        }
    }

    fn add_diagnostic(&mut self, diagnostic: Diagnostic) {
        self.n_findings += 1;
        if self.diagnostics.len() < fault::REPEATED_FINDINGS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn pointer_of_next_node(&self) -> String {
        let mut segments = Vec::new();
        let mut end = self.items.len();
        for frame in self.frames.iter().rev() {
            match &frame.kind {
                Kind::List => {
                    segments.push((end - frame.start).to_string());
                    end = frame.start;
                }
                Kind::Object(Some((name, _))) => segments.push(name.to_string()),
                Kind::Object(None) => {}
            }
        }
        segments
            .iter()
            .rev()
            .fold(String::new(), |above, segment| Path::at(&above).name(segment).to_string())
    }
}
