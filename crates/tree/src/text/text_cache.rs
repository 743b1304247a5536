//! The texts that were read last, each in a slot that a few of its bytes choose. Most names are soon repeated and are
//! found here without being hashed. The table of the interner contains these texts too.

use std::sync::Arc;

#[derive(Debug)]
pub(super) struct TextCache {
    texts: Box<[Option<Arc<str>>; PLACES]>,
}

/// The number of slots: descriptions repeat a few hundred names again and again.
const PLACES: usize = 512;

impl Default for TextCache {
    fn default() -> Self {
        Self { texts: Box::new([const { None }; PLACES]) }
    }
}

impl TextCache {
    /// The slot of a text, with the text that was there last.
    #[expect(clippy::indexing_slicing, reason = "the remainder is less than the number of places")]
    pub(super) fn slot_of_text(&mut self, text: &str) -> &mut Option<Arc<str>> {
        let bytes = text.as_bytes();
        let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or_default());
        let (first, middle, last) =
            (byte(0), byte(bytes.len() / 2), byte(bytes.len().wrapping_sub(1)));
        let mixed = first ^ (middle << 3) ^ (last << 5) ^ (bytes.len() << 1);
        &mut self.texts[mixed % PLACES]
    }
}
