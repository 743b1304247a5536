//! JSON pointers (RFC 6901): a path that costs nothing while a tree is walked and becomes text only when a finding
//! needs it; and the search for the node of a pointer. A pointer is resolved inside one tree only; references between
//! documents are handled elsewhere.

use callgate_tool::name_from_pointer_segment;
use std::{borrow::Cow, fmt, iter, sync::Arc};

use percent_encoding::percent_decode_str;

use crate::node::Node;

/// The way from the root of a tree to one node; its text (`Display`) is the JSON pointer.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    above: Option<&'a Self>,
    segment: Segment<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'a> {
    Index(usize),
    Name(&'a str),
    Pointer(&'a str),
}

impl<'a> Path<'a> {
    /// The root.
    pub const ROOT: Path<'static> = Path::at("");

    /// A path that starts at the node of this pointer; the pointer is not checked.
    pub const fn at(pointer: &'a str) -> Self {
        Self { above: None, segment: Segment::Pointer(pointer) }
    }

    /// The member `name` of this node.
    pub const fn name(&'a self, name: &'a str) -> Self {
        Self { above: Some(self), segment: Segment::Name(name) }
    }

    /// The document that this path is in, when it is not the description itself.
    pub fn document(&self) -> Option<&'a str> {
        let mut first = self;
        while let Some(above) = first.above {
            first = above;
        }
        match first.segment {
            Segment::Pointer(place) if !place.starts_with('/') => {
                place.split_once('#').map(|(document, _)| document)
            }
            _ => None,
        }
    }

    /// The cost of the path's text, in steps; zero for a short text.
    pub fn step_cost(&self) -> usize {
        self.text_length() / BYTES_OF_STEP
    }

    /// The item at `index` of this node, counted from 0.
    pub const fn index(&'a self, index: usize) -> Self {
        Self { above: Some(self), segment: Segment::Index(index) }
    }

    /// The JSON pointer.
    pub fn pointer(&self) -> Arc<str> {
        if let Self { above: None, segment: Segment::Pointer(pointer) } = self {
            return (*pointer).into();
        }
        let mut short = Short::default();
        if self.text_length() <= SHORT && self.write(&mut short).is_ok() {
            return short.text().into();
        }
        let mut pointer = String::with_capacity(self.text_length());
        // Writing to a string does not fail.
        let _: fmt::Result = self.write(&mut pointer);
        pointer.into()
    }

    /// The approximate number of bytes of the path's text; escapes and long indexes take more.
    fn text_length(&self) -> usize {
        let above = iter::successors(Some(self), |path| path.above);
        above
            .map(|path| match path.segment {
                Segment::Index(_) => 4,
                Segment::Name(name) => name.len() + 2,
                Segment::Pointer(pointer) => pointer.len(),
            })
            .sum()
    }

    /// Writes the path from the root down. The recursion is as deep as the walk over the tree that made the path.
    fn write(&self, f: &mut impl fmt::Write) -> fmt::Result {
        if let Some(above) = self.above {
            above.write(f)?;
        }
        match self.segment {
            Segment::Index(index @ 0..=9) => {
                let digit = char::from_digit(u32::try_from(index).unwrap_or_default(), 10);
                f.write_char('/')?;
                f.write_char(digit.unwrap_or_default())
            }
            Segment::Index(index) => write!(f, "/{index}"),
            Segment::Name(name) => write_escaped_name(f, name),
            Segment::Pointer(pointer) => f.write_str(pointer),
        }
    }
}

/// A text buffer on the stack: pointers are made often, and a pointer that is kept is copied once.
struct Short {
    bytes: [u8; SHORT],
    len: usize,
}

impl Default for Short {
    fn default() -> Self {
        Self { bytes: [0; SHORT], len: 0 }
    }
}

impl Short {
    fn text(&self) -> &str {
        let written = self.bytes.get(..self.len).unwrap_or_default();
        str::from_utf8(written).unwrap_or_default()
    }
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// Nearly all pointers have fewer bytes.
const SHORT: usize = 256;

/// The bytes of a pointer that count as one step. Real pointers are shorter.
pub const BYTES_OF_STEP: usize = 256;

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl Node {
    /// The node at a JSON pointer below this node; `None` when the pointer is malformed or no node is there.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        segments(pointer)?.try_fold(self, |node, segment| match node {
            Self::Array(items) => items.get(array_index(&segment)?),
            Self::Object(object) => object.get(&segment),
            _ => None,
        })
    }
}

