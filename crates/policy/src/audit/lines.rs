//! Reads the lines of an audit file in order, and checks each against the lines before it.

use std::io::{self, BufRead};

use sha2::{Digest as _, Sha256};

use super::chain::{ChainKey, Head, Line, Record};
use crate::digest::{Digest, digest_from_hex};

pub(super) struct LineReader<'a> {
    key: &'a ChainKey,
    /// The last line that was read; `None` before the first.
    pub(super) head: Option<Head>,
    /// The bytes since the last valid line.
    junk: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(super) enum LineState {
    Altered(Option<Record>),
    Good(Record),
    /// Lines before this one are missing: the number of the first.
    Missing(u64, Record),
    /// The bytes are no line; the next line may explain them.
    Nothing,
    /// The last line is incomplete: its bytes and any invalid bytes before it.
    Torn(Vec<u8>),
}

impl<'a> LineReader<'a> {
    pub(super) fn new(key: &'a ChainKey) -> Self {
        Self { key, head: None, junk: None }
    }

    pub(super) fn next_number(&self) -> u64 {
        self.head.map_or(1, |head| head.number + 1)
    }

    pub(super) fn has_no_pending_junk(&self) -> bool {
        self.junk.is_none()
    }

    /// Reads the next line, with its line break.
    pub(super) fn read_line(&mut self, bytes: &[u8]) -> LineState {
        let (text, is_whole) = match bytes.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (bytes, false),
        };
        let Some(line) = Line::from_bytes(text) else {
            let junk = match self.junk.take() {
                Some(junk) => [&junk, text].join(&b'\n'),
                None => text.to_vec(),
            };
            if !is_whole {
                return LineState::Torn(junk);
            }
            self.junk = Some(junk);
            return LineState::Nothing;
        };
        let is_explained = self.junk.take().is_none_or(|junk| records_as_torn(&line.record, &junk));
        let previous_head = self.head;
        self.head = Some(line.head_after());
        let Some(previous_head) = previous_head else {
            return self.check_first_line(line, is_explained);
        };
        if is_explained && self.key.verifies_line(&previous_head.code, &line) {
            return LineState::Good(line.record);
        }
        if is_explained && line.record.line > previous_head.number + 1 {
            return LineState::Missing(previous_head.number + 1, line.record);
        }
        LineState::Altered(Some(line.record))
    }

    /// Checks the first line of a file, which names the line before it.
    fn check_first_line(&self, line: Line<'_>, is_explained: bool) -> LineState {
        if !is_explained {
            return LineState::Altered(Some(line.record));
        }
        if line.record.event != OPENED {
            return LineState::Missing(line.record.line.saturating_sub(1).max(1), line.record);
        }
        let previous = line.record.previous.as_deref().and_then(digest_from_hex);
        let holds = previous.is_some_and(|previous| self.key.verifies_line(&previous, &line));
        if holds { LineState::Good(line.record) } else { LineState::Altered(Some(line.record)) }
    }
}

/// Returns true if a line records these bytes as torn.
fn records_as_torn(record: &Record, junk: &[u8]) -> bool {
    let digest: Digest = Sha256::digest(junk).into();
    record.event == OPENED && record.torn.as_deref().and_then(digest_from_hex) == Some(digest)
}

/// Reads the next line with its line break, up to the longest length; false at the end.
pub(super) fn read_next_line<R: BufRead>(reader: &mut R, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let n_read = io::Read::take(reader, MAX_LINE).read_until(b'\n', line)?;
    Ok(n_read > 0)
}

/// The event of a line that starts or continues a file.
const OPENED: &str = "opened";
/// Longer than arguments can be.
const MAX_LINE: u64 = 64 << 20;
