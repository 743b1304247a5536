//! Recognizes quickly, with a few hundred bytes of memory, most texts without any spelling of a secret. To find a spelling
//! takes all of them and is the masker's task.

use zeroize::Zeroizing;

use crate::spelling::spellings;

/// The beginnings of a secret's spellings, in pieces of four bytes. A text with a spelling has all pieces of its beginning
/// side by side, so that one piece per `stride` bytes of the text is enough to look at.
pub(crate) struct Filter {
    /// A bit for each hash of a piece: rejects most other pieces with one look.
    hashes: Zeroizing<[u64; WORDS]>,
    pieces: Zeroizing<Vec<u32>>,
    /// The number of overlapping pieces in each beginning.
    stride: usize,
}

impl Filter {
    /// The filter of a value; `None` if a spelling is shorter than a piece.
    pub(crate) fn new(value: &[u8]) -> Option<Self> {
        let beginnings = spellings(value.get(..BEGINNING).unwrap_or(value));
        let shortest = beginnings.iter().map(|spelling| spelling.len()).min()?.min(BEGINNING);
        let stride = (shortest + 1).checked_sub(PIECE).filter(|stride| *stride > 0)?;
        let mut hashes = Zeroizing::new([0; WORDS]);
        let mut pieces = Zeroizing::new(Vec::with_capacity(beginnings.len() * stride));
        for beginning in &beginnings {
            for piece in beginning.windows(PIECE).take(stride).filter_map(piece_as_number) {
                pieces.push(piece);
                let (word, bit) = table_word_and_bit(piece);
                hashes.get_mut(word).into_iter().for_each(|word| *word |= bit);
            }
        }
        pieces.sort_unstable();
        Some(Self { hashes, pieces, stride })
    }

    /// Returns true if the text may hold a spelling; never returns false for a text that holds one.
    pub(crate) fn may_be_in(&self, text: &[u8]) -> bool {
        let mut at = 0;
        while let Some(piece) = text.get(at..at + PIECE).and_then(piece_as_number) {
            let (word, bit) = table_word_and_bit(piece);
            let is_known = self.hashes.get(word).is_some_and(|word| word & bit != 0);
            if is_known && self.pieces.binary_search(&piece).is_ok() {
                return true;
            }
            at += self.stride;
        }
        false
    }
}

fn piece_as_number(bytes: &[u8]) -> Option<u32> {
    bytes.try_into().ok().map(u32::from_le_bytes)
}

/// The index of a word of the table and a bit of it, from the highest bits of a product with the golden ratio's (Knuth
/// 6.4).
fn table_word_and_bit(piece: u32) -> (usize, u64) {
    let hash = piece.wrapping_mul(0x9e37_79b1) >> (32 - 11);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

const PIECE: usize = 4;

/// The length of the beginning that is kept of each spelling. A larger one makes each response cheaper and each secret
/// dearer.
const BEGINNING: usize = 24;

/// The number of 64-bit words: a usual secret has some 170 pieces, so that eleven of twelve other pieces are rejected at
/// once.
const WORDS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str) {
        let filter = Filter::new(value.as_bytes()).unwrap();
        for spelling in spellings(value.as_bytes()) {
            for before in 0..40 {
                let text = [&vec![b'.'; before], &**spelling, b"!"].concat();
                assert!(filter.may_be_in(&text), "{}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn a_filter_notices_a_secret_at_every_offset() {
        check("sixsix");
        check("seven77");
        check("s3cr\"t/k\u{e9}y+1");
        check("sixteen-bytes-16");
        check(&"\u{e9}\\\"".repeat(100));
        check(&"0123456789abcdefghijklmnopqrstuvwxyz".repeat(30));
    }

    #[test]
    fn a_filter_skips_a_text_without_the_secret() {
        let filter = Filter::new(b"0123456789abcdefghijklmnopqrstuvwxyz").unwrap();
        let text = "{\"name\":\"Rex\",\"owner\":{\"email\":\"kim@example.com\",\"phone\":null}}";
        assert!(!filter.may_be_in(text.repeat(100).as_bytes()));
        for text in ["", "a", "abc"] {
            assert!(!filter.may_be_in(text.as_bytes()));
        }
    }

    #[test]
    fn a_secret_shorter_than_four_bytes_has_no_filter() {
        assert!(Filter::new(b"").is_none() && Filter::new(b"abc").is_none());
    }
}
