//! Takes secrets out of bytes that came back from a service: as they are, in base64, in hexadecimal, percent-encoded
//! or escaped as JSON escapes them. It knows nothing about formats beyond these spellings; the bytes come from the
//! executor.

use std::{borrow::Cow, fmt};

use base64::{
    Engine,
    prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
};
use memchr::memmem;
use zeroize::Zeroizing;

use crate::secret::{MASK, Secret};

/// Masks the secrets of one call.
///
/// ```
/// use callgate_secret::{Masker, Secret};
///
/// let masker = Masker::new(&[Secret::new("s3cr3t-key".to_owned())]);
/// assert_eq!(&*masker.mask(b"you sent s3cr3t-key"), b"you sent ****");
/// ```
pub struct Masker {
    spellings: Vec<Zeroizing<Vec<u8>>>,
    /// Secrets so short that they are words of other texts too: masked only where they stand alone.
    words: Vec<Zeroizing<Vec<u8>>>,
}

impl Masker {
    /// A masker of these secrets. One of fewer than [`SHORT`] bytes is masked only as it is and only where it stands
    /// alone: its encodings are so short that they occur by accident, and a result full of masks tells nothing.
    pub fn new(secrets: &[Secret]) -> Self {
        let mut masker = Self { spellings: Vec::new(), words: Vec::new() };
        for secret in secrets {
            let value = secret.expose().as_bytes();
            match value.len() {
                0 => {}
                1..SHORT => masker.words.push(Zeroizing::new(value.to_vec())),
                _ => masker.add_spellings(value),
            }
        }
        // A longer spelling first, so that none leaves the end of another.
        masker.spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        masker.spellings.dedup();
        masker
    }

    fn add_spellings(&mut self, value: &[u8]) {
        let hexadecimal: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
        self.add(hexadecimal.to_ascii_uppercase().into_bytes());
        self.add(hexadecimal.into_bytes());
        for lead in 0..3 {
            let padded = Zeroizing::new([&vec![0; lead], value].concat());
            self.add(whole_characters(
                &BASE64_STANDARD_NO_PAD.encode(&*padded),
                lead,
                padded.len(),
            ));
            self.add(whole_characters(
                &BASE64_URL_SAFE_NO_PAD.encode(&*padded),
                lead,
                padded.len(),
            ));
        }
        // JSON within a JSON text: escaped twice, of which the reading below takes one.
        if let Ok(text) = std::str::from_utf8(value) {
            self.add(text.replace('\\', "\\\\").replace('"', "\\\"").into_bytes());
        }
        self.add(value.to_vec());
    }

    fn add(&mut self, spelling: Vec<u8>) {
        if !spelling.is_empty() {
            self.spellings.push(Zeroizing::new(spelling));
        }
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.spellings.is_empty() && self.words.is_empty()
    }

    /// The bytes with `****` in place of every secret; as they are where there is none.
    pub fn mask<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut ranges = Vec::new();
        self.find(bytes, |start, end| ranges.push((start, end)));
        for unescape in [unescape_json, unescape_percent] {
            let Some(view) = View::of(bytes, unescape) else { continue };
            self.find(&view.bytes, |start, end| ranges.extend(view.range(start, end)));
        }
        if ranges.is_empty() { Cow::Borrowed(bytes) } else { Cow::Owned(masked(bytes, ranges)) }
    }

    fn find(&self, bytes: &[u8], mut found: impl FnMut(usize, usize)) {
        for spelling in &self.spellings {
            for start in memmem::find_iter(bytes, &**spelling) {
                found(start, start + spelling.len());
            }
        }
        for word in &self.words {
            let ranges = memmem::find_iter(bytes, &**word).map(|start| (start, start + word.len()));
            ranges
                .filter(|(start, end)| stands_alone(bytes, *start, *end))
                .for_each(|(start, end)| found(start, end));
        }
    }
}

fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    !is_letter(before) && !is_letter(bytes.get(end))
}

impl fmt::Debug for Masker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Masker({MASK})")
    }
}

/// The characters of an encoding that no byte before or after the secret has a part in: `lead` bytes come before it.
fn whole_characters(encoded: &str, lead: usize, length: usize) -> Vec<u8> {
    let start = (lead * 8).div_ceil(6);
    let end = length * 8 / 6;
    encoded.as_bytes().get(start..end).unwrap_or_default().to_vec()
}

/// Bytes after an escape was read, each with the place it came from.
struct View {
    bytes: Zeroizing<Vec<u8>>,
    starts: Vec<usize>,
}

