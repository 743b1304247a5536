//! Removes disguises from a text: escapes of JSON strings (RFC 8259 §7), percent-encoding (RFC 3986 §2.1), character
//! references and tags of HTML, terminal escapes, line breaks, invisible characters. Readers of a response remove some of
//! them; this module does not know which. Invalid escapes stand for themselves.

use memchr::memchr;
use zeroize::Zeroizing;

use crate::invisible::invisible_prefix_length;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Disguise {
    /// All disguises but tags, which hide their content.
    All,
    Json,
    Percent,
    /// Tags of HTML, including comments.
    Tags,
}

/// The text as readers make it that remove escapes of JSON, percent-encoding and character references once; `None` if it has none.
pub fn without_escapes(text: &str) -> Option<String> {
    let plain = Disguise::All.undisguised_text(text.as_bytes())?;
    Some(String::from_utf8_lossy(&plain).into_owned())
}

impl Disguise {
    /// The text without the disguise; `None` if it has no such disguise.
    pub(crate) fn undisguised_text(self, text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let is_marked = match self {
            Self::Json => memchr(b'\\', text).is_some(),
            Self::Percent => memchr(b'%', text).is_some(),
            Self::Tags => memchr(b'<', text).is_some(),
            Self::All => may_have_disguise(text),
        };
        if !is_marked {
            return None;
        }
        let mut out = Zeroizing::new(Vec::with_capacity(text.len()));
        let mut is_disguised = false;
        self.visit_parts(text, |part| {
            is_disguised |= part.is_disguise;
            out.extend_from_slice(part.meaning);
        });
        is_disguised.then_some(out)
    }

    /// Maps ranges of the undisguised text, none of them empty, to ranges of the text: from their first byte to their last,
    /// without removed parts around them.
    pub(crate) fn disguised_ranges(
        self,
        text: &[u8],
        said: &[(usize, usize)],
    ) -> Vec<(usize, usize)> {
        let ends = |(start, end): &(usize, usize)| [*start, end.saturating_sub(1)];
        let mut wanted: Vec<usize> = said.iter().flat_map(ends).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut sources = Vec::with_capacity(wanted.len());
        let mut at = 0;
        self.visit_parts(text, |part| {
            let end = at + part.meaning.len();
            while let Some(wanted) = wanted.get(sources.len()).filter(|wanted| **wanted < end) {
                sources.push(part.source_range(wanted - at));
            }
            at = end;
        });
        let source = |at: usize| {
            let source_range = wanted.binary_search(&at).ok().and_then(|index| sources.get(index));
            source_range.copied().unwrap_or((text.len(), text.len()))
        };
        let range = |[first, last]: [usize; 2]| (source(first).0, source(last).1);
        said.iter().map(ends).map(range).collect()
    }

    fn visit_parts(self, text: &[u8], mut take: impl FnMut(Part<'_>)) {
        let (mut copied, mut at) = (0, 0);
        while let Some(mark_start) = self.next_mark(text, at) {
            let mut utf8 = [0; 4];
            let rest = text.get(mark_start..).unwrap_or_default();
            let Some((meaning, length)) = Self::undisguise_first_mark(rest, &mut utf8) else {
                at = mark_start + 1;
                continue;
            };
            let plain = text.get(copied..mark_start).unwrap_or_default();
            take(Part::plain_part(plain, copied));
            take(Part { meaning, source: mark_start, length, is_disguise: true });
            at = mark_start + length;
            copied = at;
        }
        let plain = text.get(copied..).unwrap_or_default();
        take(Part::plain_part(plain, copied));
    }

    fn next_mark(self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let mark_offset = match self {
            Self::Json => memchr(b'\\', rest),
            Self::Percent => memchr(b'%', rest),
            Self::Tags => memchr(b'<', rest),
            Self::All => rest.iter().position(|byte| is_mark(*byte)),
        };
        mark_offset.map(|offset| at + offset)
    }

    /// Undoes the disguise at the beginning of `bytes`; returns the bytes that it stands for, and its length.
    fn undisguise_first_mark<'a>(bytes: &[u8], utf8: &'a mut [u8; 4]) -> Option<(&'a [u8], usize)> {
        match bytes.first()? {
            b'\\' => {
                let (character, length) = decode_json_escape(bytes)?;
                Some((character.encode_utf8(utf8).as_bytes(), length))
            }
            // Percent-encoding stands for a byte, not for a character.
            b'%' => {
                utf8[0] = u8::try_from(parse_hexadecimal(bytes.get(1..3)?)?).ok()?;
                Some((utf8.get(..1)?, 3))
            }
            b'&' => {
                let (character, length) = decode_character_reference(bytes)?;
                Some((character.encode_utf8(utf8).as_bytes(), length))
            }
            b'<' => Some((&[], tag_length(bytes)?)),
            _ => invisible_prefix_length(bytes).map(|length| (&[][..], length)),
        }
    }
}

