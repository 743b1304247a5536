//! One occurrence of a word in four bytes: the piece, and the times that its title and its text have the word.

/// A piece that has a word. More than 7 times in a title, or 31 times in a text, are not counted: the score is saturated long
/// before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting(u32);

impl Posting {
    pub(super) const MOST_PIECES: usize = 1 << 24;

    /// `piece` is below [`Posting::MOST_PIECES`].
    pub(super) fn new(piece: usize, in_title: u8, in_text: u8) -> Self {
        Self(
            to_u32_or_zero(piece) << PIECE
                | u32::from(in_text.min(31)) << TEXT
                | u32::from(in_title.min(7)),
        )
    }

    pub(super) fn with_piece(self, piece: usize) -> Self {
        Self(to_u32_or_zero(piece) << PIECE | self.0 & ((1 << PIECE) - 1))
    }

    pub(super) fn to_bits(self) -> u32 {
        self.0
    }

    /// The posting of [`Posting::to_bits`].
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) fn piece(self) -> usize {
        (self.0 >> PIECE) as usize
    }

    #[expect(clippy::cast_precision_loss, reason = "the number is at most 7")]
    pub(super) fn count_in_title(self) -> f32 {
        (self.0 & 7) as f32
    }

    #[expect(clippy::cast_precision_loss, reason = "the number is at most 31")]
    pub(super) fn count_in_text(self) -> f32 {
        (self.0 >> TEXT & 31) as f32
    }
}

fn to_u32_or_zero(n: usize) -> u32 {
    u32::try_from(n).unwrap_or_default()
}

const TEXT: u32 = 3;
const PIECE: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_posting_keeps_its_piece_and_saturates_its_counts() {
        let last = Posting::MOST_PIECES - 1;
        let posting = Posting::new(last, 9, 99);
        assert_eq!(
            (posting.piece(), posting.count_in_title(), posting.count_in_text()),
            (last, 7.0, 31.0)
        );
        let posting = Posting::new(3, 1, 2).with_piece(4);
        assert_eq!(
            (posting.piece(), posting.count_in_title(), posting.count_in_text()),
            (4, 1.0, 2.0)
        );
    }
}
