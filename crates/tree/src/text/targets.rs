//! The nodes whose places in a text are wanted: their pointers as a tree of names, so that one pass over the text finds
//! all of them.

use std::{borrow::Cow, collections::BTreeMap};

use crate::diagnostic::Position;
use crate::pointer;

#[derive(Debug, Default)]
struct Entry {
    below: BTreeMap<String, usize>,
    places: Vec<Position>,
}

#[derive(Debug)]
pub(crate) struct WantedPointers {
    entries: Vec<Entry>,
    /// The entries of each pointer, from the root down.
    ways: Vec<Vec<usize>>,
}

impl WantedPointers {
    pub(crate) const ROOT: usize = 0;

    pub(crate) fn new<'a>(pointers: impl IntoIterator<Item = &'a str>) -> Self {
        let mut wanted = Self { entries: vec![Entry::default()], ways: Vec::new() };
        for pointer in pointers {
            let mut way = vec![Self::ROOT];
            for segment in pointer::segments(pointer).into_iter().flatten() {
                way.push(wanted.add_entry(way.last().copied().unwrap_or(Self::ROOT), segment));
            }
            wanted.ways.push(way);
        }
        wanted
    }

    fn add_entry(&mut self, above: usize, segment: Cow<'_, str>) -> usize {
        let next = self.entries.len();
        let Some(entry) = self.entries.get_mut(above) else { return above };
        let id = *entry.below.entry(segment.into_owned()).or_insert(next);
        if id == next {
            self.entries.push(Entry::default());
        }
        id
    }

    /// The entry of a member or item of this entry, when it leads to a wanted node.
    pub(crate) fn entry_below(&self, entry: usize, segment: &str) -> Option<usize> {
        self.entries.get(entry)?.below.get(segment).copied()
    }

    /// Records the place of a node. When a name occurs more than once, the first and the last place are kept.
    pub(crate) fn record_position(&mut self, entry: usize, at: Position) {
        if let Some(entry) = self.entries.get_mut(entry) {
            entry.places.truncate(1);
            entry.places.push(at);
        }
    }

    /// The place of each pointer's node, or the first and the last place.
    pub(crate) fn first_and_last_positions(&self) -> Vec<Vec<Position>> {
        let places = |way: &Vec<usize>| self.entry_positions(*way.last()?).map(<[_]>::to_vec);
        self.ways.iter().map(|way| places(way).unwrap_or_default()).collect()
    }

    /// For each pointer, the last place of its node, or of its nearest ancestor that has a place.
    pub(crate) fn nearest_positions(&self) -> Vec<Option<Position>> {
        let last = |entry: &usize| self.entry_positions(*entry)?.last().copied();
        self.ways.iter().map(|way| way.iter().rev().find_map(last)).collect()
    }

    fn entry_positions(&self, entry: usize) -> Option<&[Position]> {
        self.entries.get(entry).map(|entry| &*entry.places)
    }
}
