//! Masks secrets in bytes that came back from a service, however they are spelled. It does not interpret formats; the bytes
//! come from the executor.

use std::borrow::Cow;

use memchr::memmem;

use crate::{
    disguise::Disguise,
    ranges::Ranges,
    secret::{MASK, SHORTEST, Secret},
    spelling::spellings,
};

/// Masks the secrets of one call.
///
/// ```
/// use callgate_secret::{Masker, Secret};
///
/// let masker = Masker::new(vec![Secret::new("s3cr3t-key".to_owned())]);
/// assert_eq!(&*masker.mask(b"you sent s3cr3t-key"), b"you sent ****");
/// ```
pub struct Masker<'a> {
    secrets: Cow<'a, [Secret]>,
}

impl<'a> Masker<'a> {
    /// A masker of these secrets. A secret of fewer than [`SHORT`] bytes is masked only in its own spelling and only where
    /// it stands alone, and one of fewer than [`SHORTEST`] bytes is not masked: such texts occur by accident, and masks
    /// would destroy the values of a result.
    pub fn new(secrets: impl Into<Cow<'a, [Secret]>>) -> Self {
        Self { secrets: secrets.into() }
    }

    /// True if there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.secrets.iter().all(Secret::is_empty)
    }

    /// The bytes with `****` in place of every secret; unchanged if there is none.
    pub fn mask<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.secret_ranges(bytes).masked_bytes(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned)
    }

    /// The text with `****` in place of every secret; unchanged if there is none.
    pub fn mask_text<'b>(&self, text: &'b str) -> Cow<'b, str> {
        match self.mask(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // Disguises begin and end at character boundaries, so that nothing is replaced here.
            Cow::Owned(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
        }
    }

    /// Replaces every secret in a text by `****`; returns whether there were any.
    pub fn mask_in(&self, text: &mut String) -> bool {
        let Cow::Owned(masked) = self.mask_text(text) else { return false };
        *text = masked;
        true
    }

    /// The places of secrets.
    pub(crate) fn secret_ranges(&self, bytes: &[u8]) -> Ranges {
        let mut ranges = Ranges::default();
        // A spelling is never shorter than the secret, and neither is a disguised secret.
        let may_fit = |secret: &Secret| (1..=bytes.len()).contains(&secret.expose().len());
        if !self.secrets.iter().any(may_fit) {
            return ranges;
        }
        self.add_secret_ranges(bytes, &mut ranges);
        for disguise in [Disguise::Json, Disguise::Percent] {
            ranges.extend(self.ranges_behind_disguise(disguise, bytes, |_| Ranges::default()));
        }
        ranges.extend(
            self.disguised_secret_ranges(bytes, &[Disguise::All, Disguise::Tags], DEPTH)
                .into_merged(),
        );
        ranges
    }

    fn disguised_secret_ranges(
        &self,
        bytes: &[u8],
        disguises: &[Disguise],
        depth: usize,
    ) -> Ranges {
        let mut ranges = Ranges::default();
        let Some(deeper) = depth.checked_sub(1) else { return ranges };
        for disguise in disguises {
            // Tags are removed only once: each further time costs as much as all that came before.
            let then = if *disguise == Disguise::Tags { &[Disguise::All][..] } else { disguises };
            let below = |said: &[u8]| self.disguised_secret_ranges(said, then, deeper);
            ranges.extend(self.ranges_behind_disguise(*disguise, bytes, below));
        }
        ranges
    }

    fn ranges_behind_disguise(
        &self,
        disguise: Disguise,
        bytes: &[u8],
        deeper: impl FnOnce(&[u8]) -> Ranges,
    ) -> Vec<(usize, usize)> {
        let Some(said) = disguise.undisguised_text(bytes) else { return Vec::new() };
        let mut ranges = deeper(&said);
        self.add_secret_ranges(&said, &mut ranges);
        let ranges = ranges.into_merged();
        if ranges.is_empty() { ranges } else { disguise.disguised_ranges(bytes, &ranges) }
    }

    fn add_secret_ranges(&self, bytes: &[u8], ranges: &mut Ranges) {
        // A secret that is itself `****` needs no mask.
        let is_told =
            |secret: &&Secret| secret.expose().len() >= SHORTEST && secret.expose() != MASK;
        for secret in self.secrets.iter().filter(is_told) {
            let value = secret.expose().as_bytes();
            if value.len() < SHORT {
                let places = memmem::find_iter(bytes, value).map(|at| (at, at + value.len()));
                ranges.extend(places.filter(|(start, end)| stands_alone(bytes, *start, *end)));
            } else if secret.may_be_in(bytes) {
                add_spelling_ranges(bytes, value, ranges);
            }
        }
    }
}

fn add_spelling_ranges(bytes: &[u8], value: &[u8], ranges: &mut Ranges) {
    for spelling in spellings(value) {
        let starts = memmem::find_iter(bytes, &**spelling);
        ranges.extend(starts.map(|start| (start, start + spelling.len())));
    }
}

