//! Shares what is repeated in a description: names, texts, and whole lists and objects. Each is kept once, however
//! often it is written.

use std::{
    hash::{BuildHasher, Hasher},
    sync::Arc,
    vec,
};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::{member::Member, text_cache::TextCache};
use crate::node::{Node, Object};

/// Texts longer than this are not shared. They are mostly examples: they rarely occur twice, and a look-up costs more
/// than a copy.
const SHARED_BYTES: usize = 1024;

/// Lists and objects larger than this rarely occur twice.
const SHARED_PARTS: usize = 32;

/// The texts, lists and objects seen so far, each with its hash. The hasher is seeded at random, so that no description
/// can choose collisions.
#[derive(Debug, Default)]
pub struct Interner {
    recent: TextCache,
    texts: HashTable<(u64, Arc<str>)>,
    lists: HashTable<(u64, Arc<[Node]>)>,
    objects: HashTable<(u64, Object)>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// A name as a shared text. Names are always shared, so equal names are one allocation.
    pub fn shared_name(&mut self, text: &str) -> Arc<str> {
        let place = self.recent.slot_of_text(text);
        match place {
            Some(recent_text) if **recent_text == *text => Arc::clone(recent_text),
            place => {
                let shared_text = interned_text(&mut self.texts, &self.hasher, text);
                *place = Some(Arc::clone(&shared_text));
                shared_text
            }
        }
    }

    /// A value as a text, which is shared when it is short.
    pub fn shared_if_short(&mut self, text: &str) -> Arc<str> {
        if text.len() > SHARED_BYTES { text.into() } else { self.shared_name(text) }
    }

    /// The object of the members from `start` on, whose names are shared and unique. Removes the members from the stack.
    pub(super) fn shared_object<P>(
        &mut self,
        members: &mut Vec<Member<P>>,
        start: usize,
    ) -> Object {
        let own = members.get(start..).unwrap_or_default();
        let parts = own.iter().map(|member| (address(&member.name), &member.node));
        let Some(hash) = self.shareable_hash(parts) else {
            return object_of_members(members.drain(start..));
        };
        let is_it = |(known_hash, known_object): &(u64, Object)| {
            let known_members = known_object.members();
            let mut pairs = known_members.iter().zip(own);
            *known_hash == hash
                && known_members.len() == own.len()
                && pairs.all(|((name, node), own)| {
                    Arc::ptr_eq(name, &own.name) && is_shallowly_equal(node, &own.node)
                })
        };
        if let Some((_, known_object)) = self.objects.find(hash, is_it) {
            let shared_object = known_object.clone();
            members.truncate(start);
            return shared_object;
        }
        let object = object_of_members(members.drain(start..));
        self.objects.insert_unique(hash, (hash, object.clone()), |(hash, _)| *hash);
        object
    }

    pub(super) fn shared_list(&mut self, items: vec::Drain<'_, Node>) -> Arc<[Node]> {
        let own = items.as_slice();
        let Some(hash) = self.shareable_hash(own.iter().map(|node| (0, node))) else {
            return items.collect();
        };
        let is_it = |(known_hash, known_list): &(u64, Arc<[Node]>)| {
            *known_hash == hash
                && known_list.len() == own.len()
                && known_list.iter().zip(own).all(|(node, own)| is_shallowly_equal(node, own))
        };
        if let Some((_, known_list)) = self.lists.find(hash, is_it) {
            return Arc::clone(known_list);
        }
        let list: Arc<[Node]> = items.collect();
        self.lists.insert_unique(hash, (hash, Arc::clone(&list)), |(hash, _)| *hash);
        list
    }

    /// The hash of a list or object that may be shared: it has few parts, and each of them is shared.
    fn shareable_hash<'n>(
        &self,
        parts: impl ExactSizeIterator<Item = (usize, &'n Node)>,
    ) -> Option<u64> {
        if parts.len() > SHARED_PARTS {
            return None;
        }
        let mut hasher = self.hasher.build_hasher();
        for (name, node) in parts {
            if !is_shared(node) {
                return None;
            }
            let (kind, word) = kind_and_word(node);
            hasher.write_usize(name.wrapping_add(usize::from(kind)));
            hasher.write_usize(word);
        }
        Some(hasher.finish())
    }
}

