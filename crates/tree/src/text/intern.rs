//! Shares the texts of a tree: names and short values occur again and again in a description.

use std::sync::Arc;

use hashbrown::HashSet;

/// Longer texts are descriptions and examples: they hardly ever occur twice, and hashing them costs more than a copy.
const SHARED_BYTES: usize = 64;

/// The texts seen so far. The hasher is seeded at random, so that no description can choose texts that collide.
#[derive(Debug, Default)]
pub struct Interner {
    texts: HashSet<Arc<str>>,
}

impl Interner {
    /// A name: always shared, so that equal names are the same allocation.
    pub fn name(&mut self, text: &str) -> Arc<str> {
        Arc::clone(self.texts.get_or_insert_with(text, |text| text.into()))
    }

    /// A value: shared when it is short.
    pub fn value(&mut self, text: &str) -> Arc<str> {
        if text.len() > SHARED_BYTES { text.into() } else { self.name(text) }
    }
}