impl View {
    /// What the bytes say once `unescape` has read them; nothing where they hold no escape.
    fn of(bytes: &[u8], unescape: fn(&[u8]) -> Option<(char, usize)>) -> Option<Self> {
        memchr::memchr2(b'\\', b'%', bytes)?;
        let mut view = Self { bytes: Zeroizing::new(Vec::new()), starts: Vec::new() };
        let mut at = 0;
        let mut has_escape = false;
        while let Some(byte) = bytes.get(at) {
            let escape =
                bytes.get(at..).filter(|_| matches!(byte, b'\\' | b'%')).and_then(unescape);
            let mut utf8 = [0; 4];
            let (read, length) = match escape {
                // A percent-encoded byte is a byte, not a character.
                Some((character, length)) if *byte == b'%' => {
                    utf8[0] = u8::try_from(u32::from(character)).unwrap_or_default();
                    (&utf8[..1], length)
                }
                Some((character, length)) => (character.encode_utf8(&mut utf8).as_bytes(), length),
                None => (std::slice::from_ref(byte), 1),
            };
            has_escape |= length > 1;
            view.bytes.extend_from_slice(read);
            view.starts.extend(std::iter::repeat_n(at, read.len()));
            at += length;
        }
        view.starts.push(bytes.len());
        has_escape.then_some(view)
    }

    /// The range of the original for a range of the view.
    fn range(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        Some((*self.starts.get(start)?, *self.starts.get(end)?))
    }
}

/// Reads an escape of a JSON string (RFC 8259 §7); answers its character and its length.
fn unescape_json(bytes: &[u8]) -> Option<(char, usize)> {
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

/// Reads a percent-encoded byte (RFC 3986 §2.1).
fn unescape_percent(bytes: &[u8]) -> Option<(char, usize)> {
    let digits = bytes.strip_prefix(b"%")?.get(..2)?;
    let byte = u8::try_from(unit(digits)?).ok()?;
    Some((char::from(byte), 3))
}

fn masked(bytes: &[u8], mut ranges: Vec<(usize, usize)>) -> Vec<u8> {
    ranges.sort_unstable();
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for (start, end) in ranges {
        if start >= done {
            out.extend_from_slice(bytes.get(done..start).unwrap_or_default());
            out.extend_from_slice(MASK.as_bytes());
        }
        done = done.max(end);
    }
    out.extend_from_slice(bytes.get(done..).unwrap_or_default());
    out
}

/// A secret of fewer bytes is masked only where it stands alone.
pub const SHORT: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "s3cr\"t/k\u{e9}y+1";

    #[track_caller]
    fn check(text: &[u8], expected: &str) {
        let masker = Masker::new(&[Secret::new(SECRET.to_owned()), Secret::new("pin1".to_owned())]);
        assert_eq!(String::from_utf8_lossy(&masker.mask(text)), expected);
    }

    #[test]
    fn a_secret_is_masked_in_every_spelling() {
        check(format!("a {SECRET} b {SECRET}").as_bytes(), "a **** b ****");
        check(b"nothing here", "nothing here");
        check(br#"{"v":"s3cr\"t\/k\u00e9y+1"}"#, r#"{"v":"****"}"#);
        check(br#"{"v":"\u0073\u0033cr\u0022t/k\u00E9y\u002b1!"}"#, r#"{"v":"****!"}"#);
        check(b"?k=s3cr%22t%2Fk%C3%A9y%2B1&b", "?k=****&b");
        check(b"?k=%73%33cr%22t/k%c3%a9y+1", "?k=****");
        let hexadecimal: String = SECRET.bytes().map(|byte| format!("{byte:02X}")).collect();
        check(format!("<{hexadecimal}>").as_bytes(), "<****>");
        check(format!("<{}>", hexadecimal.to_ascii_lowercase()).as_bytes(), "<****>");
        for around in ["", "a", "ab", "abc", "user:"] {
            for engine in [&BASE64_STANDARD_NO_PAD, &BASE64_URL_SAFE_NO_PAD] {
                let encoded = engine.encode(format!("{around}{SECRET}"));
                let masker = Masker::new(&[Secret::new(SECRET.to_owned())]);
                let shown =
                    String::from_utf8(masker.mask(encoded.as_bytes()).into_owned()).unwrap();
                assert!(shown.contains(MASK) && shown.len() < around.len() * 2 + 12, "{shown}");
            }
        }
    }

    #[test]
    fn a_short_secret_is_masked_where_it_stands_alone() {
        check(b"pin1 \"pin1\" pin12 xpin1", "**** \"****\" pin12 xpin1");
        assert!(Masker::new(&[Secret::new(String::new())]).is_empty());
    }

    #[test]
    fn a_masker_prints_nothing() {
        let masker = Masker::new(&[Secret::new("canary-value".to_owned())]);
        assert_eq!(format!("{masker:?}"), "Masker(****)");
    }
}
