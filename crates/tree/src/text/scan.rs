//! Finds nodes in a JSON text by skipping from name to name, without a tree. It assumes that the text was read before;
//! in a text that is not JSON it stops at the first error.

use std::borrow::Cow;

use callgate_tool::{JsonReader, JsonToken};

use super::targets::WantedPointers;
use crate::diagnostic::Position;

pub(crate) fn find_positions(text: &str, wanted: &mut WantedPointers, max_depth: usize) {
    let mut scanner = Scanner {
        text,
        at: 0,
        wanted: &*wanted,
        frames: Vec::new(),
        max_depth,
        offsets: Vec::new(),
    };
    scanner.scan();
    let mut places = LineIndex { text, at: 0, line: 1, column: 1 };
    for (entry, offset) in scanner.offsets {
        let position = places.position(offset);
        wanted.record_position(entry, position);
    }
}

/// All places of each pointer's node: more than one when a name occurs again.
pub(super) fn first_and_last_occurrences(text: &str, pointers: &[&str]) -> Vec<Vec<Position>> {
    if pointers.is_empty() {
        return Vec::new();
    }
    let mut wanted = WantedPointers::new(pointers.iter().copied());
    find_positions(text, &mut wanted, usize::MAX);
    wanted.first_and_last_positions()
}

/// An open list or object, with its entry when it contains wanted nodes.
struct Frame {
    entry: Option<usize>,
    /// The index of the next item; `None` for an object.
    index: Option<usize>,
}

struct Next {
    entry: Option<usize>,
}

struct Scanner<'t, 'w> {
    text: &'t str,
    at: usize,
    wanted: &'w WantedPointers,
    frames: Vec<Frame>,
    max_depth: usize,
    /// Entries and the offsets of their nodes, in the order of the text.
    offsets: Vec<(usize, usize)>,
}

impl<'t> Scanner<'t, '_> {
    fn scan(&mut self) {
        self.skip_whitespace();
        self.offsets.push((WantedPointers::ROOT, self.at));
        let mut entry = Some(WantedPointers::ROOT);
        while self.enter_or_skip_value(entry).is_some() {
            let Some(next) = self.next_node() else { return };
            entry = next.entry;
        }
    }

    /// Skips a scalar or enters a list or object; `None` when the scan cannot go on.
    fn enter_or_skip_value(&mut self, entry: Option<usize>) -> Option<()> {
        self.skip_whitespace();
        match self.peek_byte()? {
            b'[' => self.frames.push(Frame { entry, index: Some(0) }),
            b'{' => self.frames.push(Frame { entry, index: None }),
            b'"' => return self.read_string().map(|_| ()),
            _ => {
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                self.at += self
                    .remaining_bytes()
                    .iter()
                    .position(is_end)
                    .unwrap_or_else(|| self.remaining_bytes().len());
                return Some(());
            }
        }
        self.at += 1;
        (self.frames.len() <= self.max_depth).then_some(())
    }

    /// Goes to the next value and returns its entry; `None` at the end of the text.
    fn next_node(&mut self) -> Option<Next> {
        loop {
            self.skip_whitespace();
            match self.peek_byte()? {
                b',' => self.at += 1,
                b']' | b'}' => {
                    self.at += 1;
                    self.frames.pop();
                }
                _ => break,
            }
        }
        let start = self.at;
        let Frame { entry, index } = self.frames.last_mut()?;
        let above = *entry;
        let child = if let Some(index) = index {
            let segment = *index;
            *index += 1;
            above.and_then(|above| self.wanted.entry_below(above, &segment.to_string()))
        } else {
            let raw = self.read_string()?;
            self.skip_whitespace();
            self.at += usize::from(self.peek_byte()? == b':');
            above.and_then(|above| self.wanted.entry_below(above, &unescaped_string(raw)))
        };
        self.offsets.extend(child.map(|entry| (entry, start)));
        Some(Next { entry: child })
    }

    fn read_string(&mut self) -> Option<&'t str> {
        let start = self.at;
        if self.peek_byte()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            self.at +=
                self.remaining_bytes().iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            if self.peek_byte()? == b'"' {
                self.at += 1;
                return self.text.get(start..self.at);
            }
            self.at += 2;
        }
    }

    fn skip_whitespace(&mut self) {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        self.at += self
            .remaining_bytes()
            .iter()
            .position(|byte| !is_blank(byte))
            .unwrap_or_else(|| self.remaining_bytes().len());
    }

    fn peek_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn remaining_bytes(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }
}

fn unescaped_string(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') {
        return match JsonReader::new(raw).next_token() {
            Ok(Some(JsonToken::String(text))) => Cow::Owned(text.to_owned()),
            _ => Cow::Borrowed(raw),
        };
    }
    let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
    Cow::Borrowed(inner.unwrap_or(raw))
}

/// Lines and columns of ascending offsets, computed in one pass over the text.
struct LineIndex<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl LineIndex<'_> {
    fn position(&mut self, offset: usize) -> Position {
        let between = self.text.get(self.at..offset).unwrap_or_default();
        self.at = offset;
        if let Some((lines, last)) = between.rsplit_once('\n') {
            self.line += lines.bytes().filter(|byte| *byte == b'\n').count() + 1;
            self.column = last.chars().count() + 1;
        } else {
            self.column += between.chars().count();
        }
        Position { line: self.line, column: self.column }
    }
}
