//! The texts that were read last, each at a place that a few of its bytes choose: most names come again soon, and are
//! found here without being hashed. What is here is in the table of the interner too.

use std::sync::Arc;

/// One text for each place.
#[derive(Debug)]
pub(super) struct Recent {
    texts: Box<[Option<Arc<str>>; PLACES]>,
}

/// Descriptions have a few hundred names that come again and again.
const PLACES: usize = 512;

impl Default for Recent {
    fn default() -> Self {
        Self { texts: Box::new([const { None }; PLACES]) }
    }
}

impl Recent {
    /// The place of a text, and the one that was there last.
    #[expect(clippy::indexing_slicing, reason = "the remainder is less than the number of places")]
    pub(super) fn place(&mut self, text: &str) -> &mut Option<Arc<str>> {
        let bytes = text.as_bytes();
        let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or_default());
        let (first, middle, last) =
            (byte(0), byte(bytes.len() / 2), byte(bytes.len().wrapping_sub(1)));
        let mixed = first ^ (middle << 3) ^ (last << 5) ^ (bytes.len() << 1);
        &mut self.texts[mixed % PLACES]
    }
}
