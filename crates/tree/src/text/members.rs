//! Closes objects: takes the members read since an object began off the common stack. Of members with equal names it
//! keeps the last, at the place of the first.

use std::sync::Arc;

use indexmap::IndexMap;

use super::intern::Interner;
pub(super) use super::member::Member;
use crate::node::Object;

#[derive(Debug)]
pub(super) struct Duplicate<P> {
    pub(super) name: Arc<str>,
    pub(super) first: P,
    pub(super) last: P,
}

/// Above this many names, sorting their addresses is faster than comparing each pair.
const COMPARED_NAMES: usize = 12;

/// The object of the members from `start` on. Names come from one interner, so equal names have equal addresses.
pub(super) fn object_and_duplicates<P: Copy>(
    members: &mut Vec<Member<P>>,
    start: usize,
    interner: &mut Interner,
) -> (Object, Vec<Duplicate<P>>) {
    if members.get(start..).is_some_and(has_duplicates) {
        return object_of_last_members(members.drain(start..));
    }
    (interner.shared_object(members, start), Vec::new())
}

fn has_duplicates<P>(members: &[Member<P>]) -> bool {
    if members.len() > COMPARED_NAMES {
        let mut addresses: Vec<_> = members.iter().map(|member| address(&member.name)).collect();
        addresses.sort_unstable();
        return addresses.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    }
    members.iter().enumerate().any(|(at, member)| {
        members.iter().take(at).any(|before| address(&before.name) == address(&member.name))
    })
}

/// An empty name has a unique address too, because an `Arc` begins with its counters.
fn address(name: &Arc<str>) -> usize {
    Arc::as_ptr(name).addr()
}

fn object_of_last_members<P: Copy>(
    members: impl Iterator<Item = Member<P>>,
) -> (Object, Vec<Duplicate<P>>) {
    let mut kept = IndexMap::new();
    let mut duplicates = Vec::new();
    for Member { name, node, at } in members {
        if let Some((_, first)) = kept.insert(Arc::clone(&name), (node, at)) {
            duplicates.push(Duplicate { name, first, last: at });
        }
    }
    let entries = kept.into_iter().map(|(name, (node, _))| (name, node)).collect();
    (Object::new(entries), duplicates)
}
