//! The version-neutral tree that a description is read into: shared strings, exact numbers, insertion order. Cloning a
//! node is cheap: the clone shares everything below the node. The tree knows nothing of OpenAPI.

use std::sync::Arc;

use callgate_tool::{Number, Value};

/// One value of a description.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the kinds of JSON values do not change")]
pub enum Node {
    /// A list.
    Array(Arc<[Self]>),
    /// `true` or `false`.
    Bool(bool),
    /// The null value.
    #[default]
    Null,
    /// A number with its digits as written.
    Number(Number),
    /// Named values.
    Object(Object),
    /// A text.
    String(Arc<str>),
}

/// Named values in the order they were written; names are unique.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Object(Members);

type Member = (Arc<str>, Node);

#[derive(Clone, Debug, Eq, PartialEq)]
enum Members {
    /// Few enough members that a scan is faster than a search. Most objects are so small: one allocation holds each.
    Few(Arc<[Member]>),
    Many(Arc<Sorted>),
}

#[derive(Debug, Eq, PartialEq)]
struct Sorted {
    entries: Box<[Member]>,
    /// Positions of the members, sorted by name.
    sorted: Box<[u32]>,
}

/// Objects with more names than this are searched by binary search. Up to this size a scan is about as fast, because it
/// compares lengths first, and most objects are read too seldom to be worth sorting.
const SCANNED_NAMES: usize = 64;

impl Node {
    /// The member `name`; `None` when this node is no object or has no such member.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The text of the member `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.as_object()?.text(name)
    }

    /// The items of the member `name`; none when it is no list.
    pub fn list(&self, name: &str) -> &[Self] {
        self.as_object().map_or(&[], |object| object.list(name))
    }

    /// Returns true if the member `name` is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.as_object().is_some_and(|object| object.is_true(name))
    }

    /// The named values; none when this node is no object.
    pub fn members(&self) -> impl Iterator<Item = (&Arc<str>, &Self)> {
        self.as_object().into_iter().flat_map(Object::iter)
    }

    /// The named values of the member `name`; none when it is no object.
    pub fn members_of(&self, name: &str) -> impl Iterator<Item = (&Arc<str>, &Self)> {
        self.get(name).into_iter().flat_map(Self::members)
    }

    /// The text; `None` when this node is no string.
    pub fn as_str(&self) -> Option<&str> {
        self.as_shared_str().map(AsRef::as_ref)
    }

    /// The text as a shared string; `None` when this node is no string.
    pub fn as_shared_str(&self) -> Option<&Arc<str>> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The truth value; `None` when this node is no boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The items; `None` when this node is no list.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The named values; `None` when this node is no object.
    #[inline]
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The number; `None` when this node is no number.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// `array`, `boolean`, `null`, `number`, `object` or `string`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Array(_) => "array",
            Self::Bool(_) => "boolean",
            Self::Null => "null",
            Self::Number(_) => "number",
            Self::Object(_) => "object",
            Self::String(_) => "string",
        }
    }

    /// The node as a [`Value`] of its own. Reading bounds the depth of a tree, so the conversion may recurse.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Bool(value) => Value::Bool(*value),
            Self::Null => Value::Null,
            Self::Number(number) => Value::Number(number.clone()),
            Self::Object(object) => Value::Object(
                object.iter().map(|(name, node)| (name.to_string(), node.to_value())).collect(),
            ),
            Self::String(text) => Value::String(text.to_string()),
        }
    }
}

impl Object {
    /// An object of these members. The caller ensures that their names are unique, as the readers do.
    pub fn new(entries: Vec<(Arc<str>, Node)>) -> Self {
        Self::from_entries(entries.into_iter())
    }

    /// An object of a known number of members, whose names are unique.
    pub(crate) fn from_entries(entries: impl ExactSizeIterator<Item = (Arc<str>, Node)>) -> Self {
        if entries.len() <= SCANNED_NAMES {
            return Self(Members::Few(entries.collect()));
        }
        let entries: Box<[Member]> = entries.collect();
        let mut sorted: Box<[u32]> =
            (0..u32::try_from(entries.len()).unwrap_or(u32::MAX)).collect();
        sorted.sort_unstable_by_key(|&at| name_at(&entries, at));
        Self(Members::Many(Arc::new(Sorted { entries, sorted })))
    }

    /// The member `name`.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Node> {
        match &self.0 {
            Members::Few(entries) => {
                entries.iter().find(|(entry, _)| &**entry == name).map(|(_, node)| node)
            }
            Members::Many(many) => many.get(name),
        }
    }

    /// The text of the member `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The items of the member `name`; none when it is no list.
    pub fn list(&self, name: &str) -> &[Node] {
        self.get(name).and_then(Node::as_array).unwrap_or_default()
    }

    /// Returns true if the member `name` is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Node::Bool(true)))
    }

    /// A number that only this object, its clones and equal objects read from one text share, as long as one of them is
    /// kept. A result computed for one of them holds for all.
    pub fn address(&self) -> usize {
        match &self.0 {
            Members::Few(entries) => Arc::as_ptr(entries).addr(),
            Members::Many(many) => Arc::as_ptr(many).addr(),
        }
    }

    pub(crate) fn members(&self) -> &[(Arc<str>, Node)] {
        match &self.0 {
            Members::Few(entries) => entries,
            Members::Many(many) => &many.entries,
        }
    }

    /// Returns true if the object is kept at more than one place.
    pub fn is_shared(&self) -> bool {
        self.n_owners() > 1
    }

    fn n_owners(&self) -> usize {
        match &self.0 {
            Members::Few(entries) => Arc::strong_count(entries),
            Members::Many(many) => Arc::strong_count(many),
        }
    }

    /// Returns true if the object has a member `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The members in the order they were written.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Node)> {
        self.members().iter().map(|(name, node)| (name, node))
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.members().len()
    }

    /// Returns true if the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members().is_empty()
    }
}

impl Sorted {
    fn get(&self, name: &str) -> Option<&Node> {
        let Self { entries, sorted } = self;
        let index = sorted.binary_search_by(|&at| name_at(entries, at).cmp(name)).ok()?;
        entries.get(*sorted.get(index)? as usize).map(|(_, node)| node)
    }
}

fn name_at(entries: &[(Arc<str>, Node)], at: u32) -> &str {
    entries.get(at as usize).map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: usize) -> Node {
        Node::Number(Number::small(i64::try_from(n).unwrap()))
    }

    fn object_of(n_names: usize) -> Object {
        let names = (0..n_names).rev();
        Object::new(names.map(|n| (format!("name{n}").into(), number(n))).collect())
    }

    #[test]
    fn a_node_has_the_size_of_three_pointers() {
        assert_eq!(size_of::<Node>(), 3 * size_of::<usize>());
        assert_eq!(size_of::<Object>(), 2 * size_of::<usize>());
    }

    #[test]
    fn small_and_large_objects_find_their_members() {
        for n_names in [0, 1, SCANNED_NAMES, SCANNED_NAMES + 1, 1000] {
            let object = object_of(n_names);
            for n in 0..n_names {
                let found = object.get(&format!("name{n}"));
                assert_eq!(found, Some(&number(n)), "{n} of {n_names}");
            }
            assert_eq!(object.get("other"), None);
        }
    }

    #[test]
    fn an_object_keeps_the_order_of_its_text() {
        let names: Vec<_> = object_of(20).iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names.first().map(String::as_str), Some("name19"));
    }
}