/// Returns true if a disguise other than a tag may begin in the text. Plain ASCII characters are skipped many at a time.
fn may_have_disguise(text: &[u8]) -> bool {
    let may_have =
        |chunk: &[u8]| chunk.iter().fold(false, |is_marked, byte| is_marked | may_be_mark(*byte));
    let (chunks, rest) = text.as_chunks::<32>();
    let mut chunks = chunks.iter().map(<[u8; 32]>::as_slice).chain([rest]);
    chunks.any(|chunk| may_have(chunk) && chunk.iter().copied().any(is_mark))
}

/// Returns true if [`is_mark`] may return true for the byte; without a branch.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches many bytes are compared at a time"
)]
fn may_be_mark(byte: u8) -> bool {
    !(0x20..0x7f).contains(&byte) | (byte == b'\\') | (byte == b'%') | (byte == b'&')
}

/// Returns true if a disguise other than a tag may begin with the byte.
fn is_mark(byte: u8) -> bool {
    // The last line matches control characters and the first bytes of invisible characters.
    matches!(byte, b'\\' | b'%' | b'&')
        || matches!(byte, 0..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef..=0xf3)
}

/// Bytes that stand for themselves, or the meaning of a disguise.
struct Part<'a> {
    meaning: &'a [u8],
    /// The offset in the text where the part begins.
    source: usize,
    /// The length of the part in the text.
    length: usize,
    is_disguise: bool,
}

impl<'a> Part<'a> {
    fn plain_part(meaning: &'a [u8], source: usize) -> Self {
        Self { meaning, source, length: meaning.len(), is_disguise: false }
    }

    /// The start and the end in the text of byte `at` of the meaning.
    fn source_range(&self, at: usize) -> (usize, usize) {
        if self.is_disguise {
            return (self.source, self.source + self.length);
        }
        (self.source + at, self.source + at + 1)
    }
}

fn decode_json_escape(bytes: &[u8]) -> Option<(char, usize)> {
    bytes.strip_prefix(b"\\")?;
    let simple = match bytes.get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'u' => {
            let first = parse_hexadecimal(bytes.get(2..6)?)?;
            if let Some(character) = char::from_u32(first) {
                return Some((character, 6));
            }
            let second = parse_hexadecimal(bytes.get(6..12)?.strip_prefix(b"\\u")?)?;
            let mut pair =
                char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]);
            return pair.next()?.ok().map(|character| (character, 12));
        }
        _ => return None,
    };
    Some((simple, 2))
}