/// Returns true if a text is no part of a word, a number or a date: `2024` in `2024-05-01` is not the secret `2024`.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let joins = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at)).is_some_and(|byte| matches!(byte, b'.' | b'-' | b'_'))
    };
    let (before, second) = (start.checked_sub(1), start.checked_sub(2));
    let (after, next) = (Some(end), end.checked_add(1));
    let goes_on = |near, far| is_letter(near) || joins(near) && is_letter(far);
    !goes_on(before, second) && !goes_on(after, next)
}

crate::opaque!(Masker<'_> = "Masker(****)");

/// The number of bytes from which a secret is also masked inside words and in its other spellings.
pub const SHORT: usize = 6;

/// The number of nested disguises that are removed: JSON in JSON, a reference in an escape.
const DEPTH: usize = 4;

#[cfg(test)]
mod tests {
    use base64::{
        Engine,
        prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
    };

    use super::*;

    const SECRET: &str = "s3cr\"t/k\u{e9}y+1";

    #[track_caller]
    fn check(text: &[u8], expected: &str) {
        let masker =
            Masker::new(vec![Secret::new(SECRET.to_owned()), Secret::new("pin1".to_owned())]);
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
                let masker = Masker::new(vec![Secret::new(SECRET.to_owned())]);
                let shown =
                    String::from_utf8(masker.mask(encoded.as_bytes()).into_owned()).unwrap();
                assert!(shown.contains(MASK) && shown.len() < around.len() * 2 + 12, "{shown}");
            }
        }
    }

    #[test]
    fn a_secret_with_a_quote_is_masked_where_a_shell_reads_it() {
        let masker = Masker::new(vec![Secret::new("it's-a-k3y".to_owned())]);
        let masked = |line: &str| String::from_utf8(masker.mask(line.as_bytes()).into_owned());
        let line = r"curl -H 'X-Api-Key: it'\''s-a-k3y' 'https://a.example'";
        assert_eq!(masked(line).unwrap(), "curl -H 'X-Api-Key: ****' 'https://a.example'");
        assert_eq!(masked("it's-a-k3y").unwrap(), "****");
    }

    #[test]
    fn a_secret_with_spaces_is_masked_in_a_form() {
        let masker = Masker::new(vec![Secret::new("correct horse +battery".to_owned())]);
        for text in ["a=correct+horse+%2Bbattery&b", "a=correct%20horse%20+battery&b"] {
            assert_eq!(masker.mask_text(text), "a=****&b");
        }
    }

    #[test]
    fn a_secret_is_masked_below_nested_disguises() {
        check(b"a s3&#99;r&quot;t&#x2F;k\xc3\xa9y+1 b", "a **** b");
        check(b"s3cr\"t<wbr>/k\xc3\xa9y<!-- x -->+1.", "****.");
        check("s3c\u{200b}r\"t/\u{200d}k\u{e9}y\u{1b}[0m+1.".as_bytes(), "****.");
        check(b"s3cr\"t/\r\nk\xc3\xa9\0y+1.", "****.");
        check(br#"{"v":"s3cr\"t\n/k\u00e9y\u200b+1"}"#, r#"{"v":"****"}"#);
        check(br#"{"v":"s3cr\\u0022t%2Fk\\u00e9y+1"}"#, r#"{"v":"****"}"#);
        check(b"%2573%2533cr&amp;quot;t/k%c3%a9y+1!", "****!");
        check(b"&lt;i&gt;s3cr\"t/k\xc3\xa9y&lt;/i>+1!", "&lt;i&gt;****!");
    }

    #[test]
    fn a_secret_is_masked_in_utf_16() {
        let masker = Masker::new(vec![Secret::new("canary-token".to_owned())]);
        for wide in [|unit: u16| unit.to_le_bytes(), |unit: u16| unit.to_be_bytes()] {
            let text: Vec<u8> = "<canary-token>".encode_utf16().flat_map(wide).collect();
            let masked = masker.mask(&text);
            assert!(memmem::find(&masked, MASK.as_bytes()).is_some() && masked.len() < 10);
        }
    }

    #[test]
    fn a_short_secret_is_masked_between_delimiters_only() {
        check(b"pin1 \"pin1\" pin12 xpin1", "**** \"****\" pin12 xpin1");
        check(b"(pin1) pin1. pin1-a a_pin1 1.pin1", "(****) ****. pin1-a a_pin1 1.pin1");
        assert!(Masker::new(vec![Secret::new(String::new())]).is_empty());
    }

    #[test]
    fn a_secret_of_up_to_three_bytes_is_not_masked() {
        let short = ["1", "12", "abc", ""].map(|one| Secret::new(one.to_owned()));
        let masker = Masker::new(short.to_vec());
        let text = br#"{"n":112.1,"m":1,"k":"12","a":"abc","version":"1"}"#;
        assert!(matches!(masker.mask(text), Cow::Borrowed(_)));
    }

    #[test]
    fn a_secret_equal_to_the_mask_is_not_masked() {
        let masker = Masker::new(vec![Secret::new(MASK.to_owned())]);
        assert!(matches!(masker.mask(b"key: ****"), Cow::Borrowed(_)));
    }

    #[test]
    fn debug_output_of_a_masker_shows_no_secret() {
        let masker = Masker::new(vec![Secret::new("canary-value".to_owned())]);
        assert_eq!(format!("{masker:?}"), "Masker(****)");
    }
}
