//! Reads the lines of an audit file one after the other, and says of each how it stands to those before it.

use std::io::{self, BufRead};

use sha2::{Digest as _, Sha256};

use super::chain::{ChainKey, Head, Line, Record};
use crate::digest::{Digest, of_hex};

/// A chain that is read.
pub(super) struct Reading<'a> {
    key: &'a ChainKey,
    /// The end of what was read; none before the first line.
    pub(super) head: Option<Head>,
    /// The bytes since the last line that are no line.
    junk: Option<Vec<u8>>,
}

/// The way a line stands to those before it.
#[derive(Debug)]
pub(super) enum Read {
    /// It is not one that was written there.
    Altered(Option<Record>),
    /// It is one that was written there.
    Good(Record),
    /// Lines before it are missing: the first of them.
    Missing(u64, Record),
    /// It is no line; the next one may say why.
    Nothing,
    /// It is not whole, and nothing stands behind it: with what stands before it and is no line either.
    Torn(Vec<u8>),
}

impl<'a> Reading<'a> {
    /// Nothing was read.
    pub(super) fn new(key: &'a ChainKey) -> Self {
        Self { key, head: None, junk: None }
    }

    /// The number that the next line should have.
    pub(super) fn next_number(&self) -> u64 {
        self.head.map_or(1, |head| head.number + 1)
    }

    /// Returns true if what was read last is a line.
    pub(super) fn is_at_a_line(&self) -> bool {
        self.junk.is_none()
    }

    /// Takes the next line, with its line break.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Read {
        let (text, is_whole) = match bytes.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (bytes, false),
        };
        let Some(line) = Line::of(text) else {
            let junk = match self.junk.take() {
                Some(junk) => [&junk, text].join(&b'\n'),
                None => text.to_vec(),
            };
            if !is_whole {
                return Read::Torn(junk);
            }
            self.junk = Some(junk);
            return Read::Nothing;
        };
        let is_explained = self.junk.take().is_none_or(|junk| explains(&line.record, &junk));
        let known = self.head;
        self.head = Some(line.head());
        let Some(known) = known else { return self.first(line, is_explained) };
        if is_explained && self.key.holds(&known.code, &line) {
            return Read::Good(line.record);
        }
        if is_explained && line.record.line > known.number + 1 {
            return Read::Missing(known.number + 1, line.record);
        }
        Read::Altered(Some(line.record))
    }

    /// The first line of a file says which one it follows.
    fn first(&self, line: Line<'_>, is_explained: bool) -> Read {
        if !is_explained {
            return Read::Altered(Some(line.record));
        }
        if line.record.event != OPENED {
            return Read::Missing(line.record.line.saturating_sub(1).max(1), line.record);
        }
        let previous = line.record.previous.as_deref().and_then(of_hex);
        let holds = previous.is_some_and(|previous| self.key.holds(&previous, &line));
        if holds { Read::Good(line.record) } else { Read::Altered(Some(line.record)) }
    }
}

/// Returns true if a line says that this was torn.
fn explains(record: &Record, junk: &[u8]) -> bool {
    let digest: Digest = Sha256::digest(junk).into();
    record.event == OPENED && record.torn.as_deref().and_then(of_hex) == Some(digest)
}

/// The next line with its line break; none at the end. More than a line may have is not read.
pub(super) fn next<R: BufRead>(reader: &mut R, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let n_read = io::Read::take(reader, MAX_LINE).read_until(b'\n', line)?;
    Ok(n_read > 0)
}

/// The code that opens a file, or goes on with one.
const OPENED: &str = "opened";
/// More than arguments may have.
const MAX_LINE: u64 = 64 << 20;
