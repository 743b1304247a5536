//! Finds nodes in a YAML text by following the parser's events, without a tree. Nodes that an alias or a merge key
//! inserts have no place of their own: their place is that of the alias.

use granit_parser::{Event, Marker};

use crate::limits::Limits;
use crate::text::{self, Scalar, WantedPointers, marked};

/// An open list or object, with its entry when it contains wanted nodes.
struct Frame {
    entry: Option<usize>,
    next: Next,
}

enum Next {
    Item(usize),
    Name,
    Value(Option<usize>),
}

pub(super) fn find_positions(text: &str, wanted: &mut WantedPointers, limits: &Limits) {
    let mut finder = Finder { wanted, frames: Vec::new() };
    for (n_events, next) in text::depth_limited_parser(text, limits).enumerate() {
        let Ok((event, span)) = next else { return };
        // A list or object produces two events.
        if n_events / 2 > limits.nodes || finder.frames.len() > limits.depth {
            return;
        }
        finder.take_event(event, span.start);
    }
}

struct Finder<'w> {
    wanted: &'w mut WantedPointers,
    frames: Vec<Frame>,
}

impl Finder<'_> {
    fn take_event(&mut self, event: Event<'_>, marker: Marker) {
        match event {
            Event::Alias(_) => {
                self.visit_node("", marker);
            }
            Event::MappingStart(..) => {
                let entry = self.visit_node("", marker);
                self.frames.push(Frame { entry, next: Next::Name });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.frames.pop();
            }
            Event::Scalar(text, style, _, tag) => {
                let scalar = Scalar { text: &text, style, tag: tag.as_deref() };
                self.visit_node(scalar.member_name(), marker);
            }
            Event::SequenceStart(..) => {
                let entry = self.visit_node("", marker);
                self.frames.push(Frame { entry, next: Next::Item(0) });
            }
            _ => {}
        }
    }

    /// Visits a name, item or value and returns the entry of the value.
    fn visit_node(&mut self, name: &str, marker: Marker) -> Option<usize> {
        let Some(Frame { entry, next }) = self.frames.last_mut() else {
            self.wanted.record_position(WantedPointers::ROOT, marked(marker));
            return Some(WantedPointers::ROOT);
        };
        let child = match next {
            Next::Item(index) => {
                let child =
                    entry.and_then(|entry| self.wanted.entry_below(entry, &index.to_string()));
                *index += 1;
                child
            }
            Next::Name => {
                let child = entry.and_then(|entry| self.wanted.entry_below(entry, name));
                *next = Next::Value(child);
                child
            }
            Next::Value(value_entry) => {
                let value_entry = *value_entry;
                *next = Next::Name;
                return value_entry;
            }
        };
        if let Some(entry) = child {
            self.wanted.record_position(entry, marked(marker));
        }
        child
    }
}
