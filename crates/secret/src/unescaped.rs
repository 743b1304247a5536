//! What a text says once its escapes are read, and where in the text each part of that is: escapes of JSON strings
//! (RFC 8259 §7) and percent-encoding (RFC 3986 §2.1). Escapes that are wrong stand for themselves.

use memchr::memchr;
use zeroize::Zeroizing;

/// Bytes after their escapes were read.
pub(crate) struct Unescaped {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    runs: Vec<Run>,
}

/// Bytes that lie side by side here and in the text, or what one escape stands for.
#[derive(Clone, Copy)]
struct Run {
    at: usize,
    source: usize,
    is_escape: bool,
}

/// A kind of escape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Escape {
    Json,
    Percent,
}

impl Unescaped {
    /// The text with its escapes of one kind read; nothing where it has none.
    pub(crate) fn new(text: &[u8], escape: Escape) -> Option<Self> {
        memchr(escape.mark(), text)?;
        let bytes = Zeroizing::new(Vec::with_capacity(text.len()));
        let mut read = Self { bytes, runs: Vec::new() };
        let (mut copied, mut at) = (0, 0);
        while let Some(next) = text.get(at..).and_then(|rest| memchr(escape.mark(), rest)) {
            at += next;
            let mut utf8 = [0; 4];
            let rest = text.get(at..).unwrap_or_default();
            let Some((meaning, length)) = escape.meaning(rest, &mut utf8) else {
                at += 1;
                continue;
            };
            read.push(text.get(copied..at).unwrap_or_default(), copied, false);
            read.push(meaning, at, true);
            at += length;
            copied = at;
        }
        read.push(text.get(copied..).unwrap_or_default(), copied, false);
        read.push(&[], text.len(), false);
        read.runs.iter().any(|run| run.is_escape).then_some(read)
    }

    /// The range of the text for a range of the bytes.
    pub(crate) fn range(&self, start: usize, end: usize) -> (usize, usize) {
        (self.source(start), self.source(end))
    }

    fn push(&mut self, bytes: &[u8], source: usize, is_escape: bool) {
        self.runs.push(Run { at: self.bytes.len(), source, is_escape });
        self.bytes.extend_from_slice(bytes);
    }

    fn source(&self, at: usize) -> usize {
        let n_begun = self.runs.partition_point(|run| run.at <= at);
        let run = n_begun.checked_sub(1).and_then(|last| self.runs.get(last));
        run.map_or(0, |run| if run.is_escape { run.source } else { run.source + (at - run.at) })
    }
}

impl Escape {
    /// The byte every escape begins with.
    fn mark(self) -> u8 {
        match self {
            Self::Json => b'\\',
            Self::Percent => b'%',
        }
    }

    /// What the escape at the beginning of `bytes` stands for, and its length.
    fn meaning<'a>(self, bytes: &[u8], utf8: &'a mut [u8; 4]) -> Option<(&'a [u8], usize)> {
        match self {
            Self::Json => {
                let (character, length) = json(bytes)?;
                Some((character.encode_utf8(utf8).as_bytes(), length))
            }
            // A byte, not a character.
            Self::Percent => {
                utf8[0] = u8::try_from(unit(bytes.strip_prefix(b"%")?.get(..2)?)?).ok()?;
                Some((utf8.get(..1)?, 3))
            }
        }
    }
}

fn json(bytes: &[u8]) -> Option<(char, usize)> {
    bytes.strip_prefix(b"\\")?;
    let simple = match bytes.get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'u' => {
            let first = unit(bytes.get(2..6)?)?;
            if let Some(character) = char::from_u32(first) {
                return Some((character, 6));
            }
            let second = unit(bytes.get(6..12)?.strip_prefix(b"\\u")?)?;
            let mut pair =
                char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]);
            return pair.next()?.ok().map(|character| (character, 12));
        }
        _ => return None,
    };
    Some((simple, 2))
}

fn unit(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(escape: Escape, text: &str, expected: Option<&str>) {
        let read = Unescaped::new(text.as_bytes(), escape);
        let shown = read.as_ref().map(|read| String::from_utf8_lossy(&read.bytes).into_owned());
        assert_eq!(shown.as_deref(), expected, "{text}");
        if let Some(read) = read {
            assert_eq!(read.range(0, read.bytes.len()), (0, text.len()), "{text}");
        }
    }

    #[test]
    fn escapes_are_read_and_what_is_none_stands_for_itself() {
        check(Escape::Json, "abc", None);
        check(Escape::Json, "a\\xb\\", None);
        check(
            Escape::Json,
            "\\n\\\\\\\"\\/b\\u00e9\\ud83d\\ude00",
            Some("\n\\\"/b\u{e9}\u{1f600}"),
        );
        check(Escape::Json, "\\xa\\tb\\", Some("\\xa\tb\\"));
        check(Escape::Json, "\\ud83d\\t", Some("\\ud83d\t"));
        check(Escape::Percent, "100%", None);
        check(Escape::Percent, "%zz%4", None);
        check(Escape::Percent, "%%41b%C3%A9%", Some("%Ab\u{e9}%"));
    }

    #[test]
    fn every_part_is_found_in_the_text() {
        let read = Unescaped::new(b"ab\\ncd\\u00e9e", Escape::Json).unwrap();
        for (start, end, expected) in
            [(0, 1, (0, 1)), (1, 4, (1, 5)), (2, 3, (2, 4)), (5, 8, (6, 13))]
        {
            assert_eq!(read.range(start, end), expected, "{start} {end}");
        }
    }
}