/// The text as the table holds it; a new text is added to the table.
fn interned_text(
    texts: &mut HashTable<(u64, Arc<str>)>,
    hasher: &DefaultHashBuilder,
    text: &str,
) -> Arc<str> {
    let mut hasher = hasher.build_hasher();
    hasher.write(text.as_bytes());
    let hash = hasher.finish();
    let is_it =
        |(known_hash, known_text): &(u64, Arc<str>)| *known_hash == hash && **known_text == *text;
    if let Some((_, known_text)) = texts.find(hash, is_it) {
        return Arc::clone(known_text);
    }
    let new: Arc<str> = text.into();
    texts.insert_unique(hash, (hash, Arc::clone(&new)), |(hash, _)| *hash);
    new
}

fn object_of_members<P>(members: vec::Drain<'_, Member<P>>) -> Object {
    Object::from_entries(members.map(|member| (member.name, member.node)))
}

/// The part of a node's value or address that fits in one word, and the node's kind.
fn kind_and_word(node: &Node) -> (u8, usize) {
    match node {
        Node::Array(items) => (0, Arc::as_ptr(items).addr()),
        Node::Bool(value) => (1, usize::from(*value)),
        Node::Null => (2, 0),
        Node::Number(number) => (3, number.as_u64().and_then(|n| n.try_into().ok()).unwrap_or(0)),
        Node::Object(object) => (4, object.address()),
        Node::String(text) => (5, address(text)),
    }
}

fn is_shallowly_equal(node: &Node, own: &Node) -> bool {
    match (node, own) {
        (Node::Number(node), Node::Number(own)) => node == own,
        (Node::Number(_), _) | (_, Node::Number(_)) => false,
        _ => kind_and_word(node) == kind_and_word(own),
    }
}

/// Returns true if everything in a node is shared: then the table keeps the node too.
fn is_shared(node: &Node) -> bool {
    match node {
        Node::Array(items) => Arc::strong_count(items) > 1,
        Node::Bool(_) | Node::Null | Node::Number(_) => true,
        Node::Object(object) => object.is_shared(),
        Node::String(text) => Arc::strong_count(text) > 1,
    }
}

/// An empty text has a unique address too, because an `Arc` begins with its counters.
fn address(text: &Arc<str>) -> usize {
    Arc::as_ptr(text).addr()
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Node, read};

    /// Returns true if the nodes at two pointers are one allocation.
    #[track_caller]
    fn check(text: &str, pointers: [&str; 2], expected: bool) {
        let root = read(text.as_bytes(), &Limits::default()).unwrap().value;
        let address = |pointer: &str| match root.at(pointer).unwrap() {
            Node::Array(items) => items.as_ptr().addr(),
            Node::Object(object) => object.address(),
            Node::String(text) => text.as_ptr().addr(),
            _ => 0,
        };
        let [one, other] = pointers.map(address);
        assert_eq!(one == other, expected, "{text}: {pointers:?}");
    }

    #[test]
    fn equal_nodes_are_stored_once() {
        let json = r#"{"a": {"type": "string", "x": [1, {"y": null}]}, "b": {"type": "string", "x": [1, {"y": null}]}}"#;
        check(json, ["/a", "/b"], true);
        check(json, ["/a/x", "/b/x"], true);
        check("a: {type: string, x: [1]}\nb:\n  type: string\n  x: [1]\n", ["/a", "/b"], true);
        check(r#"{"a": "words", "b": "words"}"#, ["/a", "/b"], true);
    }

    #[test]
    fn different_nodes_are_stored_apart() {
        for (one, other) in [
            (r#"{"x": 1}"#, r#"{"x": "1"}"#),
            (r#"{"x": 1}"#, r#"{"x": 1.0}"#),
            (r#"{"x": 0}"#, r#"{"x": -0}"#),
            (r#"{"x": 0}"#, r#"{"x": false}"#),
            (r#"{"x": 0}"#, r#"{"x": null}"#),
            (r#"{"x": 1, "y": 2}"#, r#"{"y": 2, "x": 1}"#),
            (r#"{"x": {}}"#, r#"{"x": []}"#),
            (r#"{"x": 1}"#, r#"{"x": 1, "y": 1}"#),
            ("[1, 2]", "[2, 1]"),
            ("[[]]", "[{}]"),
            ("[1e400]", "[1e401]"),
        ] {
            check(&format!(r#"{{"a": {one}, "b": {other}}}"#), ["/a", "/b"], false);
        }
    }
}