fn parse_hexadecimal(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// A character reference (HTML, "Character references"): a number, with or without its semicolon, or the name of an ASCII
/// character.
fn decode_character_reference(bytes: &[u8]) -> Option<(char, usize)> {
    let rest = bytes.strip_prefix(b"&")?;
    let rest = rest.get(..MAX_REFERENCE).unwrap_or(rest);
    let Some(number) = rest.strip_prefix(b"#") else {
        let end = memchr(b';', rest)?;
        let name = rest.get(..end)?;
        let (_, character) = NAMED.iter().find(|(entry, _)| entry.as_bytes() == name)?;
        return Some((*character, end + 2));
    };
    let (digits, radix, lead) = match number {
        [b'x' | b'X', digits @ ..] => (digits, 16, 3),
        digits => (digits, 10, 2),
    };
    let n_digits = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let code = std::str::from_utf8(digits.get(..n_digits)?).ok()?;
    let character = char::from_u32(u32::from_str_radix(code, radix).ok()?)?;
    let is_closed = digits.get(n_digits) == Some(&b';');
    Some((character, lead + n_digits + usize::from(is_closed)))
}

/// The length of the tag that the bytes begin with.
fn tag_length(bytes: &[u8]) -> Option<usize> {
    let first = bytes.get(1)?;
    if !(first.is_ascii_alphabetic() || matches!(first, b'/' | b'!' | b'?')) {
        return None;
    }
    memchr(b'>', bytes.get(..MAX_TAG).unwrap_or(bytes)).map(|end| end + 1)
}

/// The longest reference that is read: a number with a few leading zeros.
const MAX_REFERENCE: usize = 16;
/// The longest tag that is removed. The limit bounds the search after each `<`; a longer one counts as text.
const MAX_TAG: usize = 1024;

/// The names of the characters that credentials consist of.
const NAMED: [(&str, char); 41] = [
    ("Hat", '^'),
    ("NewLine", '\n'),
    ("Tab", '\t'),
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("lt", '<'),
    ("midast", '*'),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("vert", '|'),
    ("verbar", '|'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(disguise: Disguise, text: &str, expected: Option<&str>) {
        let said = disguise.undisguised_text(text.as_bytes());
        let shown = said.as_ref().map(|said| String::from_utf8_lossy(said).into_owned());
        assert_eq!(shown.as_deref(), expected, "{text}");
        if let Some(said) = said {
            let whole = disguise.disguised_ranges(text.as_bytes(), &[(0, said.len())]);
            assert_eq!(whole, [(0, text.len())], "{text}");
        }
    }

    #[test]
    fn escapes_are_decoded_and_other_text_is_unchanged() {
        use Disguise::{Json, Percent};
        check(Json, "abc", None);
        check(Json, "a\\xb\\", None);
        check(Json, "\\n\\\\\\\"\\/b\\u00e9\\ud83d\\ude00", Some("\n\\\"/b\u{e9}\u{1f600}"));
        check(Json, "\\xa\\tb\\", Some("\\xa\tb\\"));
        check(Json, "\\ud83d\\t", Some("\\ud83d\t"));
        check(Percent, "100%", None);
        check(Percent, "%zz%4", None);
        check(Percent, "%%41b%C3%A9%", Some("%Ab\u{e9}%"));
    }

    #[test]
    fn a_disguise_is_removed_at_any_place_of_a_text() {
        for at in 0..70 {
            let text = |middle| format!("{}{middle}{}", "a".repeat(at), "~".repeat(69 - at));
            check(Disguise::All, &text("b"), None);
            check(Disguise::All, &text("%42"), Some(&text("B")));
        }
    }

    #[test]
    fn references_tags_and_invisible_characters_are_removed() {
        use Disguise::{All, Tags};
        check(All, "a < b & c; caf\u{e9} \u{2013} \u{4e2d}", None);
        check(All, "&nope; &#; &#x; &#x110000; &#9999999999999999;", None);
        check(All, "&#65;&#x42;&#67&sol;&amp;#65;", Some("ABC/&#65;"));
        check(All, "&#00000065;", Some("A"));
        check(All, "a\r\nb\tc\0d\x7fe\u{85}f", Some("abcdef"));
        check(All, "-\x1b[31ma\x1b[0mb\x1b]0;t\x07c\x1b]8;;u\x1b\\d\x1bXe", Some("-abcde"));
        check(All, "a\u{200b}b\u{200d}c\u{feff}d\u{fe0f}e\u{e0041}f\u{34f}g", Some("abcdefg"));
        check(All, "a<wbr>b", None);
        check(All, "%41\\u0042", Some("AB"));
        check(Tags, "a<wbr>b<!-- c -->d</b >e < f", Some("abde < f"));
        check(Tags, "a<b", None);
    }

    #[test]
    fn an_escape_mark_is_found_at_every_position() {
        for byte in 0..=u8::MAX {
            for at in [0, 31, 32, 63, 64, 69] {
                let mut text = [b'a'; 70];
                text[at] = byte;
                assert_eq!(may_have_disguise(&text), is_mark(byte), "{byte:#x} at {at}");
            }
        }
    }

    #[test]
    fn decoded_ranges_map_to_their_escaped_text() {
        let text = b"ab\\ncd\\u00e9e";
        for (range, expected) in
            [((0, 1), (0, 1)), ((1, 4), (1, 5)), ((2, 3), (2, 4)), ((5, 8), (6, 13))]
        {
            assert_eq!(Disguise::Json.disguised_ranges(text, &[range]), [expected], "{range:?}");
        }
        let both = Disguise::Json.disguised_ranges(text, &[(5, 8), (1, 4)]);
        assert_eq!(both, [(6, 13), (1, 5)], "in any order");
    }
}
