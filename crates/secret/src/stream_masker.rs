//! Masks secrets in a text that comes in pieces: the end of a piece that may begin a secret is held back until the next one.

use zeroize::Zeroizing;

use crate::{
    masker::Masker,
    secret::{SHORTEST, Secret},
    spelling::spellings,
};

/// Masks the secrets in a text that comes in pieces, such as the words of a model.
///
/// ```
/// use callgate_secret::{Secret, StreamMasker};
///
/// let secrets = [Secret::new("s3cr3t-key".to_owned())];
/// let mut masker = StreamMasker::new(&secrets);
/// assert_eq!(masker.mask_piece("you sent s3cr3"), "you sent ");
/// assert_eq!(masker.mask_piece("t-key, then s"), "****, then ");
/// assert_eq!(masker.masked_rest(), "s");
/// ```
#[derive(Debug)]
pub struct StreamMasker<'a> {
    masker: Masker<'a>,
    spellings: Vec<Zeroizing<Vec<u8>>>,
    held: Zeroizing<String>,
}

impl<'a> StreamMasker<'a> {
    /// A masker of these secrets, before the first piece. It finds those that a [`Masker`] finds in one piece, and each spelling
    /// but escapes across pieces.
    pub fn new(secrets: &'a [Secret]) -> Self {
        let masked = secrets.iter().filter(|secret| secret.expose().len() >= SHORTEST);
        let spellings = masked.flat_map(|secret| spellings(secret.expose().as_bytes())).collect();
        Self { masker: Masker::new(secrets), spellings, held: Zeroizing::default() }
    }

    /// The text that may be shown after a further piece.
    pub fn mask_piece(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut end = self.held.len() - self.n_unfinished_bytes();
        // A secret that has come whole is not parted, even if another one may begin in it.
        for (start, stop) in self.masker.secret_ranges(self.held.as_bytes()).into_merged() {
            if (start..stop).contains(&end) {
                end = stop;
            }
        }
        let end = self.held.ceil_char_boundary(end);
        let rest = Zeroizing::new(self.held.split_off(end));
        let shown = self.masker.mask_text(&self.held).into_owned();
        self.held = rest;
        shown
    }

    /// The rest of the text, after the last piece.
    pub fn masked_rest(self) -> String {
        self.masker.mask_text(&self.held).into_owned()
    }

    /// The number of bytes at the end that begin a spelling and do not end it.
    fn n_unfinished_bytes(&self) -> usize {
        let text = self.held.as_bytes();
        let open = |spelling: &Zeroizing<Vec<u8>>| {
            let most = text.len().min(spelling.len().saturating_sub(1));
            let is_end = |n_bytes: &usize| {
                spelling.get(..*n_bytes).is_some_and(|beginning| text.ends_with(beginning))
            };
            (1..=most).rev().find(is_end)
        };
        self.spellings.iter().filter_map(open).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(secrets: &[Secret], pieces: &[&str]) -> String {
        let mut masker = StreamMasker::new(secrets);
        let mut shown: String = pieces.iter().map(|piece| masker.mask_piece(piece)).collect();
        shown.push_str(&masker.masked_rest());
        shown
    }

    /// The parts of a text between some places in it.
    fn pieces<'t>(text: &'t str, cuts: &[prop::sample::Index]) -> Vec<&'t str> {
        let place = |cut: &prop::sample::Index| text.floor_char_boundary(cut.index(text.len() + 1));
        let mut places: Vec<_> = cuts.iter().map(place).chain([0, text.len()]).collect();
        places.sort_unstable();
        places.array_windows().map(|[start, end]| text.get(*start..*end).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn a_text_in_pieces_shows_no_secret_and_nothing_else_is_changed(
            words in proptest::collection::vec("ababcab|ab|abab|c|ž", 0..12),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let values = ["ababcab", "žababž"];
            let secrets = values.map(|secret| Secret::new(secret.to_owned()));
            let text = words.concat();
            let shown = shown(&secrets, &pieces(&text, &cuts));
            prop_assert!(!values.iter().any(|value| shown.contains(value)), "{}", shown);
            if !values.iter().any(|value| text.contains(value)) {
                prop_assert_eq!(&shown, &text);
            }
        }
    }

    #[test]
    fn a_secret_across_pieces_is_masked_in_each_spelling_without_escapes() {
        let secrets = [Secret::new("S3cr3t-key".to_owned())];
        for text in ["S3cr3t-key", "s3cr3t-key", "533363723374 2D6b6579", "5333637233742d6b6579"] {
            let (first, second) = text.split_at(7);
            let masked = !text.contains(' ');
            let expected = if masked { "<****>".to_owned() } else { format!("<{text}>") };
            assert_eq!(shown(&secrets, &["<", first, second, ">"]), expected);
        }
    }

    #[test]
    fn secrets_that_share_bytes_are_masked_together() {
        let secrets = ["1234efgh", "abcd1234"].map(|secret| Secret::new(secret.to_owned()));
        assert_eq!(shown(&secrets, &["abcd1234efgh", " abcd"]), "**** abcd");
    }

    #[test]
    fn words_that_begin_no_secret_are_shown_at_once() {
        let secrets = [Secret::new("key-0123".to_owned())];
        let mut masker = StreamMasker::new(&secrets);
        assert_eq!(masker.mask_piece("A pizza, please."), "A pizza, please.");
        assert_eq!(masker.mask_piece(" No key-01"), " No ");
        assert_eq!(masker.mask_piece("."), "key-01.");
        assert_eq!(StreamMasker::new(&[]).mask_piece("any"), "any");
    }
}