/// The pointer in a reference into its own document, such as `#/components/schemas/A%7B`, percent-decoded (RFC 6901
/// §6). `None` when the reference has another form, or does not decode to text.
pub fn pointer_of_fragment(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    decoded_fragment(fragment).filter(|pointer| pointer.is_empty() || pointer.starts_with('/'))
}

/// The percent-decoded fragment; `None` when it does not decode to text.
pub fn decoded_fragment(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    percent_decode_str(fragment).decode_utf8().ok().map(Into::into)
}

/// Splits a place as this crate writes it into document and pointer: `/a/b` in the description itself, `pets.yaml#/a/b`
/// in a document that the description refers to. The name of a document contains no `#`.
pub fn document_and_pointer(place: &str) -> (Option<Arc<str>>, String) {
    match place.split_once('#').filter(|_| !place.starts_with('/')) {
        Some((file, pointer)) => (Some(file.into()), pointer.to_owned()),
        None => (None, place.to_owned()),
    }
}

/// The names and indexes of a pointer, unescaped; `None` for text that is not a pointer.
pub fn segments(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let mut rest = pointer.get(1..);
    Some(iter::from_fn(move || {
        let text = rest?;
        // Segments are short: a search that compares several bytes at a time takes longer to start.
        let end = text.bytes().position(|byte| byte == b'/');
        let (segment, after) =
            end.map_or((text, None), |at| (text.get(..at).unwrap_or_default(), text.get(at + 1..)));
        rest = after;
        Some(name_from_pointer_segment(segment))
    }))
}

/// The index that a segment denotes: digits without leading zeros (RFC 6901 §4).
pub fn array_index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || !segment.starts_with(['0', '+']);
    plain.then(|| segment.parse().ok())?
}

fn write_escaped_name(f: &mut impl fmt::Write, name: &str) -> fmt::Result {
    f.write_char('/')?;
    let mut rest = name;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'~' | b'/')) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        f.write_str(plain)?;
        f.write_str(if from.starts_with('~') { "~0" } else { "~1" })?;
        rest = from.get(1..).unwrap_or_default();
    }
    f.write_str(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callgate_tool::Number;

    use crate::node::Object;

    fn tree() -> Node {
        let items: Arc<[Node]> = vec![Node::Null, Node::Number(Number::small(7))].into();
        let names = ["", "a/b", "m~n", "~1", "{id}", "plain", "ä"];
        let entries = names.map(|name| (name.into(), Node::Array(items.clone())));
        Node::Object(Object::new(entries.to_vec()))
    }

    #[track_caller]
    fn check(pointer: &str, found: bool) {
        let tree = tree();
        assert_eq!(tree.at(pointer).is_some(), found, "{pointer}");
    }

    #[test]
    fn a_pointer_finds_its_node() {
        for pointer in ["", "/", "//1", "/a~1b/0", "/m~0n", "/~01", "/{id}/1", "/plain/1", "/ä"] {
            check(pointer, true);
        }
    }

    #[test]
    fn a_pointer_without_a_node_finds_nothing() {
        for pointer in
            ["plain", "/a", "/plain/2", "/plain/01", "/plain/+1", "/plain/-", "/plain/1/x"]
        {
            check(pointer, false);
        }
    }

    #[test]
    fn a_path_is_written_as_a_pointer() {
        let paths = Path::ROOT.name("paths");
        let path = paths.name("/pets/{id}~");
        assert_eq!(path.index(3).to_string(), "/paths/~1pets~1{id}~0/3");
        assert_eq!(Path::ROOT.to_string(), "");
        assert_eq!(Path::at("/a~1b").name("c").to_string(), "/a~1b/c");
    }

    #[test]
    fn a_pointer_in_a_fragment_is_percent_decoded() {
        let rows = [
            ("#/components/schemas/A%7B~1%C3%A4", Some("/components/schemas/A{~1ä")),
            ("#", Some("")),
            ("#/a%", Some("/a%")),
            ("#/%FF", None),
            ("#anchor", None),
            ("other.yaml#/a", None),
        ];
        for (reference, pointer) in rows {
            assert_eq!(pointer_of_fragment(reference).as_deref(), pointer, "{reference}");
        }
    }
}
